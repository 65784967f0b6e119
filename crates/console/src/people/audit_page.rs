//! The page of the audit trail, with filters in its address, and its CSV file.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    audit::{self, DOORS, FieldChange, Filter, OTHERS, OUTCOMES, People, Row, Trail},
    client_names::short_name,
    team,
};
use crate::{
    area::{Table, page_spec},
    csv,
    links::{percent_encode, resource_path},
    shell, text,
    view::View,
};

/// The number of rows on a page.
const ROWS: u16 = 100;
/// The number of rows in one read for the CSV file, and the maximum number of reads.
const MOST_ROWS: u16 = 200;
const MOST_READS: usize = 25;

/// The filters in the address.
#[derive(Debug, Deserialize, JsonSchema)]
struct Filters {
    /// A pessoa.
    quem: Option<String>,
    /// A operação.
    operacao: Option<String>,
    /// O desfecho.
    desfecho: Option<String>,
    /// Primeiro dia.
    de: Option<String>,
    /// Último dia.
    ate: Option<String>,
    /// A porta.
    porta: Option<String>,
    /// O agente ou token que fez.
    agente: Option<String>,
}

/// The page of the audit trail.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AuditPage {
    #[serde(flatten)]
    filters: Filters,
    /// Onde a página anterior terminou.
    cursor: Option<String>,
}

/// The CSV file of the audit trail.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AuditCsv {
    #[serde(flatten)]
    filters: Filters,
}

const PATH: &str = "/auditoria";
const ROUTE: Spec = page_spec("console_audit", "Auditoria", PATH).fails(&[400, 403]);
const CSV_ROUTE: Spec =
    page_spec("console_audit_csv", "Auditoria em CSV", "/auditoria.csv").fails(&[400, 403]);

pub(super) const PAGE: Entry =
    Entry::for_page::<AuditPage>(ROUTE, "A auditoria, com filtros no endereço.");
pub(super) const CSV: Entry =
    Entry::for_page::<AuditCsv>(CSV_ROUTE, "A auditoria filtrada, em CSV.");

/// The filters. Each has its name in the address, its name in the operation's input, and its value.
struct Asked([(&'static str, &'static str, String); 7]);

impl Asked {
    fn from_filters(filters: Filters) -> Self {
        Self(
            [
                ("quem", "member_id", filters.quem),
                ("operacao", "action", filters.operacao),
                ("desfecho", "outcome", filters.desfecho),
                ("de", "de", filters.de),
                ("ate", "ate", filters.ate),
                ("porta", "door", filters.porta),
                ("agente", "token_id", filters.agente),
            ]
            .map(|(name, field, value)| (name, field, value.unwrap_or_default())),
        )
    }

    fn to_filter(&self) -> Filter {
        let fields = self.0.iter();
        Filter {
            fields: fields
                .map(|(_, name, value)| (*name, value.clone()))
                .collect(),
        }
    }

    fn filter_value(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(key, ..)| *key == name);
        field.map_or("", |(_, _, value)| value)
    }

    fn has_filters(&self) -> bool {
        self.0.iter().any(|(_, _, value)| !value.is_empty())
    }

    /// Returns the query of an address with these filters and, if given, one more field.
    fn to_query(&self, more: Option<(&str, &str)>) -> String {
        let own = self
            .0
            .iter()
            .map(|(name, _, value)| (*name, value.as_str()));
        let pairs = own.filter(|(_, value)| !value.is_empty()).chain(more);
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={}", percent_encode(value)))
            .collect();
        match pairs.is_empty() {
            true => String::new(),
            false => format!("?{}", pairs.join("&")),
        }
    }
}

impl Page for AuditPage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if !view.may_call("list_audit_events") {
            return team::not_allowed_page(&view, "Auditoria").await;
        }
        let cursor = self.cursor.filter(|cursor| !cursor.is_empty());
        let asked = Asked::from_filters(self.filters);
        let filter = asked.to_filter();
        let (trail, people) = futures::try_join!(
            audit::load_trail(&view, &filter, ROWS, cursor.as_deref()),
            People::load(&view),
        )?;
        let body = html! {
            h1 { "Auditoria" }
            (draw_filters(&view, &asked, &people, &trail))
            div class="spread" {
                p class="soft" { "Do mais novo ao mais antigo, no horário de Brasília. Leituras comuns aparecem somadas por minuto." }
                a class="button quiet" href={ (view.href_to("/auditoria.csv")) (asked.to_query(None)) } hx-boost="false" download { "Baixar CSV" }
            }
            (draw_trail(&view, &trail, &people))
            nav class="row" aria-label="Páginas" {
                @if cursor.is_some() { a href={ (view.href_to(PATH)) (asked.to_query(None)) } { "As mais novas" } }
                @if let Some(next) = &trail.next_cursor {
                    a class="button quiet" rel="next" href={ (view.href_to(PATH)) (asked.to_query(Some(("cursor", next)))) } { "Mais antigas" }
                }
            }
        };
        Ok(shell::console_page(&view, "Auditoria", &body))
    }
}

fn draw_filters(view: &View<'_>, asked: &Asked, people: &People, trail: &Trail) -> Markup {
    let outcomes = OUTCOMES
        .iter()
        .map(|(o, word)| (o.to_string(), (*word).to_owned()));
    let doors = DOORS
        .iter()
        .map(|(door, word)| (door.to_string(), (*word).to_owned()));
    html! {
        details class="card" open[asked.has_filters()] {
            summary { "Filtros" }
            form method="get" action=(view.href_to(PATH)) class="filters" role="search" aria-label="Filtros" {
                (draw_select(asked, "quem", "Quem", people.member_choices(&trail.audit)))
                (draw_select(asked, "operacao", "Operação", operation_titles(view)))
                (draw_select(asked, "desfecho", "Desfecho", outcomes.collect()))
                label class="field" {
                    span { "De" }
                    input type="date" name="de" value=(asked.filter_value("de"));
                }
                label class="field" {
                    span { "Até" }
                    input type="date" name="ate" value=(asked.filter_value("ate"));
                }
                (draw_select(asked, "porta", "Porta", doors.collect()))
                (draw_select(asked, "agente", "Agente ou token", people.credential_choices(&trail.audit)))
                div class="row" {
                    button type="submit" { "Filtrar" }
                    @if asked.has_filters() { a href=(view.href_to(PATH)) { "Limpar" } }
                }
            }
        }
    }
}

/// Returns the titles of all operations and other actions, sorted.
fn operation_titles(view: &View<'_>) -> Vec<(String, String)> {
    let table = view.ctx.services.parts.get::<Table>();
    let operations = table.registry.operations.iter().map(|one| one.spec.name);
    let others = OTHERS.iter().map(|(name, _)| *name);
    let mut all: Vec<(String, String)> = operations
        .chain(others)
        .map(|name| (name.to_owned(), audit::action_title(view, name).to_owned()))
        .collect();
    all.sort_by(|a, b| a.1.cmp(&b.1));
    all
}

/// Draws a select field whose first entry removes the filter. A selected value that is not among the
/// choices is added to them.
fn draw_select(
    asked: &Asked,
    name: &str,
    label: &str,
    mut choices: Vec<(String, String)>,
) -> Markup {
    let chosen = asked.filter_value(name);
    if !chosen.is_empty() && choices.iter().all(|(value, _)| value != chosen) {
        choices.push((chosen.to_owned(), format!("{chosen} (fora da lista)")));
    }
    html! {
        label class="field" {
            span { (label) }
            select name=(name) {
                option value="" { "Qualquer" }
                @for (value, text) in &choices {
                    option value=(value) selected[value == chosen] { (text) }
                }
            }
        }
    }
}

fn draw_trail(view: &View<'_>, trail: &Trail, people: &People) -> Markup {
    html! {
        @if trail.audit.is_empty() {
            p class="empty" { "Nada com estes filtros. " a href=(view.href_to(PATH)) { "Ver tudo" } }
        } @else {
            div class="scroll" tabindex="0" role="region" aria-label="Linhas da auditoria" {
                table class="trail stacked" {
                    thead { tr { th { "Quando" } th { "Quem" } th { "O quê" } th { "Desfecho" } th { "Porta" } th { "Sobre" } } }
                    tbody {
                        @for row in &trail.audit {
                            tr {
                                td class="when" { (text::format_iso_seconds(&row.occurred_at)) }
                                td { bdi { (audit::describe_author(row)) } }
                                td {
                                    (audit::action_title(view, &row.action))
                                    @if row.call_count() > 1 { " " span class="soft" { "× " (row.call_count()) } }
                                    br; small class="mono" { (row.action) }
                                }
                                td {
                                    (audit::draw_outcome(&row.outcome))
                                    @if !row.meta_text("code").is_empty() { br; small class="mono" { (row.meta_text("code")) } }
                                }
                                td {
                                    (audit::door_name(row.meta_text("door")))
                                    @if !row.meta_text("client").is_empty() { br; small class="client" title=(row.meta_text("client")) { bdi { (short_name(row.meta_text("client"))) } } }
                                }
                                td { (draw_resource(view, row, people)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Draws the name of a row's resource, with a link to its page, and the changed fields.
fn draw_resource(view: &View<'_>, row: &Row, people: &People) -> Markup {
    let (Some(kind), id) = (row.resource_type.as_deref(), row.resource_id.as_deref()) else {
        return html! {};
    };
    let name = row.resource_name.as_deref();
    // A resource without a name was deleted, unless it is of a kind whose id is its name. A former
    // member has no page.
    let has_left = kind == "member" && !id.is_some_and(|id| people.is_active(id));
    let has_page = name.is_some() || matches!(kind, "config" | "email_draft" | "skill");
    let has_page = has_page && !has_left;
    let path = id
        .filter(|_| has_page)
        .and_then(|id| resource_path(kind, id));
    html! {
        span class="soft" { (audit::kind_name(kind)) }
        @if let Some(shown) = name.or(id) {
            " "
            @match path {
                Some(path) => a href=(view.href_to(&path)) dir="auto" title=[id] { (shown) },
                None if name.is_some() => bdi title=[id] { (shown) },
                None => small class="mono" { (shown) },
            }
        }
        @for change in &row.changes { br; small { (draw_change(change)) } }
    }
}

/// Draws a changed field in words: `situação: Em progresso → Em aprovação`.
fn draw_change(change: &FieldChange) -> Markup {
    let [before, after] =
        [&change.before, &change.after].map(|value| audit::describe_value(&change.field, value));
    html! {
        span class="soft" { (audit::field_name(&change.field)) ": " }
        bdi { (before) } " → " strong { bdi { (after) } }
    }
}

impl Page for AuditCsv {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        if !view.may_call("list_audit_events") {
            return team::not_allowed_page(&view, "Auditoria").await;
        }
        let asked = Asked::from_filters(self.filters);
        let filter = asked.to_filter();
        let mut rows = vec![HEAD.map(str::to_owned)];
        let mut cursor = None;
        for _ in 0..MOST_READS {
            let trail = audit::load_trail(&view, &filter, MOST_ROWS, cursor.as_deref()).await?;
            rows.extend(trail.audit.iter().map(|row| {
                let number =
                    |number: Option<i64>| number.map_or_else(String::new, |n| n.to_string());
                let text = |text: &Option<String>| text.clone().unwrap_or_default();
                [
                    text::format_iso_seconds(&row.occurred_at),
                    audit::describe_author(row),
                    row.auth_method.clone(),
                    row.action.clone(),
                    audit::action_title(&view, &row.action).to_owned(),
                    text(&row.resource_type),
                    text(&row.resource_id),
                    text(&row.resource_name),
                    audit::list_changes(&row.changes),
                    audit::outcome_word(&row.outcome).to_owned(),
                    number(row.status_code),
                    row.meta_text("code").to_owned(),
                    audit::door_name(row.meta_text("door")).to_owned(),
                    row.meta_text("client").to_owned(),
                    row.call_count().to_string(),
                    text(&row.request_id),
                ]
            }));
            cursor = trail.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Ok(csv::csv_file("auditoria.csv", rows))
    }
}

const HEAD: [&str; 16] = [
    "Quando",
    "Quem",
    "Credencial",
    "Operação",
    "Título",
    "Tipo",
    "Id",
    "Nome",
    "Mudou",
    "Desfecho",
    "Status",
    "Código",
    "Porta",
    "Cliente",
    "Vezes",
    "Pedido",
];
