use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LAUNCH, launch_view::LaunchView, scope};
use domain::{Capability, ProjectId};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};

/// Lê o painel de um lançamento como foi gravado: nome, período, meta, produtos, campanhas, código
/// e `revision`.
///
/// Leia antes de `update_launch_dashboard`. Números: `get_launch_summary`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchDashboard {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
}

/// O painel de um lançamento.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchDashboard {
    lancamento: LaunchView,
}

impl Operation for GetLaunchDashboard {
    const SPEC: Spec = Spec::new(
        "get_launch_dashboard",
        "Ver painel do lançamento",
        Verb::Get,
        "/api/lancamentos/{projetoId}",
    )
    .access(Access::MemberAny(&[Capability::Vendas, Capability::Config]))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .extension()
    .links(&[Link {
        operation: "update_launch_dashboard",
        inputs: &[
            ("projetoId", "/lancamento/projeto_id"),
            ("expected_revision", "/lancamento/revision"),
        ],
    }])
    .tool();
    type Output = LaunchDashboard;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchDashboard> {
        let launch = scope::require_launch(&ctx.db(), &self.project_id).await?;
        Ok(LaunchDashboard {
            lancamento: LaunchView::load(ctx, launch).await?,
        })
    }
}
