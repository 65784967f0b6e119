//! A publication as shown in responses.

use domain::{
    Code, EventId, MediaId, MemberId, PublicationId, PublicationKind, PublicationState,
    time::Timestamp,
};
use gateway::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::publications::Publication;

use super::{meaning::map_provider_code, post::Post};
use crate::publishing::{ACCOUNT_DISCONNECTED, PUBLICATION_CODES, PUBLISHING_PAUSED};

/// The advice for users after an unknown outcome.
pub(super) const UNKNOWN_NEXT: &str = "Não publique de novo antes de uma pessoa abrir o perfil da \
    conta no TikTok (também em \"Só eu\"). Se a publicação está lá, marque o evento como \
    `publicado` em `update_event`; se não está, publique com esta publicação em \
    `despite_publication_id`.";

/// Uma publicação no TikTok.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicationView {
    pub id: PublicationId,
    #[serde(rename = "type")]
    pub kind: PublicationKind,
    /// `submitting`, `uploading` e `processing` seguem sozinhas; `published` está no ar; `failed`
    /// não está; `unknown` pede que uma pessoa confira.
    pub status: PublicationState,
    /// A conta que publica.
    pub account_id: String,
    pub event_id: Option<EventId>,
    /// Mídias na ordem de publicação.
    pub media_ids: Vec<MediaId>,
    pub privacy_level: String,
    /// Legenda enviada.
    pub caption: String,
    /// Identificador da publicação no TikTok.
    pub publish_id: Option<String>,
    /// Identificador da postagem no ar, quando o TikTok o informa.
    pub post_id: Option<String>,
    /// Bytes do vídeo já enviados, e o total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uploaded_bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
    /// Por que falhou, ou o que a detém.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// O código do próprio TikTok.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_code: Option<String>,
    /// O mesmo em palavras.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// O que fazer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    pub created_by: MemberId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

impl PublicationView {
    pub fn from_stored(publication: Publication) -> Result<Self> {
        let post: Post = serde_json::from_str(&publication.post)?;
        let is_video = publication.kind == PublicationKind::Video;
        let (message, next) = message_and_next_step(&publication);
        Ok(Self {
            uploaded_bytes: is_video.then_some(publication.uploaded),
            bytes: is_video.then_some(publication.bytes),
            id: publication.id,
            kind: publication.kind,
            status: publication.state,
            account_id: publication.account_id,
            event_id: publication.event_id,
            media_ids: post.media_ids,
            privacy_level: post.privacy_level,
            caption: post.caption,
            publish_id: publication.publish_id,
            post_id: publication.post_id,
            code: publication.code,
            provider_code: publication.provider_code,
            message: message.map(str::to_owned),
            next: next.map(str::to_owned),
            created_by: publication.created_by,
            created_at: Timestamp(publication.created_at),
            updated_at: Timestamp(publication.updated_at),
            finished_at: publication.finished_at.map(Timestamp),
        })
    }
}

/// Returns the message and the advice for a publication that failed or is held up.
fn message_and_next_step(
    publication: &Publication,
) -> (Option<&'static str>, Option<&'static str>) {
    let is_over = publication.finished_at.is_some();
    match publication.state {
        PublicationState::Unknown if publication.open == 1 => {
            (Some("Não se sabe se foi ao ar."), Some(UNKNOWN_NEXT))
        }
        PublicationState::Unknown => (
            Some("Não se soube se foi ao ar; uma pessoa conferiu que não está."),
            None,
        ),
        _ => match (&publication.provider_code, &publication.code) {
            (Some(provider_code), _) => {
                let meaning = map_provider_code(provider_code);
                (Some(meaning.message), Some(meaning.next))
            }
            (None, Some(code)) if code == ACCOUNT_DISCONNECTED.as_str() && !is_over => (
                Some(
                    "A conta foi desconectada; o TikTok segue sem que o serviço saiba o resultado.",
                ),
                Some("Peça a um admin da equipe que conecte a mesma conta de novo."),
            ),
            (None, Some(code)) if !is_over && code == PUBLISHING_PAUSED.as_str() => (
                Some(
                    "Todas as publicações estão pausadas. O vídeo não vai ao ar, e o prazo para enviá-lo \
                     corre.",
                ),
                Some("Retome com `pause_publishing` em até uma hora, ou publique de novo depois."),
            ),
            (None, Some(code)) if !is_over && code != ACCOUNT_DISCONNECTED.as_str() => (
                Some("O TikTok não responde agora; o serviço pergunta de novo sozinho."),
                None,
            ),
            (None, Some(code)) => {
                let known = PUBLICATION_CODES
                    .iter()
                    .chain(Code::COMMON)
                    .find(|known| known.as_str() == code);
                known.map_or((None, None), |known| {
                    (Some(known.message()), known.next_step())
                })
            }
            (None, None) => (None, None),
        },
    }
}
