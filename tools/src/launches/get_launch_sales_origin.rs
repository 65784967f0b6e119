use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    scope::{require_launch_and_days, sales_selection},
    touch::{ChannelLine, OriginLine, sum_by_channel, sum_by_origin},
};
use crate::figures::{self, Period, Span, Totals, split_by_currency};
use domain::{Capability, ProjectId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{By, Kind, list_sales, list_touches};

/// Mostra de onde vieram as vendas de um lançamento, pelo primeiro e pelo último toque.
///
/// Um toque é uma visita da pessoa nos 90 dias antes da compra; sem visita, o que a loja informou.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchSalesOrigin {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
}

/// Origens, na moeda do lançamento, da maior receita à menor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchSalesOrigin {
    #[serde(flatten)]
    span: Span,
    moeda: String,
    primeiro_toque: Vec<OriginLine>,
    ultimo_toque: Vec<OriginLine>,
    /// As somas de cada canal, pelo primeiro toque.
    canais_primeiro_toque: Vec<ChannelLine>,
    /// As somas de cada canal, pelo último toque.
    canais_ultimo_toque: Vec<ChannelLine>,
    /// As vendas em outras moedas, sem origem.
    outras_moedas: Vec<Totals>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

impl Operation for GetLaunchSalesOrigin {
    const SPEC: Spec = Spec::new(
        "get_launch_sales_origin",
        "Ver origem das vendas",
        Verb::Get,
        "/api/lancamentos/{projetoId}/origem",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchSalesOrigin;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchSalesOrigin> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let (db, days, selection) = (
            ctx.db(),
            span.first_and_last_day(),
            sales_selection(&launch),
        );
        let first = list_touches(&db, &selection, days, true).await?;
        let last = list_touches(&db, &selection, days, false).await?;
        let all = list_sales(&db, &selection, days, By::Nothing).await?;
        let (_, outras_moedas) = split_by_currency(all, &launch.currency);
        Ok(LaunchSalesOrigin {
            span,
            primeiro_toque: sum_by_origin(&first, &launch.currency),
            ultimo_toque: sum_by_origin(&last, &launch.currency),
            canais_primeiro_toque: sum_by_channel(&first, &launch.currency),
            canais_ultimo_toque: sum_by_channel(&last, &launch.currency),
            moeda: launch.currency,
            outras_moedas,
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales]).await?,
        })
    }
}
