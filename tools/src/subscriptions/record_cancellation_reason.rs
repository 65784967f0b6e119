use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CANCELLATION;
use domain::{CancellationId, Capability, VISIBLE, text_enum};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb};
use store::{figures, sales};

text_enum! {
    pub enum Reason {
        Price = "preco",
        Content = "conteudo",
        Time = "tempo",
        Technical = "tecnico",
        Other = "outro",
    }
}

/// Registra por que um assinante saiu, como a equipe soube. Vale o último motivo; os anteriores
/// ficam guardados.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RecordCancellationReason {
    /// O `assinatura_id` de `list_leaving_subscribers`.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    assinatura_id: String,
    /// O principal.
    motivo: Reason,
    /// Detalhe, sem nome, e-mail nem telefone.
    #[schemars(length(min = 1, max = 2000), regex(pattern = *VISIBLE))]
    texto: Option<String>,
}

/// Motivo registrado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CancellationReasonRecorded {
    ok: bool,
    id: CancellationId,
}

impl Operation for RecordCancellationReason {
    const SPEC: Spec = Spec::new(
        "record_cancellation_reason",
        "Registrar motivo de saída",
        Verb::Post,
        "/api/subs/cancelamentos",
    )
    .access(Access::Member(Capability::Vendas))
    .makes(CANCELLATION)
    .fails(&[404])
    .tool();
    type Output = CancellationReasonRecorded;

    fn affected_ids(output: &CancellationReasonRecorded) -> Vec<&str> {
        vec![output.id.as_str()]
    }

    async fn run(self, ctx: &Context<'_>) -> Result<CancellationReasonRecorded> {
        let db = ctx.db();
        if !figures::subscription_exists(&db, &self.assinatura_id).await? {
            return Err(Error::not_found_in(
                "assinatura",
                "list_leaving_subscribers",
            ));
        }
        let id = CancellationId::new(ctx.now);
        let cancellation = sales::Cancellation {
            id: id.clone(),
            subscription_id: self.assinatura_id,
            reason: self.motivo.as_str().to_owned(),
            note: self.texto,
            recorded_by: ctx.caller()?.member.id.clone(),
            recorded_at: ctx.now,
        };
        sales::save_cancellation(&db, cancellation).await?;
        Ok(CancellationReasonRecorded { ok: true, id })
    }
}
