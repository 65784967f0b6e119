use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{hints, known_keys};
use domain::{Capability, Cursor, Limit, ListPage, Version, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Lê a versão atual de cada chave de configuração da equipe. Anteriores: `list_config_history`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetConfig {
    /// Só esta chave.
    #[schemars(length(min = 1, max = 200))]
    key: Option<String>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Configuração atual.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Config {
    /// Por chave: valor, versão e data.
    config: BTreeMap<String, ConfigEntry>,
    /// Para quem muda a configuração, na primeira página: a forma do valor de cada chave que o serviço usa.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    formatos: BTreeMap<&'static str, &'static str>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Versão atual de uma chave.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigEntry {
    /// Qualquer JSON.
    value: Value,
    version: Version,
    updated_at: Option<Timestamp>,
}

impl Operation for GetConfig {
    const SPEC: Spec = Spec::new("get_config", "Ler configuração", Verb::Get, "/api/config")
        .access(Access::Member(Capability::ConfigView))
        .hints(hints::READ)
        .tool()
        .quotes();
    type Output = Config;

    async fn run(self, ctx: &Context<'_>) -> Result<Config> {
        let after = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position::<String>)
            .transpose()?;
        let is_first_page = self.cursor.is_none();
        let rows = store::config::list(
            &ctx.db(),
            self.key.as_deref(),
            after,
            self.limit.fetch_limit(),
        )
        .await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| row.key.clone());
        let entry = |row: store::config::ConfigEntry| -> Result<(String, ConfigEntry)> {
            let value = serde_json::from_str(&row.value)?;
            let updated_at = Some(Timestamp(row.updated_at));
            Ok((
                row.key,
                ConfigEntry {
                    value,
                    version: row.version,
                    updated_at,
                },
            ))
        };
        let may_change = ctx.caller()?.has_capability(Capability::Config);
        let formatos = if may_change && is_first_page {
            known_keys::shapes_of(self.key.as_deref())
        } else {
            BTreeMap::new()
        };
        Ok(Config {
            formatos,
            config: page.rows.into_iter().map(entry).collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}
