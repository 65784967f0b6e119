//! The list of requested videos.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{area::page_spec, forms::operation_form, shell, text, view::View};

/// The page with the list of videos.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Videos {
    /// De onde a lista continua.
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_videos", "Vídeos", "/videos").fails(&[403]);

pub(crate) const VIDEOS: Entry =
    Entry::for_page::<Videos>(ROUTE, "Os vídeos pedidos, como estão e o que deu errado.");

#[derive(Deserialize)]
struct Found {
    videos: Vec<Video>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Video {
    id: String,
    status: String,
    progress: i64,
    prompt: String,
    aspect: String,
    duration_s: i64,
    event_id: Option<String>,
    media: Option<Media>,
    error: Option<Fault>,
    #[serde(default)]
    avisos: Vec<String>,
    created_at: String,
}

#[derive(Deserialize)]
struct Media {
    url: String,
    width: Option<i64>,
    height: Option<i64>,
}

#[derive(Deserialize)]
struct Fault {
    error: String,
    code: String,
    details: Option<Map<String, Value>>,
}

impl Page for Videos {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({ "cursor": self.cursor, "limit": 30 });
        let answer: Found = view.read("list_video_generations", input).await?;
        let body = html! {
            div class="spread" {
                h1 { "Vídeos" }
                @if view.may_call("start_video_generation") {
                    a class="button" href=(view.href_to("/novo-video")) { "Pedir um vídeo" }
                }
            }
            p class="soft" { "Feitos por um provedor, em segundo plano. Um vídeo pronto fica na lista de mídias." }
            @if answer.videos.is_empty() { p class="empty" { "Nenhum vídeo pedido ainda." } }
            ul class="plain-list" data-list {
                @for video in &answer.videos { (video_card(&view, video)) }
            }
            (shell::next_page_link(&view, "/videos?", answer.next_cursor.as_deref()))
        };
        Ok(shell::reading_page(&view, "Vídeos", &body))
    }
}

fn status_badge(status: &str) -> Markup {
    let (class, word) = match status {
        "queued" => ("badge", "Na fila"),
        "in_progress" => ("badge info", "Em produção"),
        "completed" => ("badge good", "Pronto"),
        "failed" => ("badge bad", "Falhou"),
        _ => ("badge", "Cancelado"),
    };
    html! { span class=(class) { (word) } }
}

fn video_card(view: &View<'_>, video: &Video) -> Markup {
    let is_running = matches!(video.status.as_str(), "queued" | "in_progress");
    html! {
        li class="card" id=(format!("video-{}", video.id)) data-item tabindex="-1" {
            div class="spread" {
                h2 class="clamp" dir="auto" { (video.prompt) }
                (status_badge(&video.status))
            }
            @if is_running {
                p class="row" {
                    progress max="100" value=(video.progress) aria-label="Andamento" {}
                    span { (video.progress) "%" }
                }
            }
            @if let Some(media) = &video.media {
                video controls preload="none" src=(media.url) width=[media.width] height=[media.height] aria-label=(video.prompt) {}
            }
            @if let Some(error) = &video.error { (draw_fault(error)) }
            @for aviso in &video.avisos { p class="notice wait" { (aviso) } }
            p class="soft" {
                (video.aspect) ", " (video.duration_s) " s, pedido " (text::time_tag(&video.created_at))
                @if let Some(event) = &video.event_id {
                    ", para " a href=(view.href_to(&format!("/eventos/{event}"))) { "uma peça" }
                }
            }
            @if is_running && view.may_call("cancel_video_generation") {
                details {
                    summary { "Cancelar" }
                    p { "O provedor pode cobrar pelo que já fez." }
                    (operation_form(view, "cancel_video_generation", "/videos", &html! {
                        input type="hidden" name="id" value=(video.id);
                        button type="submit" class="danger" { "Cancelar este vídeo" }
                    }))
                }
            }
        }
    }
}

fn draw_fault(fault: &Fault) -> Markup {
    let detail = |name: &str| fault.details.as_ref()?.get(name)?.as_str();
    html! {
        div class="notice bad" {
            p { strong { (fault.error) } }
            @if let Some(next) = detail("next") { p { (next) } }
            p class="soft" { "Código: " code { (detail("provider_code").unwrap_or(&fault.code)) } }
        }
    }
}
