//! The origin of sales.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use store::figures::TouchFigure;

/// The channel of sales whose origin is unknown.
pub(super) const UNKNOWN: &str = "sem_origem";
/// The channel that contains the sum of the origins beyond the limit.
const OTHERS: &str = "outras";
/// Maximum origins in a response. The other origins are summed.
const MOST: usize = 100;

/// Vendas de uma origem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct OriginLine {
    /// `sem_origem` quando não se sabe; `outras` soma as que não couberam.
    pub canal: String,
    pub utm_source: Option<String>,
    pub utm_medium: Option<String>,
    pub utm_campaign: Option<String>,
    /// Compras pagas no período e não reembolsadas por inteiro.
    pub vendas: i64,
    pub receita_centavos: i64,
}

/// Vendas de um canal, de todas as suas origens.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct ChannelLine {
    /// `sem_origem` quando não se sabe.
    canal: String,
    /// Compras pagas no período e não reembolsadas por inteiro.
    vendas: i64,
    receita_centavos: i64,
}

/// Sums the sales of one currency by channel, the largest revenue first.
pub(super) fn sum_by_channel(figures: &[TouchFigure], currency: &str) -> Vec<ChannelLine> {
    let mut sums: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for one in figures.iter().filter(|one| one.currency == currency) {
        let sum = sums.entry(one.channel.as_deref().unwrap_or(UNKNOWN));
        let (sales, cents) = sum.or_default();
        *sales += one.sales;
        *cents += one.gross_cents - one.refunded_cents;
    }
    let lines = sums
        .into_iter()
        .map(|(channel, (vendas, receita_centavos))| ChannelLine {
            canal: channel.to_owned(),
            vendas,
            receita_centavos,
        });
    let mut lines: Vec<ChannelLine> = lines.collect();
    lines.sort_by_key(|line| std::cmp::Reverse((line.receita_centavos, line.vendas)));
    lines
}

/// Sums the sales of one currency by origin, the largest revenue first, at most 100 origins.
pub(super) fn sum_by_origin(figures: &[TouchFigure], currency: &str) -> Vec<OriginLine> {
    let mut lines: Vec<OriginLine> = vec![];
    let own = figures.iter().filter(|one| one.currency == currency);
    let mut own: Vec<OriginLine> = own.map(OriginLine::from_figure).collect();
    own.sort_by(|a, b| a.origin_key().cmp(&b.origin_key()));
    // Merges origins that differ only in the content of the link (`utm_content`), because responses
    // do not show it.
    for line in own {
        match lines
            .last_mut()
            .filter(|last| last.origin_key() == line.origin_key())
        {
            Some(last) => last.add(&line),
            None => lines.push(line),
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse((line.receita_centavos, line.vendas)));
    let rest = lines.split_off(lines.len().min(MOST));
    if let Some(mut others) = rest.first().cloned() {
        for line in &rest[1..] {
            others.add(line);
        }
        lines.push(OriginLine {
            canal: OTHERS.to_owned(),
            utm_source: None,
            utm_medium: None,
            utm_campaign: None,
            ..others
        });
    }
    lines
}

impl OriginLine {
    fn from_figure(figure: &TouchFigure) -> Self {
        let channel = figure.channel.as_deref().unwrap_or(UNKNOWN);
        Self {
            canal: channel.to_owned(),
            utm_source: figure.source.clone(),
            utm_medium: figure.medium.clone(),
            utm_campaign: figure.campaign.clone(),
            vendas: figure.sales,
            receita_centavos: figure.gross_cents - figure.refunded_cents,
        }
    }

    fn origin_key(&self) -> (&str, [Option<&str>; 3]) {
        let utm = [&self.utm_source, &self.utm_medium, &self.utm_campaign];
        (&self.canal, utm.map(Option::as_deref))
    }

    fn add(&mut self, other: &Self) {
        self.vendas += other.vendas;
        self.receita_centavos += other.receita_centavos;
    }
}
