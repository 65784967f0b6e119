use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, de::Error as _};
use serde_json::Value;

use super::{TIMELINE_SECRET, judged::judge};
use crate::figures::settle_later;
use domain::time::Millis;
use gateway::{
    Access, Context, Error, Operation, Pepper, Result, SMALL_INPUT, Spec, Verb, items, offload,
};
use store::timeline::{self, NewEvent};

/// Recebe eventos da jornada: o que as pessoas fizeram em um site. Cada item é julgado sozinho.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IngestTimelineEvents {
    #[schemars(schema_with = "events")]
    eventos: Vec<String>,
}

/// The items are judged one by one, so the schema lets each of them pass.
fn events(_: &mut SchemaGenerator) -> Schema {
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

/// Whether judging events would delay other calls.
fn is_large(texts: &[String]) -> bool {
    texts.iter().map(String::len).sum::<usize>() > SMALL_INPUT
}

/// The events, and why some are refused.
fn judged<'a>(
    texts: &'a [String],
    pepper: &Pepper,
    now: Millis,
) -> Result<(Vec<NewEvent<'a>>, Vec<Reason>)> {
    let (mut events, mut motivos) = (vec![], vec![]);
    let items = items(texts, &IngestTimelineEvents::SPEC)?;
    for (indice, item) in items.into_iter().enumerate() {
        match judge(item, pepper, now) {
            Ok(event) => events.push(event),
            Err(motivo) => motivos.push(Reason { indice, motivo }),
        }
    }
    Ok((events, motivos))
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
    .idempotent()
    .texts("eventos");
    type Output = EventsIngested;

    fn read(mut input: Value) -> serde_json::Result<Self> {
        let Some(Value::Array(items)) = input.get_mut("eventos").map(Value::take) else {
            return Err(serde_json::Error::custom("no list of events"));
        };
        let text = |item| match item {
            Value::String(text) => text,
            // A caller inside the service has parsed them.
            item => item.to_string(),
        };
        Ok(Self {
            eventos: items.into_iter().map(text).collect(),
        })
    }

    async fn run(self, ctx: &Context<'_>) -> Result<EventsIngested> {
        let (pepper, now) = (ctx.services.parts.get::<Pepper>(), ctx.now);
        let recebidos = self.eventos.len();
        let (events, motivos) = if is_large(&self.eventos) {
            let (texts, pepper) = (self.eventos.clone(), pepper.clone());
            offload(move || {
                let (events, motivos) = judged(&texts, &pepper, now)?;
                let owned = events.into_iter().map(NewEvent::into_owned).collect();
                Ok::<_, Error>((owned, motivos))
            })
            .await??
        } else {
            judged(&self.eventos, pepper, now)?
        };
        let gravados = timeline::record(&ctx.db(), &events, ctx.now).await?;
        if gravados > 0 {
            settle_later(ctx.services, &ctx.db(), ctx.now).await?;
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
