use schemars::JsonSchema;
use serde::Deserialize;

use super::{INBOX, kinds_of, settings_view::SettingsView};
use domain::{Capability, NotificationKind, Revision};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::notifications;

/// Define de que quem chama é notificado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SetNotificationSettings {
    /// A `revision` lida; 0 se nada foi mudado ainda.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Os tipos de que a pessoa é notificada; dos outros, não.
    #[serde(default)]
    #[schemars(length(max = 9))]
    ligados: Vec<NotificationKind>,
}

impl Operation for SetNotificationSettings {
    const SPEC: Spec = Spec::new(
        "set_notification_settings",
        "Definir preferências de notificação",
        Verb::Put,
        "/api/notificacoes/preferencias",
    )
    .access(Access::Member(Capability::TasksView))
    .makes(INBOX)
    .read_by("get_notification_settings")
    .extension();
    type Output = SettingsView;

    fn affected_ids(output: &SettingsView) -> Vec<&str> {
        vec![output.member_id()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<SettingsView> {
        let member = &ctx.caller()?.member;
        let db = ctx.db();
        let mut settings = notifications::find_settings(&db, &member.id).await?;
        if settings.revision != self.expected_revision {
            return Err(Error::stale_revision(settings.revision));
        }
        let before = settings.choices.clone();
        for kind in kinds_of(member) {
            settings.choices.set(kind, self.ligados.contains(&kind));
        }
        if settings.choices == before {
            return Ok(SettingsView::from_settings(&settings, member));
        }
        let expected = settings.revision;
        if !notifications::save_settings(&db, &member.id, expected, &settings.choices).await? {
            let current = notifications::find_settings(&db, &member.id).await?;
            return Err(Error::stale_revision(current.revision));
        }
        settings.revision = expected.next();
        Ok(SettingsView::from_settings(&settings, member))
    }
}
