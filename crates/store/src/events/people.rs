//! The creator and the assignees of events, with the sort and filter columns of their lists.

use std::collections::BTreeMap;

use domain::{Event, MemberId};

use crate::{Bind, Conn, Result, many::bind_rows};

pub(super) async fn insert(db: &Conn<'_>, event: &Event) -> Result<()> {
    let people = members_of(event).into_iter().map(|(member, is_assigned)| {
        [
            event.id.value(),
            member.value(),
            event.agenda_sort_key().into(),
            event.status.is_open().into(),
            is_assigned.into(),
        ]
    });
    let (rows, values) = bind_rows(people);
    let sql = format!(
        "INSERT INTO event_people (event_id, member_id, agenda_at, is_open, is_assigned)
         VALUES {rows}"
    );
    Ok(db.run_later(&sql, values).await?)
}

/// Rewrites the rows of the event if the change of the event changes any of these rows.
pub(super) async fn update(db: &Conn<'_>, before: &Event, after: &Event) -> Result<()> {
    let state = |event: &Event| (event.agenda_sort_key(), event.status.is_open());
    if state(before) == state(after) && members_of(before) == members_of(after) {
        return Ok(());
    }
    let sql = "DELETE FROM event_people WHERE event_id = $1";
    db.run_later(sql, [before.id.value()]).await?;
    insert(db, after).await
}

/// Returns the members of an event, with `true` for assignees.
fn members_of(event: &Event) -> BTreeMap<&MemberId, bool> {
    let assignees = event.assignees.iter().map(|(member, _)| (member, true));
    let mut people = BTreeMap::from([(&event.created_by, false)]);
    people.extend(assignees);
    people
}
