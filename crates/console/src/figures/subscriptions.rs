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
use crate::{area::page, forms::operation_form, text, view::View};

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

const ROUTE: Spec = page("console_subscriptions", "Assinaturas", "/assinaturas");

pub(crate) const SUBSCRIPTIONS: Entry = Entry::page::<Subscriptions>(
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
        let view = View::of(ctx).await?;
        let input = period::input(self.inicio.as_deref(), self.fim.as_deref());
        let mut leaving = input.clone();
        if let Some(cursor) = &self.cursor {
            leaving["cursor"] = cursor.as_str().into();
        }
        let (answer, leaving) = try_join!(
            view.read::<shapes::Subscriptions>("get_subscription_summary", input),
            view.read::<Leaving>("list_leaving_subscribers", leaving),
        )?;
        let today = LocalDay::of(ctx.now);
        let before = load_before(&view, &answer, today).await?;
        let verdict = verdict::subscriptions(&Subscribed {
            active: answer.totals.ativos,
            active_before: before.as_ref().map(|before| before.ativos),
            started: answer.totals.novos,
            left: answer.totals.cancelados,
            overdue: answer.totals.em_atraso,
            days: answer.inicio.through(answer.fim.min(today)),
            has_data: answer.atualizado_em.is_some(),
        });
        // One page of the list does not show the reasons of all who left.
        let is_whole = self.cursor.is_none() && leaving.next_cursor.is_none();
        let reason = is_whole.then(|| main_reason(&leaving.saidas)).flatten();
        let facts: Vec<String> = reason.into_iter().collect();
        let plans = answer.por_plano.into_iter().map(|plan| {
            let sums = plan.totals;
            vec![
                Cell::text(plan.plano),
                Cell::Count(sums.ativos),
                Cell::Count(sums.novos),
                Cell::Count(sums.cancelados),
                Cell::rate(sums.churn),
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
        let left = left_sheet(&leaving.saidas);
        if let Some(name) = self.csv {
            let sheet = [&plans, &left].into_iter().find(|sheet| sheet.name == name);
            return sheet
                .map(Sheet::file)
                .ok_or_else(|| Error::not_found("tabela"));
        }
        let path = view.at("/assinaturas");
        let period = format!("inicio={}&fim={}", answer.inicio.0, answer.fim.0);
        let address = format!("{path}?{period}");
        let back = format!("/assinaturas?{period}#saidas");
        let body = html! {
            div class="spread" { h1 { "Assinaturas" } (period::form(&path, answer.inicio, answer.fim)) }
            (period::describe_period(answer.inicio, answer.fim, answer.atualizado_em.as_deref()))
            (verdict.draw(&facts))
            (totals(&answer.totals, before.as_ref()))
            @for sums in &answer.outras_moedas { h3 { "Em " (sums.moeda) } (totals(sums, None)) }
            section aria-labelledby="planos" {
                h2 id="planos" { "Planos" }
                (plans.shown(&address))
            }
            section aria-labelledby="saidas" {
                h2 id="saidas" { "Quem saiu" }
                @if leaving.saidas.is_empty() {
                    p class="soft" { "Ninguém saiu no período." }
                } @else {
                    p { a href=(super::sheet::with(&address, "csv", left.name)) hx-boost="false" { "Baixar CSV" span class="sr" { " de quem saiu" } } }
                    ul class="left" {
                        @for left in &leaving.saidas { li class="card" { (who_left(&view, left, &back)) } }
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

/// Reads the subscription totals of the previous period. `None` if the period has not begun.
async fn load_before(
    view: &View<'_>,
    answer: &shapes::Subscriptions,
    today: LocalDay,
) -> Result<Option<PlanTotals>> {
    let Some((from, _)) = period::days_before(answer.inicio, answer.fim, today) else {
        return Ok(None);
    };
    // Active subscriptions are counted at the end of a range, so this range ends the day before the
    // period.
    let input = json!({ "inicio": from, "fim": answer.inicio.plus(-1) });
    let before: shapes::Subscriptions = view.read("get_subscription_summary", input).await?;
    Ok(Some(before.totals))
}

/// The reason that more than half of the people with a recorded reason gave, in words.
fn main_reason(rows: &[Left]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in rows.iter().filter_map(|left| left.motivo.as_deref()) {
        *counts.entry(reason).or_default() += 1;
    }
    let (name, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let known = rows.iter().filter(|left| left.motivo.is_some()).count();
    (count * 2 > known).then(|| {
        let name = reason(Some(name)).to_lowercase();
        format!(
            "O motivo mais dado por quem saiu: {name} ({count} de {known} com motivo registrado)."
        )
    })
}

fn totals(sums: &PlanTotals, before: Option<&PlanTotals>) -> Markup {
    let money = |cents| amounts::money(cents, &sums.moeda);
    let counted = |name, field: fn(&PlanTotals) -> i64| {
        let now = field(sums);
        let figure = Figure::new(name, amounts::count(now));
        figure.compare(now, before.map(field), amounts::count)
    };
    let revenue = Figure::new("Receita mensal (MRR)", money(sums.mrr_centavos));
    period::figures(&[
        counted("Ativos", |sums| sums.ativos),
        revenue.compare(
            sums.mrr_centavos,
            before.map(|sums| sums.mrr_centavos),
            money,
        ),
        counted("Novos", |sums| sums.novos),
        counted("Saídas", |sums| sums.cancelados),
        Figure::new("Churn", Cell::rate(sums.churn).shown()),
        Figure::new("Em atraso", amounts::count(sums.em_atraso)),
    ])
}

fn left_sheet(rows: &[Left]) -> Sheet {
    let row = |left: &Left| {
        vec![
            Cell::text(left.assinatura_id.clone()),
            Cell::text(left.plano.clone().unwrap_or_default()),
            left.inicio.clone().map_or(Cell::Nothing, Cell::Moment),
            Cell::Moment(left.saida.clone()),
            Cell::text(reason(left.motivo.as_deref())),
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

fn reason(name: Option<&str>) -> &str {
    let reason = REASONS.iter().find(|(reason, _)| Some(*reason) == name);
    reason.map_or(name.unwrap_or(""), |(_, word)| word)
}

/// Draws a cancelled subscription with its reason, or with the form that records the reason.
fn who_left(view: &View<'_>, left: &Left, back: &str) -> Markup {
    html! {
        div class="spread" {
            strong dir="auto" { (left.plano.as_deref().unwrap_or("Sem plano")) " · " span class="mono" { (left.assinatura_id) } }
            span { (amounts::money(left.valor_centavos, &left.moeda)) " por mês" }
        }
        p class="soft" {
            "Saiu em " (text::moment_of(&left.saida))
            @if let Some(since) = &left.inicio { ", assinava desde " (text::moment_of(since)) }
        }
        @if let Some(name) = &left.motivo {
            p { "Motivo: " strong { (reason(Some(name))) } }
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
