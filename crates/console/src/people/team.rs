//! The page of the team.

use std::collections::HashMap;

use domain::{Level, Role};
use futures::try_join;
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{agents::Agent, invitations, mails, tokens::Token, words, words::last_use_text};
use crate::{area::page_spec, shell, view::View};

/// The page of the team.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TeamPage {
    /// A member, with the fields that only admins see.
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_team", "Equipe", "/equipe");
pub(super) const PAGE: Entry = Entry::for_page::<TeamPage>(
    ROUTE,
    "As pessoas da equipe, com papéis, níveis de API e acessos; convites.",
);

#[derive(Deserialize)]
struct Team {
    equipe: Vec<Person>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Person {
    name: String,
    access_level: Role,
}

#[derive(Deserialize)]
struct Members {
    membros: Vec<MemberRow>,
    next_cursor: Option<String>,
}

/// A member, with the fields for admins.
#[derive(Deserialize)]
pub(super) struct MemberRow {
    pub id: String,
    pub name: String,
    pub email: String,
    pub access_level: Role,
    pub financeiro: bool,
    pub created_at: String,
    /// The instant at which an e-mail to the member was last returned as undeliverable.
    pub email_devolvido_em: Option<String>,
}

#[derive(Deserialize)]
struct Accesses {
    members: Vec<AccessRow>,
}

/// The API access of a member, with tokens and agents.
#[derive(Deserialize)]
pub(super) struct AccessRow {
    pub id: String,
    pub api_access_level: Level,
    pub effective_api_access_level: Level,
    pub tokens: Vec<Token>,
    pub agents: Vec<Agent>,
    pub calendarios: Vec<Calendar>,
    pub aparelhos: Vec<Device>,
}

/// A calendar of a member.
#[derive(Deserialize)]
pub(super) struct Calendar {
    pub id: String,
    pub nome: String,
    pub created_at: String,
    pub last_read_at: Option<String>,
}

/// A device of a member that receives notifications.
#[derive(Deserialize)]
pub(super) struct Device {
    pub id: String,
    pub nome: String,
    pub criado_em: String,
    pub renovado_em: String,
    pub ultimo_aviso_em: Option<String>,
}

/// One page of the team, for admins.
pub(super) struct Sheet {
    pub rows: Vec<(MemberRow, Option<AccessRow>)>,
    pub next_cursor: Option<String>,
}

/// Reads the page of the team at `cursor`. The lists of members and of API access have the same order,
/// so their pages contain the same members.
pub(super) async fn read_team_page(view: &View<'_>, cursor: Option<&str>) -> Result<Sheet> {
    let input = team_input(cursor);
    let (members, accesses) = try_join!(
        view.read::<Members>("list_members", input.clone()),
        view.read::<Accesses>("list_access_members", input),
    )?;
    let accesses = accesses.members.into_iter();
    let mut accesses: HashMap<String, AccessRow> =
        accesses.map(|row| (row.id.clone(), row)).collect();
    let rows = members.membros.into_iter();
    let rows = rows.map(|row| {
        let access = accesses.remove(&row.id);
        (row, access)
    });
    Ok(Sheet {
        rows: rows.collect(),
        next_cursor: members.next_cursor,
    })
}

/// Finds an active member in the list of the team, from the page at `cursor` on.
pub(super) async fn find_member(
    view: &View<'_>,
    id: &str,
    mut cursor: Option<String>,
) -> Result<Option<(MemberRow, Option<AccessRow>)>> {
    loop {
        let sheet = read_team_page(view, cursor.as_deref()).await?;
        let mut rows = sheet.rows.into_iter();
        if let Some(row) = rows.find(|(member, _)| member.id == id) {
            return Ok(Some(row));
        }
        cursor = sheet.next_cursor;
        if cursor.is_none() {
            return Ok(None);
        }
    }
}

fn team_input(cursor: Option<&str>) -> Value {
    let mut input = json!({ "limit": 200 });
    if let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) {
        input["cursor"] = cursor.into();
    }
    input
}

/// Advises the member to ask an admin, and names the admins.
pub(super) async fn name_admins(view: &View<'_>) -> Result<Markup> {
    let team: Team = view.read("list_team", team_input(None)).await?;
    let admins: Vec<&str> = team
        .equipe
        .iter()
        .filter(|person| person.access_level == Role::Admin)
        .map(|person| person.name.as_str())
        .collect();
    Ok(html! {
        "Peça a um admin"
        @for (n, name) in admins.iter().enumerate() {
            (if n == 0 { ": " } else { ", " }) bdi { (name) }
        }
        "."
    })
}

/// Replies with the page for a member who lacks the right. The page names the admins.
pub(super) async fn not_allowed_page(view: &View<'_>, title: &str) -> Result<Reply> {
    let whom = name_admins(view).await?;
    let body = html! {
        h1 { (title) }
        div class="notice bad" {
            p { strong { "Só admins da equipe veem esta página." } }
            p { (whom) }
        }
    };
    Ok(shell::console_page(view, title, &body).with_status(403))
}

impl Page for TeamPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let cursor = self.cursor.as_deref();
        if !view.may_call("list_members") {
            return team_names_page(&view, cursor).await;
        }
        let sheet = read_team_page(&view, cursor).await?;
        let body = html! {
            h1 { "Equipe" }
            details class="card" id="convidar" {
                summary { "Convidar uma pessoa" }
                (invitations::invitation_form(&view, None))
            }
            table class="people stacked" {
                thead {
                    tr {
                        th { "Pessoa" } th { "Papel" } th { "Nível de API" } th { "Agentes" } th { "Tokens" }
                        th { "Último uso" } th { "Vendas" }
                    }
                }
                tbody {
                    @for (member, access) in &sheet.rows { (draw_member(&view, member, access.as_ref(), cursor)) }
                }
            }
            (paging_links(&view, cursor, sheet.next_cursor.as_deref()))
            (mails::undelivered_section(&view).await?)
        };
        Ok(shell::console_page(&view, "Equipe", &body))
    }
}

/// Replies with the page for members who are not admins, which shows only names.
async fn team_names_page(view: &View<'_>, cursor: Option<&str>) -> Result<Reply> {
    let team: Team = view.read("list_team", team_input(cursor)).await?;
    let whom = name_admins(view).await?;
    let body = html! {
        h1 { "Equipe" }
        div class="notice" {
            p { "Convites, papéis, níveis de API e desligamentos são de admins. " (whom) }
        }
        table {
            thead { tr { th { "Nome" } th { "Papel" } } }
            tbody {
                @for person in &team.equipe {
                    tr {
                        td dir="auto" { (person.name) }
                        td { (words::role_name(person.access_level)) }
                    }
                }
            }
        }
        (paging_links(view, cursor, team.next_cursor.as_deref()))
    };
    Ok(shell::console_page(view, "Equipe", &body))
}

fn draw_member(
    view: &View<'_>,
    member: &MemberRow,
    access: Option<&AccessRow>,
    cursor: Option<&str>,
) -> Markup {
    let mut at = view.href_to(&format!("/equipe/{}", member.id));
    if let Some(cursor) = cursor {
        at = format!("{at}?cursor={cursor}");
    }
    html! {
        tr {
            td {
                a href=(at) { strong dir="auto" { (member.name) } }
                br; small { (member.email) @if member.email_devolvido_em.is_some() { " · e-mail voltou" } }
            }
            td { span class="badge" { (words::role_name(member.access_level)) } }
            td data-label="Nível de API" { @if let Some(access) = access { (words::level_name(access.effective_api_access_level)) } }
            td data-label="Agentes" { @if let Some(access) = access { (count_active(access.agents.iter().map(|agent| &*agent.status))) } }
            td data-label="Tokens" { @if let Some(access) = access { (count_active(access.tokens.iter().map(|token| &*token.status))) } }
            td data-label="Último uso" { @if let Some(access) = access { (last_use_text(last_use(access))) } }
            td data-label="Vendas" { (if member.financeiro { "vê" } else { "não vê" }) }
        }
    }
}

fn count_active<'a>(states: impl Iterator<Item = &'a str>) -> usize {
    states.filter(|state| *state == "active").count()
}

/// Returns the last use of any agent or token. The instants have the same format, so they sort as text.
fn last_use(access: &AccessRow) -> Option<&str> {
    let agents = access
        .agents
        .iter()
        .filter_map(|agent| agent.last_used_at.as_deref());
    let tokens = access
        .tokens
        .iter()
        .filter_map(|token| token.last_used_at.as_deref());
    agents.chain(tokens).max()
}

fn paging_links(view: &View<'_>, cursor: Option<&str>, next: Option<&str>) -> Markup {
    html! {
        @if cursor.is_some() || next.is_some() {
            nav class="row" aria-label="Páginas" {
                @if cursor.is_some() { a href=(view.href_to("/equipe")) { "Voltar ao começo" } }
                @if let Some(next) = next {
                    a class="button quiet" href={ (view.href_to("/equipe")) "?cursor=" (next) } { "Mais pessoas" }
                }
            }
        }
    }
}
