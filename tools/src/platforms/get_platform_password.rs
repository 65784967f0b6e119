use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    PLATFORM,
    password::{PURPOSE, Secret},
};
use domain::{Capability, Error, MemberId, PlatformId, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::platform_passwords;

/// Lê a senha de uma plataforma.
///
/// Cada leitura fica na auditoria. Uma senha que nunca foi definida, ou foi apagada, responde 404.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetPlatformPassword {
    /// Nome da plataforma, como a equipe a chama.
    #[serde(rename = "platformId")]
    platform_id: PlatformId,
}

/// Senha de uma plataforma.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlatformPasswordRead {
    platform_id: PlatformId,
    /// Nome de usuário, quando há.
    usuario: Option<String>,
    senha: String,
    updated_at: Timestamp,
    updated_by: MemberId,
    updated_by_name: String,
}

impl Operation for GetPlatformPassword {
    const SPEC: Spec = Spec::new(
        "get_platform_password",
        "Ler a senha de uma plataforma",
        Verb::Get,
        "/api/plataformas/{platformId}/senha",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(PLATFORM, "platformId")
    .fails(&[404])
    .audited();
    type Output = PlatformPasswordRead;

    async fn run(self, ctx: &Context<'_>) -> Result<PlatformPasswordRead> {
        let id = self.platform_id;
        let found = platform_passwords::find(&ctx.db(), PURPOSE, &id).await?;
        let found = found.ok_or_else(|| Error::not_found("senha da plataforma"))?;
        let Secret { usuario, senha } = Secret::decrypt(&ctx.services.keys, &id, &found.sealed)?;
        Ok(PlatformPasswordRead {
            platform_id: id,
            usuario,
            senha,
            updated_at: Timestamp(found.updated_at),
            updated_by: found.updated_by,
            updated_by_name: found.updated_by_name,
        })
    }
}
