//! The page of one publication.

use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::captions::caption_start;
use super::publications::{Publication, Publications, draw_steps, status_badge};
use crate::{area::page_spec, channels::privacy_name, shell, text, view::View};

/// The page of a publication.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PublicationPage {
    id: String,
}

const ROUTE: Spec =
    page_spec("console_publication", "Publicação", "/publicacoes/{id}").fails(&[400, 403, 404]);

pub(crate) const PUBLICATION: Entry = Entry::for_page::<PublicationPage>(
    ROUTE,
    "Uma publicação: andamento, o que falhou e o que fazer.",
);

/// Reads one publication.
pub(super) async fn find_publication(view: &View<'_>, id: &str) -> Result<Publication> {
    let input = json!({ "publication_id": id });
    let answer: Publications = view.read("list_shortvideo_publications", input).await?;
    let mut answer = answer.publications.into_iter();
    answer.next().ok_or_else(|| Error::not_found("publicação"))
}

impl Page for PublicationPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let publication = find_publication(&view, &self.id).await?;
        let title = caption_start(&publication.caption);
        let body = html! {
            p class="crumbs" { a href=(view.href_to("/publicacoes")) { "Publicações" } }
            div class="spread" {
                h1 dir="auto" class="clamp" { (title) }
                (status_badge(&publication.status))
            }
            (draw_steps(&publication))
            (draw_problem(&publication))
            (draw_next_actions(&view, &publication))
            h2 { "Legenda" }
            p class="passage" dir="auto" { @if publication.caption.is_empty() { "Sem legenda." } @else { (publication.caption) } }
            h2 { "Dados" }
            (draw_facts(&view, &publication))
        };
        Ok(shell::reading_page(&view, &title, &body))
    }
}

fn draw_problem(publication: &Publication) -> Markup {
    let class = match publication.status.as_str() {
        "failed" => "notice bad",
        _ => "notice wait",
    };
    let is_unknown = publication.status == "unknown";
    html! {
        @if let Some(message) = &publication.message {
            div class=(class) {
                p { strong { (message) } }
                @if is_unknown && publication.next.is_some() {
                    p { "Abra o perfil da conta no TikTok e veja se a publicação está lá, também em “Só eu”. Não publique de novo antes disso." }
                } @else if let Some(next) = &publication.next { p { (next) } }
                @if let Some(code) = publication.provider_code.as_ref().or(publication.code.as_ref()) {
                    p class="soft" { "Código: " code { (code) } }
                }
            }
        }
    }
}

/// Draws the actions that the person can take now.
fn draw_next_actions(view: &View<'_>, publication: &Publication) -> Markup {
    let to = |mark: &str| view.href_to(&format!("/publicar?publicacao={}{mark}", publication.id));
    html! {
        @if view.may_call("publish_shortvideo") {
            @match publication.status.as_str() {
                "failed" => p { a class="button" href=(to("")) { "Publicar de novo" } },
                "unknown" if publication.next.is_some() => {
                    details {
                        summary { "Conferi no TikTok" }
                        @if let Some(event) = &publication.event_id {
                            p { "Está lá: marque a peça como publicada em " a href=(view.href_to(&format!("/eventos/{event}"))) { "sua página" } "." }
                        }
                        p { a class="button quiet" href=(to("&apesar=1")) { "Não está lá: publicar de novo" } }
                    }
                },
                "published" => {
                    details {
                        summary { "Publicar outra vez" }
                        p { "Esta já está no ar. Publicar outra vez cria uma segunda publicação igual." }
                        p { a class="button quiet" href=(to("&apesar=1")) { "Publicar outra vez" } }
                    }
                },
                _ => {}
            }
        }
    }
}

fn draw_facts(view: &View<'_>, publication: &Publication) -> Markup {
    html! {
        dl class="facts" {
            @if let Some(event) = &publication.event_id {
                dt { "Peça" } dd { a href=(view.href_to(&format!("/eventos/{event}"))) { "Abrir a peça" } }
            }
            dt { "Conteúdo" } dd { (publication.media_kind()) }
            dt { "Quem vê" } dd { (privacy_name(&publication.privacy_level)) }
            dt { "Conta" } dd class="mono" { (publication.account_id) }
            @if let (Some(sent), Some(bytes)) = (publication.uploaded_bytes, publication.bytes) {
                dt { "Enviado" } dd { (text::format_count(sent / 1_000)) " de " (text::format_count(bytes / 1_000)) " kB" }
            }
            dt { "Começou" } dd { (text::time_tag(&publication.created_at)) }
            dt { "Mudou" } dd { (text::time_tag(&publication.updated_at)) }
            @if let Some(at) = &publication.finished_at { dt { "Terminou" } dd { (text::time_tag(at)) } }
            @if let Some(id) = &publication.publish_id { dt { "No TikTok" } dd class="mono" { (id) } }
            @if let Some(id) = &publication.post_id { dt { "Postagem" } dd class="mono" { (id) } }
        }
    }
}
