//! The commissions of the commercial team, from the configuration.
//!
//! The value is `{padrao, vendedores, desde, anteriores}`. These rates apply to purchases that are paid
//! on the day `desde` or later; `anteriores` lists the rates of earlier days, each with the same fields.
//! Rates without `desde` apply from the beginning.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use domain::{Fault, time::LocalDay};
use gateway::{Context, Error, Result};
use store::figures::Days;

/// The configuration key of the commissions.
pub(crate) const KEY: &str = "comercial.comissoes";

/// The maximum number of entries in `anteriores`.
const MOST_EARLIER: usize = 50;

/// The message about an invalid rate. A rate above 1 is usually meant as a percentage.
const RATE: &str = "deve ser um número de 0 a 1: 8.5 seria 850%; para 8,5%, escreva 0.085";

/// Refuses (400) commission rates that are not from 0 to 1, and two sets of rates that begin on the same
/// day. `null` means no commissions.
pub(crate) fn require_valid_rates(value: &Value) -> Result<()> {
    let fields = match value {
        Value::Null => return Ok(()),
        Value::Object(fields) => fields,
        _ => return Err(Error::invalid_field("value", "type", "deve ser objeto")),
    };
    let mut faults = find_rate_faults("value", fields);
    let mut begins = BTreeSet::from([fields.get("desde").and_then(Value::as_str)]);
    match fields.get("anteriores") {
        None => {}
        Some(Value::Array(earlier)) if earlier.len() <= MOST_EARLIER => {
            for (place, rates) in earlier.iter().enumerate() {
                let field = format!("value.anteriores.{place}");
                let Value::Object(rates) = rates else {
                    faults.push(fault(field, "type", "deve ser objeto"));
                    continue;
                };
                faults.extend(find_rate_faults(&field, rates));
                if !begins.insert(rates.get("desde").and_then(Value::as_str)) {
                    let message = "outras taxas já valem a partir deste dia";
                    faults.push(fault(format!("{field}.desde"), "uniqueItems", message));
                }
            }
        }
        Some(Value::Array(_)) => {
            let message = "deve ter no máximo 50 itens";
            faults.push(fault("value.anteriores".into(), "maxItems", message));
        }
        Some(_) => {
            let message = "deve ser lista, de taxas com `desde`";
            faults.push(fault("value.anteriores".into(), "type", message));
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::from_faults(faults)),
    }
}

/// Returns the faults of the rates in the object that `field` names.
fn find_rate_faults(field: &str, fields: &Map<String, Value>) -> Vec<Fault> {
    let mut faults = vec![];
    if let Some(rate) = fields.get("padrao") {
        faults.extend(rate_fault(format!("{field}.padrao"), rate));
    }
    match fields.get("vendedores") {
        None => {}
        Some(Value::Object(sellers)) => faults.extend(sellers.iter().filter_map(|(name, rate)| {
            let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
            rate_fault(format!("{field}.vendedores.{name}"), rate)
        })),
        Some(_) => {
            let message = "deve ser objeto, com a taxa de cada vendedor pelo nome";
            faults.push(fault(format!("{field}.vendedores"), "type", message));
        }
    }
    let day = fields
        .get("desde")
        .map(|day| serde_json::from_value::<LocalDay>(day.clone()));
    if let Some(Err(_)) = day {
        let message = "deve ser um dia, como 2026-07-01";
        faults.push(fault(format!("{field}.desde"), "format", message));
    }
    faults
}

fn fault(field: String, rule: &str, message: &str) -> Fault {
    Fault {
        field,
        rule: rule.to_owned(),
        message: message.to_owned(),
    }
}

fn rate_fault(field: String, rate: &Value) -> Option<Fault> {
    let rule = match rate.as_f64() {
        Some(rate) if is_rate(rate) => return None,
        Some(_) => "range",
        None => "type",
    };
    Some(fault(field, rule, RATE))
}

fn is_rate(rate: f64) -> bool {
    (0.0..=1.0).contains(&rate)
}

/// The rates that apply from a day on: the default rate, and the rates of single sellers.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Rates {
    /// The first day on which the rates apply; `None` means from the beginning.
    desde: Option<LocalDay>,
    #[serde(default)]
    padrao: f64,
    #[serde(default)]
    vendedores: BTreeMap<String, f64>,
}

impl Rates {
    fn are_valid(&self) -> bool {
        self.vendedores
            .values()
            .chain([&self.padrao])
            .all(|rate| is_rate(*rate))
    }

    pub fn seller_rate(&self, seller: &str) -> f64 {
        self.vendedores.get(seller).copied().unwrap_or(self.padrao)
    }
}

/// The configured rates.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Commissions {
    #[serde(flatten)]
    current: Rates,
    #[serde(default)]
    anteriores: Vec<Rates>,
}

impl Commissions {
    /// Loads the configured rates; `None` if no rates are configured, or if a rate is not from 0 to 1.
    pub async fn load_rates(ctx: &Context<'_>) -> Result<Option<Self>> {
        let value = store::config::find_current_value(&ctx.db(), KEY).await?;
        let read = value.and_then(|value| serde_json::from_str::<Self>(&value).ok());
        Ok(read.filter(|read| {
            read.current.are_valid() && read.anteriores.iter().all(Rates::are_valid)
        }))
    }

    /// Splits a span of days into parts, earliest first, so that the same rates apply on all days of a
    /// part. Returns each part with its rates. The rates are `None` before the first configured day.
    pub fn split_days_by_rates(&self, (first, last): Days) -> Vec<(Days, Option<&Rates>)> {
        let mut all: Vec<&Rates> = self.anteriores.iter().chain([&self.current]).collect();
        all.sort_by_key(|rates| rates.desde);
        let begins = all.iter().filter_map(|rates| rates.desde);
        let mut starts: Vec<LocalDay> = begins.filter(|day| first < *day && *day <= last).collect();
        starts.insert(0, first);
        let ends = starts
            .iter()
            .skip(1)
            .map(|next| next.plus_days(-1))
            .chain([last]);
        let parts = starts.iter().zip(ends);
        parts
            .map(|(start, end)| ((*start, end), self.rates_on(*start)))
            .collect()
    }

    /// Returns the rates that apply on a day.
    pub fn rates_on(&self, day: LocalDay) -> Option<&Rates> {
        let all = self.anteriores.iter().chain([&self.current]);
        let begun = all.filter(|rates| rates.desde.is_none_or(|first| first <= day));
        begun.max_by_key(|rates| rates.desde)
    }
}

/// A sum of commissions before it is rounded, in millionths of a cent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UnroundedCommission(i128);

impl UnroundedCommission {
    /// Adds the commission of a revenue. A negative revenue adds nothing.
    #[expect(clippy::cast_possible_truncation, reason = "a rate is at most 1")]
    pub fn add(&mut self, revenue: i64, rate: f64) {
        // A rate such as 0.07 has no exact binary value, so it is rounded to parts per million.
        let parts = (rate * 1e6).round() as i64;
        self.0 += i128::from(revenue.max(0)) * i128::from(parts);
    }

    /// Returns the sum in cents, rounded half up.
    pub fn cents(self) -> i64 {
        i64::try_from((self.0 + 500_000) / 1_000_000).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commissions_are_rounded_half_up() {
        for (revenue, rate, cents) in [
            (10_000, 0.05, 500),
            (150, 0.07, 11),
            (10, 0.05, 1),
            (9, 0.05, 0),
            (-500, 0.05, 0),
            (123_456_789, 0.08, 9_876_543),
        ] {
            let mut sum = UnroundedCommission::default();
            sum.add(revenue, rate);
            assert_eq!(sum.cents(), cents, "{revenue} × {rate}");
        }
    }

    #[test]
    fn a_span_is_split_where_other_rates_begin() {
        let day = |text: &str| LocalDay(text.parse().expect("a day"));
        let read = |value: &str| serde_json::from_str::<Commissions>(value).expect("rates");
        let split = |commissions: &Commissions, first: &str, last: &str| {
            let parts = commissions.split_days_by_rates((day(first), day(last)));
            let parts = parts.into_iter().map(|((first, last), rates)| {
                let rate = rates.map(|rates| rates.seller_rate("x"));
                (first.0.to_string(), last.0.to_string(), rate)
            });
            parts.collect::<Vec<_>>()
        };
        let part = |first: &str, last: &str, rate| (first.to_owned(), last.to_owned(), rate);
        let plain = read(r#"{"padrao":0.05}"#);
        assert_eq!(
            split(&plain, "2026-01-01", "2026-12-31"),
            [part("2026-01-01", "2026-12-31", Some(0.05))]
        );
        let dated = read(
            r#"{"padrao":0.3,"desde":"2026-08-11","anteriores":[{"padrao":0.2,"desde":"2026-08-05"}]}"#,
        );
        assert_eq!(
            split(&dated, "2026-08-01", "2026-08-11"),
            [
                part("2026-08-01", "2026-08-04", None),
                part("2026-08-05", "2026-08-10", Some(0.2)),
                part("2026-08-11", "2026-08-11", Some(0.3)),
            ]
        );
        assert_eq!(
            split(&dated, "2026-08-05", "2026-08-06"),
            [part("2026-08-05", "2026-08-06", Some(0.2))]
        );
    }
}
