//! The e-mail drafts of the team.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::html;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{area::page_spec, links::percent_encode, shell, text, view::View};

/// The page with the list of drafts.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Drafts {
    /// Texto a achar no nome ou nos metadados.
    q: Option<String>,
    /// De onde a lista continua.
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_email_drafts", "E-mails", "/emails").fails(&[400, 403]);

pub(crate) const DRAFTS: Entry =
    Entry::for_page::<Drafts>(ROUTE, "Os rascunhos de e-mail da equipe.");

#[derive(Deserialize)]
struct DraftList {
    drafts: Vec<Line>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    template_id: String,
    html_length: i64,
    metadata: Map<String, Value>,
    updated_at: String,
    updated_by_name: Option<String>,
}

/// The maximum number of metadata entries in the list.
const SHOWN: usize = 4;

impl Page for Drafts {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let q = self.q.as_deref().map(str::trim).filter(|q| !q.is_empty());
        let input = json!({ "q": q, "cursor": self.cursor, "limit": 50 });
        let answer: DraftList = view.read("list_email_drafts", input).await?;
        let rest = q.map_or_else(
            || "/emails?".to_owned(),
            |q| format!("/emails?q={}&", percent_encode(q)),
        );
        let body = html! {
            div class="spread" {
                h1 { "E-mails" }
                @if view.may_call("put_email_draft") {
                    a class="button" href=(view.href_to("/novo-email")) { "Novo rascunho" }
                }
            }
            form method="get" action=(view.href_to("/emails")) role="search" class="row compare" {
                label class="field wide" {
                    span { "Procurar no nome ou nos metadados" }
                    input type="search" name="q" value=[q] maxlength="200" dir="auto";
                }
                button type="submit" class="quiet" { "Procurar" }
            }
            @if answer.drafts.is_empty() {
                p class="empty" {
                    @if q.is_some() { "Nenhum rascunho tem isso." } @else { "Nenhum rascunho ainda." }
                }
            }
            ul class="plain-list" data-list {
                @for draft in &answer.drafts {
                    li class="card" {
                        h2 {
                            a href=(view.href_to(&format!("/emails/{}", percent_encode(&draft.template_id)))) data-item { (draft.template_id) }
                        }
                        @let texts = draft.metadata.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
                        dl class="facts" {
                            @for (name, value) in texts.take(SHOWN) { dt dir="auto" { (name) } dd class="clamp" dir="auto" { (value) } }
                        }
                        p class="soft" {
                            (text::format_count(draft.html_length)) " caracteres, " (text::time_tag(&draft.updated_at))
                            @if let Some(name) = &draft.updated_by_name { ", por " (name) }
                        }
                    }
                }
            }
            (shell::next_page_link(&view, &rest, answer.next_cursor.as_deref()))
        };
        Ok(shell::reading_page(&view, "E-mails", &body))
    }
}
