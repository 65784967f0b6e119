//! The list of publications: the publications of variants, and the publications on TikTok.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    Networks,
    captions::caption_start,
    scheduled,
    steps::{Stand, draw_step},
};
use crate::{area::page_spec, links::percent_encode, shell, text, view::View};

/// The page with the list of publications.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PublicationList {
    /// Só as deste evento.
    evento: Option<String>,
    /// De onde a lista continua.
    cursor: Option<String>,
    /// De onde a fila das variantes continua.
    fila: Option<String>,
}

const ROUTE: Spec =
    page_spec("console_publications", "Publicações", "/publicacoes").fails(&[400, 403, 404]);

pub(crate) const PUBLICATIONS: Entry =
    Entry::for_page::<PublicationList>(ROUTE, "As publicações no TikTok e o estado de cada uma.");

/// The part of the answer of `list_shortvideo_publications` that the page reads.
#[derive(Deserialize)]
pub(super) struct Publications {
    pub publications: Vec<Publication>,
    pub next_cursor: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Publication {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub status: String,
    pub account_id: String,
    pub event_id: Option<String>,
    pub media_ids: Vec<String>,
    pub privacy_level: String,
    pub caption: String,
    pub publish_id: Option<String>,
    pub post_id: Option<String>,
    pub uploaded_bytes: Option<i64>,
    pub bytes: Option<i64>,
    pub code: Option<String>,
    pub provider_code: Option<String>,
    pub message: Option<String>,
    pub next: Option<String>,
    pub created_at: String,
    pub updated_at: String,
    pub finished_at: Option<String>,
}

impl Publication {
    pub fn is_video(&self) -> bool {
        self.kind == "VIDEO"
    }

    pub fn media_kind(&self) -> String {
        match self.media_ids.len() {
            _ if self.is_video() => "Vídeo".into(),
            1 => "1 foto".into(),
            count => format!("{count} fotos"),
        }
    }
}

impl Page for PublicationList {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let networks = Networks::read(&view).await?;
        let event = self.evento.as_deref().filter(|id| !id.is_empty());
        let input = json!({ "event_id": event, "cursor": self.cursor, "limit": 50 });
        let answer: Publications = view.read("list_shortvideo_publications", input).await?;
        let queue = (event, self.fila.as_deref());
        let scheduled = scheduled::draw_scheduled(&view, queue).await?;
        let rest = event.map_or_else(
            || "/publicacoes?".to_owned(),
            |id| format!("/publicacoes?evento={}&", percent_encode(id)),
        );
        let body = html! {
            div class="spread" {
                h1 { "Publicações" }
                div class="row" {
                    @if view.may_call("list_results") {
                        a class="button quiet" href=(view.href_to("/resultados")) { "Resultados" }
                    }
                    @if view.may_call("publish_shortvideo") {
                        a class="button" href=(view.href_to("/publicar")) {
                            @if networks.can_publish("tiktok") { "Publicar no TikTok" } @else { "Publicar à mão" }
                        }
                    }
                }
            }
            @if event.is_some() {
                p { "Só as de uma peça. " a href=(view.href_to("/publicacoes")) { "Ver todas" } }
            }
            (scheduled)
            @if answer.publications.is_empty() {
                p class="empty" { "Nada publicado no TikTok por aqui ainda." }
            }
            ul class="plain-list" data-list {
                @for publication in &answer.publications {
                    li class="card" {
                        div class="spread" {
                            h2 dir="auto" class="clamp" {
                                a href=(view.href_to(&format!("/publicacoes/{}", publication.id))) data-item {
                                    (caption_start(&publication.caption))
                                }
                            }
                            (status_badge(&publication.status))
                        }
                        (draw_steps(publication))
                        @if let Some(message) = &publication.message { p { (message) } }
                        p class="soft" { (publication.media_kind()) ", " (text::time_tag(&publication.created_at)) }
                    }
                }
            }
            (shell::next_page_link(&view, &rest, answer.next_cursor.as_deref()))
        };
        Ok(shell::reading_page(&view, "Publicações", &body))
    }
}

/// Draws a status as a coloured word.
pub(super) fn status_badge(status: &str) -> Markup {
    let (class, word) = match status {
        "submitting" => ("badge info", "Entregando"),
        "uploading" => ("badge info", "Enviando o vídeo"),
        "processing" => ("badge info", "Em processamento"),
        "published" => ("badge good", "No ar"),
        "failed" => ("badge bad", "Não foi ao ar"),
        _ => ("badge wait", "Confira no TikTok"),
    };
    html! { span class=(class) { (word) } }
}

/// Draws the steps of a publication, with their states.
pub(super) fn draw_steps(publication: &Publication) -> Markup {
    let is_video = publication.is_video();
    let ways: &[(&str, &str, &str)] = match is_video {
        true => &[
            ("submitting", "Entregue ao TikTok", "Entregando ao TikTok"),
            ("uploading", "Vídeo enviado", "Enviando o vídeo"),
            ("processing", "Processada", "Processando"),
        ],
        false => &[
            ("submitting", "Entregue ao TikTok", "Entregando ao TikTok"),
            ("processing", "Processada", "Processando"),
        ],
    };
    let reached = match publication.status.as_str() {
        "published" => ways.len(),
        // A publication with an id from the provider has completed the first step.
        "failed" | "unknown" => usize::from(publication.publish_id.is_some()),
        status => ways
            .iter()
            .position(|(name, ..)| *name == status)
            .unwrap_or(0),
    };
    let is_over = matches!(
        publication.status.as_str(),
        "failed" | "unknown" | "published"
    );
    let stand = |at: usize| match at {
        at if at < reached => Stand::Done,
        at if at == reached && !is_over => Stand::Now,
        _ => Stand::Next,
    };
    let (end, word) = match publication.status.as_str() {
        "published" => (Stand::Done, "No ar"),
        "failed" => (Stand::Bad, "Não foi ao ar"),
        "unknown" => (Stand::Open, "Não se sabe se foi ao ar"),
        _ => (Stand::Next, "No ar"),
    };
    html! {
        ol class="steps" aria-label="Andamento" {
            @for (at, (_, done, now)) in ways.iter().enumerate() {
                (draw_step(stand(at), if stand(at) == Stand::Now { now } else { done }))
            }
            (draw_step(end, word))
        }
    }
}
