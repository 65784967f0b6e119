use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    LAUNCH,
    scope::{require_launch_and_days, sales_selection, visit_scopes},
};
use crate::figures::{self, Period, Span, fold_small_groups, hide_if_small};
use domain::{Capability, ProjectId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::figures::{By, Kind, list_poll_answers, list_sales, load_product_names};

/// The name of the group into which groups of fewer than 5 people are folded.
const OTHERS: &str = "outros";
/// Maximum groups in a response. The smaller groups are folded too.
const MOST: usize = 50;

/// Agrupa quem está em um lançamento pelo produto comprado e pelas respostas de enquetes;
/// grupos de menos de 5 pessoas somam em `outros`. Um por um, `list_launch_buyers`. Sem
/// período, o do lançamento.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetLaunchProfiles {
    /// Id do projeto.
    #[serde(rename = "projetoId")]
    project_id: ProjectId,
    #[serde(flatten)]
    period: Period,
}

/// Perfis em grupos, sem dado de pessoa.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaunchProfiles {
    #[serde(flatten)]
    span: Span,
    produtos: Vec<ProductGroup>,
    enquetes: Vec<Poll>,
    /// De quando são os dados; nulo quando nunca houve.
    atualizado_em: Option<Timestamp>,
}

/// Quem comprou um produto pela primeira vez.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProductGroup {
    /// Nulo em `outros`.
    produto_id: Option<String>,
    produto: String,
    pessoas: i64,
}

/// Uma enquete.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Poll {
    votacao: String,
    /// Quantas respostas de pessoas; nulo quando são de 1 a 4.
    respondentes: Option<i64>,
    respostas: Vec<AnswerGroup>,
}

/// Quem deu uma resposta.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AnswerGroup {
    opcao: String,
    pessoas: i64,
}

impl Operation for GetLaunchProfiles {
    const SPEC: Spec = Spec::new(
        "get_launch_profiles",
        "Ver perfis do lançamento",
        Verb::Get,
        "/api/lancamentos/{projetoId}/perfis",
    )
    .access(Access::Member(Capability::Vendas))
    .about(LAUNCH, "projetoId")
    .fails(&[404])
    .tool();
    type Output = LaunchProfiles;

    async fn run(self, ctx: &Context<'_>) -> Result<LaunchProfiles> {
        let (launch, span) = require_launch_and_days(ctx, &self.project_id, &self.period).await?;
        let (db, days) = (ctx.db(), span.first_and_last_day());
        let sold = list_sales(&db, &sales_selection(&launch), days, By::Product).await?;
        let mut products: BTreeMap<String, i64> = BTreeMap::new();
        for figure in sold {
            *products.entry(figure.product_id).or_default() += figure.buyers;
        }
        let groups = fold_small_groups(products, MOST);
        let ids: BTreeSet<&str> = groups.iter().filter_map(|(id, _)| id.as_deref()).collect();
        let names = load_product_names(&db, ids).await?;
        let produtos = groups.into_iter().map(|(id, pessoas)| ProductGroup {
            produto: match &id {
                Some(id) => names.get(id).cloned().unwrap_or_default(),
                None => OTHERS.to_owned(),
            },
            produto_id: id,
            pessoas,
        });
        let produtos = produtos.collect();
        let scopes = visit_scopes(ctx, &launch).await?;
        let mut answers: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
        for figure in list_poll_answers(&db, &scopes, days).await? {
            let choices = answers.entry(figure.poll).or_default();
            *choices.entry(figure.choice).or_default() += figure.people;
        }
        Ok(LaunchProfiles {
            span,
            produtos,
            enquetes: answers.into_iter().take(MOST).map(poll_groups).collect(),
            atualizado_em: figures::updated_at(ctx, &[Kind::Journey, Kind::Sales]).await?,
        })
    }
}

fn poll_groups((votacao, choices): (String, BTreeMap<String, i64>)) -> Poll {
    let respostas = fold_small_groups(choices.clone(), MOST).into_iter();
    let respostas = respostas.map(|(opcao, pessoas)| AnswerGroup {
        opcao: opcao.unwrap_or_else(|| OTHERS.to_owned()),
        pessoas,
    });
    Poll {
        votacao,
        respondentes: hide_if_small(choices.values().sum()),
        respostas: respostas.collect(),
    }
}
