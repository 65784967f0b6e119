use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::feed_view::CalendarFeedView;
use domain::Capability;
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::calendar_feeds;

/// Lista os seus calendários em vigor, do mais novo ao mais antigo.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListCalendarFeeds {}

/// Os calendários; no máximo dez.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarFeeds {
    calendarios: Vec<CalendarFeedView>,
}

impl Operation for ListCalendarFeeds {
    const SPEC: Spec = Spec::new(
        "list_calendar_feeds",
        "Listar calendários",
        Verb::Get,
        "/api/calendarios",
    )
    .access(Access::Session(Capability::TasksView))
    .extension();
    type Output = CalendarFeeds;

    async fn run(self, ctx: &Context<'_>) -> Result<CalendarFeeds> {
        let member_id = &ctx.caller()?.member.id;
        let feeds = calendar_feeds::list_in_force(&ctx.db(), member_id).await?;
        Ok(CalendarFeeds {
            calendarios: feeds.into_iter().map(Into::into).collect(),
        })
    }
}
