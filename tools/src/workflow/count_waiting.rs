use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::stages;
use domain::Capability;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::waiting;

/// Conta o que espera por quem chama: recusas, aprovações, atrasos e notificações não lidas.
///
/// Cada contagem para em 100, que quer dizer 100 ou mais.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CountWaiting {}

/// O que espera por quem chama.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WaitingCounted {
    /// Eventos recusados atribuídos a quem chama.
    #[schemars(range(min = 0, max = 100))]
    recusados: i64,
    /// Eventos que esperam decisão, inteiros ou num canal que mudou; 0 para quem não aprova.
    #[schemars(range(min = 0, max = 100))]
    a_aprovar: i64,
    /// Eventos visíveis com a data, ou a hora de um canal, passada, que ninguém publicou nem arquivou.
    #[schemars(range(min = 0, max = 100))]
    atrasados: i64,
    /// Eventos recusados ou atrasados; um que é os dois conta uma vez.
    #[schemars(range(min = 0, max = 100))]
    recusados_ou_atrasados: i64,
    /// Notificações não lidas.
    #[schemars(range(min = 0, max = 100))]
    notificacoes: i64,
}

impl Operation for CountWaiting {
    const SPEC: Spec = Spec::new(
        "count_waiting",
        "Contar o que espera",
        Verb::Get,
        "/api/espera",
    )
    .access(Access::Member(Capability::TasksView))
    .extension();
    type Output = WaitingCounted;

    async fn run(self, ctx: &Context<'_>) -> Result<WaitingCounted> {
        let caller = ctx.caller()?;
        let member = &caller.member;
        let may_approve = caller.has_capability(Capability::Approve);
        let waiting = waiting::count_waiting(&ctx.db(), member, ctx.now).await?;
        let a_aprovar = match may_approve {
            true => {
                let counted = stages::count_waiting_for_caller(ctx, waiting::MOST).await?;
                let pieces = counted.unwrap_or(waiting.in_approval);
                let changed = match waiting.changed {
                    0 => 0,
                    visible => stages::count_changed_for_caller(ctx, visible).await?,
                };
                (pieces + changed).min(waiting::MOST)
            }
            false => 0,
        };
        let late = waiting.late + waiting.late_by_variants;
        let either = waiting.refused + late - waiting.refused_and_late;
        Ok(WaitingCounted {
            recusados: waiting.refused,
            a_aprovar,
            atrasados: late.min(waiting::MOST),
            recusados_ou_atrasados: either.min(waiting::MOST),
            notificacoes: waiting.unread,
        })
    }
}
