use std::collections::BTreeMap;

use domain::time::LocalDay;
use futures::try_join;
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{
    amounts,
    period::{self, Figure},
    shapes::{self, Leaving, Left, PlanTotals},
    sheet::{Cell, Sheet},
    verdict::{self, Subscribed},
};
use crate::{area::page_spec, forms::operation_form, text, view::View};

/// The dashboard of subscriptions.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Subscriptions {
    /// Primeiro dia.
    inicio: Option<String>,
    /// Último dia.
    fim: Option<String>,
    /// A página seguinte das saídas.
    cursor: Option<String>,
    /// A tabela a baixar.
    csv: Option<String>,
}

const ROUTE: Spec = page_spec("console_subscriptions", "Assinaturas", "/assinaturas");

pub(crate) const SUBSCRIPTIONS: Entry = Entry::for_page::<Subscriptions>(
    ROUTE,
    "As assinaturas de um período, por plano, e quem saiu e por quê.",
);

const REASONS: [(&str, &str); 5] = [
    ("preco", "Preço"),
    ("conteudo", "Conteúdo"),
    ("tempo", "Falta de tempo"),
    ("tecnico", "Problema técnico"),
    ("outro", "Outro"),
];

impl Page for Subscriptions {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let input = period::period_input(self.inicio.as_deref(), self.fim.as_deref());
        let mut leaving = input.clone();
        if let Some(cursor) = &self.cursor {
            leaving["cursor"] = cursor.as_str().into();
        }
        let (answer, leaving) = try_join!(
            view.read::<shapes::Subscriptions>("get_subscription_summary", input),
            view.read::<Leaving>("list_leaving_subscribers", leaving),
        )?;
        let today = LocalDay::from_instant(ctx.now);
        let before = load_previous_totals(&view, &answer, today).await?;
        let verdict = verdict::judge_subscriptions(&Subscribed {
            active: answer.totals.ativos,
            active_before: before.as_ref().map(|before| before.ativos),
            started: answer.totals.novos,
            left: answer.totals.cancelados,
            overdue: answer.totals.em_atraso,
            days: answer.inicio.days_through(answer.fim.min(today)),
            has_data: answer.atualizado_em.is_some(),
        });
        // If the list of cancellations has several pages, this page does not contain all reasons.
        let is_whole = self.cursor.is_none() && leaving.next_cursor.is_none();
        let reason = is_whole.then(|| main_reason(&leaving.saidas)).flatten();
        let facts: Vec<String> = reason.into_iter().collect();
        let plans = answer.por_plano.into_iter().map(|plan| {
            let sums = plan.totals;
            vec![
                Cell::from_text(plan.plano),
                Cell::Count(sums.ativos),
                Cell::Count(sums.novos),
                Cell::Count(sums.cancelados),
                Cell::from_rate(sums.churn),
                Cell::Money(sums.mrr_centavos, sums.moeda),
                Cell::Count(sums.em_atraso),
            ]
        });
        let plans = Sheet {
            name: "por-plano",
            title: "Por plano",
            columns: &[
                "Plano",
                "Ativos",
                "Novos",
                "Saídas",
                "Churn",
                "MRR",
                "Em atraso",
            ],
            rows: plans.collect(),
        };
        let left = cancellation_sheet(&leaving.saidas);
        if let Some(name) = self.csv {
            let sheet = [&plans, &left].into_iter().find(|sheet| sheet.name == name);
            return sheet
                .map(Sheet::csv_reply)
                .ok_or_else(|| Error::not_found("tabela"));
        }
        let path = view.href_to("/assinaturas");
        let period = format!("inicio={}&fim={}", answer.inicio.0, answer.fim.0);
        let address = format!("{path}?{period}");
        let back = format!("/assinaturas?{period}#saidas");
        let body = html! {
            div class="spread" { h1 { "Assinaturas" } (period::period_form(&path, answer.inicio, answer.fim)) }
            (period::describe_period(answer.inicio, answer.fim, answer.atualizado_em.as_deref()))
            (verdict.draw(&facts))
            (draw_totals(&answer.totals, before.as_ref()))
            @for sums in &answer.outras_moedas { h3 { "Em " (sums.moeda) } (draw_totals(sums, None)) }
            section aria-labelledby="planos" {
                h2 id="planos" { "Planos" }
                (plans.draw_table(&address))
            }
            section aria-labelledby="saidas" {
                h2 id="saidas" { "Quem saiu" }
                @if leaving.saidas.is_empty() {
                    p class="soft" { "Ninguém saiu no período." }
                } @else {
                    p class="screen-only" { a href=(super::sheet::add_query_field(&address, "csv", left.name)) hx-boost="false" { "Baixar CSV" span class="sr" { " de quem saiu" } } }
                    ul class="left" {
                        @for left in &leaving.saidas { li class="card" { (draw_cancellation(&view, left, &back)) } }
                    }
                }
                @if let Some(cursor) = &leaving.next_cursor {
                    a class="button quiet" href=(format!("{address}&cursor={cursor}#saidas")) { "Mais antigas" }
                }
            }
        };
        Ok(period::report_page(&view, "Assinaturas", &body))
    }
}

/// Reads the subscription totals of the previous period. `None` if this period has not begun.
async fn load_previous_totals(
    view: &View<'_>,
    answer: &shapes::Subscriptions,
    today: LocalDay,
) -> Result<Option<PlanTotals>> {
    let Some((from, _)) = period::previous_period(answer.inicio, answer.fim, today) else {
        return Ok(None);
    };
    // A summary counts the active subscriptions at the end of its range, so this range ends on the day
    // before the period.
    let input = json!({ "inicio": from, "fim": answer.inicio.plus_days(-1) });
    let before: shapes::Subscriptions = view.read("get_subscription_summary", input).await?;
    Ok(Some(before.totals))
}

/// Returns the reason that more than half of the people with a recorded reason gave, in words.
fn main_reason(rows: &[Left]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in rows.iter().filter_map(|left| left.motivo.as_deref()) {
        *counts.entry(reason).or_default() += 1;
    }
    let (name, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let known = rows.iter().filter(|left| left.motivo.is_some()).count();
    (count * 2 > known).then(|| {
        let name = reason_name(Some(name)).to_lowercase();
        format!(
            "O motivo mais dado por quem saiu: {name} ({count} de {known} com motivo registrado)."
        )
    })
}

fn draw_totals(sums: &PlanTotals, before: Option<&PlanTotals>) -> Markup {
    let money = |cents| amounts::format_money(cents, &sums.moeda);
    let counted = |name, field: fn(&PlanTotals) -> i64| {
        let now = field(sums);
        let figure = Figure::new(name, amounts::format_count(now));
        figure.with_comparison(now, before.map(field), amounts::format_count)
    };
    let revenue = Figure::new("Receita mensal (MRR)", money(sums.mrr_centavos));
    period::draw_figures(&[
        counted("Ativos", |sums| sums.ativos),
        revenue.with_comparison(
            sums.mrr_centavos,
            before.map(|sums| sums.mrr_centavos),
            money,
        ),
        counted("Novos", |sums| sums.novos),
        counted("Saídas", |sums| sums.cancelados),
        Figure::new("Churn", Cell::from_rate(sums.churn).display_text()),
        Figure::new("Em atraso", amounts::format_count(sums.em_atraso)),
    ])
}

fn cancellation_sheet(rows: &[Left]) -> Sheet {
    let row = |left: &Left| {
        vec![
            Cell::from_text(left.assinatura_id.clone()),
            Cell::from_text(left.plano.clone().unwrap_or_default()),
            left.inicio.clone().map_or(Cell::Nothing, Cell::Moment),
            Cell::Moment(left.saida.clone()),
            Cell::from_text(reason_name(left.motivo.as_deref())),
            Cell::Money(left.valor_centavos, left.moeda.clone()),
        ]
    };
    Sheet {
        name: "saidas",
        title: "Quem saiu",
        columns: &["Assinatura", "Plano", "Início", "Saída", "Motivo", "Valor"],
        rows: rows.iter().map(row).collect(),
    }
}

fn reason_name(name: Option<&str>) -> &str {
    let reason = REASONS.iter().find(|(reason, _)| Some(*reason) == name);
    reason.map_or(name.unwrap_or(""), |(_, word)| word)
}

/// Draws a cancelled subscription with its reason, and the form that records or changes the reason.
fn draw_cancellation(view: &View<'_>, left: &Left, back: &str) -> Markup {
    html! {
        div class="spread" {
            strong dir="auto" { (left.plano.as_deref().unwrap_or("Sem plano")) " · " span class="mono" { (left.assinatura_id) } }
            span { (amounts::format_money(left.valor_centavos, &left.moeda)) " por mês" }
        }
        p class="soft" {
            "Saiu em " (text::format_iso_moment(&left.saida))
            @if let Some(since) = &left.inicio { ", assinava desde " (text::format_iso_moment(since)) }
        }
        @if let Some(name) = &left.motivo {
            p { "Motivo: " strong { (reason_name(Some(name))) } }
        }
        @if view.may_call("record_cancellation_reason") {
            details {
                summary { @if left.motivo.is_some() { "Mudar o motivo" } @else { "Registrar o motivo" } }
                (operation_form(view, "record_cancellation_reason", back, &html! {
                    input type="hidden" name="assinatura_id" value=(left.assinatura_id);
                    label class="field" { span { "Motivo" }
                        select name="motivo" required {
                            @for (name, word) in REASONS { option value=(name) { (word) } }
                        }
                    }
                    label class="field" { span { "Nas palavras da equipe" }
                        textarea name="texto" rows="2" maxlength="2000" {}
                        small { "Sem nome, e-mail nem telefone." }
                    }
                    button type="submit" { "Registrar" }
                }))
            }
        }
    }
}
