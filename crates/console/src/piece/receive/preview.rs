//! Draws the previews of a form of images for browsers without scripts.

use futures::future::join_all;
use gateway::{Body, Context, Entry, Error, Input, InputForm, Page, Reply, Result, Spec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    area::receiver_spec,
    forms::{Field, fault_in_words, field_in_words, field_value, nonblank_text},
    links::percent_encode,
    piece::{
        make::{Preview, SentForm},
        page::{Returned, piece_page},
    },
    view::View,
};

/// The form of an image, or of a carousel.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Previews {
    event_id: String,
    /// Os campos do formulário, na ordem em que vieram.
    #[serde(default)]
    fields: Vec<Field>,
}

/// The maximum number of cards. It limits the work, because every card is drawn.
const MOST_CARDS: usize = 20;

const ROUTE: Spec = receiver_spec(
    "console_previews",
    "Ver as imagens antes de gerar",
    "/eventos/{event_id}/previa",
)
.takes(InputForm::Fields)
.fails(&[400, 404, 413]);

pub(crate) const PREVIEWS: Entry = Entry::for_page::<Previews>(
    ROUTE,
    "Mostra a peça com a prévia das imagens que um formulário geraria.",
);

impl Page for Previews {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let cards = self.fields.iter().filter(|field| field.name == "card");
        if cards.count() > MOST_CARDS {
            let message = format!("deve ter no máximo {MOST_CARDS} itens");
            return Err(Error::invalid_field("cards", "maxItems", &message));
        }
        let preview_inputs = preview_inputs(&self.fields);
        let drawn = preview_inputs
            .into_iter()
            .map(|input| draw_preview(&view, input));
        let previews: Vec<Option<Preview>> = join_all(drawn).await;
        let returned = Returned {
            sent: SentForm {
                fields: &self.fields,
                previews: &previews,
                notice: None,
            },
            ..Returned::default()
        };
        piece_page(&view, &self.event_id, None, returned).await
    }
}

/// Returns the preview inputs, one for each text of the form. `None` for a blank card.
fn preview_inputs(fields: &[Field]) -> Vec<Option<Input>> {
    let cards = fields.iter().filter(|field| field.name == "card");
    let cards: Vec<Option<String>> = cards.map(|field| nonblank_text(&field.value)).collect();
    let text_of = |name: &str| nonblank_text(field_value(fields, name));
    let same = json!({ "style": text_of("style"), "media_id": text_of("media_id") });
    if cards.is_empty() {
        let own = json!({ "text": text_of("prompt"), "size": text_of("size") });
        return vec![Some(merge_input(&same, own))];
    }
    let pages = cards.iter().flatten().count();
    let mut page = 0;
    let inputs = cards.into_iter().map(|text| {
        let text = text?;
        page += 1;
        let own = json!({
            "text": text, "page": page, "pages": pages, "background": text_of("fundo"),
        });
        Some(merge_input(&same, own))
    });
    inputs.collect()
}

fn merge_input(same: &Value, own: Value) -> Input {
    let mut input = Input::new();
    for fields in [same.clone(), own] {
        if let Value::Object(fields) = fields {
            input.extend(fields);
        }
    }
    input.retain(|_, value| !value.is_null());
    input
}

/// Draws the preview for an input. `None` if there is no input.
pub(in crate::piece) async fn draw_preview(
    view: &View<'_>,
    input: Option<Input>,
) -> Option<Preview> {
    let input = input?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), Into::into);
    let query = input
        .iter()
        .map(|(name, value)| format!("{name}={}", percent_encode(&text(value))));
    let query: Vec<String> = query.collect();
    Some(match view.ctx.call("preview_art", input).await {
        Ok(answer) => Preview::Drawn {
            address: view.href_to(&format!("/previa?{}", query.join("&"))),
            notes: image_warnings(&answer.body),
        },
        Err(error) => Preview::Refused(refusal_reason(&error)),
    })
}

/// Returns the warnings about an image.
fn image_warnings(body: &Body) -> Vec<String> {
    let Body::Page(page) = body else {
        return vec![];
    };
    let mut headers = page.headers.iter();
    let notes = headers.find(|(name, _)| *name == "pauta-avisos");
    notes
        .and_then(|(_, json)| serde_json::from_str(json).ok())
        .unwrap_or_default()
}

/// Returns the reason why a preview could not be drawn, which is shown beside the field.
fn refusal_reason(error: &Error) -> String {
    let details = error.body().details.unwrap_or_default();
    let fault = details.get("fields").and_then(|faults| faults.get(0));
    let Some(fault) = fault else {
        return error.message().to_string();
    };
    let field = fault["field"].as_str().unwrap_or_default();
    let message = fault["message"].as_str().unwrap_or_default();
    format!(
        "{} {}.",
        field_in_words(field),
        fault_in_words(field, message)
    )
}
