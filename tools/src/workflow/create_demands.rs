use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    create_demand::{CreateDemand, DemandCreated},
    hints,
};
use crate::announcements::PIECES_CREATED;
use crate::visibility::EVENT;
use domain::Capability;
use gateway::{Access, Context, DESCRIBED_BY, Error, Operation, Result, Spec, Verb};

/// Cria de 1 a 50 demandas: todas ou nenhuma. Uma só: `create_demand`.
///
/// Uma recusa diz em `details.demanda` qual falhou, desde 0.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateDemands {
    /// Cada uma como em `create_demand`; horas de Brasília.
    #[schemars(length(min = 1, max = 50), transform = refer_to_create_demand)]
    demandas: Vec<CreateDemand>,
}

fn refer_to_create_demand(list: &mut Schema) {
    if let Some(demand) = list.get_mut("items").and_then(Value::as_object_mut) {
        demand.remove("description");
        demand.insert(DESCRIBED_BY.into(), "create_demand".into());
    }
}

/// Demandas criadas.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DemandsCreated {
    ok: bool,
    /// Uma por demanda, na ordem. Quando não caberia no resultado de uma ferramenta, cada evento vem
    /// sem legenda nem briefing.
    demandas: Vec<DemandCreated>,
}

impl Operation for CreateDemands {
    const SPEC: Spec = Spec::new(
        "create_demands",
        "Criar demandas",
        Verb::Post,
        "/api/demandas",
    )
    .access(Access::Member(Capability::TasksAssign))
    .makes(EVENT)
    .fails(&[404])
    .extension()
    .hints(hints::CREATE_MANY)
    .tool()
    .announces(&[PIECES_CREATED]);
    type Output = DemandsCreated;

    fn affected_ids(output: &DemandsCreated) -> Vec<&str> {
        output
            .demandas
            .iter()
            .flat_map(CreateDemand::affected_ids)
            .collect()
    }

    fn omit_separately_readable_parts(answer: &mut Value) -> bool {
        let demands = answer["demandas"].as_array_mut();
        for demand in demands.into_iter().flatten() {
            if let Some(event) = demand["event"].as_object_mut() {
                event.remove("briefing");
                event.insert("description".into(), Value::Null);
                event.insert("description_truncated".into(), true.into());
            }
        }
        true
    }

    async fn run(self, ctx: &Context<'_>) -> Result<DemandsCreated> {
        let mut created = Vec::with_capacity(self.demandas.len());
        for (number, demand) in (0i64..).zip(self.demandas) {
            let name_demand = |refused: Error| refused.with_detail("demanda", number.into());
            created.push(
                demand
                    .create_with_number(ctx, number)
                    .await
                    .map_err(name_demand)?,
            );
        }
        Ok(DemandsCreated {
            ok: true,
            demandas: created,
        })
    }
}
