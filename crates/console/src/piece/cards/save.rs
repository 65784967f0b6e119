//! Receives the form of the cards.

use domain::Revision;
use futures::future::join_all;
use gateway::{Content, Context, Entry, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    OPERATION,
    deck::{Deck, card_inputs},
    draft::Draft,
    page::{Shown, show_form},
};
use crate::{
    area::receiver_spec,
    forms::{Field, field_value, is_stale, keyed_input, nonblank_text, refuse_form},
    piece::{
        model::piece_path,
        page::{Returned, piece_page},
        receive::preview,
        redrawn::Redrawn,
        submit,
    },
    view::{View, input_without_nulls},
};

/// The form of the cards.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Cards {
    event_id: String,
    /// Os campos do formulário, na ordem em que vieram.
    #[serde(default)]
    fields: Vec<Field>,
}

const ROUTE: Spec = receiver_spec(
    "console_save_cards",
    "Salvar cards corrigidos",
    "/eventos/{event_id}/cards",
)
.takes(InputForm::Fields)
.partial(&[303])
.fails(&[400, 403, 404, 409, 413])
.body_limit(3_000_000);

pub(in crate::piece) const SAVE: Entry = Entry::for_page::<Cards>(
    ROUTE,
    "Corrige o carrossel de uma peça, ou devolve o formulário com um card movido, copiado, novo ou retirado.",
);

/// The answer of the operation.
#[derive(Debug, Deserialize)]
struct Updated {
    api_revision: Revision,
    cards: Vec<UpdatedCard>,
    desenhados: Vec<String>,
    #[serde(default)]
    avisos: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct UpdatedCard {
    id: String,
}

impl Page for Cards {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        view.require_call(OPERATION)?;
        let mut draft = Draft::from_fields(&self.fields);
        let deck = match Deck::read(&view, &self.event_id, Some(draft.seen_revision())).await {
            Ok(deck) => deck,
            Err(error) => {
                let texts = draw_texts(&draft);
                return Ok(refuse_form(
                    &view,
                    "Os cards não foram salvos",
                    &error,
                    &texts,
                ));
            }
        };
        let [what, place] = ["fazer", "mover"].map(|name| field_value(&self.fields, name));
        if !what.is_empty() || !place.is_empty() {
            draft.apply_button(what);
            draft.move_to(place);
            let shown = Shown::default();
            return Ok(show_form(&view, &deck, &draft, shown).with_header("hx-push-url", "false"));
        }
        match field_value(&self.fields, "acao") {
            "previa" => show_previews(&view, &deck, &draft).await,
            action => save_cards(&view, deck, &draft, action == "enviar").await,
        }
    }
}

/// Draws the texts of a form, if its piece can no longer be read.
fn draw_texts(draft: &Draft) -> Markup {
    html! {
        @for (number, card) in (1..).zip(&draft.cards) {
            label class="field" {
                span { "O texto do card " (number) }
                textarea rows="5" readonly dir="auto" { "\n" (card.text) }
            }
        }
    }
}

/// Returns the form with previews of the cards that saving would draw again, for a browser without
/// scripts.
async fn show_previews(view: &View<'_>, deck: &Deck, draft: &Draft) -> Result<Reply> {
    let inputs = (0..draft.cards.len())
        .map(|index| deck.preview_input(draft, index).map(input_without_nulls));
    let drawn = inputs.map(|input| preview::draw_preview(view, input));
    let previews = join_all(drawn).await;
    let shown = Shown {
        previews: &previews,
        ..Shown::default()
    };
    Ok(show_form(view, deck, draft, shown))
}

/// Saves the cards, and submits the piece if the person asked for it.
async fn save_cards(view: &View<'_>, deck: Deck, draft: &Draft, submits: bool) -> Result<Reply> {
    let id = deck.piece.event.id.as_str();
    let saved = match update_carousel(view, &deck, draft).await {
        Err(error) if is_stale(&error) && !submits && has_same_media(&deck, draft) => {
            let draft = Draft {
                revision: deck.piece.event.api_revision.get(),
                ..draft.clone()
            };
            update_carousel(view, &deck, &draft).await
        }
        saved => saved,
    };
    let updated = match saved {
        Ok(updated) => updated,
        Err(error) => {
            let stale = is_stale(&error);
            // After a refused write on an old revision, the piece is read again, so that the form also
            // shows the changes of other people.
            let deck = match stale {
                true => Deck::read(view, id, Some(draft.seen_revision())).await?,
                false => deck,
            };
            let shown = Shown {
                error: Some(&error),
                is_stale: stale,
                ..Shown::default()
            };
            return Ok(show_form(view, &deck, draft, shown));
        }
    };
    let done = Redrawn::from_ids(
        &updated.desenhados,
        updated.cards.iter().map(|card| card.id.as_str()),
    );
    let mut operation = OPERATION;
    if submits {
        match submit::submit_piece(view, id, updated.api_revision, &draft.form_key).await {
            Ok(()) => operation = submit::OPERATION,
            Err(error) => {
                let done = done.draw_notice(&updated.avisos);
                return submit::answer_unsubmitted(view, id, &error, &done).await;
            }
        }
    }
    if updated.avisos.is_empty() {
        let to = done.notice_path(&piece_path(id), operation);
        return Ok(Reply::new(Content::Redirect(view.href_to(&to))));
    }
    let returned = Returned {
        done: Some(done.draw_notice(&updated.avisos)),
        ..Returned::default()
    };
    let reply = piece_page(view, id, None, returned).await?;
    Ok(reply.with_header("hx-push-url", view.href_to(&piece_path(id))))
}

async fn update_carousel(view: &View<'_>, deck: &Deck, draft: &Draft) -> Result<Updated> {
    let fields = json!({
        "eventId": deck.piece.event.id,
        "expected_revision": draft.revision,
        "cards": card_inputs(draft)?,
        "style": nonblank_text(&draft.style),
    });
    let input = keyed_input(Some(&draft.form_key), fields).await?;
    view.call(OPERATION, input).await
}

/// Returns true if the current media are the same as in the revision of the form.
fn has_same_media(deck: &Deck, draft: &Draft) -> bool {
    let ids = |revision| -> Vec<&str> {
        let media = deck.piece.media_at(revision);
        media.into_iter().map(|medium| medium.id).collect()
    };
    deck.piece.covers_revision(draft.seen_revision())
        && ids(draft.seen_revision()) == ids(deck.piece.event.api_revision)
}
