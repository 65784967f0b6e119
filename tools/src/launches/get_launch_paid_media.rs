use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    scope::{filter_campaigns, require_launch_and_days, sales_selection},
};
use crate::figures::{self, Period, Span, rounded_ratio};
use domain::{
    Capability, ProjectId,
    sales::divide_rounded,
    time::{LocalDay, Timestamp},
};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::figures::{
    self as stored, Campaign, Kind, TouchFigure, list_campaigns, list_media_days, list_touches,
};

/// Maximum campaigns in a response.
const MOST: usize = 100;

/// Mostra os anúncios de um lançamento, por campanha e por dia: gasto, impressões, cliques,
/// vendas e retorno. Vendas sem anúncio também: `get_launch_sales_origin`. Sem período, o do
/// lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchPaidMedia {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
}

/// Mídia das `campanhas` do lançamento, na moeda dele.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchPaidMedia {
    #[serde(flatten)]
    span: Span,
    moeda: String,
    totais: MediaSums,
    /// As 100 de maior gasto.
    por_campanha: Vec<CampaignLine>,
    por_dia: Vec<MediaDay>,
    /// O gasto em outras moedas.
    outras_moedas: Vec<Spent>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Gasto, alcance e vendas pelo último toque com a `utm_campaign` igual ao nome ou ao id.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MediaSums {
    gasto_centavos: i64,
    impressoes: i64,
    cliques: i64,
    /// Cliques por impressão.
    ctr: Option<f64>,
    cpc_centavos: Option<i64>,
    /// Compras pagas no período e não reembolsadas por inteiro.
    vendas: i64,
    receita_centavos: i64,
    /// Gasto por venda.
    cpa_centavos: Option<i64>,
    /// Receita por gasto.
    roas: Option<f64>,
}

/// Uma campanha.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CampaignLine {
    plataforma: String,
    campanha_id: String,
    campanha: String,
    #[serde(flatten)]
    somas: MediaSums,
}

/// Um dia.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MediaDay {
    dia: LocalDay,
    gasto_centavos: i64,
    impressoes: i64,
    cliques: i64,
}

/// Gasto em uma moeda.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Spent {
    moeda: String,
    gasto_centavos: i64,
}

impl Operation for GetLaunchPaidMedia {
    const SPEC: Spec = Spec::new(
        "get_launch_paid_media",
        "Ver mídia paga",
        Verb::Get,
        "/api/lancamentos/{projetoId}/midia",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchPaidMedia;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchPaidMedia> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let (db, days) = (ctx.db(), span.first_and_last_day());
        let own = filter_campaigns(&launch, list_campaigns(&db, days).await?);
        let sold = list_touches(&db, &sales_selection(&launch), days, false).await?;
        let currency = launch.currency;
        let (own, others): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|one| one.currency == currency);
        let keys: BTreeSet<(&str, &str)> = own
            .iter()
            .map(|one| (one.platform.as_str(), one.campaign_id.as_str()))
            .collect();
        let spent = list_media_days(&db, &keys, &currency, days).await?;
        let sold: Vec<_> = sold
            .into_iter()
            .filter(|one| one.currency == currency)
            .collect();
        let (totais, por_campanha) = sum_by_campaign(&own, &sold);
        Ok(LaunchPaidMedia {
            span,
            totais,
            por_campanha,
            por_dia: sum_by_day(spent)?,
            outras_moedas: sum_by_currency(&others),
            moeda: currency,
            atualizado_em: figures::updated_at(ctx, &[Kind::AdSpend]).await?,
        })
    }
}

/// Sums the spend and sales of all campaigns. Also returns the campaigns with the highest spend. A
/// sale counts for one campaign only.
fn sum_by_campaign(spent: &[Campaign], sold: &[TouchFigure]) -> (MediaSums, Vec<CampaignLine>) {
    let mut lines: BTreeMap<(&str, &str), CampaignLine> = BTreeMap::new();
    for row in spent {
        let line = lines.entry((&row.platform, &row.campaign_id));
        let line = line.or_insert_with(|| CampaignLine {
            plataforma: row.platform.clone(),
            campanha_id: row.campaign_id.clone(),
            campanha: row.campaign.clone(),
            somas: MediaSums::default(),
        });
        if line.campanha < row.campaign {
            line.campanha.clone_from(&row.campaign);
        }
        line.somas.gasto_centavos += row.spend_cents;
        line.somas.impressoes += row.impressions;
        line.somas.cliques += row.clicks;
    }
    let mut lines: Vec<CampaignLine> = lines.into_values().collect();
    for figure in sold {
        let Some(name) = figure.campaign.as_deref() else {
            continue;
        };
        let mut lines = lines.iter_mut();
        if let Some(line) = lines.find(|line| line.campanha == name || line.campanha_id == name) {
            line.somas.add_sale(figure);
        }
    }
    let mut totals = MediaSums::default();
    for line in &mut lines {
        totals.add(&line.somas);
        line.somas.compute_rates();
    }
    totals.compute_rates();
    lines.sort_by_key(|line| std::cmp::Reverse(line.somas.gasto_centavos));
    lines.truncate(MOST);
    (totals, lines)
}

impl MediaSums {
    fn add_sale(&mut self, figure: &TouchFigure) {
        self.vendas += figure.sales;
        self.receita_centavos += figure.gross_cents - figure.refunded_cents;
    }

    fn add(&mut self, other: &Self) {
        self.gasto_centavos += other.gasto_centavos;
        self.impressoes += other.impressoes;
        self.cliques += other.cliques;
        self.vendas += other.vendas;
        self.receita_centavos += other.receita_centavos;
    }

    fn compute_rates(&mut self) {
        self.ctr = rounded_ratio(self.cliques, self.impressoes);
        self.cpc_centavos = divide_rounded(self.gasto_centavos, self.cliques);
        self.cpa_centavos = divide_rounded(self.gasto_centavos, self.vendas);
        self.roas = rounded_ratio(self.receita_centavos, self.gasto_centavos);
    }
}

fn sum_by_day(spent: Vec<stored::MediaDay>) -> Result<Vec<MediaDay>> {
    let mut days: BTreeMap<String, MediaDay> = BTreeMap::new();
    for row in spent {
        let dia = LocalDay(row.day.parse().map_err(Error::internal)?);
        let day = days.entry(row.day).or_insert(MediaDay {
            dia,
            gasto_centavos: 0,
            impressoes: 0,
            cliques: 0,
        });
        day.gasto_centavos += row.spend_cents;
        day.impressoes += row.impressions;
        day.cliques += row.clicks;
    }
    Ok(days.into_values().collect())
}

fn sum_by_currency(spent: &[Campaign]) -> Vec<Spent> {
    let mut currencies: BTreeMap<&str, i64> = BTreeMap::new();
    for row in spent {
        *currencies.entry(&row.currency).or_default() += row.spend_cents;
    }
    let spent = currencies.into_iter().map(|(moeda, gasto_centavos)| Spent {
        moeda: moeda.to_owned(),
        gasto_centavos,
    });
    spent.collect()
}
