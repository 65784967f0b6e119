use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use gateway::{Access, Context, Operation, Result, Spec, Verb};
use identity::guest_link;

/// Confere o código de um link de convidado.
///
/// A `prova` vai depois do segredo e de um ponto, no mesmo bearer. Depois de oito códigos errados é
/// preciso esperar.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct EnterGuestCode {
    /// Os seis números.
    #[schemars(regex(pattern = "^[0-9]{6}$"))]
    codigo: String,
}

/// Código certo.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GuestCodeEntered {
    ok: bool,
    prova: String,
}

impl Operation for EnterGuestCode {
    const SPEC: Spec = Spec::new(
        "enter_guest_code",
        "Informar código de convidado",
        Verb::Post,
        "/api/convidado/codigo",
    )
    .access(Access::Guest(None))
    .extension()
    .outside()
    .unkeyed();
    type Output = GuestCodeEntered;

    async fn run(self, ctx: &Context<'_>) -> Result<GuestCodeEntered> {
        let prova = guest_link::check_code(ctx, &self.codigo).await?;
        Ok(GuestCodeEntered { ok: true, prova })
    }
}
