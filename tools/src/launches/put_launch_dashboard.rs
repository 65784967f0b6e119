use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LAUNCH, hints, launch_view::LaunchView};
use crate::figures::REAL;
use domain::{Capability, ProjectId, Revision, VISIBLE, time::LocalDay};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use store::{
    Conn,
    launches::{self, Launch},
    projects,
};

/// Cria o painel de lançamento de um projeto (um por projeto), ou o substitui inteiro; só alguns campos:
/// `update_launch_dashboard`.
///
/// São do lançamento as compras com o código `lancamento` e, sem código, as dos `produtos`; a mídia
/// e as visitas, também pelas `campanhas`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PutLaunchDashboard {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    /// Nome do lançamento.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    nome: String,
    /// Dia de Brasília.
    inicio: LocalDay,
    /// Último dia.
    fim: LocalDay,
    /// Receita a alcançar.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    meta_centavos: i64,
    /// Ausente, BRL.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    moeda: Option<String>,
    /// `produto_id` das lojas.
    #[schemars(length(max = 50), inner(length(min = 1, max = 200), regex(pattern = *VISIBLE)))]
    produtos: Vec<String>,
    /// `utm_campaign`; `*` é qualquer texto.
    #[schemars(length(max = 50), inner(length(min = 1, max = 200), regex(pattern = *VISIBLE)))]
    campanhas: Vec<String>,
    /// Código de compras e eventos.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE), extend("x-nullable" = true))]
    lancamento: Option<String>,
    /// A `revision` lida; 0 se ainda não há. Ausente não confere.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_revision: Option<Revision>,
}

/// Lançamento gravado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchSaved {
    ok: bool,
    lancamento: LaunchView,
}

impl LaunchSaved {
    pub(super) fn from_view(lancamento: LaunchView) -> Self {
        Self {
            ok: true,
            lancamento,
        }
    }
}

impl Operation for PutLaunchDashboard {
    const SPEC: Spec = Spec::new(
        "put_launch_dashboard",
        "Gravar lançamento",
        Verb::Put,
        "/api/lancamentos/{projetoId}",
    )
    .access(Access::Member(Capability::Config))
    .about(LAUNCH, "projetoId")
    .read_by("get_launch_dashboard")
    .fails(&[404, 409])
    .hints(hints::PUT)
    .tool();
    type Output = LaunchSaved;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchSaved> {
        require_period(self.inicio, self.fim)?;
        let (db, member) = (ctx.db(), &ctx.caller()?.member);
        projects::require_exists(&db, &self.project_id).await?;
        let mut launch = Launch {
            project_id: self.project_id,
            revision: Revision::FIRST,
            name: self.nome,
            starts_on: self.inicio,
            ends_on: self.fim,
            goal_cents: self.meta_centavos,
            currency: self.moeda.unwrap_or_else(|| REAL.to_owned()),
            products: without_duplicates(self.produtos),
            campaigns: without_duplicates(self.campanhas),
            code: self.lancamento,
            updated_at: ctx.now,
            updated_by: member.id.clone(),
        };
        let saved = launches::save(&db, &launch, self.expected_revision).await;
        launch.revision = match saved.map_err(Error::from) {
            Err(refused)
                if refused.code == Code::STALE_REVISION
                    && self.expected_revision.is_some_and(|read| read.get() == 0) =>
            {
                return Err(name_present_launch(&db, &launch.project_id, refused).await?);
            }
            saved => saved?,
        };
        let view = LaunchView::from_launch(launch, Some(member.name.clone()), ctx.now);
        Ok(LaunchSaved::from_view(view))
    }
}

/// Adds the name and the days of the project's present launch to the refusal.
async fn name_present_launch(db: &Conn<'_>, id: &ProjectId, refused: Error) -> Result<Error> {
    let Some(present) = launches::find(db, id).await? else {
        return Ok(refused);
    };
    let (name, from, to) = (present.name, present.starts_on.0, present.ends_on.0);
    let next =
        "Para mudar este, use `update_launch_dashboard`; para outro lançamento, outro projeto.";
    let refused = refused.because(format!(
        "O projeto já tem o lançamento “{name}”, de {from} a {to}, que seria substituído."
    ));
    Ok(refused.with_detail("next", next.into()))
}

/// Refuses (400) a last day that is before the first.
pub(super) fn require_period(starts_on: LocalDay, ends_on: LocalDay) -> Result<()> {
    if ends_on < starts_on {
        let message = "não pode ser antes de `inicio`";
        return Err(Error::invalid_field("fim", "period", message));
    }
    Ok(())
}

pub(super) fn without_duplicates(mut texts: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}
