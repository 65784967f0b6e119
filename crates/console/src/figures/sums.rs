//! The parts that the dashboards of sales and launches share.

use domain::time::LocalDay;
use maud::{Markup, html};

use super::{
    amounts, chart,
    days::Bar,
    period::{self, Figure},
    shapes::{Alert, Day, Totals},
    sheet::{Cell, Sheet},
};

/// Draws the key figures of one currency, compared with the key figures of the previous period.
pub(super) fn compared_totals(sums: &Totals, before: Option<&Totals>) -> Markup {
    let currency = &sums.moeda;
    let money = |cents| amounts::format_money(cents, currency);
    let before = |field: fn(&Totals) -> i64| before.map(field);
    let revenue = Figure::new("Receita", money(sums.receita_centavos)).with_comparison(
        sums.receita_centavos,
        before(|sums| sums.receita_centavos),
        money,
    );
    let sales = Figure::new("Vendas", amounts::format_count(sums.vendas)).with_comparison(
        sums.vendas,
        before(|sums| sums.vendas),
        amounts::format_count,
    );
    period::draw_figures(&[
        revenue,
        sales,
        Figure::new(
            "Ticket médio",
            Cell::from_money(sums.ticket_medio_centavos, currency).display_text(),
        ),
        Figure::new("Receita bruta", money(sums.receita_bruta_centavos)),
        Figure::new("Reembolsos", describe_refunds(sums)),
    ])
}

/// Returns the number and the amount of the refunds in words.
pub(super) fn describe_refunds(sums: &Totals) -> String {
    format!(
        "{} ({})",
        amounts::format_count(sums.reembolsos),
        amounts::format_money(sums.reembolsos_centavos, &sums.moeda)
    )
}

/// Draws the totals of the other currencies. Currencies are never added up.
pub(super) fn draw_other_currencies(sums: &[Totals]) -> Markup {
    html! {
        @for sums in sums {
            h3 { "Em " (sums.moeda) }
            (compared_totals(sums, None))
        }
    }
}

/// Draws the chart of the daily revenue.
pub(super) fn revenue_chart(bars: &[Bar], today: LocalDay, currency: &str) -> Markup {
    chart::draw_daily_bars("Receita por dia", bars, today, currency)
}

/// Describes the days of a period: the best day, the days without sales, and the fact that today
/// has not ended.
pub(super) fn describe_days(bars: &[Bar], today: LocalDay, currency: &str) -> Option<String> {
    // `max_by_key` returns the last maximum, so the reversed order selects the first of equal days.
    let best = bars.iter().rev().max_by_key(|bar| bar.cents)?;
    let best = (best.cents > 0).then(|| {
        let (day, cents) = (amounts::format_short_day(best.day), best.cents);
        format!(
            "Melhor dia: {day}, com {}.",
            amounts::format_money(cents, currency)
        )
    });
    let complete = bars.iter().filter(|bar| bar.day != today);
    let empty = complete.clone().filter(|bar| bar.is_empty).count();
    let empty = i64::try_from(empty).unwrap_or(0);
    let all = i64::try_from(complete.count()).unwrap_or(0);
    let empty = (empty > 0 && best.is_some()).then(|| {
        let days = amounts::format_day_count(all);
        format!(
            "Sem nenhuma venda em {} de {days} completos.",
            amounts::format_count(empty)
        )
    });
    let last = bars.last().is_some_and(|bar| bar.day == today);
    let today = last.then(|| "O dia de hoje ainda não terminou.".to_owned());
    let facts: Vec<String> = [best, empty, today].into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(" "))
}

/// Returns the table of the daily revenue.
pub(super) fn day_sheet(rows: Vec<Day>, currency: &str) -> Sheet {
    let row = |day: Day| {
        vec![
            Cell::Day(day.dia),
            Cell::Money(day.receita_centavos, currency.into()),
            Cell::Money(day.receita_bruta_centavos, currency.into()),
            Cell::Count(day.vendas),
            Cell::Count(day.reembolsos),
        ]
    };
    Sheet {
        name: "por-dia",
        title: "Por dia",
        columns: &["Dia", "Receita", "Receita bruta", "Vendas", "Reembolsos"],
        rows: rows.into_iter().map(row).collect(),
    }
}

/// Draws the alerts of a dashboard.
pub(super) fn draw_alerts(alerts: &[Alert]) -> Markup {
    html! {
        @for alert in alerts {
            @let (class, word) = match alert.nivel.as_str() {
                "critico" => ("notice bad", "Crítico"),
                "atencao" => ("notice wait", "Atenção"),
                _ => ("notice", "Aviso"),
            };
            p class=(class) { strong { (word) ": " } (alert.texto) }
        }
    }
}
