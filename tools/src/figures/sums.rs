//! Sums of sales, and rates.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use domain::{sales::divide_rounded, time::LocalDay};
use gateway::{Error, Result};
use store::figures::SalesFigure;

/// Somas de vendas em uma moeda. Tudo conta no dia da compra, também o reembolso, que assim baixa
/// dias passados.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Totals {
    pub moeda: String,
    /// Valor das compras pagas, também das reembolsadas depois.
    pub receita_bruta_centavos: i64,
    /// A bruta menos reembolsos e chargebacks.
    pub receita_centavos: i64,
    /// Compras pagas no período, uma por transação da loja, menos as que até agora foram reembolsadas
    /// por inteiro ou tiveram chargeback.
    pub vendas: i64,
    /// Compras pagas no período com reembolso ou chargeback, inteiro ou parcial, em qualquer data.
    pub reembolsos: i64,
    /// O que voltou dessas compras até agora.
    pub reembolsos_centavos: i64,
    /// `receita_centavos`, já sem os reembolsos, por venda; nulo sem venda.
    pub ticket_medio_centavos: Option<i64>,
}

/// Somas das compras pagas em um dia, com o que delas voltou em qualquer data.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DayLine {
    pub dia: LocalDay,
    pub receita_bruta_centavos: i64,
    pub receita_centavos: i64,
    /// Até agora não reembolsadas por inteiro.
    pub vendas: i64,
    /// Das compras deste dia.
    pub reembolsos: i64,
    /// Das compras deste dia.
    pub reembolsos_centavos: i64,
}

impl Totals {
    pub fn zero(currency: &str) -> Self {
        Self {
            moeda: currency.to_owned(),
            receita_bruta_centavos: 0,
            receita_centavos: 0,
            vendas: 0,
            reembolsos: 0,
            reembolsos_centavos: 0,
            ticket_medio_centavos: None,
        }
    }

    /// Sums figures of this currency.
    pub fn sum_figures<'a>(
        currency: &str,
        figures: impl IntoIterator<Item = &'a SalesFigure>,
    ) -> Self {
        let mut sum = Self::zero(currency);
        for figure in figures {
            sum.receita_bruta_centavos += figure.gross_cents;
            sum.receita_centavos += figure.gross_cents - figure.refunded_cents;
            sum.vendas += figure.sales;
            sum.reembolsos += figure.refunds;
            sum.reembolsos_centavos += figure.refunded_cents;
        }
        sum.ticket_medio_centavos = divide_rounded(sum.receita_centavos, sum.vendas);
        sum
    }
}

impl TryFrom<&SalesFigure> for DayLine {
    type Error = Error;

    fn try_from(figure: &SalesFigure) -> Result<Self> {
        Ok(Self {
            dia: LocalDay(figure.day.parse().map_err(Error::internal)?),
            receita_bruta_centavos: figure.gross_cents,
            receita_centavos: figure.gross_cents - figure.refunded_cents,
            vendas: figure.sales,
            reembolsos: figure.refunds,
            reembolsos_centavos: figure.refunded_cents,
        })
    }
}

/// Returns the figures of this currency, and the totals of each other currency.
pub(crate) fn split_by_currency(
    figures: Vec<SalesFigure>,
    currency: &str,
) -> (Vec<SalesFigure>, Vec<Totals>) {
    let (own, others): (Vec<_>, Vec<_>) = figures
        .into_iter()
        .partition(|figure| figure.currency == currency);
    let mut apart: BTreeMap<String, Vec<SalesFigure>> = BTreeMap::new();
    for figure in others {
        apart
            .entry(figure.currency.clone())
            .or_default()
            .push(figure);
    }
    let apart = apart
        .iter()
        .map(|(moeda, of)| Totals::sum_figures(moeda, of));
    (own, apart.collect())
}

/// Returns the ratio of a part to the whole, rounded to four decimals; `None` if the whole is not
/// positive.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(crate) fn rounded_ratio(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 10_000.0).round() / 10_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded() {
        assert_eq!(rounded_ratio(1, 0), None);
        assert_eq!(rounded_ratio(1, 3), Some(0.3333));
    }
}
