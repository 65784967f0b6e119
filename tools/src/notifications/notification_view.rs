//! A notification in answers.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::sentences;
use crate::due_posts::{CHANNEL, FORMAT};
use domain::{EventId, NotificationId, NotificationKind, time::Timestamp};
use gateway::{Context, Result};
use store::notifications::Listed;

/// Notificação.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotificationView {
    id: NotificationId,
    tipo: NotificationKind,
    /// O que aconteceu, em uma frase.
    texto: String,
    /// A peça; nulo se não é sobre uma só.
    event_id: Option<EventId>,
    /// O título dela.
    titulo: Option<String>,
    /// Quem fez; nulo se foi o serviço.
    quem: Option<String>,
    /// A última vez.
    quando: Timestamp,
    /// Quantas mudanças são.
    vezes: i64,
    lida: bool,
    /// Até quando decidir, se a etapa tem prazo.
    prazo: Option<String>,
    /// A página no console.
    link: String,
}

impl NotificationView {
    /// Builds the view. `is_current` is false for the reminder of a post that is no longer due.
    pub(super) fn from_listed(listed: Listed, is_current: bool, ctx: &Context<'_>) -> Result<Self> {
        let details: Value = serde_json::from_str(&listed.details)?;
        let who = sentences::describe_actor(&listed, &ctx.caller()?.member.id);
        let path = console_path(&listed);
        Ok(Self {
            texto: sentences::describe((&listed, is_current), &details, who.as_deref()),
            tipo: listed.kind,
            titulo: listed.event_title,
            event_id: listed.event_id,
            quem: who,
            quando: Timestamp(listed.occurred_at),
            vezes: listed.changes,
            lida: listed.read_at.is_some() || !is_current,
            prazo: details["prazo"].as_str().map(str::to_owned),
            link: format!("{}{path}", ctx.services.public_url),
            id: listed.id,
        })
    }
}

/// Returns the path of the console page about a notification.
pub(super) fn console_path(listed: &Listed) -> String {
    match (&listed.event_id, listed.kind) {
        (Some(id), NotificationKind::Reminder) => {
            let details: Value = serde_json::from_str(&listed.details).unwrap_or_default();
            let part = |name: &str| {
                let text = details[name].as_str().unwrap_or_default();
                utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
            };
            format!(
                "/eventos/{id}/canais/{}/{}/postar",
                part(CHANNEL),
                part(FORMAT)
            )
        }
        (Some(id), _) => format!("/eventos/{id}"),
        (None, NotificationKind::Agent) => "/conta".to_owned(),
        (None, NotificationKind::Connection) => "/conexoes".to_owned(),
        (None, NotificationKind::Webhook) => "/webhooks".to_owned(),
        (None, NotificationKind::GuestLink) => "/convidados?encerrados=true".to_owned(),
        (None, NotificationKind::Failed) => "/publicacoes".to_owned(),
        (None, NotificationKind::Awaited) => "/aprovacoes".to_owned(),
        (None, _) => "/".to_owned(),
    }
}
