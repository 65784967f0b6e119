use schemars::JsonSchema;
use serde::Deserialize;

use super::file::{Heading, write_calendar};
use crate::project_pieces::load_project_event_ids;
use domain::{
    EventStatus, Member,
    time::{LocalDay, Millis, start_of_day},
};
use gateway::{
    Access, Code, Content, Context, Entry, OutputForm, Page, Reply, Result, Spec, Verb, offload,
};
use identity::calendar_feed;
use store::{
    Conn,
    calendar_feeds::CalendarFeed,
    events::{self, CalendarEvent, CalendarOrder, Filter},
    variants,
};

/// The first and the last day of the file, relative to today.
const DAYS: (i32, i32) = (-90, 400);
/// Maximum number of pieces in the file.
const MOST_EVENTS: usize = 2_000;
/// Maximum number of posts in the file whose planned time differs from the time of their piece.
const MOST_POSTS: i64 = 4_000;

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
        let (events, missing) = load_events(&ctx.db(), filter, ctx.now).await?;
        let heading = Heading {
            name: feed.name,
            description: missing.description(),
            public_url: ctx.services.public_url.clone(),
        };
        let ids = events.iter().map(|event| &event.id);
        let posts = variants::list_dated(&ctx.db(), ids, MOST_POSTS).await?;
        let reply = offload(move || {
            let text = write_calendar(&heading, &events, &posts);
            Reply::new(Content::Text(text.into())).with_etag()
        });
        Ok(reply
            .await?
            // Makes programs ask again on each read, so that they do not show a stored file after the
            // address was revoked.
            .with_header("cache-control", "private, no-cache")
            .with_header("x-robots-tag", "noindex"))
    }
}

/// The pieces that are missing in the file because the calendar has too many pieces.
#[derive(Debug, Clone, Copy)]
enum Missing {
    Nothing,
    Oldest,
    PastAndFarthest,
}

impl Missing {
    /// Returns the description of the calendar.
    fn description(self) -> String {
        let missing = match self {
            Self::Nothing => return "Peças da Pauta.".to_owned(),
            Self::Oldest => "as mais antigas",
            Self::PastAndFarthest => "todas as de antes de hoje e as de data mais distante",
        };
        format!(
            "Peças da Pauta. O calendário mostra no máximo {MOST_EVENTS} peças: faltam {missing}. Use um \
             filtro."
        )
    }
}

/// Loads the pieces of the file, in the order of the agenda. If there are too many pieces, pieces from
/// today on take precedence, and the latest of the earlier pieces fill the remaining room.
async fn load_events(
    db: &Conn<'_>,
    filter: Filter,
    now: Millis,
) -> Result<(Vec<CalendarEvent>, Missing)> {
    let day = |offset: i32| start_of_day(LocalDay::from_instant(now).plus_days(offset).0);
    let between = |first: i32, end: i32| Filter {
        from: Some(day(first)),
        until: Some(day(end)),
        ..filter.clone()
    };
    let probe = |room: usize| i64::try_from(room + 1).unwrap_or(i64::MAX);
    let later = between(0, DAYS.1 + 1);
    let (most, order) = (probe(MOST_EVENTS), CalendarOrder::EarliestFirst);
    let mut later = events::list_for_calendar(db, later, order, most).await?;
    if later.len() > MOST_EVENTS {
        later.truncate(MOST_EVENTS);
        return Ok((later, Missing::PastAndFarthest));
    }
    let room = MOST_EVENTS - later.len();
    let (most, order) = (probe(room), CalendarOrder::LatestFirst);
    let mut events = events::list_for_calendar(db, between(DAYS.0, 0), order, most).await?;
    let missing = match events.len() > room {
        true => Missing::Oldest,
        false => Missing::Nothing,
    };
    events.truncate(room);
    events.reverse();
    events.append(&mut later);
    Ok((events, missing))
}

/// Builds the filter for the pieces of a calendar that its member may see now, on any day.
async fn build_filter(ctx: &Context<'_>, feed: &CalendarFeed, member: &Member) -> Result<Filter> {
    let wanted = feed.filter.clone();
    let only = match &wanted.project_id {
        Some(id) => Some(load_project_event_ids(&ctx.db(), id).await?),
        None => None,
    };
    let is_limited = wanted.own || !member.sees_all_events();
    let statuses = wanted
        .status
        .map(|status| vec![status, EventStatus::Archived]);
    Ok(Filter {
        visible_to: is_limited.then(|| member.id.clone()),
        assigned_to: wanted.assignee_id,
        statuses: statuses.unwrap_or_default(),
        channel: wanted.channel,
        tag: wanted.tag,
        only,
        text: wanted.text,
        ..Filter::default()
    })
}
