use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{Capability, VISIBLE, time::Timestamp};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::publishing_pauses::{self, Pause};

/// Pausa todas as publicações, agendadas ou pedidas na hora, numa crise, ou as retoma.
///
/// Na retomada, o que passou demais da hora espera uma pessoa.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PausePublishing {
    /// `true` pausa, `false` retoma.
    paused: bool,
    /// Por quê.
    #[schemars(length(min = 1, max = 300), regex(pattern = *VISIBLE))]
    reason: Option<String>,
}

/// A pausa, como está agora.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublishingPaused {
    ok: bool,
    /// Desde quando tudo está pausado; nulo quando não está.
    paused_at: Option<Timestamp>,
    reason: Option<String>,
}

impl Operation for PausePublishing {
    const SPEC: Spec = Spec::new(
        "pause_publishing",
        "Pausar ou retomar publicações",
        Verb::Post,
        "/api/publicacoes/pausa",
    )
    .access(Access::Member(Capability::Publish))
    .extension()
    .idempotent()
    .reaches_outside_later()
    .announces_nothing()
    .tool();
    type Output = PublishingPaused;

    async fn run(self, ctx: &Context<'_>) -> Result<PublishingPaused> {
        let db = ctx.db();
        if self.paused {
            let pause = Pause {
                reason: self.reason,
                paused_by: ctx.caller()?.member.id.clone(),
                paused_at: ctx.now,
            };
            publishing_pauses::pause(&db, &pause).await?;
        } else {
            publishing_pauses::resume(&db).await?;
        }
        let pause = publishing_pauses::find(&db).await?;
        Ok(PublishingPaused {
            ok: true,
            paused_at: pause.as_ref().map(|pause| Timestamp(pause.paused_at)),
            reason: pause.and_then(|pause| pause.reason),
        })
    }
}
