use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    PLATFORM,
    new_password::NewPassword,
    password::{PURPOSE, Secret},
};
use domain::{Capability, Error, PlatformId, VISIBLE, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::{platform_passwords, secrets};

/// Define ou apaga a senha de uma plataforma.
///
/// A senha é guardada cifrada. `senha` nula a apaga, com o usuário; sem `usuario`, o de antes sai.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PutPlatformPassword {
    /// Nome da plataforma, como a equipe a chama.
    #[serde(rename = "platformId")]
    platform_id: PlatformId,
    /// Nome de usuário na plataforma.
    #[schemars(length(min = 1, max = 320), regex(pattern = *VISIBLE))]
    usuario: Option<String>,
    /// Senha nova; nula apaga a que há.
    senha: NewPassword,
}

/// Senha definida ou apagada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlatformPasswordPut {
    ok: bool,
    platform_id: PlatformId,
    /// Ausente quando foi apagada.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<Timestamp>,
}

impl Operation for PutPlatformPassword {
    const SPEC: Spec = Spec::new(
        "put_platform_password",
        "Definir ou apagar a senha de uma plataforma",
        Verb::Put,
        "/api/plataformas/{platformId}/senha",
    )
    .access(Access::Session(Capability::TeamAdmin))
    .about(PLATFORM, "platformId")
    .fails(&[404])
    .unkeyed();
    type Output = PlatformPasswordPut;

    async fn run(self, ctx: &Context<'_>) -> Result<PlatformPasswordPut> {
        let (id, db) = (self.platform_id, ctx.db());
        let updated_at = match self.senha.0 {
            Some(senha) => {
                let usuario = self.usuario;
                let (keys, by) = (&ctx.services.keys, &ctx.caller()?.member.id);
                let secret = Secret { usuario, senha };
                secret.store_password(&db, keys, &id, by, ctx.now).await?;
                Some(Timestamp(ctx.now))
            }
            None => {
                if !platform_passwords::delete(&db, &id).await? {
                    return Err(Error::not_found("senha da plataforma"));
                }
                secrets::delete(&db, PURPOSE, id.as_str()).await?;
                None
            }
        };
        Ok(PlatformPasswordPut {
            ok: true,
            platform_id: id,
            updated_at,
        })
    }
}
