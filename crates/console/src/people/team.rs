//! The page of the team.

use std::collections::HashMap;

use domain::{Level, Role};
use futures::try_join;
use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{agents::Agent, guests, tokens::Token, words, words::last_use_text};
use crate::{area::page, shell, view::View};

/// The page of the team.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TeamPage {
    /// Onde a página anterior terminou.
    cursor: Option<String>,
}

const ROUTE: Spec = page("console_team", "Equipe", "/equipe");
pub(super) const PAGE: Entry = Entry::page::<TeamPage>(
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
}

/// One page of the team, for admins.
pub(super) struct Sheet {
    pub rows: Vec<(MemberRow, Option<AccessRow>)>,
    pub next_cursor: Option<String>,
}

/// Reads the page of the team at `cursor`. Both lists have the same order, so their pages have the same
/// members.
pub(super) async fn sheet(view: &View<'_>, cursor: Option<&str>) -> Result<Sheet> {
    let input = from(cursor);
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

fn from(cursor: Option<&str>) -> Value {
    let mut input = json!({ "limit": 200 });
    if let Some(cursor) = cursor.filter(|cursor| !cursor.is_empty()) {
        input["cursor"] = cursor.into();
    }
    input
}

/// Names the admins, who may do the thing that the member may not.
pub(super) async fn whom_to_ask(view: &View<'_>) -> Result<Markup> {
    let team: Team = view.read("list_team", from(None)).await?;
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

/// The page for a member who lacks the right. It names the admins.
pub(super) async fn not_allowed(view: &View<'_>, title: &str) -> Result<Reply> {
    let whom = whom_to_ask(view).await?;
    let body = html! {
        h1 { (title) }
        div class="notice bad" {
            p { strong { "Só admins da equipe veem esta página." } }
            p { (whom) }
        }
    };
    Ok(shell::page(view, title, &body).status(403))
}

impl Page for TeamPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        let cursor = self.cursor.as_deref();
        if !view.may_call("list_members") {
            return only_names(&view, cursor).await;
        }
        let sheet = sheet(&view, cursor).await?;
        let body = html! {
            h1 { "Equipe" }
            details class="card" id="convidar" {
                summary { "Convidar uma pessoa" }
                (guests::form(&view, None))
            }
            table class="people stacked" {
                thead {
                    tr {
                        th { "Pessoa" } th { "Papel" } th { "Nível de API" } th { "Agentes" } th { "Tokens" }
                        th { "Último uso" } th { "Vendas" }
                    }
                }
                tbody {
                    @for (member, access) in &sheet.rows { (person(&view, member, access.as_ref(), cursor)) }
                }
            }
            (paging(&view, cursor, sheet.next_cursor.as_deref()))
        };
        Ok(shell::page(&view, "Equipe", &body))
    }
}

/// The page for members who are not admins: names only.
async fn only_names(view: &View<'_>, cursor: Option<&str>) -> Result<Reply> {
    let team: Team = view.read("list_team", from(cursor)).await?;
    let whom = whom_to_ask(view).await?;
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
                        td { (words::role(person.access_level)) }
                    }
                }
            }
        }
        (paging(view, cursor, team.next_cursor.as_deref()))
    };
    Ok(shell::page(view, "Equipe", &body))
}

fn person(
    view: &View<'_>,
    member: &MemberRow,
    access: Option<&AccessRow>,
    cursor: Option<&str>,
) -> Markup {
    let mut at = view.at(&format!("/equipe/{}", member.id));
    if let Some(cursor) = cursor {
        at = format!("{at}?cursor={cursor}");
    }
    html! {
        tr {
            td {
                a href=(at) { strong dir="auto" { (member.name) } }
                br; small { (member.email) }
            }
            td { span class="badge" { (words::role(member.access_level)) } }
            td data-label="Nível de API" { @if let Some(access) = access { (words::level(access.effective_api_access_level)) } }
            td data-label="Agentes" { @if let Some(access) = access { (active(access.agents.iter().map(|agent| &*agent.status))) } }
            td data-label="Tokens" { @if let Some(access) = access { (active(access.tokens.iter().map(|token| &*token.status))) } }
            td data-label="Último uso" { @if let Some(access) = access { (last_use_text(last_use(access))) } }
            td data-label="Vendas" { (if member.financeiro { "vê" } else { "não vê" }) }
        }
    }
}

fn active<'a>(states: impl Iterator<Item = &'a str>) -> usize {
    states.filter(|state| *state == "active").count()
}

/// The last use of any agent or token. The instants have one format, so they sort as text.
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

fn paging(view: &View<'_>, cursor: Option<&str>, next: Option<&str>) -> Markup {
    html! {
        @if cursor.is_some() || next.is_some() {
            nav class="row" aria-label="Páginas" {
                @if cursor.is_some() { a href=(view.at("/equipe")) { "Voltar ao começo" } }
                @if let Some(next) = next {
                    a class="button quiet" href={ (view.at("/equipe")) "?cursor=" (next) } { "Mais pessoas" }
                }
            }
        }
    }
}
