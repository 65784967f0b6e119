//! Links for guests: the form, the link (which is shown once), and the list.

use domain::GuestRight;
use gateway::{Content, Context, Entry, InputForm, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{clients::paste_block, once};
use crate::{
    area::{page_spec, receiver_spec},
    forms::{operation_form, refuse_form},
    links::percent_encode,
    shell, text,
    view::{View, input_without_nulls},
};

/// The list of links, with the form of a new one.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct List {
    /// A peça que o formulário já escolhe.
    evento: Option<String>,
    /// Também os que terminaram.
    #[serde(default)]
    encerrados: bool,
    cursor: Option<String>,
}

/// The form of a new link.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct Create {
    #[serde(default)]
    nome: String,
    #[serde(default)]
    contato: String,
    #[serde(default)]
    direito: String,
    #[serde(default)]
    pecas: Vec<String>,
    #[serde(default)]
    projeto: String,
    #[serde(default)]
    mes: String,
    dias: Option<u8>,
    codigo: Option<String>,
}

/// The page that shows a new link once.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Created {}

const PATH: &str = "/convidados";
const SHOWN_AT: &str = "/convidados/link";

const CREATE_ROUTE: Spec =
    receiver_spec("console_create_guest_link", "Criar link de convidado", PATH)
        .takes(InputForm::UrlEncoded)
        .partial(&[303])
        .fails(&[400, 403, 404, 409]);

pub(super) const LIST: Entry = Entry::for_page::<List>(
    page_spec("console_guest_links", "Convidados", PATH),
    "Os links de convidados, e o formulário que cria um.",
);
pub(super) const CREATE: Entry = Entry::for_page::<Create>(
    CREATE_ROUTE,
    "Cria um link de convidado e leva à página que o mostra.",
);
pub(super) const CREATED: Entry = Entry::for_page::<Created>(
    page_spec("console_guest_link_made", "Link criado", SHOWN_AT).partial(&[303]),
    "Mostra uma vez o link que acaba de ser criado.",
);

#[derive(Deserialize)]
struct Links {
    links: Vec<Link>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Link {
    id: String,
    nome: String,
    contato: String,
    direito: GuestRight,
    estado: String,
    pede_codigo: bool,
    pecas: Vec<String>,
    #[serde(default)]
    project_id: Option<String>,
    #[serde(default)]
    mes: Option<String>,
    member_name: String,
    expires_at: String,
    opened_at: Option<String>,
    #[serde(default)]
    revoked_at: Option<String>,
    #[serde(default)]
    revoked_by_name: Option<String>,
    codigos_errados: i64,
}

/// The pieces and projects that the form offers.
struct Choices {
    pieces: Vec<Named>,
    projects: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
    #[serde(alias = "title")]
    name: String,
}

#[derive(Deserialize)]
struct Pending {
    pendentes: Vec<Named>,
}

#[derive(Deserialize)]
struct Projects {
    projects: Vec<Named>,
}

#[derive(Deserialize)]
struct Piece {
    evento: Named,
}

impl Choices {
    /// Reads the pieces in approval, the preselected piece, and the projects.
    async fn read(view: &View<'_>, chosen: Option<&str>) -> Result<Self> {
        let pending: Pending = view
            .read(
                "list_pending_approvals",
                json!({ "limit": 100, "de_quem": "todos" }),
            )
            .await?;
        let mut pieces = pending.pendentes;
        if let Some(id) = chosen.filter(|id| pieces.iter().all(|piece| piece.id != *id)) {
            let piece: Piece = view.read("get_event", json!({ "eventId": id })).await?;
            pieces.insert(0, piece.evento);
        }
        let projects: Projects = view.read("list_projects", json!({ "limit": 100 })).await?;
        Ok(Self {
            pieces,
            projects: projects.projects,
        })
    }
}

impl Page for List {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = json!({ "encerrados": self.encerrados, "cursor": self.cursor });
        let listed: Links = view.read("list_guest_links", input).await?;
        let chosen = self.evento.as_deref();
        let choices = Choices::read(&view, chosen).await?;
        let sent = Create {
            pecas: self.evento.iter().cloned().collect(),
            ..Create::default()
        };
        let more = match self.encerrados {
            true => format!("{PATH}?encerrados=true&"),
            false => format!("{PATH}?"),
        };
        let body = html! {
            h1 { "Convidados" }
            p { "Uma pessoa de fora da equipe vê, comenta ou decide peças por um link, sem conta. O link mostra só peças enviadas para aprovação." }
            details open[chosen.is_some() || listed.links.is_empty()] {
                summary { "Convidar uma pessoa" }
                (draw_link_creation_form(&view, &choices, &sent))
            }
            h2 { @if self.encerrados { "Todos os links" } @else { "Links em vigor" } }
            @if listed.links.is_empty() { p class="empty" { "Nenhum link." } }
            div class="grid people" { @for link in &listed.links { (draw_link(&view, link)) } }
            (shell::next_page_link(&view, &more, listed.next_cursor.as_deref()))
            @if !self.encerrados {
                p { a href=(view.href_to(&format!("{PATH}?encerrados=true"))) { "Ver também os que terminaram" } }
            }
        };
        Ok(shell::reading_page(&view, "Convidados", &body))
    }
}

fn draw_link(view: &View<'_>, link: &Link) -> Markup {
    let (kind, state) = match link.estado.as_str() {
        "ativo" => ("good", "Em vigor"),
        "vencido" => ("wait", "Vencido"),
        _ => ("bad", "Revogado"),
    };
    html! {
        article class="card" {
            div class="spread" { h3 dir="auto" { (link.nome) } span class={ "badge " (kind) } { (state) } }
            dl class="facts" {
                dt { "Contato" } dd dir="auto" { (link.contato) }
                dt { "Pode" } dd { (right_name(link.direito)) @if link.pede_codigo { ", com código" } }
                dt { "Vê" } dd {
                    @match (&link.project_id, &link.mes) {
                        (Some(id), Some(month)) => { a href=(view.href_to(&format!("/projetos/{id}"))) { "as peças do projeto" } " em " (month) }
                        _ => @for (index, id) in link.pecas.iter().enumerate() {
                            @if index > 0 { ", " }
                            a href=(view.href_to(&format!("/eventos/{id}"))) { "peça " (index + 1) }
                        }
                    }
                }
                dt { "Última abertura" } dd { @match &link.opened_at { Some(at) => (text::format_iso_moment(at)), None => "nenhuma" } }
                dt { "Até" } dd { (text::format_iso_day(&link.expires_at)) }
                dt { "Feito por" } dd dir="auto" { (link.member_name) }
                @if let Some(at) = &link.revoked_at {
                    dt { "Revogado" }
                    dd dir="auto" {
                        (text::format_iso_moment(at))
                        @match &link.revoked_by_name {
                            Some(by) => { ", por " (by) }
                            None => { ", porque erraram o código " (link.codigos_errados) " vezes" }
                        }
                    }
                } @else if link.codigos_errados > 0 {
                    dt { "Códigos errados" } dd { (link.codigos_errados) " de 50" }
                }
            }
            @if link.estado == "ativo" {
                details {
                    summary { "Revogar" }
                    (operation_form(view, "revoke_guest_link", PATH, &html! {
                        p { "O link deixa de abrir na hora." }
                        input type="hidden" name="linkId" value=(link.id);
                        button type="submit" class="danger" { "Revogar o link" }
                    }))
                }
            }
        }
    }
}

const fn right_name(right: GuestRight) -> &'static str {
    match right {
        GuestRight::See => "ver",
        GuestRight::Remark => "ver e comentar",
        GuestRight::Decide => "ver, comentar e decidir",
    }
}

fn draw_link_creation_form(view: &View<'_>, choices: &Choices, sent: &Create) -> Markup {
    let right = sent.direito.parse().unwrap_or(GuestRight::Decide);
    let days = sent.dias.unwrap_or(14);
    html! {
        form method="post" action=(view.href_to(PATH)) class="form stack narrow" {
            label class="field" { span { "Nome" } input name="nome" required maxlength="120" autocomplete="off" value=(sent.nome); }
            label class="field" {
                span { "E-mail ou telefone" }
                input name="contato" required minlength="3" maxlength="254" autocomplete="off" value=(sent.contato);
            }
            fieldset {
                legend { "Pode" }
                @for one in GuestRight::ALL.iter().rev() {
                    label class="choice" {
                        input type="radio" name="direito" value=(one) checked[*one == right];
                        span { (right_name(*one)) }
                    }
                }
            }
            @if !choices.pieces.is_empty() {
                fieldset {
                    legend { "Estas peças" }
                    @for piece in &choices.pieces {
                        label class="choice" {
                            input type="checkbox" name="pecas" value=(piece.id) checked[sent.pecas.contains(&piece.id)];
                            span dir="auto" { (piece.name) }
                        }
                    }
                }
            }
            @if !choices.projects.is_empty() {
                fieldset class="stack" {
                    legend { "Ou as peças de um projeto num mês" }
                    label class="field" {
                        span { "Projeto" }
                        select name="projeto" {
                            option value="" { "nenhum" }
                            @for project in &choices.projects {
                                option value=(project.id) selected[sent.projeto == project.id] { (project.name) }
                            }
                        }
                    }
                    label class="field" { span { "Mês" } input type="month" name="mes" value=(sent.mes) placeholder="2026-11"; }
                }
            }
            label class="field" {
                span { "Validade em dias" }
                input type="number" name="dias" min="1" max="90" required value=(days);
            }
            label class="choice" {
                input type="checkbox" name="codigo" checked[sent.codigo.is_some()];
                span { "Pedir um código de seis números, que você manda por outro caminho" }
            }
            div class="outcome" role="alert" {}
            button type="submit" { "Criar link" }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Made {
    name: String,
    url: String,
    code: Option<String>,
}

impl Page for Create {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let fields = json!({
            "nome": self.nome,
            "contato": self.contato,
            "direito": self.direito,
            "pecas": self.pecas,
            "project_id": filled(&self.projeto),
            "mes": filled(&self.mes),
            "dias": self.dias,
            "codigo": self.codigo.is_some(),
        });
        let input = input_without_nulls(fields);
        match view.call::<Value>("create_guest_link", input).await {
            Ok(answer) => {
                let text = |name: &str| answer[name].as_str().map(str::to_owned);
                let made = Made {
                    name: self.nome,
                    url: text("url").unwrap_or_default(),
                    code: text("codigo"),
                };
                once::redirect_with_value(&view, SHOWN_AT, made)
            }
            Err(error) => {
                let chosen = self.pecas.first().map(String::as_str);
                let form = match Choices::read(&view, chosen).await {
                    Ok(choices) => draw_link_creation_form(&view, &choices, &self),
                    Err(_) => html! { p { a href=(view.href_to(PATH)) { "Voltar" } } },
                };
                Ok(refuse_form(&view, "O link não foi criado", &error, &form))
            }
        }
    }
}

impl Page for Created {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let Some(made) = once::read_value::<Made>(&view, SHOWN_AT) else {
            return Ok(Reply::new(Content::Redirect(view.href_to(PATH))));
        };
        let message = format!("Olá, {}! Veja as peças aqui: {}", made.name, made.url);
        let share = format!("https://wa.me/?text={}", percent_encode(&message));
        let body = html! {
            h1 { "Link criado" }
            p { "Mande este link a " strong { bdi { (made.name) } } "." }
            div class="notice wait" {
                p { strong { "Copie agora." } " O link não aparece de novo. Quem o tem age como esta pessoa." }
            }
            (paste_block("link", &made.url))
            p { a class="button quiet" href=(share) target="_blank" rel="noreferrer" { "Mandar pelo WhatsApp" } }
            @if let Some(code) = &made.code {
                h2 { "Código" }
                p { "Mande o código por outro caminho, por exemplo por telefone." }
                (paste_block("codigo", code))
            }
            p { a class="button" href=(view.href_to(PATH)) { "Já mandei" } }
        };
        let page = shell::console_page(&view, "Link criado", &body);
        Ok(once::delete_cookie(&view, SHOWN_AT, page))
    }
}
