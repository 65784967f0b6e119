//! The page with the form of the cards.

use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{OPERATION, deck::Deck, draft::Draft, draw::Form, faults::Faults};
use crate::{
    area::page_spec,
    forms::{error_notice, with_error_status},
    piece::{
        conflict::changes_notice,
        make::Preview,
        model::{cards_path, piece_path},
        page::refusal_notice,
        stage,
    },
    shell,
    view::View,
};

/// The page of the cards.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CardsPage {
    event_id: String,
}

const ROUTE: Spec = page_spec(
    "console_cards",
    "Corrigir cards",
    "/eventos/{event_id}/cards",
)
.fails(&[403, 404]);

pub(in crate::piece) const PAGE: Entry = Entry::for_page::<CardsPage>(
    ROUTE,
    "Os cards do carrossel de uma peça, com os textos de que foram feitos, para corrigir.",
);

impl Page for CardsPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let deck = Deck::read(&view, &self.event_id, None).await?;
        let draft = deck.stored_draft();
        Ok(show_form(&view, &deck, &draft, Shown::default()))
    }
}

/// The parts of the page besides the form.
#[derive(Default)]
pub(super) struct Shown<'a> {
    pub error: Option<&'a Error>,
    pub previews: &'a [Option<Preview>],
    /// True if the stored cards changed after the form was drawn.
    pub is_stale: bool,
}

/// Draws the page with a form.
pub(super) fn show_form(view: &View<'_>, deck: &Deck, draft: &Draft, shown: Shown<'_>) -> Reply {
    let event = &deck.piece.event;
    let title = "Corrigir cards";
    let faults = shown.error.map(Faults::from_error).unwrap_or_default();
    let mut current = draft.clone();
    if shown.is_stale {
        current.revision = event.api_revision.get();
        deck.detach_absent(&mut current);
    }
    let form = Form {
        view,
        deck,
        draft: &current,
        faults: &faults,
        previews: shown.previews,
    };
    let body = html! {
        div id={ "cards-de-" (event.id) } class="piece" data-module="editor" data-revision=(event.api_revision)
            data-lines=(deck.piece.newest_authors(&view.member().id)) {
            header class="piece-head" {
                p class="crumbs" {
                    a href=(view.href_to("/agenda")) { "Agenda" } " › "
                    a href=(view.href_to(&piece_path(&event.id))) dir="auto" { (event.title) }
                }
                h1 { (title) }
            }
            (refusal_notice(&deck.piece))
            @match shown.error {
                _ if shown.is_stale => (stale_notice(view, deck, draft)),
                Some(error) if faults.is_empty() => (error_notice(error)),
                _ => {}
            }
            @if draft.cards.is_empty() {
                p { "Esta peça não tem cards." }
                p { a class="button quiet" href=(view.href_to(&piece_path(&event.id))) { "Voltar à peça" } }
            } @else if !event.is_editable() && shown.error.is_none() {
                p class="notice" { "Nesta situação os cards não mudam." }
                p { a class="button quiet" href=(view.href_to(&piece_path(&event.id))) { "Voltar à peça" } }
            } @else {
                (form.draw())
            }
        }
    };
    let reply = shell::console_page(view, title, &body);
    match shown.error {
        Some(error) => with_error_status(reply, error).with_header("hx-push-url", "false"),
        None => reply,
    }
}

/// Draws the notice that another person has changed the cards since the form was drawn, with the
/// currently stored cards.
fn stale_notice(view: &View<'_>, deck: &Deck, draft: &Draft) -> Markup {
    let event = &deck.piece.event;
    html! {
        div class="notice wait" role="alert" {
            p {
                strong { "Os cards mudaram enquanto você os corrigia." }
                " Nada foi sobrescrito, e o que você escreveu está aqui."
            }
            p { "Salvar agora troca os cards de agora pelos seus." }
        }
        (changes_notice(&deck.piece, draft.seen_revision()))
        details {
            summary { "Os cards de agora" }
            (stage::draw_slides(event, "agora"))
            p { a class="button quiet" href=(view.href_to(&cards_path(&event.id))) { "Ficar com os de agora" } }
        }
    }
}
