use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CONFIG;
use domain::{Capability, VISIBLE};
use gateway::{Access, Context, Operation, Result, Spec, Verb};

/// Publica uma versão nova de uma chave de configuração.
///
/// A versão é imutável e as anteriores ficam no histórico. O valor inteiro da chave é substituído:
/// leia antes com `get_config` e envie em `expected_version` a versão lida.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PublishConfigVersion {
    /// Nome da chave, como `comercial.comissoes`.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    key: String,
    /// O valor inteiro da chave: qualquer JSON, até 64 níveis de listas e objetos e 50.000 valores
    /// ao todo; inteiros são guardados exatos e vão de -2^63 a 2^64-1.
    value: Value,
    /// A versão atual que foi lida; 0 quando a chave ainda não existe. Ausente publica sem conferir.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_version: Option<i64>,
}

/// Versão publicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigPublished {
    ok: bool,
    key: String,
    version: i64,
}

impl Operation for PublishConfigVersion {
    const SPEC: Spec = Spec::new(
        "publish_config_version",
        "Publicar configuração",
        Verb::Post,
        "/api/config",
    )
    .area(super::AREA)
    .access(Access::Member(Capability::Config))
    .about(CONFIG, "key")
    .values(50_000)
    .tool();
    type Output = ConfigPublished;

    async fn run(self, ctx: &Context<'_>) -> Result<ConfigPublished> {
        let value = serde_json::to_string(&self.value)?;
        let member_id = &ctx.caller()?.member.id;
        let (db, expected) = (ctx.db(), self.expected_version);
        let version =
            store::config::publish(&db, &self.key, &value, member_id, expected, ctx.now).await?;
        Ok(ConfigPublished {
            ok: true,
            key: self.key,
            version,
        })
    }
}
