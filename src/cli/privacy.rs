//! `pauta privacy export | erase`

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::time::Timestamp;
use serde_json::{Map, Value};
use tools::timeline::privacy;

use super::{offline::open_offline, terminal::out};
use crate::{config::Sources, reason::into_anyhow};

#[derive(Subcommand)]
pub(super) enum Privacy {
    /// Escreve em JSON tudo o que está guardado sobre uma pessoa.
    Export(Person),
    /// Desfaz o vínculo da pessoa com tudo o que está guardado; as somas continuam as mesmas.
    Erase(Person),
}

#[derive(Args)]
pub(super) struct Person {
    /// E-mail da pessoa.
    #[arg(long, value_name = "E-MAIL")]
    email: String,
}

impl Privacy {
    pub(super) async fn run(self, sources: &Sources) -> Result<()> {
        match self {
            Self::Export(person) => {
                let app = open_offline(sources).await?;
                let lists = privacy::export_person(&app.gateway, &person.email).await;
                let shown = with_readable_instants(lists.map_err(into_anyhow)?);
                out!("{}", serde_json::to_string_pretty(&shown)?);
            }
            Self::Erase(person) => {
                let app = open_offline(sources).await?;
                let erased = privacy::erase_person(&app.gateway, &person.email).await;
                let erased = erased.map_err(into_anyhow)?;
                if erased.is_empty() {
                    out!("Nada está guardado sobre esta pessoa.");
                }
                for (table, rows) in erased {
                    out!("{table}: vínculo desfeito em {rows}");
                }
            }
        }
        Ok(())
    }
}

/// Converts the instants in the lists to readable text.
fn with_readable_instants(lists: Map<String, Value>) -> Value {
    let lists = lists.into_iter().map(|(name, mut list)| {
        for row in list.as_array_mut().into_iter().flatten() {
            for (field, value) in row.as_object_mut().into_iter().flatten() {
                let is_instant = field.ends_with("_em") || field == "inicio" || field == "fim";
                if let Some(instant) = value.as_i64().filter(|_| is_instant) {
                    *value = Timestamp(instant).to_string().into();
                }
                if field == "detalhe"
                    && let Some(detail) = value.as_str()
                {
                    *value = serde_json::from_str(detail).unwrap_or_default();
                }
            }
        }
        (name, list)
    });
    Value::Object(lists.collect())
}
