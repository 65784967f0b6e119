//! The page of one operation.

use std::collections::BTreeSet;

use gateway::{
    Access, Code, Context, Effect, Entry, Error, Execution, Input, InputForm, Page, Registered,
    Reply, Result, Spec,
};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{control, paths::operation_path, prose, schema};
use crate::{
    area::{Table, page_spec},
    forms::{Field, operation_fields},
    samples::{Calls, Sample},
    shell,
    view::View,
};

/// The page of one operation.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Operation {
    /// O nome da operação.
    nome: String,
}

const ROUTE: Spec =
    page_spec("console_operation", "Operação", "/catalogo/{nome}").fails(&[403, 404]);

pub(crate) const OPERATION: Entry = Entry::for_page::<Operation>(
    ROUTE,
    "Uma operação: entrada, exemplos, erros, a mesma chamada em outras formas, e um formulário.",
);

impl Page for Operation {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let operation = find_catalog_entry(&view, &self.nome)?;
        let sample = ctx
            .services
            .parts
            .get::<Table>()
            .samples
            .find_sample(operation.spec.name);
        let input = sample
            .as_ref()
            .map_or_else(Input::new, |sample| sample.input.clone());
        let schema = Value::Object(operation.input_schema().clone());
        let filled = control::example_fields(&schema, &Value::Object(input.clone()));
        Ok(self::draw_operation_page(
            &view,
            operation,
            sample,
            &input,
            &filled,
            &html! {},
        ))
    }
}

/// Finds the operation or page with this name.
///
/// Fails with 404 if the name is unknown, and with 403 if the member may neither call the operation nor
/// read the catalog.
pub(super) fn find_catalog_entry<'a>(view: &View<'a>, name: &str) -> Result<&'a Registered> {
    let registry = &view.ctx.services.parts.get::<Table>().registry;
    let mut entries = registry.operations.iter().chain(&registry.pages);
    let entry = entries.find(|entry| entry.spec.name == name);
    let entry = entry.ok_or_else(|| Error::not_found("operação"))?;
    if !view.may_call("get_route_catalog") {
        view.caller.authorize(entry.spec.access)?;
    }
    Ok(entry)
}

/// Returns true if the catalog offers this member a form for this operation. Uploads and routes that
/// only services call have no form.
pub(super) fn can_be_tried(view: &View<'_>, operation: &Registered) -> bool {
    let spec = &operation.spec;
    let by_person = match spec.access {
        Access::Webhook | Access::UploadLink(_) | Access::Guest(_) => false,
        Access::SharedSecret(secret) => secret.or.is_some_and(|or| view.has_capability(or)),
        access => view.caller.authorize(access).is_ok(),
    };
    by_person
        && !spec.is_page()
        && !matches!(
            spec.input,
            InputForm::Multipart(_) | InputForm::File(_) | InputForm::Signed(_)
        )
}

/// Returns the reason why a call needs a confirmation. `None` if it needs none.
pub(super) fn confirmation_reason(spec: &Spec) -> Option<&'static str> {
    if spec.ends_session {
        Some("Encerra a sua sessão.")
    } else if spec.locks_out {
        Some("Pode tirar o acesso de alguém, até o seu.")
    } else if spec.effect == Effect::Destroy {
        Some("Sobrescreve ou apaga o que há.")
    } else if spec.execution == Execution::Outside {
        Some("Chama um serviço de fora, que pode custar ou publicar.")
    } else {
        None
    }
}

/// Draws the page of an operation. The form is filled with this input, and the outcome of the previous
/// call is shown.
pub(super) fn draw_operation_page(
    view: &View<'_>,
    operation: &Registered,
    sample: Option<Sample>,
    input: &Input,
    filled: &[Field],
    outcome: &Markup,
) -> Reply {
    let spec = &operation.spec;
    let schema = Value::Object(operation.input_schema().clone());
    let example = sample
        .as_ref()
        .map_or(Value::Null, |s| Value::Object(s.input.clone()));
    let body = html! {
        p class="crumbs" { a href=(view.href_to("/catalogo")) { "Catálogo" } }
        h1 { (spec.title) }
        p class="row" {
            code { (spec.name) }
            @if spec.tool { span class="badge info" { "ferramenta MCP" } }
            @if spec.access.requires_session() { span class="badge wait" { "só sessão" } }
            @if matches!(spec.access, Access::Webhook | Access::SharedSecret(_)) {
                span class="badge wait" { "webhook" }
            }
        }
        (prose::draw_paragraphs(&operation.description()))
        (outcome)
        div class="operation" {
            div class="stack" {
                (draw_facts(operation))
                section {
                    h2 { "Entrada" }
                    (schema::draw_fields_table(&schema, &example))
                }
                @if let Some(sample) = &sample {
                    details {
                        summary { "Resposta do exemplo" }
                        (code_block(&pretty_json(&sample.answer)))
                    }
                }
                (draw_error_codes(operation))
            }
            div class="stack" {
                section id="experimente" class="card stack" {
                    h2 { "Experimente" }
                    (trial_form(view, operation, &schema, filled))
                }
                section {
                    h2 { "A mesma chamada" }
                    (draw_calls(view, operation, input))
                }
            }
        }
    };
    shell::console_page(view, spec.title, &body)
}

fn draw_facts(operation: &Registered) -> Markup {
    let Registered { spec, area, .. } = operation;
    let capabilities = spec.access.capabilities();
    let level = capabilities.iter().map(|c| c.min_level()).min();
    let effect = match spec.effect {
        Effect::Read => "só lê",
        Effect::Write => "acrescenta",
        Effect::Destroy => "sobrescreve, apaga ou publica",
    };
    html! {
        dl class="facts" {
            dt { "Endereço" }
            dd { code { (spec.verb.as_str()) " " (spec.path) } }
            dt { "Área" }
            dd { (area.name) ": " (area.description) }
            dt { "Permissão" }
            dd {
                @if capabilities.is_empty() { "nenhuma própria" }
                @for (at, capability) in capabilities.iter().enumerate() {
                    @if at > 0 { " ou " }
                    code { (capability.as_str()) }
                }
                @if let Some(level) = level {
                    ", desde " (level.map_or("o acesso a vendas", |level| level.as_str()))
                }
            }
            dt { "Credencial" }
            dd { (draw_credential(spec.access)) }
            dt { "Efeito" }
            dd { (effect) }
            dt { "Repetir" }
            dd {
                @if spec.keyed { "seguro com a mesma " code { "idempotency_key" } }
                @else if spec.idempotent { "não muda mais nada" }
                @else { "faz de novo" }
            }
        }
    }
}

fn draw_credential(access: Access) -> Markup {
    match access {
        Access::Public => html! { "nenhuma" },
        Access::Webhook => html! { "a assinatura de outro serviço" },
        Access::SharedSecret(secret) => html! { "o segredo de " code { (secret.setting) } },
        Access::UploadLink(_) => html! { "o link assinado" },
        Access::Guest(_) => html! { "o link de um convidado" },
        access if access.requires_session() => html! { "só a sessão de uma pessoa" },
        _ => html! { "sessão, token pessoal ou agente conectado" },
    }
}

/// Draws the error codes of the operation.
fn draw_error_codes(operation: &Registered) -> Markup {
    let Registered { spec, area, .. } = operation;
    let statuses: BTreeSet<u16> = spec.error_statuses().into_iter().collect();
    let codes = Code::COMMON.iter().chain(area.codes);
    let mut codes: Vec<&Code> = codes
        .filter(|code| statuses.contains(&code.status()))
        .collect();
    codes.sort_by_key(|code| code.status());
    html! {
        details {
            summary { "Erros (" (codes.len()) ")" }
            table class="schema stacked" {
                thead { tr { th { "Código" } th { "O que houve" } th { "O que fazer" } } }
                tbody {
                    @for code in codes {
                        tr {
                            td { (code.status()) " " code { (code.as_str()) } }
                            td { (code.message()) }
                            td { (prose::draw_paragraph(code.next_step().unwrap_or_default())) }
                        }
                    }
                }
            }
        }
    }
}

fn trial_form(view: &View<'_>, operation: &Registered, schema: &Value, filled: &[Field]) -> Markup {
    let spec = &operation.spec;
    if !can_be_tried(view, operation) {
        return html! {
            p class="soft" {
                @if spec.is_page() || spec.file_field().is_some() {
                    "Esta rota leva ou traz um arquivo ou uma página. Use a linha de comando."
                } @else if matches!(spec.access, Access::Webhook | Access::SharedSecret(_)) {
                    "Quem chama esta rota é outro serviço, com a credencial dele."
                } @else {
                    "O seu acesso não tem a permissão desta operação. Quem pode mudar isso é um admin da equipe."
                }
            }
        };
    }
    html! {
        p class="soft" { "Chama a operação de verdade, com os seus direitos. Os campos vêm do exemplo." }
        form method="post" action=(view.href_to(&operation_path(spec.name))) class="form stack" {
            (operation_fields(view, spec.name, &operation_path(spec.name)))
            (control::draw_controls(schema, filled))
            @if let Some(why) = confirmation_reason(spec) {
                label class="choice" {
                    input type="checkbox" name="_confirmo" value="sim" required;
                    span { strong { (why) } " Quero fazer mesmo assim." }
                }
            }
            button type="submit" { "Chamar" }
        }
    }
}

fn draw_calls(view: &View<'_>, operation: &Registered, input: &Input) -> Markup {
    let spec = &operation.spec;
    let Calls { curl, cli } = view
        .ctx
        .services
        .parts
        .get::<Table>()
        .samples
        .build_calls(operation, input);
    let mcp = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": { "name": spec.name, "arguments": input },
    });
    html! {
        h3 { "curl" }
        (code_block(&curl))
        @if spec.tool {
            h3 { "MCP" }
            (code_block(&pretty_json(&mcp)))
        }
        @if !spec.is_page() {
            h3 { "Linha de comando" }
            (code_block(&cli))
        }
    }
}

/// Draws a code block that can have the focus, so that the keyboard can scroll it.
pub(super) fn code_block(text: &str) -> Markup {
    html! { pre tabindex="0" dir="ltr" { code { (text) } } }
}

pub(super) fn pretty_json(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
