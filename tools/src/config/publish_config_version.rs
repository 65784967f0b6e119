use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CONFIG, hints};
use crate::{knowledge::synonyms, sales::commissions, visibility, workflow::require_valid_rules};
use domain::{Brand, Capability, VISIBLE, Version, approval::Rules};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};

/// Publica uma versão nova de uma chave de configuração, inteira: leia antes com `get_config`. As
/// anteriores ficam no histórico.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PublishConfigVersion {
    /// Nome da chave. `marca`, `comercial.comissoes`, `conhecimento.sinonimos` e `aprovacao` têm a forma que
    /// `get_config` dá em `formatos`.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    key: String,
    /// Qualquer JSON, até 64 níveis e 50.000 valores; inteiros exatos, de -2^63 a 2^64-1.
    value: Value,
    /// A `version` lida; 0 se ainda não há. Ausente não confere.
    #[schemars(range(min = 0, max = 9007199254740991i64))]
    expected_version: Option<Version>,
}

/// Versão publicada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConfigPublished {
    ok: bool,
    key: String,
    version: Version,
}

impl Operation for PublishConfigVersion {
    const SPEC: Spec = Spec::new(
        "publish_config_version",
        "Publicar configuração",
        Verb::Post,
        "/api/config",
    )
    .access(Access::Member(Capability::Config))
    .about(CONFIG, "key")
    .read_by("get_config")
    .values(50_000)
    .hints(hints::PUBLISH)
    .tool();
    type Output = ConfigPublished;

    async fn run(self, ctx: &Context<'_>) -> Result<ConfigPublished> {
        match self.key.as_str() {
            Brand::KEY => require_valid_brand(ctx, &self.value).await?,
            commissions::KEY => commissions::require_valid_rates(&self.value)?,
            Rules::KEY => require_valid_rules(ctx, &self.value).await?,
            synonyms::KEY => synonyms::require_valid_synonyms(&self.value)?,
            _ => {}
        }
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

/// Refuses (400) an invalid brand or a logo that is not an image, and (404) a logo that does not
/// exist.
async fn require_valid_brand(ctx: &Context<'_>, value: &Value) -> Result<()> {
    let brand = Brand::from_config(value).map_err(Error::from_faults)?;
    let Some(logo) = brand.and_then(|brand| brand.logo) else {
        return Ok(());
    };
    let found = visibility::require_media(ctx, std::slice::from_ref(&logo)).await?;
    if found
        .iter()
        .all(|media| media.media_type.starts_with("image/"))
    {
        return Ok(());
    }
    let message = "precisa ser de uma imagem, e não de um vídeo";
    Err(Error::invalid_field("value.logo", "image", message))
}
