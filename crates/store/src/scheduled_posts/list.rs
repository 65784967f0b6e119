//! Lists of publications of variants.

use domain::{EventId, MemberId, PostState as State, PublicationId, time::Millis};

use super::ScheduledPost;
use crate::{Conn, Result, conditions::Conditions};

/// The filter of a list of publications of variants.
#[derive(Debug, Default)]
pub struct Filter {
    pub id: Option<PublicationId>,
    pub event_id: Option<EventId>,
    /// Only these states; every state if the list is empty.
    pub states: Vec<State>,
    /// Only publications that wait for their hour or for a person.
    pub is_waiting: bool,
    /// Only publications of pieces that this member may see.
    pub visible_to: Option<MemberId>,
    /// Only publications after this position (due_at, id).
    pub after: Option<(Millis, PublicationId)>,
}

/// Lists the publications that match the filter, ordered by their hour, at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<ScheduledPost>> {
    let mut query = Conditions::default();
    query.and("p.variant_id IS NOT NULL");
    if let Some(id) = filter.id {
        let id = query.bind(String::from(id));
        query.and(&format!("p.id = {id}"));
    }
    if let Some(id) = filter.event_id {
        let id = query.bind(String::from(id));
        query.and(&format!("p.event_id = {id}"));
    }
    if !filter.states.is_empty() {
        let states = filter.states.iter().map(|state| query.bind(state.as_str()));
        let states = states.collect::<Vec<_>>().join(", ");
        query.and(&format!("p.state IN ({states})"));
    }
    if filter.is_waiting {
        // The first condition repeats the condition of an index. A failed publication no longer waits
        // for a person if its piece is no longer approved, or a later publication with the same guard
        // exists.
        query.and("(p.open = 1 OR p.state = 'failed')");
        query.and(
            "(p.open = 1 OR (
                EXISTS (SELECT 1 FROM events e WHERE e.id = p.event_id AND e.status = 'aprovado')
                AND NOT EXISTS (SELECT 1 FROM publications o WHERE o.event_id = p.event_id
                    AND o.guard = p.guard AND (o.created_at, o.id) > (p.created_at, p.id))))",
        );
    }
    if let Some(member) = filter.visible_to {
        let id = query.bind(String::from(member));
        query.and(&format!(
            "EXISTS (SELECT 1 FROM event_people v
              WHERE v.event_id = p.event_id AND v.member_id = {id})"
        ));
    }
    if let Some((at, id)) = filter.after {
        let (at, id) = (query.bind(at), query.bind(String::from(id)));
        query.and(&format!("(p.due_at, p.id) > ({at}, {id})"));
    }
    let limit = query.bind(probe);
    let sql = format!(
        "SELECT p.* FROM publications p WHERE {} ORDER BY p.due_at, p.id LIMIT {limit}",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    let rows = rows.iter().map(crate::Row::read);
    Ok(rows.collect::<Result<_, _>>()?)
}
