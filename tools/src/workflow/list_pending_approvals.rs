use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    awaiting::Awaiting,
    changed_channels::ChangedPiece,
    event_view::{EventView, add_approvals, add_channels},
    filter_page, page_of_events,
    stages::{self, Detail},
};
use crate::draft_remarks::sees_draft_threads;
use domain::{Capability, Cursor, EventStatus, Limit};
use gateway::{Access, Context, Link, Operation, Result, Spec, Verb};
use store::{
    events::{self, Filter},
    remarks,
};

/// Lista o que espera aprovação, pela data, com legenda e mídias. Decida com `decide_approval` e o
/// `api_revision` daqui.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListPendingApprovals {
    /// Texto, como em `list_events`.
    #[schemars(length(min = 1, max = 200))]
    q: Option<String>,
    /// Em etapas; ausente, `mim`.
    de_quem: Option<Awaiting>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Eventos em aprovação.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PendingApprovals {
    pendentes: Vec<EventView>,
    /// Aprovados com canais que mudaram depois, para `decide_variants`; só na primeira página sem `q`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    canais_mudados: Vec<ChangedPiece>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListPendingApprovals {
    const SPEC: Spec = Spec::new(
        "list_pending_approvals",
        "Listar aprovações pendentes",
        Verb::Get,
        "/api/aprovacoes",
    )
    .access(Access::Member(Capability::Approve))
    .links(&[Link {
        operation: "decide_approval",
        inputs: &[
            ("event_id", "/pendentes/0/id"),
            ("expected_revision", "/pendentes/0/api_revision"),
        ],
    }])
    .tool()
    .quotes();
    type Output = PendingApprovals;

    async fn run(self, ctx: &Context<'_>) -> Result<PendingApprovals> {
        let whose = self.de_quem.unwrap_or(Awaiting::Me);
        let canais_mudados = match (&self.cursor, &self.q) {
            (None, None) => ChangedPiece::list(ctx, whose).await?,
            _ => vec![],
        };
        let filter = Filter {
            statuses: vec![EventStatus::InApproval],
            text: self.q,
            ..Filter::default()
        };
        let filter = filter_page(ctx, filter, self.cursor.as_ref())?;
        let most = self.limit.fetch_limit();
        let rows = match whose {
            Awaiting::Me => stages::list_waiting_for_caller(ctx, filter, most).await?,
            Awaiting::Everyone => events::list(&ctx.db(), filter, most).await?,
        };
        let page = page_of_events(rows, self.limit);
        let counts = remarks::count_open(
            &ctx.db(),
            sees_draft_threads(ctx.caller()?),
            page.rows.iter().map(|one| &one.id),
        )
        .await?;
        let mut page = page.map(|event| {
            let counts = counts.get(&event.id).copied().unwrap_or_default();
            EventView {
                comentarios_abertos: Some(counts.open),
                comentarios_respondidos: Some(counts.answered),
                ..EventView::from_event_for_list(event, ctx)
            }
        });
        add_approvals(ctx, &mut page.rows, Detail::CurrentStage).await?;
        add_channels(ctx, &mut page.rows).await?;
        Ok(PendingApprovals {
            pendentes: page.rows,
            canais_mudados,
            next_cursor: page.next_cursor,
        })
    }
}
