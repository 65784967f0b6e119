//! Today's use of a token or an agent, and its daily limits.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use domain::{TokenId, time::brasilia_day};
use gateway::{Context, Result};
use store::budgets::{self, Budget, BudgetState};

/// Uso de hoje, no horário de Brasília, e limites por dia.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct DailyUse {
    /// Chamadas de hoje, até poucos segundos atrás.
    chamadas: i64,
    /// Chamadas que pode fazer por dia; nulo não limita.
    chamadas_por_dia: Option<i64>,
    /// Imagens e vídeos gerados hoje.
    imagens: i64,
    /// Imagens e vídeos que pode gerar por dia; nulo não limita.
    imagens_por_dia: Option<i64>,
}

impl From<BudgetState> for DailyUse {
    fn from(state: BudgetState) -> Self {
        Self {
            chamadas: state.used.calls,
            chamadas_por_dia: state.budget.daily_calls,
            imagens: state.used.pictures,
            imagens_por_dia: state.budget.daily_pictures,
        }
    }
}

/// Os limites por dia de um token ou agente.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DailyLimits {
    /// Chamadas por dia; ausente não limita.
    #[schemars(range(min = 0, max = 10_000_000))]
    chamadas_por_dia: Option<i64>,
    /// Imagens e vídeos gerados por dia; ausente não limita.
    #[schemars(range(min = 0, max = 100_000))]
    imagens_por_dia: Option<i64>,
}

impl DailyLimits {
    /// Stores the daily limits of a token or an agent.
    pub(super) async fn save(&self, ctx: &Context<'_>, id: &TokenId) -> Result<()> {
        let before = load_uses(ctx, [id.as_str()]).await?;
        let before = before.get(id).copied().unwrap_or_default().budget;
        let after = Budget {
            daily_calls: self.chamadas_por_dia,
            daily_pictures: self.imagens_por_dia,
        };
        ctx.note_changes([
            (
                "chamadas_por_dia",
                json!(before.daily_calls),
                json!(after.daily_calls),
            ),
            (
                "imagens_por_dia",
                json!(before.daily_pictures),
                json!(after.daily_pictures),
            ),
        ]);
        Ok(budgets::set(&ctx.db(), id, after).await?)
    }
}

/// Loads the daily limits of tokens and agents, and their use today.
pub(super) async fn load_uses<'i>(
    ctx: &Context<'_>,
    ids: impl IntoIterator<Item = &'i str>,
) -> Result<HashMap<TokenId, BudgetState>> {
    let today = brasilia_day(ctx.now).to_string();
    Ok(budgets::load(&ctx.db(), ids, &today).await?)
}
