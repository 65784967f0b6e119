//! An event, as operations return it.

use schemars::JsonSchema;
use serde::Serialize;

use super::stages::{self, ApprovalView, Detail};
use crate::media_ref::MediaRef;
use domain::{
    EventId, EventStatus, Format, MemberId, Revision,
    time::{LocalDate, Timestamp},
    variant::PublishMode,
};
use gateway::{Context, Door, Result};
use store::{
    events::Event,
    variants::{self, ListedChannel},
};

/// The maximum length of a caption in a list for agents, in characters.
const EXCERPT: usize = 300;

/// Evento editorial.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventView {
    pub id: EventId,
    /// Revisão para compare-and-set: releia antes de cada mudança.
    pub api_revision: Revision,
    /// Identificador externo ou legado.
    pub clickup_id: Option<String>,
    pub title: String,
    /// Canal de publicação.
    pub channel: String,
    pub status: EventStatus,
    /// A legenda; em uma demanda nova, o briefing.
    pub description: Option<String>,
    /// Verdadeiro quando `description` é só o começo da legenda: leia o resto com `get_event`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// Verdadeiro enquanto `description` só repete o briefing: ninguém escreveu a legenda.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_is_briefing: bool,
    /// O pedido original da demanda; nunca muda. Nas listas de ferramentas não vem: está em
    /// `get_event`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub briefing: Option<Option<String>>,
    /// Em `list_my_tasks`, o motivo da recusa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal_reason: Option<String>,
    /// Quantas conversas de comentários estão abertas; só em `list_pending_approvals` e
    /// `list_my_tasks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comentarios_abertos: Option<i64>,
    /// Quantas delas a versão enviada diz atender; só em `list_pending_approvals`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comentarios_respondidos: Option<i64>,
    /// Em aprovação por etapas: onde está; só em `get_event`, `list_events` e
    /// `list_pending_approvals`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aprovacao: Option<ApprovalView>,
    /// Os canais das variantes, quando as há; só em `list_events` e `list_pending_approvals`. O que
    /// cada um diz está em `get_event`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub canais: Vec<EventChannel>,
    /// Dia, no horário de Brasília.
    #[schemars(range(min = 1, max = 31))]
    pub day: Option<i8>,
    /// Mês, no horário de Brasília.
    #[schemars(range(min = 1, max = 12))]
    pub month: Option<i8>,
    /// Ano, no horário de Brasília.
    #[schemars(range(min = 0, max = 9999))]
    pub year: Option<i16>,
    /// Hora local `HH:mm`, no horário de Brasília.
    pub hour: Option<String>,
    /// O mesmo instante em UTC (RFC 3339).
    pub due_at: Option<Timestamp>,
    /// Tipo ou etiqueta editorial.
    pub editorial_tag: Option<String>,
    pub assignee_member_ids: Vec<MemberId>,
    pub assignees_names: Vec<String>,
    /// Onde o post publicado está; ausente enquanto ninguém informou.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post_url: Option<String>,
    /// Mídias na ordem de publicação.
    pub media: Vec<MediaRef>,
    pub created_by: MemberId,
    pub created_by_name: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Um canal a que o evento vai.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventChannel {
    canal: String,
    formato: Format,
    /// Verdadeiro quando a variante está aprovada como está.
    aprovada: bool,
    /// `automatica`: o serviço publica; `manual`: uma pessoa posta.
    publicacao: PublishMode,
    /// Verdadeiro quando a hora passou e o post não está no ar, ou não se sabe se está.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    atrasada: bool,
    /// Data própria; ausente, a do evento.
    #[serde(skip_serializing_if = "Option::is_none")]
    due_at: Option<Timestamp>,
}

impl From<ListedChannel> for EventChannel {
    fn from(listed: ListedChannel) -> Self {
        Self {
            aprovada: listed.is_approved == 1,
            publicacao: listed.publish,
            atrasada: listed.is_late == 1,
            canal: listed.channel,
            formato: listed.format,
            due_at: listed.due_at.map(Timestamp),
        }
    }
}

impl EventView {
    /// Builds the view for a row of a list. For agents, a long caption is cut and the briefing is left
    /// out.
    pub fn from_event_for_list(event: Event, ctx: &Context<'_>) -> Self {
        let mut view = Self::from_event(event, ctx);
        if ctx.origin.door == Door::Mcp {
            view.briefing = None;
            if let Some(caption) = &mut view.description
                && let Some(end) = end_of_excerpt(EXCERPT, caption)
            {
                caption.truncate(end);
                view.description_truncated = true;
            }
        }
        view
    }

    /// Builds the view with new links to the media.
    pub fn from_event(event: Event, ctx: &Context<'_>) -> Self {
        let local = event.due_at.map(LocalDate::from_instant);
        let description_is_briefing = event.has_unwritten_caption();
        let (assignee_member_ids, assignees_names) = event.assignees.into_iter().unzip();
        Self {
            id: event.id,
            api_revision: event.api_revision,
            clickup_id: event.clickup_id,
            title: event.title,
            channel: event.channel,
            status: event.status,
            description: event.description,
            description_truncated: false,
            description_is_briefing,
            briefing: Some(event.briefing),
            refusal_reason: None,
            comentarios_abertos: None,
            comentarios_respondidos: None,
            aprovacao: None,
            canais: vec![],
            day: local.as_ref().map(|l| l.day),
            month: local.as_ref().map(|l| l.month),
            year: local.as_ref().map(|l| l.year),
            hour: local.map(|l| l.hour),
            due_at: event.due_at.map(Timestamp),
            editorial_tag: event.editorial_tag,
            post_url: event.post_url,
            assignee_member_ids,
            assignees_names,
            media: event
                .media
                .into_iter()
                .map(|media| MediaRef::from_attached(media, ctx))
                .collect(),
            created_by: event.created_by,
            created_by_name: event.created_by_name,
            created_at: Timestamp(event.created_at),
            updated_at: Timestamp(event.updated_at),
        }
    }
}

/// Adds the running approvals of these pieces, loaded in one query.
pub(super) async fn add_approvals(
    ctx: &Context<'_>,
    views: &mut [EventView],
    detail: Detail,
) -> Result<()> {
    let waiting = views
        .iter()
        .filter(|view| view.status == EventStatus::InApproval);
    let mut approvals = stages::load_views(ctx, waiting.map(|view| &view.id), detail).await?;
    for view in views {
        view.aprovacao = approvals.remove(&view.id);
    }
    Ok(())
}

/// Adds the channels of the variants of these pieces, loaded in one query.
pub(super) async fn add_channels(ctx: &Context<'_>, views: &mut [EventView]) -> Result<()> {
    let mut channels =
        variants::load_channels(&ctx.db(), views.iter().map(|view| &view.id), ctx.now).await?;
    for view in views {
        let of_piece = channels.remove(&view.id).unwrap_or_default().into_iter();
        view.canais = of_piece.map(EventChannel::from).collect();
    }
    Ok(())
}

/// Returns the byte offset after the first `characters` characters; `None` when the text is not longer.
///
/// Each iteration advances by one byte per missing character. So an iteration never passes the end of
/// the excerpt, because a character has at least one byte. Characters are counted by their first bytes,
/// without decoding.
fn end_of_excerpt(characters: usize, text: &str) -> Option<usize> {
    let (mut at, mut left) = (0, characters);
    while left > 0 {
        let stretch = text.as_bytes().get(at..at + left)?;
        at += left;
        left -= stretch
            .iter()
            .filter(|byte| is_character_start(**byte))
            .count();
    }
    let rest = text.as_bytes().get(at..)?;
    rest.iter()
        .position(|byte| is_character_start(*byte))
        .map(|more| at + more)
}

/// Returns true if this UTF-8 byte begins a character.
fn is_character_start(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_ends_between_two_characters() {
        for unit in ["a", "é", "€", "🍞", "aé€🍞", "🍞a"] {
            let text = unit.repeat(20);
            for length in 0..=text.chars().count() + 1 {
                let end = text.char_indices().nth(length).map(|(end, _)| end);
                assert_eq!(end_of_excerpt(length, &text), end, "{unit} {length}");
            }
        }
    }
}
