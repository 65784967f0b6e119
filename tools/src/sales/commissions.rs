//! The commissions of the commercial team, from the configuration.

use std::collections::BTreeMap;

use serde::Deserialize;

use gateway::{Context, Result};

/// The key of the configuration.
const KEY: &str = "comercial.comissoes";

/// The share of the revenue that each seller gets.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Commissions {
    #[serde(default)]
    padrao: f64,
    #[serde(default)]
    vendedores: BTreeMap<String, f64>,
}

impl Commissions {
    /// The configured ones; `None` when there are none, or they are not rates from 0 to 1.
    pub async fn read(ctx: &Context<'_>) -> Result<Option<Self>> {
        let value = store::config::current(&ctx.db(), KEY).await?;
        let read = value.and_then(|value| serde_json::from_str::<Self>(&value).ok());
        Ok(read.filter(|read| {
            let mut rates = read.vendedores.values().chain([&read.padrao]);
            rates.all(|rate| (0.0..=1.0).contains(rate))
        }))
    }

    pub fn rate(&self, seller: &str) -> f64 {
        self.vendedores.get(seller).copied().unwrap_or(self.padrao)
    }
}

/// The commission of a revenue, rounded half up; none of a revenue below zero.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "cents are far below 2^52"
)]
pub(super) fn commission(revenue: i64, rate: f64) -> i64 {
    // A rate such as 0.07 is not exact: it counts in parts of a million.
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
