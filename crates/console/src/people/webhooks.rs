//! Webhooks: the list, the form of a new one, and its secret (which is shown once).

use gateway::{Content, Context, Entry, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{clients::paste_block, once, team::not_allowed_page};
use crate::{
    area::{page_spec, receiver_spec},
    forms::refuse_form,
    shell, text,
    view::{View, input_without_nulls},
};

/// The list of webhooks, with the form of a new one.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct List {}

/// The form of a new webhook.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Create {
    #[serde(default)]
    pub url: String,
    #[serde(default)]
    pub descricao: String,
    #[serde(default)]
    pub tipos: Vec<String>,
    #[serde(default)]
    pub project_id: String,
    #[serde(default)]
    pub channel: String,
}

/// The form that replaces the secret of a webhook.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Rotate {
    #[serde(rename = "webhookId")]
    webhook_id: String,
}

/// The page that shows a new secret once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Secret {}

pub(super) const PATH: &str = "/webhooks";
const SHOWN_AT: &str = "/webhooks/segredo";

const CREATE_ROUTE: Spec = receiver_spec("console_create_webhook", "Criar webhook", PATH)
    .takes(InputForm::UrlEncoded)
    .partial(&[303])
    .fails(&[400, 403, 404, 409]);
const ROTATE_ROUTE: Spec = receiver_spec(
    "console_rotate_webhook_secret",
    "Trocar segredo do webhook",
    "/webhooks/{webhookId}/segredo",
)
.takes(InputForm::UrlEncoded)
.partial(&[303])
.fails(&[403, 404]);

pub(super) const LIST: Entry = Entry::for_page::<List>(
    page_spec("console_webhooks", "Webhooks", PATH).fails(&[403]),
    "Os webhooks, e o formulário que cria um.",
);
pub(super) const CREATE: Entry = Entry::for_page::<Create>(
    CREATE_ROUTE,
    "Cria um webhook e leva à página que mostra o segredo.",
);
pub(super) const ROTATE: Entry = Entry::for_page::<Rotate>(
    ROTATE_ROUTE,
    "Troca o segredo de um webhook e leva à página que o mostra.",
);
pub(super) const SECRET: Entry = Entry::for_page::<Secret>(
    page_spec("console_webhook_secret", "Segredo do webhook", SHOWN_AT).partial(&[303]),
    "Mostra uma vez o segredo que acaba de ser criado.",
);

/// The kinds of messages that webhooks send: API value and label.
const KINDS: [(&str, &str); 14] = [
    ("piece_created", "Uma peça foi criada"),
    (
        "piece_updated",
        "Uma peça mudou: texto, mídias, data, pessoas ou estado",
    ),
    ("piece_submitted", "Uma peça foi enviada para aprovação"),
    ("piece_decided", "Decidiram sobre uma peça"),
    (
        "variants_wait",
        "Canais mudados de uma peça aprovada esperam decisão",
    ),
    ("variants_decided", "Decidiram sobre canais de uma peça"),
    (
        "piece_published",
        "Uma peça saiu, ou o post dela foi registrado",
    ),
    (
        "remark_added",
        "Um comentário menciona alguém, responde ou é de um convidado",
    ),
    ("stage_overdue", "Uma etapa de aprovação passou do prazo"),
    ("publication_ended", "Uma publicação saiu ou falhou"),
    ("post_due", "É hora de um post que uma pessoa publica"),
    ("connection_ending", "A conexão com uma rede vai terminar"),
    ("connection_ended", "A conexão com uma rede terminou"),
    ("agent_connected", "Um agente foi conectado a uma conta"),
];

#[derive(Deserialize)]
struct Webhooks {
    webhooks: Vec<Webhook>,
}

/// A webhook in the answer of `list_webhooks`.
#[derive(Deserialize)]
pub(super) struct Webhook {
    pub id: String,
    pub revision: i64,
    pub url: String,
    pub descricao: String,
    pub tipos: Vec<String>,
    pub project_id: Option<String>,
    pub channel: Option<String>,
    pub estado: String,
    pub estado_desde: String,
    pub responsavel: Owner,
    pub esperando: i64,
    pub adiado_ate: Option<String>,
    pub segredo_anterior_ate: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Owner {
    pub nome: String,
}

#[derive(Deserialize)]
pub(super) struct Project {
    id: String,
    name: String,
}

#[derive(Deserialize)]
struct Projects {
    projects: Vec<Project>,
}

pub(super) async fn read_webhooks(view: &View<'_>) -> Result<Vec<Webhook>> {
    let listed: Webhooks = view.read("list_webhooks", json!({})).await?;
    Ok(listed.webhooks)
}

/// Reads the projects that a form offers.
pub(super) async fn read_projects(view: &View<'_>) -> Result<Vec<Project>> {
    let listed: Projects = view
        .read("list_projects", json!({ "status": "ativo", "limit": 100 }))
        .await?;
    Ok(listed.projects)
}

impl Page for List {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if !view.may_call("list_webhooks") {
            return not_allowed_page(&view, "Webhooks").await;
        }
        let webhooks = read_webhooks(&view).await?;
        let projects = read_projects(&view).await?;
        let body = html! {
            p { a href=(view.href_to("/agentes")) { "Agentes" } }
            h1 { "Webhooks" }
            p { "Um webhook avisa outro sistema do que acontece aqui, com mensagens assinadas que só têm identificadores." }
            details open[webhooks.is_empty()] {
                summary { "Criar webhook" }
                (draw_webhook_creation_form(&view, &projects, &Create::default()))
            }
            @if webhooks.is_empty() { p class="empty" { "Nenhum webhook." } }
            div class="grid people" { @for webhook in &webhooks { (draw_card(&view, webhook)) } }
        };
        Ok(shell::reading_page(&view, "Webhooks", &body))
    }
}

fn draw_card(view: &View<'_>, webhook: &Webhook) -> Markup {
    html! {
        article class="card" {
            div class="spread" {
                h2 dir="auto" { a href=(view.href_to(&page_path(&webhook.id))) { (webhook.descricao) } }
                (draw_state(webhook))
            }
            dl class="facts" {
                dt { "Endereço" } dd class="mono" { (webhook.url) }
                dt { "Responsável" } dd dir="auto" { (webhook.responsavel.nome) }
                dt { "Esperando" } dd { (webhook.esperando) }
            }
        }
    }
}

/// Returns the path of the page of a webhook.
pub(super) fn page_path(id: &str) -> String {
    format!("{PATH}/{id}/registro")
}

pub(super) fn draw_state(webhook: &Webhook) -> Markup {
    let (class, words) = match webhook.estado.as_str() {
        "ativo" => ("badge good", "Ativo"),
        "pausado" => ("badge wait", "Pausado"),
        "pausado_por_falhas" => ("badge bad", "Pausado por falhas"),
        "pausado_sem_responsavel" => ("badge bad", "Sem responsável"),
        _ => ("badge bad", "Encerrado pelo destino"),
    };
    html! { span class=(class) { (words) } }
}

fn draw_webhook_creation_form(view: &View<'_>, projects: &[Project], sent: &Create) -> Markup {
    html! {
        form method="post" action=(view.href_to(PATH)) class="form stack narrow" {
            (draw_fields(projects, sent))
            div class="outcome" role="alert" {}
            button type="submit" { "Criar webhook" }
        }
    }
}

/// Draws the fields of a webhook: purpose, URL, kinds of messages, and filters.
pub(super) fn draw_fields(projects: &[Project], sent: &Create) -> Markup {
    html! {
        label class="field" {
            span { "Para que serve" }
            input name="descricao" required maxlength="200" autocomplete="off" value=(sent.descricao);
        }
        label class="field" {
            span { "Endereço (https)" }
            input type="url" name="url" required maxlength="2000" autocomplete="off" value=(sent.url);
        }
        fieldset {
            legend { "Avisar quando" }
            @for (kind, words) in KINDS {
                label class="choice" {
                    input type="checkbox" name="tipos" value=(kind) checked[sent.tipos.iter().any(|one| one == kind)];
                    span { (words) }
                }
            }
        }
        @if !projects.is_empty() || !sent.project_id.is_empty() {
            label class="field" {
                span { "Só peças do projeto" }
                select name="project_id" {
                    option value="" { "todos" }
                    @for project in projects {
                        option value=(project.id) selected[sent.project_id == project.id] { (project.name) }
                    }
                    @if !sent.project_id.is_empty() && !projects.iter().any(|one| one.id == sent.project_id) {
                        option value=(sent.project_id) selected { "o de agora, arquivado ou mais antigo que estes" }
                    }
                }
            }
        }
        label class="field" {
            span { "Só peças que vão ao canal" }
            input name="channel" maxlength="80" autocomplete="off" value=(sent.channel) placeholder="instagram";
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Shown {
    secret: String,
    /// The path of the page of the webhook.
    back: String,
    rotated: bool,
}

impl Page for Create {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let input = input_without_nulls(json!({
            "url": self.url,
            "descricao": self.descricao,
            "tipos": self.tipos,
            "project_id": filled(&self.project_id),
            "channel": filled(&self.channel),
        }));
        match view.call::<Value>("create_webhook", input).await {
            Ok(answer) => show_secret(&view, &answer, false),
            Err(error) => {
                let form = match read_projects(&view).await {
                    Ok(projects) => draw_webhook_creation_form(&view, &projects, &self),
                    Err(_) => html! { p { a href=(view.href_to(PATH)) { "Voltar" } } },
                };
                Ok(refuse_form(
                    &view,
                    "O webhook não foi criado",
                    &error,
                    &form,
                ))
            }
        }
    }
}

impl Page for Rotate {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = input_without_nulls(json!({ "webhookId": self.webhook_id }));
        match view.call::<Value>("rotate_webhook_secret", input).await {
            Ok(answer) => show_secret(&view, &answer, true),
            Err(error) => {
                let back = html! { p { a href=(view.href_to(PATH)) { "Voltar" } } };
                Ok(refuse_form(
                    &view,
                    "O segredo não foi trocado",
                    &error,
                    &back,
                ))
            }
        }
    }
}

fn show_secret(view: &View<'_>, answer: &Value, rotated: bool) -> Result<Reply> {
    let shown = Shown {
        secret: answer["segredo"].as_str().unwrap_or_default().to_owned(),
        back: page_path(answer["webhook"]["id"].as_str().unwrap_or_default()),
        rotated,
    };
    once::redirect_with_value(view, SHOWN_AT, shown)
}

impl Page for Secret {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let Some(shown) = once::read_value::<Shown>(&view, SHOWN_AT) else {
            return Ok(Reply::new(Content::Redirect(view.href_to(PATH))));
        };
        let body = html! {
            h1 { "Segredo do webhook" }
            div class="notice wait" {
                p { strong { "Copie agora." } " O segredo não aparece de novo, nem recarregando a página." }
            }
            (paste_block("segredo", &shown.secret))
            p { "Dê-o ao sistema que recebe as mensagens: com ele, confere que vieram desta Pauta." }
            @if shown.rotated { p { "Por 24 horas, os segredos trocados também assinam." } }
            p { a class="button" href=(view.href_to(&shown.back)) { "Já copiei" } }
        };
        let page = shell::console_page(&view, "Segredo do webhook", &body);
        Ok(once::delete_cookie(&view, SHOWN_AT, page))
    }
}

/// Draws the time at which the webhook entered its current state.
pub(super) fn draw_state_since(webhook: &Webhook) -> Markup {
    text::time_tag(&webhook.estado_desde)
}
