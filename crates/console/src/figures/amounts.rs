//! Formats money, numbers, rates and days for people in Brazil.

pub(crate) use crate::text::count;

/// An amount in cents: `R$ 1.234,56`.
pub(crate) fn money(cents: i64, currency: &str) -> String {
    let sign = if cents < 0 { "−" } else { "" };
    let symbol = match currency {
        "BRL" => "R$",
        "USD" => "US$",
        "EUR" => "€",
        other => other,
    };
    let (whole, cents) = ((cents / 100).abs(), (cents % 100).abs());
    format!("{sign}{symbol}\u{a0}{},{cents:02}", count(whole))
}

/// A rounded amount for charts: `R$ 12 mil`.
pub(crate) fn short_money(cents: i64, currency: &str) -> String {
    let whole = money(cents - cents % 100, currency);
    whole.trim_end_matches(",00").to_owned()
}

/// A rate from 0 to 1 as a percentage: `66,5%`.
pub(crate) fn rate(rate: f64) -> String {
    format!("{:.1}%", rate * 100.0).replace('.', ",")
}

/// A ratio: `2,21×`.
pub(crate) fn times(ratio: f64) -> String {
    format!("{ratio:.2}×").replace('.', ",")
}

/// An ISO 8601 day without its year: `10/11`.
pub(crate) fn short_day(iso: &str) -> String {
    match iso.split('-').collect::<Vec<_>>()[..] {
        [_, month, day] => format!("{day}/{month}"),
        _ => iso.to_owned(),
    }
}

/// An ISO 8601 day: `10/11/2026`.
pub(crate) fn day(iso: &str) -> String {
    match iso.split('-').collect::<Vec<_>>()[..] {
        [year, month, day] => format!("{day}/{month}/{year}"),
        _ => iso.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_brazilian_format() {
        assert_eq!(money(123_456_789, "BRL"), "R$\u{a0}1.234.567,89");
        assert_eq!(money(-5, "USD"), "−US$\u{a0}0,05");
        assert_eq!(money(100, "GBP"), "GBP\u{a0}1,00");
        assert_eq!(short_money(123_456, "BRL"), "R$\u{a0}1.234");
        assert_eq!(count(1_000), "1.000");
        assert_eq!(count(-999), "−999");
        assert_eq!(rate(0.66459), "66,5%");
        assert_eq!(times(2.2065), "2,21×");
        assert_eq!(day("2026-11-10"), "10/11/2026");
        assert_eq!(short_day("2026-11-10"), "10/11");
    }
}
