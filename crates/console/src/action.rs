//! The page that receives forms: it calls the operation that the form names.

use gateway::{Context, Entry, Error, InputForm, Page, Registered, Reply, Result, Spec};
use identity::ReturnPath;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    area::receiver_spec,
    forms::{
        Field, KEY_FIELD, field_texts, field_value, form_or_hint, operation_input,
        redirect_with_warnings, refuse_form,
    },
    links::percent_encode,
    view::View,
};

/// A form of a page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Action {
    /// O nome da operação.
    operacao: String,
    /// Os campos do formulário, na ordem em que vieram.
    #[serde(default)]
    fields: Vec<Field>,
}

const ROUTE: Spec = receiver_spec(
    "console_action",
    "Fazer o que um formulário pede",
    "/acao/{operacao}",
)
.takes(InputForm::Fields)
.partial(&[303])
.fails(&[400, 404, 409, 413])
.body_limit(24_000_000);

pub(crate) const ACTION: Entry = Entry::for_page::<Action>(
    ROUTE,
    "Chama a operação que um formulário do console nomeia, com os campos dele.",
);

impl Page for Action {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let operation = view.get_operation(&self.operacao)?;
        let outcome = match operation_input(&self.fields, operation).await {
            Ok(input) => view.call(operation.spec.name, input).await,
            Err(refused) => Err(refused),
        };
        match outcome {
            Ok(answer) => {
                let to = self.redirect_path(&ctx.services.public_url, &answer);
                redirect_with_warnings(&view, &to, operation.spec.name, &answer)
            }
            Err(error) => Ok(self.refusal_reply(&view, operation, &error)),
        }
    }
}

impl Action {
    /// Returns the value of a control field of the form, such as `_volta`, which is no input field of
    /// the operation.
    fn own_field(&self, name: &str) -> &str {
        field_value(&self.fields, name)
    }

    /// Returns the path to which a successful form redirects. It is always a path of this service.
    fn redirect_path(&self, public_url: &str, answer: &Value) -> String {
        let back = fill_pointers(self.own_field("_volta"), answer);
        let back = ReturnPath::from_text_below(public_url, Some(&back));
        back.as_str().to_owned()
    }

    /// Shows the refusal beside the form if a script sent it, otherwise on a page with the form.
    fn refusal_reply(&self, view: &View<'_>, operation: &Registered, error: &Error) -> Reply {
        refuse_form(
            view,
            "Não foi feito",
            error,
            &form_or_hint(field_texts(&self.fields), || {
                self.draw_returned_form(view, operation)
            }),
        )
    }

    /// Draws the form with the texts and the idempotency key that were sent. If the call took effect
    /// before it failed, sending the form again does not repeat the effect.
    fn draw_returned_form(&self, view: &View<'_>, operation: &Registered) -> Markup {
        let path = format!("/acao/{}", operation.spec.name);
        let is_hidden = |field: &&Field| ["_volta", KEY_FIELD].contains(&&*field.name);
        let is_text = |field: &&Field| !field.name.starts_with('_') && field.name != KEY_FIELD;
        html! {
            form method="post" action=(view.href_to(&path)) class="form stack" {
                @for field in self.fields.iter().filter(is_hidden) {
                    input type="hidden" name=(field.name) value=(field.value);
                }
                @for field in self.fields.iter().filter(is_text) {
                    label class="field" {
                        span { (field.name.trim_end_matches('!').trim_end_matches(":json")) }
                        @if field.value.len() > 80 || field.value.contains('\n') {
                            textarea name=(field.name) rows="8" { (field.value) }
                        } @else {
                            input name=(field.name) value=(field.value);
                        }
                    }
                }
                button type="submit" { "Enviar de novo" }
            }
        }
    }
}

/// Replaces each `{/pointer}` in a path by the value at that JSON pointer in the answer.
fn fill_pointers(path: &str, answer: &Value) -> String {
    let mut pieces = path.split('{');
    let mut address = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (pointer, rest) = piece.split_once('}').unwrap_or((piece, ""));
        let text = match answer.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        address.push_str(&percent_encode(&text));
        address.push_str(rest);
    }
    address
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn action_with_back(back: &str) -> Action {
        Action {
            operacao: "create_demand".into(),
            fields: vec![Field {
                name: "_volta".into(),
                value: back.into(),
            }],
        }
    }

    #[test]
    fn a_form_redirects_only_to_a_path_of_this_service() {
        let answer = json!({ "id": "a b/c" });
        let url = "https://pauta.test";
        let back = |text: &str| action_with_back(text).redirect_path(url, &answer);
        assert_eq!(back("/eventos/{/id}#hoje"), "/eventos/a%20b%2Fc#hoje");
        assert_eq!(back("/agenda?mes=1"), "/agenda?mes=1");
        for other in ["https://evil.test", "//evil.test", "/\\evil.test", ""] {
            assert_eq!(back(other), "/");
        }
    }
}
