//! Formats money, numbers, rates and days for people in Brazil.

use domain::{
    sales::{NoMoney, parse_cents},
    time::LocalDay,
};

pub(crate) use crate::text::format_count;

/// Formats an amount in cents: `R$ 1.234,56`.
pub(crate) fn format_money(cents: i64, currency: &str) -> String {
    let sign = if cents < 0 { "−" } else { "" };
    let symbol = match currency {
        "BRL" => "R$",
        "USD" => "US$",
        "EUR" => "€",
        other => other,
    };
    let (whole, cents) = ((cents / 100).abs(), (cents % 100).abs());
    format!("{sign}{symbol}\u{a0}{},{cents:02}", format_count(whole))
}

/// Formats an amount for the axis of a chart: `R$ 500`, `R$ 2,5 mil`, `R$ 1 mi`.
pub(crate) fn format_axis_money(cents: i64, currency: &str) -> String {
    let (unit, word) = match cents.abs() {
        100_000_000.. => (100_000_000, " mi"),
        100_000.. => (100_000, " mil"),
        _ => (100, ""),
    };
    let amount = format_money(cents / unit * 100 + cents % unit * 100 / unit, currency);
    let amount = amount.trim_end_matches(",00");
    let amount = match amount.split_once(',') {
        Some(_) => amount.trim_end_matches('0'),
        None => amount,
    };
    format!("{amount}{word}")
}

/// Parses an amount as people in Brazil write it, such as `60.000`, `R$ 1.234,5` or `99,90`, into cents.
pub(crate) fn parse_money(text: &str) -> Result<i64, NoMoney> {
    let text = text.trim().trim_start_matches("R$").trim_start();
    match parse_cents(text) {
        // In Brazil a point separates thousands.
        Err(NoMoney::Ambiguous) if text.contains('.') => parse_cents(&text.replace('.', "")),
        parsed => parsed,
    }
}

/// Formats a share as a whole percentage. Rounds down, so that only a reached goal shows 100%.
pub(crate) fn format_percent(part: i64, whole: i64) -> String {
    let share = i128::from(part) * 100;
    format!("{}%", share.div_euclid(i128::from(whole.max(1))))
}

/// Formats a rate from 0 to 1 as a percentage: `66,5%`.
pub(crate) fn format_rate(rate: f64) -> String {
    format!("{:.1}%", rate * 100.0).replace('.', ",")
}

/// Formats a ratio: `2,21×`.
pub(crate) fn format_ratio(ratio: f64) -> String {
    format!("{ratio:.2}×").replace('.', ",")
}

/// Formats a day without its year: `10/11`.
pub(crate) fn format_short_day(day: LocalDay) -> String {
    format!("{:02}/{:02}", day.0.day(), day.0.month())
}

/// Formats a day: `10/11/2026`.
pub(crate) fn format_day(day: LocalDay) -> String {
    format!("{}/{}", format_short_day(day), day.0.year())
}

/// Formats a number of days: `1 dia`, `12 dias`.
pub(crate) fn format_day_count(number: i64) -> String {
    count_with_noun(number, "dia", "dias")
}

/// Formats a number of sales: `1 venda`, `12 vendas`.
pub(crate) fn format_sale_count(number: i64) -> String {
    count_with_noun(number, "venda", "vendas")
}

fn count_with_noun(number: i64, one: &str, many: &str) -> String {
    let word = if number == 1 { one } else { many };
    format!("{} {word}", format_count(number))
}

#[cfg(test)]
mod tests {
    use domain::time::parse_day;

    use super::*;

    #[test]
    fn amounts_have_the_brazilian_format() {
        assert_eq!(format_money(123_456_789, "BRL"), "R$\u{a0}1.234.567,89");
        assert_eq!(format_money(-5, "USD"), "−US$\u{a0}0,05");
        assert_eq!(format_money(100, "GBP"), "GBP\u{a0}1,00");
        assert_eq!(format_axis_money(50_000, "BRL"), "R$\u{a0}500");
        assert_eq!(format_axis_money(250_000, "BRL"), "R$\u{a0}2,5 mil");
        assert_eq!(format_axis_money(2_000_000, "BRL"), "R$\u{a0}20 mil");
        assert_eq!(format_axis_money(120_000_000, "BRL"), "R$\u{a0}1,2 mi");
        assert_eq!(format_axis_money(0, "BRL"), "R$\u{a0}0");
        assert_eq!(format_count(1_000), "1.000");
        assert_eq!(format_count(-999), "−999");
        assert_eq!(format_rate(0.66459), "66,5%");
        assert_eq!(format_ratio(2.2065), "2,21×");
        let tenth = LocalDay(parse_day("2026-11-10").expect("a day"));
        assert_eq!(format_day(tenth), "10/11/2026");
        assert_eq!(format_short_day(tenth), "10/11");
        assert_eq!(
            (format_day_count(1), format_sale_count(1_000)),
            ("1 dia".into(), "1.000 vendas".into())
        );
    }

    #[test]
    fn a_share_is_rounded_down() {
        assert_eq!(format_percent(999, 1_000), "99%");
        assert_eq!(format_percent(1_000, 1_000), "100%");
        assert_eq!(format_percent(5, 0), "500%");
        assert_eq!(format_percent(-1, 1_000), "-1%");
    }

    #[test]
    fn money_is_read_as_people_write_it() {
        for (text, cents) in [
            ("60.000", Ok(6_000_000)),
            ("60000", Ok(6_000_000)),
            ("R$ 1.234,5", Ok(123_450)),
            (" 99,90 ", Ok(9_990)),
            ("0", Ok(0)),
            ("", Err(NoMoney::Malformed)),
            ("1.2345", Err(NoMoney::TooPrecise)),
            ("1,234", Err(NoMoney::Ambiguous)),
            ("-5", Err(NoMoney::Malformed)),
            ("mil", Err(NoMoney::Malformed)),
            ("99999999999999999999", Err(NoMoney::TooLarge)),
        ] {
            assert_eq!(parse_money(text), cents, "{text}");
        }
    }
}
