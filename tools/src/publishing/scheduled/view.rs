//! The publication of a variant, as operations return it.

use domain::{
    CommentState, EventId, PostState, PublicationId, VariantId,
    time::{BrasiliaTime, Timestamp},
};
use gateway::Result;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::scheduled_posts::ScheduledPost;

use super::{
    actions::{PublicationAction, allowed_actions, is_taken},
    meaning::Cause,
    stored_post::StoredPost,
};

/// A publicação de uma variante.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScheduledView {
    id: PublicationId,
    event_id: EventId,
    /// O título do evento.
    title: String,
    variant_id: VariantId,
    /// A rede.
    network: String,
    /// O formato da variante.
    format: String,
    /// `failed`, `unknown` e `late` esperam a decisão de uma pessoa.
    status: PostState,
    /// A hora de sair, em Brasília.
    due_at: BrasiliaTime,
    /// A conta que publica; vazio enquanto não há conta.
    account_id: String,
    /// A legenda enviada; ausente antes do preparo.
    #[serde(skip_serializing_if = "Option::is_none")]
    caption: Option<String>,
    /// O endereço do post no ar.
    link: Option<String>,
    /// Identificador do post na rede.
    post_id: Option<String>,
    /// O primeiro comentário.
    comment: CommentState,
    /// Por que espera ou falhou.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// O código da própria rede.
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_code: Option<String>,
    /// O mesmo em palavras.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
    /// O que fazer.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<&'static str>,
    /// As decisões que `decide_publication` aceita agora.
    actions: Vec<PublicationAction>,
    /// O que se viu na rede depois de uma resposta perdida.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Value>,
    created_at: Timestamp,
    updated_at: Timestamp,
    finished_at: Option<Timestamp>,
}

impl ScheduledView {
    pub fn from_stored(stored: ScheduledPost, title: String) -> Result<Self> {
        let post: Option<StoredPost> = match stored.post.as_str() {
            "" => None,
            text => Some(serde_json::from_str(text)?),
        };
        let cause = stored.code.as_deref().and_then(Cause::from_code);
        let network = &stored.network;
        // The code of a late publication is the reason that held it up. The sentences for late
        // publications are used, because the service no longer retries.
        let sentences = match stored.state {
            PostState::Late => Some(cause.unwrap_or(Cause::Late).sentences_when_late(network)),
            PostState::Unknown if is_taken(&stored)? => Some(Cause::sentences_when_taken()),
            PostState::Unknown => Some(Cause::Unknown.sentences_at(network)),
            _ => cause.map(|cause| cause.sentences_at(network)),
        };
        let (message, next) = match sentences {
            Some((message, next)) => (Some(message), next),
            None => (None, None),
        };
        let actions = allowed_actions(&stored)?;
        let evidence = stored.evidence.as_deref().map(serde_json::from_str);
        Ok(Self {
            id: stored.id,
            event_id: stored.event_id,
            title,
            variant_id: stored.variant_id,
            network: stored.network,
            format: stored.kind,
            status: stored.state,
            due_at: BrasiliaTime(stored.due_at),
            account_id: stored.account_id,
            caption: post.map(|post| post.caption),
            link: stored.link,
            post_id: stored.post_id,
            comment: stored.comment_state,
            code: stored.code,
            provider_code: stored.provider_code,
            message,
            next,
            actions,
            evidence: evidence.transpose()?,
            created_at: Timestamp(stored.created_at),
            updated_at: Timestamp(stored.updated_at),
            finished_at: stored.finished_at.map(Timestamp),
        })
    }
}
