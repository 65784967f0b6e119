//! What a form asks for: a call of the operation that it names.

use gateway::{
    Code, Content, Context, Entry, Error, InputForm, Page, Registered, Reply, Result, Spec,
};
use identity::ReturnPath;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    area::receiver,
    editing::given_back,
    fields::{self, Field},
    links::encoded,
    refused,
    view::View,
};

/// The field with the key of a form.
const KEY: &str = "idempotency_key";

/// A form of a page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Action {
    /// O nome da operação.
    operacao: String,
    /// Os campos do formulário, na ordem em que vieram.
    #[serde(default)]
    fields: Vec<Field>,
}

const ROUTE: Spec = receiver(
    "console_action",
    "Fazer o que um formulário pede",
    "/acao/{operacao}",
)
.takes(InputForm::Fields)
.partial(&[303])
.fails(&[400, 404, 409, 413])
.body_limit(24_000_000);

pub(crate) const ACTION: Entry = Entry::page::<Action>(
    ROUTE,
    "Chama a operação que um formulário do console nomeia, com os campos dele.",
);

impl Page for Action {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx)?;
        let operation = view.operation(&self.operacao);
        let operation = operation.ok_or_else(|| Error::not_found("operação"))?;
        let outcome = match fields::input(&self.fields, operation).await {
            Ok(input) => ctx.call(operation.spec.name, input).await,
            Err(refused) => Err(refused),
        };
        match outcome {
            Ok(answer) => {
                let answer = serde_json::from_str(&answer.body.json()?)?;
                let public_url = &ctx.services.public_url;
                let to = self.back(public_url, &answer, operation.spec.name);
                Ok(Reply::new(Content::Redirect(view.at(&to))))
            }
            Err(error) => Ok(self.refused(&view, operation, &error)),
        }
    }
}

impl Action {
    /// A field of the form itself.
    fn own(&self, name: &str) -> &str {
        fields::value(&self.fields, name)
    }

    /// Where the form leads when it is done. Only a path of this service.
    fn back(&self, public_url: &str, answer: &Value, operation: &str) -> String {
        let back = filled(self.own("_volta"), answer);
        let back = ReturnPath::below(public_url, Some(&back));
        let (path, fragment) = back.as_str().split_once('#').unwrap_or((back.as_str(), ""));
        let mark = if path.contains('?') { '&' } else { '?' };
        let fragment = if fragment.is_empty() {
            String::new()
        } else {
            format!("#{fragment}")
        };
        format!("{path}{mark}feito={operation}{fragment}")
    }

    /// What is wrong: beside the form, where a script asks; otherwise a page with what was typed.
    fn refused(&self, view: &View<'_>, operation: &Registered, error: &Error) -> Reply {
        refused::again(
            view,
            "Não foi feito",
            error,
            &given_back(fields::values(&self.fields), || {
                self.again(view, operation, error)
            }),
        )
    }

    /// The form once more, with what was typed; with its key where what it asked for may have been done.
    fn again(&self, view: &View<'_>, operation: &Registered, error: &Error) -> Markup {
        let path = format!("/acao/{}", operation.spec.name);
        let typed = |field: &&Field| !field.name.starts_with('_') && field.name != KEY;
        let open = [
            Code::UNAVAILABLE,
            Code::STORAGE_UNAVAILABLE,
            Code::OUTCOME_UNKNOWN,
            Code::IDEMPOTENCY_IN_PROGRESS,
        ];
        let is_open = open.contains(&error.code);
        html! {
            form method="post" action=(view.at(&path)) class="form stack" {
                @if is_open && !self.own(KEY).is_empty() {
                    input type="hidden" name="_volta" value=(self.own("_volta"));
                    input type="hidden" name=(KEY) value=(self.own(KEY));
                } @else {
                    (crate::form::hidden(view, operation.spec.name, self.own("_volta")))
                }
                @for field in self.fields.iter().filter(typed) {
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

/// Replaces each `{/pointer}` by that place in the answer.
fn filled(path: &str, answer: &Value) -> String {
    let mut parts = path.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (pointer, rest) = part.split_once('}').unwrap_or((part, ""));
        let text = match answer.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        filled.push_str(&encoded(&text));
        filled.push_str(rest);
    }
    filled
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn action(back: &str) -> Action {
        Action {
            operacao: "create_demand".into(),
            fields: vec![Field {
                name: "_volta".into(),
                value: back.into(),
            }],
        }
    }

    #[test]
    fn a_form_leads_back_to_a_path_of_this_service_only() {
        let answer = json!({ "id": "a b/c" });
        let url = "https://pauta.test";
        let back = |text: &str| action(text).back(url, &answer, "create_demand");
        assert_eq!(
            back("/eventos/{/id}#hoje"),
            "/eventos/a%20b%2Fc?feito=create_demand#hoje"
        );
        assert_eq!(back("/agenda?mes=1"), "/agenda?mes=1&feito=create_demand");
        for other in ["https://evil.test", "//evil.test", "/\\evil.test", ""] {
            assert_eq!(back(other), "/?feito=create_demand");
        }
    }
}
