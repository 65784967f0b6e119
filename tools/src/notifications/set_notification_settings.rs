use schemars::JsonSchema;
use serde::Deserialize;

use super::{INBOX, settings_view::SettingsView};
use domain::{Capability, MailTimes, NotificationKind, Revision};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::notifications;

/// Define de que quem chama é notificado, e quando por e-mail e nos aparelhos.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("dependentRequired" = {
    "silencio_de": ["silencio_ate"],
    "silencio_ate": ["silencio_de"],
}))]
pub struct SetNotificationSettings {
    /// A `revision` lida; 0 se nada foi mudado ainda.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Revision,
    /// Os tipos de que a pessoa é notificada; dos outros, não.
    #[serde(default)]
    #[schemars(length(max = NotificationKind::ALL.len()))]
    ligados: Vec<NotificationKind>,
    /// Os ligados que também vão por e-mail, se a Pauta o envia; os outros, não. Ausente, não muda.
    #[schemars(length(max = NotificationKind::ALL.len()))]
    por_email: Option<Vec<NotificationKind>>,
    /// Os ligados que também vão aos aparelhos; os outros, não. Ausente, não muda.
    #[schemars(length(max = NotificationKind::ALL.len()))]
    por_push: Option<Vec<NotificationKind>>,
    /// Os ligados que não ficam na lista: só vão por e-mail e aos aparelhos. Ausente, não muda.
    #[schemars(length(max = NotificationKind::ALL.len()))]
    fora_da_lista: Option<Vec<NotificationKind>>,
    /// A hora de Brasília a partir da qual nada é enviado por e-mail nem a aparelhos.
    #[schemars(range(min = 0, max = 23))]
    silencio_de: Option<i8>,
    /// A hora de Brasília a partir da qual voltam a ser enviados.
    #[schemars(range(min = 0, max = 23))]
    silencio_ate: Option<i8>,
    /// A hora de Brasília do único e-mail do dia; ausente, cada aviso é enviado logo.
    #[schemars(range(min = 0, max = 23))]
    resumo: Option<i8>,
}

impl Operation for SetNotificationSettings {
    const SPEC: Spec = Spec::new(
        "set_notification_settings",
        "Definir preferências de notificação",
        Verb::Put,
        "/api/notificacoes/preferencias",
    )
    // Needs a session: a leaked token must not turn off the e-mails that report its use.
    .access(Access::Session(Capability::TasksView))
    .makes(INBOX)
    .read_by("get_notification_settings")
    .extension();
    type Output = SettingsView;

    fn affected_ids(output: &SettingsView) -> Vec<&str> {
        vec![output.member_id()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<SettingsView> {
        let member = &ctx.caller()?.member;
        let quiet = match (self.silencio_de, self.silencio_ate) {
            (Some(from), Some(until)) => Some((from, until)),
            (None, None) => None,
            (from, _) => {
                let missing = from.map_or("silencio_de", |_| "silencio_ate");
                let message = "é obrigatório: as duas horas vão juntas";
                return Err(Error::invalid_field(missing, "dependentRequired", message));
            }
        };
        let db = ctx.db();
        let mut settings = notifications::find_settings(&db, &member.id).await?;
        if settings.revision != self.expected_revision {
            return Err(Error::stale_revision(settings.revision));
        }
        let before = settings.wishes.clone();
        for kind in NotificationKind::all_of(member) {
            let choices = &mut settings.wishes.choices;
            let on = self.ligados.contains(&kind);
            let chosen = |kinds: &Option<Vec<_>>, before: bool| {
                let kinds = kinds.as_ref();
                kinds.map_or(before, |kinds| kinds.contains(&kind))
            };
            // Turns the kind on first, so that the stored choices of its channels can be read even if it
            // was off.
            choices.set(kind, true);
            let by_email = chosen(&self.por_email, choices.wants_email(kind));
            let by_push = chosen(&self.por_push, choices.wants_push(kind));
            let unlisted = chosen(&self.fora_da_lista, !choices.wants_listed(kind));
            // A kind that is turned off keeps the choices of its channels, which apply when it is turned
            // on again.
            if on && choices.wants_email(kind) != by_email {
                choices.set_email(kind, by_email);
            }
            if on && choices.wants_push(kind) != by_push {
                choices.set_push(kind, by_push);
            }
            if on && choices.wants_listed(kind) == unlisted {
                choices.set_listed(kind, !unlisted);
            }
            choices.set(kind, on);
        }
        settings.wishes.times = MailTimes {
            quiet,
            digest: self.resumo,
        };
        if settings.wishes == before {
            return SettingsView::from_settings(&settings, ctx);
        }
        let expected = settings.revision;
        if !notifications::save_settings(&db, &member.id, expected, &settings.wishes).await? {
            let current = notifications::find_settings(&db, &member.id).await?;
            return Err(Error::stale_revision(current.revision));
        }
        settings.revision = expected.next();
        SettingsView::from_settings(&settings, ctx)
    }
}
