//! Finds the pieces that a guest's link shows.

use serde_json::{Value, json};

use crate::project_pieces::load_project_event_ids;
use domain::{
    Event, EventId, EventStatus, GuestLinkId, MediaId, Revision, is_content_shown_to_guests,
    is_shown_to_guests,
    time::{Millis, brasilia_day, end_of_day, parse_day, start_of_day},
};
use gateway::{Code, Context, Error, Result};
use identity::guest_link::refusal_of_link;
use store::{
    events::{self, Filter},
    guest_links::{self, GuestLink},
    media,
};

/// Maximum number of pieces that a guest sees: the pieces with the earliest dates.
const MOST_PIECES: usize = 300;
/// The number of pieces to read: one more than the maximum, to find out whether there are more.
const PROBE: i64 = 301;

/// Returns the month of an instant in Brasília: `2026-11`.
fn brasilia_month(instant: Millis) -> String {
    brasilia_day(instant).strftime("%Y-%m").to_string()
}

/// Returns the id of the link of the calling guest.
fn calling_link(ctx: &Context<'_>) -> Result<GuestLinkId> {
    let guest = ctx.caller()?.guest();
    let guest = guest.ok_or_else(|| Error::internal("a member called an operation of guests"))?;
    Ok(guest.link_id.clone())
}

/// Loads the pieces that the link of the calling guest shows, in the order of the agenda, and returns
/// whether there are more pieces. Leaves out pieces that the creator of the link may not see.
pub(crate) async fn load_pieces(ctx: &Context<'_>) -> Result<(Vec<Event>, bool)> {
    let db = ctx.db();
    let link = guest_links::require(&db, &calling_link(ctx)?).await?;
    let ids = match &link.project_id {
        Some(project_id) => load_project_event_ids(&db, project_id).await?,
        None => {
            let mut ids = guest_links::load_event_ids(&db, [&link.id]).await?;
            ids.remove(&link.id).unwrap_or_default()
        }
    };
    let member = &ctx.caller()?.member;
    let month = link.month.as_deref().and_then(brasilia_month_span);
    let shown = EventStatus::ALL.iter().copied();
    let filter = Filter {
        visible_to: (!member.sees_all_events()).then(|| member.id.clone()),
        statuses: shown.filter(|one| is_shown_to_guests(*one)).collect(),
        only: Some(ids),
        from: month.map(|(from, _)| from),
        until: month.map(|(_, until)| until),
        ..Filter::default()
    };
    let mut pieces = events::list(&db, filter, PROBE).await?;
    let is_cut = pieces.len() > MOST_PIECES;
    pieces.truncate(MOST_PIECES);
    // The filter only reduces the number of rows read; this check decides which pieces are shown.
    pieces.retain(|piece| piece.is_visible_to(member) && is_shown(&link, piece));
    Ok((pieces, is_cut))
}

/// Returns the first instant of a month in Brasília, and the first instant after the month.
fn brasilia_month_span(month: &str) -> Option<(Millis, Millis)> {
    let first = parse_day(&format!("{month}-01"))?;
    Some((start_of_day(first), end_of_day(first.last_of_month())))
}

/// Finds a piece that the link of the calling guest shows. Refuses (404) a piece that does not exist or
/// that the link does not show.
pub(crate) async fn require_piece(ctx: &Context<'_>, id: &EventId) -> Result<Event> {
    let link = guest_links::require(&ctx.db(), &calling_link(ctx)?).await?;
    let piece = find_piece_in(ctx, &link, id).await?;
    piece.ok_or_else(|| Error::not_found("peça"))
}

/// Finds a piece like [`require_piece`], for a write. Also refuses (401) a link that has ended since the
/// guest was authenticated. Locks the link, so that it cannot end before the transaction does.
pub(crate) async fn require_piece_to_change(ctx: &Context<'_>, id: &EventId) -> Result<Event> {
    let (db, link_id) = (ctx.db(), calling_link(ctx)?);
    guest_links::lock(&db, &link_id).await?;
    let link = guest_links::require(&db, &link_id).await?;
    if let Some(refusal) = refusal_of_link(&link, ctx.now) {
        return Err(refusal);
    }
    let piece = find_piece_in(ctx, &link, id).await?;
    piece.ok_or_else(|| Error::not_found("peça"))
}

/// Finds one piece that the link shows.
async fn find_piece_in(ctx: &Context<'_>, link: &GuestLink, id: &EventId) -> Result<Option<Event>> {
    let db = ctx.db();
    let member = &ctx.caller()?.member;
    let piece = events::find(&db, id).await?;
    let piece = piece.filter(|piece| piece.is_visible_to(member) && is_shown(link, piece));
    let Some(piece) = piece else {
        return Ok(None);
    };
    let holds = match &link.project_id {
        Some(project_id) => load_project_event_ids(&db, project_id).await?.contains(id),
        None => guest_links::has_event(&db, &link.id, id).await?,
    };
    Ok(holds.then_some(piece))
}

/// True if the link of the calling guest shows a piece with this medium, and guests see the content of
/// this piece.
pub(crate) async fn shows_medium(ctx: &Context<'_>, id: &MediaId) -> Result<bool> {
    let attachments = media::list_attachments(&ctx.db(), std::slice::from_ref(id)).await?;
    if attachments.is_empty() {
        return Ok(false);
    }
    let link = guest_links::require(&ctx.db(), &calling_link(ctx)?).await?;
    for (_, event_id) in &attachments {
        let piece = find_piece_in(ctx, &link, event_id).await?;
        if piece.is_some_and(|piece| is_content_shown_to_guests(piece.status)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Refuses (409) a guest who saw a revision that is not the current revision of the piece. The refusal
/// does not say what has changed, because the change may be a draft.
pub(crate) fn require_seen_revision(piece: &Event, seen: Revision) -> Result<()> {
    match piece.api_revision == seen {
        true => Ok(()),
        false => Err(stale_error(json!(piece.api_revision))),
    }
}

/// Builds the refusal of a guest who saw an earlier revision than `current`, the current revision of the
/// piece.
fn stale_error(current: impl Into<Value>) -> Error {
    Error::new(Code::STALE_REVISION)
        .because("A peça mudou depois que você a abriu.")
        .with_detail(
            "next",
            "Abra o link de novo e veja a peça como está.".into(),
        )
        .with_detail("current_revision", current.into())
}

/// Rebuilds the refusal of a stale revision without the list of changes, for a guest.
pub(crate) fn hide_changes(refusal: &Error) -> Error {
    let details = refusal.body().details.unwrap_or_default();
    stale_error(details.get("current_revision").cloned().unwrap_or_default())
}

fn is_shown(link: &GuestLink, piece: &Event) -> bool {
    let in_month = link
        .month
        .as_ref()
        .is_none_or(|month| piece.due_at.map(brasilia_month).as_ref() == Some(month));
    in_month && is_shown_to_guests(piece.status)
}
