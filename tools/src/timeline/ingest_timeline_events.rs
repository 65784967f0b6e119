use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TIMELINE_SECRET, event_rules::validate_event};
use crate::figures::enqueue_settling;
use domain::time::Millis;
use gateway::{Access, Context, Error, Operation, Pepper, Result, Spec, Verb, is_large, offload};
use store::timeline::{self, NewEvent};

/// Recebe eventos da jornada: o que as pessoas fizeram em um site. Cada item é julgado sozinho.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IngestTimelineEvents {
    #[schemars(schema_with = "events_schema")]
    eventos: Vec<Value>,
}

/// Builds the schema of the list. It accepts any item, because each item is validated separately.
fn events_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "minItems": 1,
        "maxItems": 50,
        "items": {
            "description": "Objeto com `evento` (abriu_checkout, etapa_checkout, identificou, \
                respondeu_enquete ou visitou_pagina), `sessao` e `id` (até 128 caracteres; juntos \
                não se repetem) e, se houver: `email` (obrigatório em identificou e \
                respondeu_enquete; só o hash fica guardado), `produto`, `lancamento`, `ocorreu_em` \
                (até 1 dia de agora; ausente, agora) e `detalhe` (textos: etapa, pagina, origem, \
                lote, utm_*, votacao, opcao, peso, titulo, site, referencia, gclid, fbclid).",
        },
        "description": "Os eventos.",
    })
}

/// O que foi feito de cada evento.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventsIngested {
    ok: bool,
    recebidos: usize,
    /// Eventos novos; um repetido não conta aqui nem nos recusados.
    gravados: usize,
    recusados: usize,
    motivos: Vec<Reason>,
}

/// Por que um evento foi recusado.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Reason {
    /// O lugar dele na lista, a partir de 0.
    indice: usize,
    motivo: String,
}

/// Returns the valid events, and the reason for the refusal of each other event.
fn validate_all<'a>(
    items: &'a [Value],
    pepper: &Pepper,
    now: Millis,
) -> (Vec<NewEvent<'a>>, Vec<Reason>) {
    let (mut events, mut motivos) = (Vec::with_capacity(items.len()), vec![]);
    for (indice, item) in items.iter().enumerate() {
        match validate_event(item, pepper, now) {
            Ok(event) => events.push(event),
            Err(motivo) => motivos.push(Reason { indice, motivo }),
        }
    }
    (events, motivos)
}

impl Operation for IngestTimelineEvents {
    const SPEC: Spec = Spec::new(
        "ingest_timeline_events",
        "Receber eventos da jornada",
        Verb::Post,
        "/api/jornada/eventos",
    )
    .access(Access::SharedSecret(TIMELINE_SECRET))
    .unkeyed()
    .idempotent();
    type Output = EventsIngested;

    /// Takes the list out of the input, because deserializing with serde would copy every event.
    fn from_input(mut input: Value) -> Result<Self> {
        match input["eventos"].take() {
            Value::Array(eventos) => Ok(Self { eventos }),
            _ => Err(Error::internal(
                "the schema admitted an input without a list",
            )),
        }
    }

    async fn run(self, ctx: &Context<'_>) -> Result<EventsIngested> {
        let (pepper, now) = (ctx.services.parts.get::<Pepper>(), ctx.now);
        let recebidos = self.eventos.len();
        // Validating a large list would delay other calls on this thread.
        let (events, motivos) = if is_large(&self.eventos) {
            let (items, pepper) = (self.eventos, pepper.clone());
            offload(move || {
                let (events, motivos) = validate_all(&items, &pepper, now);
                let owned = events.into_iter().map(NewEvent::into_owned).collect();
                (owned, motivos)
            })
            .await?
        } else {
            validate_all(&self.eventos, pepper, now)
        };
        let gravados = timeline::record_events(&ctx.db(), &events, ctx.now).await?;
        if gravados > 0 {
            enqueue_settling(ctx.services, &ctx.db(), ctx.now).await?;
        }
        Ok(EventsIngested {
            ok: true,
            recebidos,
            gravados,
            recusados: motivos.len(),
            motivos,
        })
    }
}
