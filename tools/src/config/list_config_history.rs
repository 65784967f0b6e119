use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use domain::{Capability, Cursor, Limit, ListPage, MemberId, Version, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Lista as versões publicadas da configuração, as novas antes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListConfigHistory {
    /// Só esta chave.
    #[schemars(length(min = 1, max = 200))]
    key: Option<String>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Histórico da configuração.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigHistory {
    log: Vec<ConfigVersion>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Uma versão publicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigVersion {
    key: String,
    version: Version,
    /// Qualquer JSON.
    value: Value,
    updated_at: Timestamp,
    updated_by: MemberId,
    updated_by_name: Option<String>,
}

impl Operation for ListConfigHistory {
    const SPEC: Spec = Spec::new(
        "list_config_history",
        "Listar histórico da configuração",
        Verb::Get,
        "/api/config/log",
    )
    .access(Access::Member(Capability::Config))
    .tool()
    .quotes();
    type Output = ConfigHistory;

    async fn run(self, ctx: &Context<'_>) -> Result<ConfigHistory> {
        let before = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let rows = store::config::list_log(
            &ctx.db(),
            self.key.as_deref(),
            before,
            self.limit.fetch_limit(),
        )
        .await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| {
            (row.updated_at, row.key.clone(), row.version)
        });
        let authors = page.rows.iter().map(|row| &row.updated_by).collect();
        let names = store::members::load_names(&ctx.db(), authors).await?;
        let version = |row: store::config::ConfigEntry| -> Result<ConfigVersion> {
            Ok(ConfigVersion {
                value: serde_json::from_str(&row.value)?,
                updated_by_name: names.get(&row.updated_by).cloned(),
                key: row.key,
                version: row.version,
                updated_at: Timestamp(row.updated_at),
                updated_by: row.updated_by,
            })
        };
        Ok(ConfigHistory {
            log: page.rows.into_iter().map(version).collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}
