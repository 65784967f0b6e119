//! Calls an operation from its page in the catalog.

use std::time::Instant;

use gateway::{Context, Entry, Error, Input, InputForm, Page, Registered, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::operation::{
    can_be_tried, code_block, confirmation_reason, draw_operation_page, find_catalog_entry,
    pretty_json,
};
use crate::{
    area::{Table, receiver_spec},
    forms::{Field, error_notice, field_texts, field_value, fits_page, is_secret, operation_input},
    view::View,
};

/// The form of an operation in the catalog.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Trial {
    /// O nome da operação.
    nome: String,
    /// Os campos do formulário, na ordem em que vieram.
    #[serde(default)]
    fields: Vec<Field>,
}

const ROUTE: Spec = receiver_spec(
    "console_trial",
    "Experimentar uma operação",
    "/catalogo/{nome}",
)
.takes(InputForm::Fields)
.fails(&[400, 403, 404, 413])
.body_limit(24_000_000);

pub(crate) const TRIAL: Entry = Entry::for_page::<Trial>(
    ROUTE,
    "Chama uma operação com os campos do formulário e mostra a resposta.",
);

/// The maximum length of a shown answer, in characters.
const LONGEST: usize = 100_000;

impl Page for Trial {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let operation = find_catalog_entry(&view, &self.nome)?;
        if !can_be_tried(&view, operation) {
            return Err(Error::not_found("formulário"));
        }
        let read = operation_input(&self.fields, operation).await;
        let fits_page = fits_page(field_texts(&self.fields));
        let sent = match &read {
            Ok(input) if fits_page => without_secrets(input),
            _ => Input::new(),
        };
        let in_form = match fits_page {
            true => self.fields.as_slice(),
            false => &[],
        };
        let confirmed = !field_value(&self.fields, "_confirmo").is_empty();
        let outcome = match (read, confirmation_reason(&operation.spec)) {
            (Err(error), _) => draw_refusal(&error),
            (Ok(_), Some(why)) if !confirmed => unconfirmed_notice(why),
            (Ok(input), _) => call_operation(ctx, operation, input).await,
        };
        let sample = ctx
            .services
            .parts
            .get::<Table>()
            .samples
            .find_sample(operation.spec.name);
        let section = html! { section id="resposta" class="stack" { (outcome) } };
        Ok(draw_operation_page(
            &view, operation, sample, &sent, in_form, &section,
        ))
    }
}

/// Returns the input without secrets and without the idempotency key of the form.
fn without_secrets(input: &Input) -> Input {
    let shown = |name: &str| !is_secret(name) && name != "idempotency_key";
    let fields = input.iter().filter(|(name, _)| shown(name));
    fields
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn unconfirmed_notice(why: &str) -> Markup {
    html! {
        div class="notice wait" {
            p { strong { "Ainda não foi feito." } " " (why) " Marque que quer fazer mesmo assim." }
        }
    }
}

async fn call_operation(ctx: &Context<'_>, operation: &Registered, input: Input) -> Markup {
    let begun = Instant::now();
    let outcome = ctx.call(operation.spec.name, input).await;
    let took = begun.elapsed().as_millis();
    match outcome.and_then(|answer| {
        Ok((
            answer.status,
            answer.replayed,
            answer.body.into_json_text()?,
        ))
    }) {
        Err(error) => draw_refusal(&error),
        Ok((status, replayed, text)) => {
            let value: Value = serde_json::from_str(&text).unwrap_or_default();
            let whole = pretty_json(&value);
            let shown: String = whole.chars().take(LONGEST).collect();
            html! {
                h2 { "Resposta" }
                p role="status" {
                    span class="badge good" { "Feito: " (status) }
                    " em " (took) " ms"
                    @if replayed { ", a resposta de antes: a chave deste formulário já foi usada" }
                }
                (code_block(&shown))
                @if shown.len() < whole.len() {
                    p class="soft" { "Aqui estão só os primeiros " (LONGEST) " caracteres." }
                }
            }
        }
    }
}

fn draw_refusal(error: &Error) -> Markup {
    let body = serde_json::to_value(error.body()).unwrap_or_default();
    html! {
        h2 { "Resposta" }
        p role="status" { span class="badge bad" { "Recusado: " (error.status()) } " " code { (error.code.as_str()) } }
        (error_notice(error))
        details {
            summary { "O erro em JSON" }
            (code_block(&pretty_json(&body)))
        }
    }
}
