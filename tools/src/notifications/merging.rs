//! Plans the notifications of a batch of changes: changes of one piece are merged, and changes of many
//! pieces become a summary.

use std::collections::BTreeMap;

use super::recipients::Told;
use domain::{
    MemberId, NotificationId, NotificationKind,
    time::{MINUTE, Millis},
};
use store::notifications::{NewNotification, Recent};

/// Changes of one piece within this time become one notification.
pub(super) const WINDOW: Millis = 10 * MINUTE;
/// The maximum number of notifications of one kind within the window. Further changes become a summary.
const MOST: usize = 20;

/// A planned notification. With an id, its changes are added to this existing notification; without an
/// id, it is new.
pub(super) type Planned = (Option<NotificationId>, NewNotification);

/// Groups the changes by member and kind. Each group is in the order of the positions.
pub(super) fn group_by_member_and_kind(
    told: &[Told],
) -> BTreeMap<(&MemberId, NotificationKind), Vec<&Told>> {
    let mut groups: BTreeMap<_, Vec<&Told>> = BTreeMap::new();
    for one in told {
        let group = groups.entry((&one.member_id, one.kind)).or_default();
        group.push(one);
    }
    groups
}

/// Plans the notifications of one member and kind. `recent` are the recent notifications that the member
/// already has of this kind.
pub(super) fn plan_notifications(told: &[&Told], recent: &[Recent]) -> Vec<Planned> {
    // Rows are processed in the order of their positions, so changes up to the last position were
    // already processed.
    let last = recent.iter().map(|one| one.last_position).max();
    let told = told.iter().copied();
    let told: Vec<&Told> = told
        .filter(|one| last.is_none_or(|last| one.position > last))
        .collect();
    let is_storm = has_too_many_subjects(&told, recent);
    let mut planned: Vec<Planned> = vec![];
    for one in told {
        let open = find_mergeable_notification(recent, &one.subject, one.occurred_at);
        let subject = match is_storm && open.is_none() {
            true => "",
            false => &one.subject,
        };
        let open = find_mergeable_notification(recent, subject, one.occurred_at)
            .map(|open| open.id.clone());
        let same = |(id, new): &&mut Planned| {
            let is_open = id.is_some() || one.occurred_at - new.begun_at < WINDOW;
            new.subject == subject && *id == open && is_open
        };
        match planned.iter_mut().find(same) {
            Some((_, new)) => add_change(new, one),
            None => planned.push((open, start_notification(one, subject))),
        }
    }
    planned
}

/// True if the changes and the recent notifications are about too many pieces, so that new notifications
/// become a summary.
fn has_too_many_subjects(told: &[&Told], recent: &[Recent]) -> bool {
    let Some(first) = told.first() else {
        return false;
    };
    let is_recent = |one: &&Recent| first.occurred_at - one.begun_at < WINDOW;
    let mut subjects: Vec<&str> = recent
        .iter()
        .filter(is_recent)
        .map(|one| one.subject.as_str())
        .chain(told.iter().map(|one| one.subject.as_str()))
        .collect();
    let has_summary = subjects.contains(&"");
    subjects.sort_unstable();
    subjects.dedup();
    has_summary || subjects.len() > MOST
}

/// Finds the unread notification of this subject to which a change at this instant is added. Skips a
/// notification that is already in an e-mail, because a change added to it would not be sent by e-mail.
fn find_mergeable_notification<'r>(
    recent: &'r [Recent],
    subject: &str,
    at: Millis,
) -> Option<&'r Recent> {
    let is_open = |one: &&Recent| one.is_unread && !one.is_mailed && at - one.begun_at < WINDOW;
    let mut recent = recent.iter().filter(is_open);
    recent.find(|one| one.subject == subject)
}

fn start_notification(told: &Told, subject: &str) -> NewNotification {
    let is_summary = subject.is_empty();
    NewNotification {
        member_id: told.member_id.clone(),
        kind: told.kind,
        subject: subject.to_owned(),
        event_id: told.event_id.clone().filter(|_| !is_summary),
        revision: told.revision.filter(|_| !is_summary),
        actor: told.actor.clone(),
        details: match is_summary {
            true => "{}".into(),
            false => told.details.clone(),
        },
        changes: 1,
        begun_at: told.occurred_at,
        occurred_at: told.occurred_at,
        first_position: told.position,
        last_position: told.position,
        is_listed: true,
        mail_due_at: None,
        push_due_at: None,
    }
}

fn add_change(new: &mut NewNotification, told: &Told) {
    let next = start_notification(told, &new.subject);
    *new = NewNotification {
        changes: new.changes + 1,
        begun_at: new.begun_at,
        first_position: new.first_position,
        ..next
    };
}
