use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    LAUNCH, hints,
    launch_view::LaunchView,
    put_launch_dashboard::{LaunchSaved, require_period, without_duplicates},
    scope,
};
use domain::{Capability, Error, ProjectId, Revision, VISIBLE, time::LocalDay};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::launches;

/// Muda só os campos enviados do painel de um lançamento. Leia antes com `get_launch_dashboard`;
/// `produtos` e `campanhas` substituem a lista inteira.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct UpdateLaunchDashboard {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    /// Nome do lançamento.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    nome: Option<String>,
    /// Dia de Brasília.
    inicio: Option<LocalDay>,
    /// Último dia.
    fim: Option<LocalDay>,
    /// Receita a alcançar.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    meta_centavos: Option<i64>,
    /// Como BRL.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    moeda: Option<String>,
    /// `produto_id` das lojas.
    #[schemars(length(max = 50), inner(length(min = 1, max = 200), regex(pattern = *VISIBLE)))]
    produtos: Option<Vec<String>>,
    /// `utm_campaign`; `*` é qualquer texto.
    #[schemars(length(max = 50), inner(length(min = 1, max = 200), regex(pattern = *VISIBLE)))]
    campanhas: Option<Vec<String>>,
    /// Código de compras e eventos.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    lancamento: Option<String>,
    /// Tira o código, se não vem outro.
    #[serde(default)]
    sem_lancamento: bool,
    /// A `revision` lida. Ausente não confere.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Option<Revision>,
}

impl Operation for UpdateLaunchDashboard {
    const SPEC: Spec = Spec::new(
        "update_launch_dashboard",
        "Mudar lançamento",
        Verb::Patch,
        "/api/lancamentos/{projetoId}",
    )
    .access(Access::Member(Capability::Config))
    .about(LAUNCH, "projetoId")
    .read_by("get_launch_dashboard")
    .fails(&[404, 409])
    .hints(hints::PUT)
    .extension()
    .tool();
    type Output = LaunchSaved;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchSaved> {
        let (db, member) = (ctx.db(), &ctx.caller()?.member);
        // Locks the launch against other writers until this transaction ends.
        launches::lock_launch(&db, &self.project_id).await?;
        let mut launch = scope::require_launch(&db, &self.project_id).await?;
        let read = self.expected_revision.unwrap_or(launch.revision);
        if launch.revision != read {
            return Err(Error::stale_revision(launch.revision.get()));
        }
        launch.name = self.nome.unwrap_or(launch.name);
        launch.starts_on = self.inicio.unwrap_or(launch.starts_on);
        launch.ends_on = self.fim.unwrap_or(launch.ends_on);
        require_period(launch.starts_on, launch.ends_on)?;
        launch.goal_cents = self.meta_centavos.unwrap_or(launch.goal_cents);
        launch.currency = self.moeda.unwrap_or(launch.currency);
        launch.products = self.produtos.map_or(launch.products, without_duplicates);
        launch.campaigns = self.campanhas.map_or(launch.campaigns, without_duplicates);
        let kept = launch.code.filter(|_| !self.sem_lancamento);
        launch.code = self.lancamento.or(kept);
        launch.updated_at = ctx.now;
        launch.updated_by = member.id.clone();
        launch.revision = launches::save(&db, &launch, Some(read)).await?;
        let view = LaunchView::from_launch(launch, Some(member.name.clone()), ctx.now);
        Ok(LaunchSaved::from_view(view))
    }
}
