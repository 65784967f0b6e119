//! The parts that the dashboards of sales and launches share.

use maud::{Markup, html};

use super::{
    amounts,
    chart::{self, Point},
    period,
    shapes::{Alert, Day, Totals},
    sheet::{Cell, Sheet},
};

/// The key figures of one currency.
pub(super) fn totals(sums: &Totals) -> Markup {
    let currency = &sums.moeda;
    let ticket = sums.ticket_medio_centavos;
    period::numbers(&[
        ("Receita", amounts::money(sums.receita_centavos, currency)),
        ("Vendas", amounts::count(sums.vendas)),
        ("Ticket médio", Cell::money(ticket, currency).shown()),
        (
            "Receita bruta",
            amounts::money(sums.receita_bruta_centavos, currency),
        ),
        (
            "Reembolsos",
            format!(
                "{} ({})",
                amounts::count(sums.reembolsos),
                amounts::money(sums.reembolsos_centavos, currency)
            ),
        ),
    ])
}

/// The totals of the other currencies. Currencies are never added up.
pub(super) fn others(sums: &[Totals]) -> Markup {
    html! {
        @for sums in sums {
            h3 { "Em " (sums.moeda) }
            (totals(sums))
        }
    }
}

/// The chart of the daily revenue.
pub(super) fn days(rows: &[Day], currency: &str) -> Markup {
    let points: Vec<Point<'_>> = rows
        .iter()
        .map(|row| Point {
            day: &row.dia,
            value: row.receita_centavos,
        })
        .collect();
    chart::days("Receita por dia", &points, currency)
}

/// The table of the daily revenue.
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

/// The alerts of a dashboard.
pub(super) fn alerts(alerts: &[Alert]) -> Markup {
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
