//! A launch as shown in responses.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use domain::{
    MemberId, ProjectId, Revision,
    sales::Stage,
    text_enum,
    time::{LocalDay, Millis, Timestamp},
};
use gateway::{Context, Result};
use store::{launches::Launch, members};

text_enum! {
    /// The situation of a launch: in the future, running or over.
    pub enum Situation {
        Future = "futuro",
        Running = "em_andamento",
        Over = "encerrado",
    }
}

impl Situation {
    pub(super) fn from_launch(launch: &Launch, now: Millis) -> Self {
        match Stage::from_days(
            launch.starts_on,
            launch.ends_on,
            LocalDay::from_instant(now),
        ) {
            Stage::Future => Self::Future,
            Stage::Running => Self::Running,
            Stage::Over => Self::Over,
        }
    }
}

/// Um lançamento inteiro.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LaunchView {
    projeto_id: ProjectId,
    /// A enviar em `expected_revision`.
    revision: Revision,
    nome: String,
    inicio: LocalDay,
    fim: LocalDay,
    meta_centavos: i64,
    moeda: String,
    produtos: Vec<String>,
    campanhas: Vec<String>,
    lancamento: Option<String>,
    situacao: Situation,
    updated_at: Timestamp,
    updated_by: MemberId,
    updated_by_name: Option<String>,
}

impl LaunchView {
    /// Reads the name of the member who last wrote the launch, and builds its view.
    pub async fn load(ctx: &Context<'_>, launch: Launch) -> Result<Self> {
        let ids = BTreeSet::from([&launch.updated_by]);
        let mut names = members::load_names(&ctx.db(), ids).await?;
        let name = names.remove(&launch.updated_by);
        Ok(Self::from_launch(launch, name, ctx.now))
    }

    pub fn from_launch(launch: Launch, updated_by_name: Option<String>, now: Millis) -> Self {
        Self {
            situacao: Situation::from_launch(&launch, now),
            projeto_id: launch.project_id,
            revision: launch.revision,
            nome: launch.name,
            inicio: launch.starts_on,
            fim: launch.ends_on,
            meta_centavos: launch.goal_cents,
            moeda: launch.currency,
            produtos: launch.products,
            campanhas: launch.campaigns,
            lancamento: launch.code,
            updated_at: Timestamp(launch.updated_at),
            updated_by: launch.updated_by,
            updated_by_name,
        }
    }
}
