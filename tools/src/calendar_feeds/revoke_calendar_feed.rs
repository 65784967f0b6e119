use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use domain::{CalendarFeedId, Capability};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use identity::calendar_feed::RESOURCE;
use store::calendar_feeds;

/// Revoga o endereço de um calendário seu, já na próxima leitura. Repetir não muda nada.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RevokeCalendarFeed {
    /// Identificador do calendário.
    #[serde(rename = "calendarId")]
    calendar_id: CalendarFeedId,
}

/// Calendário revogado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarFeedRevoked {
    ok: bool,
    id: CalendarFeedId,
}

impl Operation for RevokeCalendarFeed {
    const SPEC: Spec = Spec::new(
        "revoke_calendar_feed",
        "Revogar calendário",
        Verb::Delete,
        "/api/calendarios/{calendarId}",
    )
    .access(Access::Session(Capability::TasksView))
    .about(RESOURCE, "calendarId")
    .fails(&[404])
    .extension();
    type Output = CalendarFeedRevoked;

    async fn run(self, ctx: &Context<'_>) -> Result<CalendarFeedRevoked> {
        let db = ctx.db();
        let member_id = &ctx.caller()?.member.id;
        let feed = calendar_feeds::require_for_member(&db, member_id, &self.calendar_id).await?;
        calendar_feeds::revoke(&db, &feed.id, ctx.now).await?;
        Ok(CalendarFeedRevoked {
            ok: true,
            id: feed.id,
        })
    }
}
