use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{launch_view::Situation, scope::sales_selection};
use crate::figures::{self, Totals};
use domain::{
    Capability, Cursor, Limit, ListPage, ProjectId,
    time::{LocalDay, Timestamp},
};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::{
    figures::{By, Kind, list_sales},
    launches::{self, Launch},
};

/// Lista os lançamentos, os novos antes, com receita, vendas e o `projeto_id` que os painéis pedem.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListLaunches {
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Lançamentos.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Launches {
    lancamentos: Vec<LaunchLine>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Um lançamento, em uma linha.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchLine {
    projeto_id: ProjectId,
    nome: String,
    inicio: LocalDay,
    fim: LocalDay,
    moeda: String,
    meta_centavos: i64,
    /// Das compras pagas nos dias do lançamento, menos os reembolsos.
    receita_centavos: i64,
    /// Compras pagas nesses dias e não reembolsadas por inteiro.
    vendas: i64,
    situacao: Situation,
}

impl Operation for ListLaunches {
    const SPEC: Spec = Spec::new(
        "list_launches",
        "Listar lançamentos",
        Verb::Get,
        "/api/lancamentos",
    )
    .access(Access::Member(Capability::Vendas))
    .links(&[Link {
        operation: "get_launch_summary",
        inputs: &[("projetoId", "/lancamentos/0/projeto_id")],
    }])
    .tool();
    type Output = Launches;

    async fn run(self, ctx: &Context<'_>) -> Result<Launches> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = launches::list(&ctx.db(), before, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |launch| {
            (launch.starts_on, launch.project_id.clone())
        });
        let mut lines = vec![];
        for launch in page.rows {
            lines.push(load_launch_line(ctx, launch).await?);
        }
        Ok(Launches {
            lancamentos: lines,
            next_cursor: page.next_cursor,
            atualizado_em: figures::updated_at(ctx, &[Kind::Sales]).await?,
        })
    }
}

async fn load_launch_line(ctx: &Context<'_>, launch: Launch) -> Result<LaunchLine> {
    let days = (launch.starts_on, launch.ends_on);
    let found = list_sales(&ctx.db(), &sales_selection(&launch), days, By::Nothing).await?;
    let own = found.iter().filter(|one| one.currency == launch.currency);
    let totals = Totals::sum_figures(&launch.currency, own);
    Ok(LaunchLine {
        situacao: Situation::from_launch(&launch, ctx.now),
        projeto_id: launch.project_id,
        nome: launch.name,
        inicio: launch.starts_on,
        fim: launch.ends_on,
        moeda: launch.currency,
        meta_centavos: launch.goal_cents,
        receita_centavos: totals.receita_centavos,
        vendas: totals.vendas,
    })
}
