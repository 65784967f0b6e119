//! Lists and counts of a member's notifications. Omits notifications of pieces that the member no longer
//! sees.

use domain::{
    EventId, EventStatus, MailId, Member, MemberId, NotificationId, NotificationKind, PushId,
    time::Millis,
};

use crate::{Bind, Conn, Result, Row, conditions::Conditions, variants::UNDECIDED};

/// The largest count. A count of this size means "this many or more".
const MOST: i64 = 100;

/// Selects the unread listed notifications of the member, whose id is `$1`. The index
/// `notifications_unread` contains all columns that this query reads.
pub(crate) fn select_unread(member: &Member) -> String {
    let kinds = NotificationKind::all_of(member).into_iter();
    let kinds: Vec<String> = kinds.map(|kind| format!("'{}'", kind.as_str())).collect();
    let seen = match member.sees_all_events() {
        true => "",
        false => {
            " AND (n.event_id IS NULL OR EXISTS (SELECT 1 FROM event_people p
                WHERE p.event_id = n.event_id AND p.member_id = n.member_id))"
        }
    };
    format!(
        "SELECT 1 FROM notifications n
         WHERE n.member_id = $1 AND n.read_at IS NULL AND n.is_listed AND n.kind IN ({}){seen}",
        kinds.join(", ")
    )
}

/// The filter of a list of notifications.
#[derive(Debug)]
pub struct Filter<'a> {
    pub member_id: &'a MemberId,
    /// True if the member sees all pieces.
    pub sees_all: bool,
    pub only_unread: bool,
    /// True if unlisted notifications are omitted.
    pub only_listed: bool,
    /// Only these kinds; every kind if the list is empty.
    pub kinds: &'a [NotificationKind],
    /// Only notifications in this e-mail.
    pub mail_id: Option<&'a MailId>,
    /// Only notifications in this push.
    pub push_id: Option<&'a PushId>,
    /// Only notifications after this position, newest first.
    pub after: Option<(Millis, NotificationId)>,
}

/// A notification in a list, with the current names of people, agents and pieces.
#[derive(Debug)]
pub struct Listed {
    pub id: NotificationId,
    pub kind: NotificationKind,
    /// The kind and the id of the resource; empty for a summary.
    pub subject: String,
    pub event_id: Option<EventId>,
    pub event_title: Option<String>,
    pub event_status: Option<EventStatus>,
    /// True if the notification asks for a decision and a variant of the piece is neither approved nor
    /// refused. The variant waits for a decision only if the piece is approved.
    pub has_undecided_variants: bool,
    pub actor_id: Option<MemberId>,
    pub actor_name: Option<String>,
    pub guest_name: Option<String>,
    /// The name of the agent or token with which the member acted.
    pub agent: Option<String>,
    pub auth_method: String,
    /// The details as JSON.
    pub details: String,
    pub changes: i64,
    pub occurred_at: Millis,
    pub read_at: Option<Millis>,
    pub last_position: i64,
}

/// Selects notifications. `{undecided}` is the condition that a variant waits for a decision, and
/// `{awaited}` the kind of notification that asks for a decision.
const SELECT: &str = "
SELECT n.id, n.kind, n.subject, n.event_id, e.title AS event_title, e.status AS event_status,
    n.kind = '{awaited}' AND EXISTS (SELECT 1 FROM event_variants v
        WHERE v.event_id = n.event_id AND {undecided}) AS undecided,
    n.actor_id, m.name AS actor_name, w.guest_name, COALESCE(g.client_name, t.label) AS agent,
    n.auth_method, n.details, n.changes, n.occurred_at, n.read_at, n.last_position
FROM notifications n
LEFT JOIN events e ON e.id = n.event_id
LEFT JOIN members m ON m.id = n.actor_id
LEFT JOIN guest_links w ON w.id = n.credential_id
LEFT JOIN agents g ON g.id = n.credential_id
LEFT JOIN personal_tokens t ON t.id = n.credential_id
WHERE ";

/// Lists a member's notifications, newest first; at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter<'_>, probe: i64) -> Result<Vec<Listed>> {
    let mut query = build_conditions(&filter);
    let limit = query.bind(probe);
    let select = SELECT
        .replace("{undecided}", UNDECIDED)
        .replace("{awaited}", NotificationKind::Awaited.as_str());
    let sql = format!(
        "{select} {} ORDER BY n.occurred_at DESC, n.id DESC LIMIT {limit} + 0",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    rows.iter().map(read_listed).collect()
}

fn build_conditions(filter: &Filter<'_>) -> Conditions {
    let mut query = Conditions::default();
    let member = query.bind(filter.member_id.value());
    query.and(&format!("n.member_id = {member}"));
    if filter.only_unread {
        query.and("n.read_at IS NULL");
    }
    if filter.only_listed {
        query.and("n.is_listed");
    }
    if !filter.sees_all {
        query.and(
            "(n.event_id IS NULL OR EXISTS (SELECT 1 FROM event_people p
              WHERE p.event_id = n.event_id AND p.member_id = n.member_id))",
        );
    }
    if !filter.kinds.is_empty() {
        let kinds = filter.kinds.iter();
        let kinds: Vec<String> = kinds.map(|kind| query.bind(kind.as_str())).collect();
        query.and(&format!("n.kind IN ({})", kinds.join(", ")));
    }
    if let Some(mail) = filter.mail_id {
        let mail = query.bind(mail.value());
        query.and(&format!("n.mail_id = {mail}"));
    }
    if let Some(push) = filter.push_id {
        let push = query.bind(push.value());
        query.and(&format!("n.push_id = {push}"));
    }
    if let Some((instant, id)) = &filter.after {
        let (instant, id) = (query.bind(*instant), query.bind(id.value()));
        query.and(&format!("(n.occurred_at, n.id) < ({instant}, {id})"));
    }
    query
}

fn read_listed(row: &Row) -> Result<Listed> {
    let kind: String = row.try_get("", "kind")?;
    let status: Option<String> = row.try_get("", "event_status")?;
    let id = |name| row.try_get::<Option<String>>("", name);
    Ok(Listed {
        id: row.try_get("", "id")?,
        kind: kind.parse().map_err(domain::Error::internal)?,
        subject: row.try_get("", "subject")?,
        event_id: id("event_id")?.and_then(EventId::from_stored),
        event_title: row.try_get("", "event_title")?,
        event_status: status
            .map(|status| status.parse().map_err(domain::Error::internal))
            .transpose()?,
        has_undecided_variants: row.try_get("", "undecided")?,
        actor_id: id("actor_id")?.and_then(MemberId::from_stored),
        actor_name: row.try_get("", "actor_name")?,
        guest_name: row.try_get("", "guest_name")?,
        agent: row.try_get("", "agent")?,
        auth_method: row.try_get("", "auth_method")?,
        details: row.try_get("", "details")?,
        changes: row.try_get("", "changes")?,
        occurred_at: row.try_get("", "occurred_at")?,
        read_at: row.try_get("", "read_at")?,
        last_position: row.try_get("", "last_position")?,
    })
}

/// Counts a member's unread notifications up to 100, with one read of an index.
pub async fn count_unread(db: &Conn<'_>, member: &Member) -> Result<i64> {
    let unread = select_unread(member);
    let sql = format!("SELECT count(*) AS unread FROM ({unread} LIMIT $2 + 0) unread");
    let row = db.fetch_one(&sql, [member.id.value(), MOST.into()]).await?;
    Ok(row
        .map(|row| row.try_get("", "unread"))
        .transpose()?
        .unwrap_or(0))
}
