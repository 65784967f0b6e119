use domain::EventStatus;
use gateway::Result;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::fragment::Fragment;
use crate::{
    approvals::REASONS,
    links::percent_encode,
    piece::{
        model::Piece,
        previews::{Post, Signers},
        stage, words,
    },
    text,
};

/// Draws a piece in approval from the answer of `get_event`. The path is the id of the piece.
pub(super) async fn draw_approval(fragment: &Fragment<'_>) -> Result<Markup> {
    let input = json!({ "eventId": fragment.path });
    let answer: Value = fragment.view.read("get_event", input).await?;
    let piece = Piece::from_answer(answer)?;
    let event = &piece.event;
    let submitted = piece.last_change_by("submit_for_approval");
    let waits = event.status == EventStatus::InApproval;
    let posts = Post::list(
        event,
        &piece.variants,
        piece.caption(),
        (&Signers::new(None), None),
    );
    Ok(html! {
        article class="approval" data-event=(event.id) data-revision=(event.api_revision) {
            header {
                h1 dir="auto" {
                    a href={ (fragment.base()) "/eventos/" (percent_encode(&event.id)) } {
                        span { (event.title) }
                    }
                }
                p class="row" {
                    (words::status_badge(event.status))
                    span { (words::channel_name(&event.channel)) }
                    @if let Some(due) = &event.due_at { span { (text::format_iso_moment(due)) } }
                }
                @if let Some(change) = submitted {
                    p class="soft submitted" { "Enviada por " (change.author_text()) ", " (text::format_iso_moment(&change.occurred_at)) }
                }
            }
            @if posts.len() > 1 {
                select data-posts aria-label={ "Canal, de " (posts.len()) } {
                    @for (number, post) in posts.iter().enumerate() {
                        option value=(number) {
                            (number + 1) " de " (posts.len()) ": " (post.display_name())
                            @if let Some(due) = &post.due_at { ", " (text::format_iso_moment(due)) }
                        }
                    }
                }
            }
            @for (number, post) in posts.iter().enumerate() { (draw_post(post, number, &event.title)) }
            (stage::undescribed_notice(event))
            @if waits {
                form data-decide {
                    button type="button" value="aprovar" { "Aprovar" }
                    details {
                        summary { span { "Recusar" } span class="back" { "Voltar" } }
                        fieldset {
                            legend { "Motivo" }
                            @for reason in REASONS {
                                label class="choice" {
                                    input type="checkbox" name="rapido" value=(reason);
                                    span { (reason) }
                                }
                            }
                        }
                        label class="field" {
                            span { "Com as suas palavras" }
                            textarea name="motivo" rows="1" maxlength="1800" dir="auto" {}
                        }
                        button type="button" value="recusar" class="danger" { "Recusar com este motivo" }
                    }
                }
            } @else {
                p class="notice" { "Esta peça já não espera decisão." }
                button type="button" value="seguinte" { "Ver a seguinte" }
            }
        }
    })
}

/// Draws the media and texts of one post of a piece. `title` is the title of the piece. The script shows
/// one post at a time.
fn draw_post(post: &Post, number: usize, title: &str) -> Markup {
    html! {
        div class="context" hidden[number > 0] {
            (stage::draw_post_slides(&post.slides, (&format!("midia-{number}"), &post.name)))
            div class="words" {
                @if post.title != title { p dir="auto" { strong { (post.title) } } }
                @if post.caption.is_empty() { p class="soft" { "Sem legenda." } }
                @else { (draw_text(&post.caption, "da legenda")) }
                @if let Some(comment) = &post.first_comment {
                    p class="soft" { "Primeiro comentário" }
                    (draw_text(comment, "do comentário"))
                }
                @for (name, value) in &post.options { p class="soft" { (name) ": " (value) } }
            }
        }
    }
}

/// Draws a text. The script divides a long text into columns. `whose` completes the labels of the
/// buttons: `da legenda`.
fn draw_text(text: &str, whose: &str) -> Markup {
    html! {
        p class="written" dir="auto" tabindex="-1" { (text) }
        div class="pages" hidden {
            button type="button" class="quiet" data-column="-1" aria-label={ "Trecho anterior " (whose) } { "‹" }
            span role="status" {}
            button type="button" class="quiet" data-column="1" aria-label={ "Próximo trecho " (whose) } { "›" }
        }
    }
}
