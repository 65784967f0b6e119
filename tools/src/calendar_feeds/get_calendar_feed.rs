use schemars::JsonSchema;
use serde::Deserialize;

use super::written::{Heading, write_calendar};
use crate::project_pieces::load_project_event_ids;
use domain::{
    Member,
    time::{LocalDay, end_of_day, start_of_day},
};
use gateway::{Access, Code, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb};
use identity::calendar_feed;
use store::{
    calendar_feeds::CalendarFeed,
    events::{self, Filter},
};

/// The first and the last day of the file, relative to today.
const DAYS: (i32, i32) = (-90, 400);
/// Maximum number of pieces in the file.
const MOST_EVENTS: usize = 2_000;

/// Serves a calendar to the program that subscribes to it.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct GetCalendarFeed {
    /// O segredo do endereço.
    #[schemars(extend("examples" = ["agenda-assinada-de-exemplo-do-demo-da-Pauta"]))]
    calendario: String,
}

/// The page's entry in the table.
pub(super) const PAGE: Entry = Entry::for_page::<GetCalendarFeed>(
    Spec::new(
        "get_calendar_feed",
        "Ler um calendário",
        Verb::Get,
        "/calendario/{calendario}/agenda.ics",
    )
    .access(Access::Public)
    .serves(OutputForm::Document("text/calendar"))
    .extension()
    .partial(&[304])
    .fails(&[404, 429, 500, 503])
    .faulty_as(Code::NOT_FOUND),
    "O calendário de um endereço secreto (RFC 5545), para um programa de calendário.",
);

impl Page for GetCalendarFeed {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let (feed, member) = calendar_feed::find_calendar(ctx, &self.calendario).await?;
        let filter = build_filter(ctx, &feed, &member).await?;
        let probe = i64::try_from(MOST_EVENTS).unwrap_or(i64::MAX) + 1;
        let mut events = events::list_for_calendar(&ctx.db(), filter, probe).await?;
        let description = match events.len() > MOST_EVENTS {
            true => format!(
                "Peças da Pauta. O calendário mostra no máximo {MOST_EVENTS}: faltam as de data mais \
                 distante. Use um filtro."
            ),
            false => "Peças da Pauta.".to_owned(),
        };
        events.truncate(MOST_EVENTS);
        let heading = Heading {
            name: &feed.name,
            description: &description,
            public_url: &ctx.services.public_url,
        };
        let text = write_calendar(&heading, &events);
        Ok(Reply::new(Content::Text(text.into()))
            .with_etag()
            // After the address was revoked, a program must not show what it stored.
            .with_header("cache-control", "private, no-cache")
            .with_header("x-robots-tag", "noindex"))
    }
}

/// The pieces of a calendar that its member may see now.
async fn build_filter(ctx: &Context<'_>, feed: &CalendarFeed, member: &Member) -> Result<Filter> {
    let wanted = feed.filter.clone();
    let today = LocalDay::from_instant(ctx.now);
    let only = match &wanted.project_id {
        Some(id) => Some(load_project_event_ids(&ctx.db(), id).await?),
        None => None,
    };
    let is_limited = wanted.own || !member.sees_all_events();
    Ok(Filter {
        visible_to: is_limited.then(|| member.id.clone()),
        assigned_to: wanted.assignee_id,
        statuses: wanted.status.into_iter().collect(),
        channel: wanted.channel,
        tag: wanted.tag,
        only,
        text: wanted.text,
        from: Some(start_of_day(today.plus_days(DAYS.0).0)),
        until: Some(end_of_day(today.plus_days(DAYS.1).0)),
        ..Filter::default()
    })
}
