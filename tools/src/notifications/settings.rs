//! Reads and sets what a member is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{INBOX, kinds_of};
use domain::{Capability, Member, MemberId, NotificationKind, Revision};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::notifications::{self, Settings};

/// Lê de que quem chama é notificado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetNotificationSettings {}

/// Define de que quem chama é notificado.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SetNotificationSettings {
    /// A `revision` lida; 0 se nada foi mudado ainda.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Os tipos de que a pessoa é notificada; dos outros, não.
    #[serde(default)]
    #[schemars(length(max = 8))]
    ligados: Vec<NotificationKind>,
}

/// De que quem chama é notificado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsView {
    /// A enviar em `expected_revision`.
    revision: Revision,
    ligados: Vec<NotificationKind>,
    desligados: Vec<NotificationKind>,
    #[serde(skip)]
    #[schemars(skip)]
    member_id: MemberId,
}

impl SettingsView {
    fn from_settings(settings: &Settings, member: &Member) -> Self {
        let kinds = kinds_of(member).into_iter();
        let (ligados, desligados) = kinds.partition(|kind| settings.choices.wants(*kind));
        Self {
            revision: settings.revision,
            ligados,
            desligados,
            member_id: member.id.clone(),
        }
    }
}

impl Operation for GetNotificationSettings {
    const SPEC: Spec = Spec::new(
        "get_notification_settings",
        "Ler preferências de notificação",
        Verb::Get,
        "/api/notificacoes/preferencias",
    )
    .access(Access::Member(Capability::TasksView))
    .extension();
    type Output = SettingsView;

    async fn run(self, ctx: &Context<'_>) -> Result<SettingsView> {
        let member = &ctx.caller()?.member;
        let settings = notifications::find_settings(&ctx.db(), &member.id).await?;
        Ok(SettingsView::from_settings(&settings, member))
    }
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
        vec![output.member_id.as_str()]
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
