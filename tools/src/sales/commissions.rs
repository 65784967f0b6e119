//! The commissions of the commercial team, from the configuration.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use domain::Fault;
use gateway::{Context, Error, Result};

/// The configuration key of the commissions.
pub(crate) const KEY: &str = "comercial.comissoes";

/// The message about an invalid rate. A rate above 1 is usually meant as a percentage.
const RATE: &str = "deve ser um número de 0 a 1: 8.5 seria 850%; para 8,5%, escreva 0.085";

/// Refuses (400) commission rates that are not from 0 to 1. `null` means no commissions.
pub(crate) fn require_valid_rates(value: &Value) -> Result<()> {
    let fields = match value {
        Value::Null => return Ok(()),
        Value::Object(fields) => fields,
        _ => return Err(Error::invalid_field("value", "type", "deve ser objeto")),
    };
    let mut faults = vec![];
    if let Some(rate) = fields.get("padrao") {
        faults.extend(rate_fault("value.padrao".to_owned(), rate));
    }
    match fields.get("vendedores") {
        None => {}
        Some(Value::Object(sellers)) => faults.extend(sellers.iter().filter_map(|(name, rate)| {
            let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
            rate_fault(format!("value.vendedores.{name}"), rate)
        })),
        Some(_) => {
            let message = "deve ser objeto, com a taxa de cada vendedor pelo nome";
            return Err(Error::invalid_field("value.vendedores", "type", message));
        }
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Error::from_faults(faults)),
    }
}

fn rate_fault(field: String, rate: &Value) -> Option<Fault> {
    let holds = |rate: f64| (0.0..=1.0).contains(&rate);
    let rule = match rate.as_f64() {
        Some(rate) if holds(rate) => return None,
        Some(_) => "range",
        None => "type",
    };
    Some(Fault {
        field,
        rule: rule.into(),
        message: RATE.into(),
    })
}

/// The commission rates: the default, and the rates of single sellers.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Commissions {
    #[serde(default)]
    padrao: f64,
    #[serde(default)]
    vendedores: BTreeMap<String, f64>,
}

impl Commissions {
    /// Loads the configured rates. `None` if there are none, or if a rate is not from 0 to 1.
    pub async fn load_rates(ctx: &Context<'_>) -> Result<Option<Self>> {
        let value = store::config::find_current_value(&ctx.db(), KEY).await?;
        let read = value.and_then(|value| serde_json::from_str::<Self>(&value).ok());
        Ok(read.filter(|read| {
            let mut rates = read.vendedores.values().chain([&read.padrao]);
            rates.all(|rate| (0.0..=1.0).contains(rate))
        }))
    }

    pub fn seller_rate(&self, seller: &str) -> f64 {
        self.vendedores.get(seller).copied().unwrap_or(self.padrao)
    }
}

/// The commission of a revenue, rounded half up; 0 for a negative revenue.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "cents are far below 2^52"
)]
pub(super) fn commission(revenue: i64, rate: f64) -> i64 {
    // A rate such as 0.07 has no exact binary value, so it is rounded to parts per million.
    let parts = (rate * 1e6).round();
    let cents = revenue.max(0) as f64 * parts / 1e6;
    (cents + 1e-6).round() as i64
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
            assert_eq!(commission(revenue, rate), cents, "{revenue} × {rate}");
        }
    }
}
