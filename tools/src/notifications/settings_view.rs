//! The notification settings of a member as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use domain::{MemberId, NotificationKind, Revision};
use gateway::{Context, Result};
use store::notifications::{Settings, Wishes};

/// De que quem chama é notificado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsView {
    /// A enviar em `expected_revision`.
    revision: Revision,
    ligados: Vec<NotificationKind>,
    desligados: Vec<NotificationKind>,
    /// Os ligados que também vão por e-mail.
    por_email: Vec<NotificationKind>,
    /// Os ligados que também vão aos aparelhos.
    por_push: Vec<NotificationKind>,
    /// Os ligados que não ficam na lista.
    fora_da_lista: Vec<NotificationKind>,
    /// As horas de Brasília entre as quais nada é enviado por e-mail nem a aparelhos.
    #[serde(skip_serializing_if = "Option::is_none")]
    silencio_de: Option<i8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silencio_ate: Option<i8>,
    /// A hora de Brasília do único e-mail do dia.
    #[serde(skip_serializing_if = "Option::is_none")]
    resumo: Option<i8>,
    /// Falso se esta Pauta não envia e-mails.
    envia_email: bool,
    #[serde(skip)]
    #[schemars(skip)]
    member_id: MemberId,
}

impl SettingsView {
    pub(super) fn from_settings(settings: &Settings, ctx: &Context<'_>) -> Result<Self> {
        let member = &ctx.caller()?.member;
        let Wishes { choices, times } = &settings.wishes;
        let kinds = NotificationKind::all_of(member).into_iter();
        let (ligados, desligados): (Vec<_>, _) = kinds.partition(|kind| choices.wants(*kind));
        let by_email = ligados.iter().copied();
        Ok(Self {
            revision: settings.revision,
            por_push: by_email
                .clone()
                .filter(|kind| choices.wants_push(*kind))
                .collect(),
            por_email: by_email.filter(|kind| choices.wants_email(*kind)).collect(),
            fora_da_lista: ligados
                .iter()
                .copied()
                .filter(|kind| !choices.wants_listed(*kind))
                .collect(),
            ligados,
            desligados,
            silencio_de: times.quiet.map(|(from, _)| from),
            silencio_ate: times.quiet.map(|(_, until)| until),
            resumo: times.digest,
            envia_email: identity::mail::is_configured(ctx.services),
            member_id: member.id.clone(),
        })
    }

    pub(super) fn member_id(&self) -> &str {
        self.member_id.as_str()
    }
}
