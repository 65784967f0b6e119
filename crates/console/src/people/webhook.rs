//! The page of one webhook: its state, its log and its settings.

use gateway::{Context, Entry, Error, Page, Reply, Result};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    team::not_allowed_page,
    webhooks::{
        Create, PATH, Project, Webhook, draw_fields, draw_state, draw_state_since, page_path,
        read_projects, read_webhooks,
    },
};
use crate::{area::page_spec, forms::operation_form, shell, text, view::View};

/// The page of a webhook.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WebhookPage {
    #[serde(rename = "webhookId")]
    webhook_id: String,
    cursor: Option<String>,
}

pub(super) const PAGE: Entry = Entry::for_page::<WebhookPage>(
    page_spec(
        "console_webhook",
        "Webhook",
        "/webhooks/{webhookId}/registro",
    )
    .fails(&[403, 404]),
    "Um webhook: estado, mensagens e o que ele envia.",
);

#[derive(Deserialize)]
struct Messages {
    mensagens: Vec<Message>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    id: String,
    tipo: String,
    recurso: String,
    recurso_id: String,
    criada_em: String,
    estado: String,
    corpo: String,
    proxima: Option<String>,
    tentativas: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Attempt {
    numero: i64,
    url: String,
    quando: String,
    status: Option<i64>,
    resposta: String,
    duracao_ms: i64,
    erro: Option<String>,
}

impl Page for WebhookPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if !view.may_call("list_webhooks") {
            return not_allowed_page(&view, "Webhook").await;
        }
        let all = read_webhooks(&view).await?.into_iter();
        let mut found = all.filter(|webhook| webhook.id == self.webhook_id);
        let webhook = found.next().ok_or_else(|| Error::not_found("webhook"))?;
        let input = json!({ "webhookId": webhook.id, "cursor": self.cursor, "limit": 20 });
        let log: Messages = view.read("list_webhook_messages", input).await?;
        let projects = read_projects(&view).await?;
        let path = page_path(&webhook.id);
        let body = html! {
            p { a href=(view.href_to(PATH)) { "Webhooks" } }
            div class="spread" { h1 dir="auto" { (webhook.descricao) } (draw_state(&webhook)) }
            (draw_reason(&webhook))
            dl class="facts" {
                dt { "Endereço" } dd class="mono" { (webhook.url) }
                dt { "Responsável" } dd dir="auto" { (webhook.responsavel.nome) }
                dt { "Neste estado" } dd { (draw_state_since(&webhook)) }
                dt { "Esperando" } dd { (webhook.esperando) }
                @if let Some(until) = &webhook.adiado_ate {
                    dt { "O destino pediu uma pausa" } dd { "nada é enviado até " (text::time_tag(until)) ", só testes e o que você reenviar" }
                }
                @if let Some(until) = &webhook.segredo_anterior_ate {
                    dt { "Segredos trocados" } dd { "assinam até " (text::time_tag(until)) }
                }
            }
            (draw_actions(&view, &webhook, &path))
            h2 { "Mensagens" }
            @if log.mensagens.is_empty() { p class="empty" { "Nenhuma mensagem nos últimos 30 dias." } }
            @for message in &log.mensagens { (draw_message(&view, &webhook, message, &path)) }
            (shell::next_page_link(&view, &format!("{path}?"), log.next_cursor.as_deref()))
            h2 { "Mudar" }
            (draw_settings(&view, &webhook, &projects, &path))
        };
        Ok(shell::reading_page(&view, "Webhook", &body))
    }
}

/// Draws the reason why a webhook is not sending. Empty for an active webhook.
fn draw_reason(webhook: &Webhook) -> Markup {
    let why = match webhook.estado.as_str() {
        "ativo" => return html! {},
        "pausado" => "Uma pessoa pausou este webhook. O que acontece espera até 30 dias.",
        "pausado_por_falhas" => {
            "O destino não recebeu nada por três dias. Corrija-o e retome: o que espera há até 30 dias é enviado."
        }
        "pausado_sem_responsavel" => {
            "O responsável saiu ou já não administra webhooks. Quem retoma passa a ser o responsável."
        }
        _ => "O destino respondeu que não quer mais mensagens (410). O que acontece não espera.",
    };
    html! { p class="notice wait" { (why) } }
}

fn draw_actions(view: &View<'_>, webhook: &Webhook, path: &str) -> Markup {
    let id = html! { input type="hidden" name="webhookId" value=(webhook.id); };
    html! {
        @if webhook.estado == "ativo" {
            div class="row" {
                (operation_form(view, "test_webhook", path, &html! { (id) button type="submit" class="quiet" { "Enviar um teste" } }))
                (operation_form(view, "pause_webhook", path, &html! { (id) button type="submit" class="quiet" { "Pausar" } }))
            }
        } @else {
            (operation_form(view, "resume_webhook", path, &html! { (id) button type="submit" { "Retomar" } }))
        }
        details {
            summary { "Trocar o segredo" }
            form method="post" action=(view.href_to(&format!("{PATH}/{}/segredo", webhook.id))) class="form" {
                p { "Por 24 horas, o segredo de agora também assina. Guarde o novo na página seguinte: ele aparece uma vez." }
                div class="outcome" role="alert" {}
                button type="submit" { "Trocar o segredo" }
            }
        }
        @if webhook.estado == "ativo" {
            details {
                summary { "Reenviar as mensagens de alguns dias" }
                (operation_form(view, "replay_webhook_messages", path, &html! {
                    (id)
                    label class="field" { span { "De" } input type="date" name="de" required; }
                    label class="field" { span { "Até" } input type="date" name="ate" required; }
                    button type="submit" { "Reenviar" }
                }))
            }
        }
        details {
            summary { "Apagar" }
            (operation_form(view, "delete_webhook", PATH, &html! {
                p { "O registro e o que espera são apagados também." }
                (id)
                button type="submit" class="danger" { "Apagar o webhook" }
            }))
        }
    }
}

fn draw_message(view: &View<'_>, webhook: &Webhook, message: &Message, path: &str) -> Markup {
    let (class, words) = match message.estado.as_str() {
        "recebida" => ("badge good", "Recebida"),
        "pendente" => ("badge wait", "Esperando"),
        "recusada" => ("badge bad", "Recusada"),
        _ => ("badge", "Descartada"),
    };
    html! {
        article class="card" {
            div class="spread" { h3 { code { (message.tipo) } } span class=(class) { (words) } }
            dl class="facts" {
                dt { "De" } dd { (text::time_tag(&message.criada_em)) }
                dt { "Trata de" } dd class="mono" { (message.recurso) " " (message.recurso_id) }
                dt { "webhook-id" } dd class="mono" { (message.id) }
                @if let Some(next) = &message.proxima { dt { "Próxima tentativa" } dd { (text::time_tag(next)) } }
            }
            details {
                summary { "Corpo enviado" }
                pre class="mono" tabindex="0" { (message.corpo) }
            }
            @if !message.tentativas.is_empty() {
                details {
                    summary { "Tentativas (" (message.tentativas.len()) ")" }
                    ul { @for attempt in &message.tentativas { (draw_attempt(attempt)) } }
                }
            }
            @if webhook.estado == "ativo" {
                (operation_form(view, "replay_webhook_messages", path, &html! {
                    input type="hidden" name="webhookId" value=(webhook.id);
                    input type="hidden" name="mensagem_id" value=(message.id);
                    button type="submit" class="quiet" { "Reenviar" }
                }))
            }
        }
    }
}

fn draw_attempt(attempt: &Attempt) -> Markup {
    html! {
        li {
            (attempt.numero) "ª, " (text::time_tag(&attempt.quando)) ": "
            @match attempt.status { Some(status) => { "status " (status) }, None => "sem resposta" }
            @if let Some(error) = &attempt.erro { ", " (error) }
            " (" (attempt.duracao_ms) " ms) " span class="mono" { (attempt.url) }
            @if !attempt.resposta.is_empty() { p class="mono" dir="auto" { (attempt.resposta) } }
        }
    }
}

fn draw_settings(view: &View<'_>, webhook: &Webhook, projects: &[Project], path: &str) -> Markup {
    let current = Create {
        url: webhook.url.clone(),
        descricao: webhook.descricao.clone(),
        tipos: webhook.tipos.clone(),
        project_id: webhook.project_id.clone().unwrap_or_default(),
        channel: webhook.channel.clone().unwrap_or_default(),
    };
    let fields = html! {
        input type="hidden" name="webhookId" value=(webhook.id);
        input type="hidden" name="expected_revision" value=(webhook.revision);
        div class="stack narrow" {
            (draw_fields(projects, &current))
            button type="submit" { "Salvar" }
        }
    };
    operation_form(view, "update_webhook", path, &fields)
}
