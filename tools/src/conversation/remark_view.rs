//! A remark as shown in responses.

use schemars::JsonSchema;
use serde::Serialize;

use super::anchor_input::AnchorKind;
use domain::{
    Anchor, Event, EventId, MediaId, MemberId, Place, RemarkId, Revision, TemplateId, text_enum,
    time::Timestamp,
};
use gateway::Result;
use store::remarks::Remark;

text_enum! {
    /// The state of a thread.
    pub enum ThreadState {
        Open = "aberto",
        Resolved = "resolvido",
    }
}

impl ThreadState {
    /// Returns the state of the thread that begins with this remark.
    pub(super) fn from_first_remark(first: &Remark) -> Self {
        match first.resolved_at {
            Some(_) => Self::Resolved,
            None => Self::Open,
        }
    }
}

text_enum! {
    /// The audience of a thread.
    pub enum Audience {
        Team = "equipe",
        /// The team and the guests of the piece.
        Guests = "convidados",
    }
}

impl Audience {
    const fn of_thread(for_guests: bool) -> Self {
        match for_guests {
            true => Self::Guests,
            false => Self::Team,
        }
    }
}

/// Um comentário.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RemarkView {
    id: RemarkId,
    /// A conversa: o id do primeiro comentário dela. Vai em `responde_a` e em
    /// `comentarios_respondidos`.
    conversa: RemarkId,
    event_id: EventId,
    /// O título da peça.
    event_title: String,
    /// Nulo num comentário removido, que fica por causa das respostas.
    texto: Option<String>,
    author_id: MemberId,
    author_name: String,
    /// Verdadeiro quando quem escreveu foi a pessoa convidada por `author_id`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    convidado: bool,
    /// Para quem é a conversa.
    publico: Audience,
    /// O agente ou token por meio do qual a pessoa escreveu; ausente quando foi ela mesma.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// As pessoas mencionadas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mencoes: Vec<Mention>,
    /// A revisão do evento que a pessoa leu.
    api_revision: Revision,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_at: Option<Timestamp>,
    /// Da conversa; só no primeiro comentário dela, como os campos seguintes.
    #[serde(skip_serializing_if = "Option::is_none")]
    estado: Option<ThreadState>,
    /// Onde na peça; ausente quando é sobre ela toda.
    #[serde(skip_serializing_if = "Option::is_none")]
    ancora: Option<AnchorView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_by: Option<MemberId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_by_name: Option<String>,
    /// A revisão enviada para aprovação que responde à conversa; ausente enquanto nenhuma a responde.
    #[serde(skip_serializing_if = "Option::is_none")]
    respondido_na_revisao: Option<Revision>,
}

/// Uma pessoa mencionada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mention {
    id: MemberId,
    name: String,
}

/// O lugar na peça: um trecho da legenda, um ponto ou retângulo de uma imagem, um segundo de um
/// vídeo, ou um trecho do HTML de um rascunho de e-mail.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct AnchorView {
    tipo: Option<AnchorKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trecho: Option<String>,
    /// Em que caractere da legenda ou do HTML lido o trecho começa, a partir de 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    posicao: Option<usize>,
    /// Onde o trecho está agora, quando não é mais em `posicao`.
    #[serde(skip_serializing_if = "Option::is_none")]
    posicao_atual: Option<usize>,
    /// O rascunho de e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    template_id: Option<TemplateId>,
    /// O `updated_at` do rascunho de e-mail lido.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft_updated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_id: Option<MediaId>,
    /// Frações da imagem, de 0 a 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    largura: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    altura: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segundo: Option<f64>,
    /// Verdadeiro quando o trecho não está mais na legenda ou no rascunho, ou a mídia não está mais na
    /// peça.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    desatualizado: bool,
}

impl RemarkView {
    /// Builds the view. `event` is the piece of the remark.
    pub(super) fn from_remark(
        remark: Remark,
        mentions: Vec<(MemberId, String)>,
        event: Option<&Event>,
    ) -> Result<Self> {
        let ancora = match (&remark.anchor, event) {
            (Some(anchor), Some(event)) => Some(AnchorView::from_anchor(
                serde_json::from_str(anchor)?,
                event,
                remark.passage_at,
            )),
            _ => None,
        };
        Ok(Self {
            estado: remark
                .is_first()
                .then(|| ThreadState::from_first_remark(&remark)),
            ancora,
            texto: remark.removed_at.is_none().then_some(remark.text),
            mencoes: mentions
                .into_iter()
                .map(|(id, name)| Mention { id, name })
                .collect(),
            event_title: event.map(|event| event.title.clone()).unwrap_or_default(),
            id: remark.id,
            conversa: remark.thread_id,
            event_id: remark.event_id,
            author_id: remark.author_id,
            author_name: remark.author_name,
            convidado: remark.guest_link_id.is_some(),
            publico: Audience::of_thread(remark.for_guests),
            agent: remark.agent,
            api_revision: remark.read_revision,
            created_at: Timestamp(remark.created_at),
            edited_at: remark.edited_at.map(Timestamp),
            resolved_at: remark.resolved_at.map(Timestamp),
            resolved_by: remark.resolved_by,
            resolved_by_name: remark.resolved_by_name,
            respondido_na_revisao: remark.answered_revision,
        })
    }
}

impl AnchorView {
    /// Builds a view without the passage, for a reader who may not see its text. The view shows the
    /// place as outdated.
    pub(super) fn without_passage(self) -> Self {
        Self {
            tipo: self.tipo,
            desatualizado: true,
            ..Self::default()
        }
    }

    /// Builds the view. `passage_at` is the offset at which the passage begins in the current e-mail
    /// draft.
    pub(super) fn from_anchor(anchor: Anchor, event: &Event, passage_at: Option<i64>) -> Self {
        let passage_at = passage_at.and_then(|at| usize::try_from(at).ok());
        let place = anchor.find_in(event, passage_at);
        let moved_from = |position: usize| match place {
            Place::Position(now) if now != position => Some(now),
            _ => None,
        };
        let desatualizado = place == Place::Gone;
        match anchor {
            Anchor::Caption { trecho, posicao } => Self {
                tipo: Some(AnchorKind::Caption),
                trecho: Some(trecho),
                posicao: Some(posicao),
                posicao_atual: moved_from(posicao),
                desatualizado,
                ..Self::default()
            },
            Anchor::Email {
                template_id,
                trecho,
                posicao,
                lido_em,
            } => Self {
                tipo: Some(AnchorKind::Email),
                template_id: Some(template_id),
                draft_updated_at: Some(Timestamp(lido_em)),
                trecho: Some(trecho),
                posicao: Some(posicao),
                posicao_atual: moved_from(posicao),
                desatualizado,
                ..Self::default()
            },
            Anchor::Image {
                media_id,
                x,
                y,
                size,
            } => Self {
                tipo: Some(AnchorKind::Image),
                media_id: Some(media_id),
                x: Some(x),
                y: Some(y),
                largura: size.map(|(width, _)| width),
                altura: size.map(|(_, height)| height),
                desatualizado,
                ..Self::default()
            },
            Anchor::Video { media_id, segundo } => Self {
                tipo: Some(AnchorKind::Video),
                media_id: Some(media_id),
                segundo: Some(segundo),
                desatualizado,
                ..Self::default()
            },
        }
    }
}
