//! Removes notifications whose resource the member may no longer see when the notifications are sent or
//! listed.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    conversation::REMARK,
    guests::GUEST_LINK,
    publishing::{CONNECTION, PUBLICATION},
    visibility::EVENT,
    webhooks::WEBHOOK,
};
use domain::{EventId, Member, RemarkId};
use gateway::{Resource, Result};
use identity::authorization::AGENT;
use store::{Conn, events, notifications::Listed, remarks};

/// The detail with the id of the remark of a notification.
pub(super) const REMARK_ID: &str = "comentario";

/// The kinds of resources of notifications, apart from pieces and their remarks.
const OTHERS: [Resource; 5] = [PUBLICATION, CONNECTION, AGENT, GUEST_LINK, WEBHOOK];

/// Removes the notifications of resources that the member may no longer see. Pieces and remarks are read
/// with one query each.
pub(super) async fn retain_visible(
    db: &Conn<'_>,
    member: &Member,
    rows: &mut Vec<Listed>,
) -> Result<()> {
    let ids: HashSet<&EventId> = rows
        .iter()
        .filter_map(|row| row.event_id.as_ref())
        .collect();
    let events = events::find_all(db, ids.into_iter()).await?.into_iter();
    let seen = events.filter(|event| event.is_visible_to(member));
    let seen: HashSet<EventId> = seen.map(|event| event.id).collect();
    let hidden = find_hidden_remarks(db, member, rows).await?;
    let mut kept = vec![];
    for row in std::mem::take(rows) {
        let is_seen = match (&row.event_id, row.subject.split_once(':')) {
            (Some(event), _) => {
                let remark = read_remark_id(&row);
                seen.contains(event) && remark.is_none_or(|id| !hidden.contains(&id))
            }
            (None, Some((kind, id))) => {
                let mut others = OTHERS.into_iter();
                match others.find(|resource| resource.kind == kind) {
                    Some(resource) => resource.is_visible_to(*db, member, id).await?,
                    // A notification of a piece or a remark has no piece if the piece was deleted.
                    None => kind != EVENT.kind && kind != REMARK.kind,
                }
            }
            // A summary names no resource.
            (None, None) => true,
        };
        if is_seen {
            kept.push(row);
        }
    }
    *rows = kept;
    Ok(())
}

/// Finds the remarks of these notifications that the member may not see although they may see the piece:
/// remarks on e-mail drafts, and removed remarks.
async fn find_hidden_remarks(
    db: &Conn<'_>,
    member: &Member,
    rows: &[Listed],
) -> Result<HashSet<RemarkId>> {
    let ids: HashSet<RemarkId> = rows.iter().filter_map(read_remark_id).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let found = remarks::find_not_removed(db, &ids, member.sees_email_drafts()).await?;
    Ok(ids.difference(&found).cloned().collect())
}

fn read_remark_id(row: &Listed) -> Option<RemarkId> {
    let details: Value = serde_json::from_str(&row.details).ok()?;
    details[REMARK_ID].as_str().map(Into::into)
}
