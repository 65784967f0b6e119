//! Links with which guests see pieces.

use std::collections::HashMap;

use super::{Bind, Conn, Row, columns, conditions::Conditions, many::bind_rows, members};
use crate::Result;
use domain::{Error, EventId, GuestLinkId, GuestRight, Member, MemberId, ProjectId, time::Millis};

/// A link, without its secret.
#[derive(Debug, Clone)]
pub struct GuestLink {
    pub id: GuestLinkId,
    pub guest_name: String,
    /// An e-mail address or a telephone number.
    pub contact: String,
    pub right: GuestRight,
    /// The keyed hash of the code that the link asks for; `None` if the link asks for none.
    pub code_mac: Option<String>,
    /// The project whose pieces of `month` the link shows; `None` for a link with a list of pieces.
    pub project_id: Option<ProjectId>,
    /// A month in Brasília time: `2026-11`.
    pub month: Option<String>,
    /// The member who created the link.
    pub member_id: MemberId,
    pub member_name: String,
    pub created_at: Millis,
    pub expires_at: Millis,
    /// When the link was last opened. Link previews of chat programs also count as opening.
    pub opened_at: Option<Millis>,
    pub revoked_at: Option<Millis>,
    pub revoked_by_name: Option<String>,
    /// The number of wrong codes entered for the link. A correct code subtracts the recent attempts from the
    /// same network.
    pub wrong_codes: i64,
}

const SELECT: &str = "
SELECT l.id, l.guest_name, l.contact, l.guest_right, l.code_mac, l.project_id, l.month,
    l.member_id, m.name AS member_name, l.created_at, l.expires_at, l.opened_at, l.revoked_at,
    r.name AS revoked_by_name, l.wrong_codes
FROM guest_links l
JOIN members m ON m.id = l.member_id
LEFT JOIN members r ON r.id = l.revoked_by
WHERE ";

fn read_link(row: &Row) -> Result<GuestLink> {
    let right: String = row.try_get("", "guest_right")?;
    let text = |name: &str| row.try_get::<String>("", name);
    Ok(GuestLink {
        id: row.try_get("", "id")?,
        guest_name: text("guest_name")?,
        contact: text("contact")?,
        right: right.parse().map_err(Error::internal)?,
        code_mac: row.try_get("", "code_mac")?,
        project_id: row.try_get("", "project_id")?,
        month: row.try_get("", "month")?,
        member_id: row.try_get("", "member_id")?,
        member_name: text("member_name")?,
        created_at: row.try_get("", "created_at")?,
        expires_at: row.try_get("", "expires_at")?,
        opened_at: row.try_get("", "opened_at")?,
        revoked_at: row.try_get("", "revoked_at")?,
        revoked_by_name: row.try_get("", "revoked_by_name")?,
        wrong_codes: row.try_get("", "wrong_codes")?,
    })
}

const INSERT: &str = "
INSERT INTO guest_links (id, secret_sha256, guest_name, contact, guest_right, code_mac, project_id,
    month, member_id, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// Inserts a link with the hash of its secret and the pieces that it shows.
pub async fn insert(
    db: &Conn<'_>,
    link: &GuestLink,
    secret_sha256: &str,
    events: impl IntoIterator<Item = &EventId>,
) -> Result<()> {
    let values = [
        link.id.value(),
        secret_sha256.into(),
        link.guest_name.as_str().into(),
        link.contact.as_str().into(),
        link.right.as_str().into(),
        link.code_mac.clone().into(),
        link.project_id
            .as_ref()
            .map(|id| id.as_str().to_owned())
            .into(),
        link.month.clone().into(),
        link.member_id.value(),
        link.created_at.into(),
        link.expires_at.into(),
    ];
    db.run_later(INSERT, values).await?;
    let events = events.into_iter();
    let (rows, values) = bind_rows(events.map(|event| [link.id.value(), event.value()]));
    if !values.is_empty() {
        let sql = format!("INSERT INTO guest_link_events (link_id, event_id) VALUES {rows}");
        db.run_later(&sql, values).await?;
    }
    Ok(())
}

/// Finds a link, and the member who created it, by the hash of its secret.
pub async fn find_by_secret(
    db: &Conn<'_>,
    secret_sha256: &str,
) -> Result<Option<(GuestLink, Member)>> {
    let sql = format!("{SELECT} l.secret_sha256 = $1");
    let Some(row) = db.fetch_one(&sql, [secret_sha256.into()]).await? else {
        return Ok(None);
    };
    let link = read_link(&row)?;
    let member = members::find(db, &link.member_id).await?;
    Ok(member.map(|member| (link, member)))
}

/// Finds a link. Returns an error (404) if there is none.
pub async fn require(db: &Conn<'_>, id: &GuestLinkId) -> Result<GuestLink> {
    let sql = format!("{SELECT} l.id = $1");
    let row = db.fetch_one(&sql, [id.value()]).await?;
    let row = row.ok_or_else(|| Error::not_found_in("link de convidado", "list_guest_links"))?;
    read_link(&row)
}

/// Locks a link until the end of the transaction, so that nobody revokes it meanwhile. SQLite has a
/// single writer.
pub async fn lock(db: &Conn<'_>, id: &GuestLinkId) -> Result<()> {
    if !db.is_sqlite() {
        let sql = "SELECT id FROM guest_links WHERE id = $1 FOR SHARE";
        db.fetch_one(sql, [id.value()]).await?;
    }
    Ok(())
}

/// The filter of a list of links.
#[derive(Debug, Default)]
pub struct Filter {
    /// Only links that are valid at this instant.
    pub in_force_at: Option<Millis>,
    /// Only links whose list of pieces contains this piece.
    pub event_id: Option<EventId>,
    /// Only links before this position (created_at, id).
    pub before: Option<(Millis, GuestLinkId)>,
}

/// Lists links, the newest first; at most `probe`.
pub async fn list(db: &Conn<'_>, filter: &Filter, probe: i64) -> Result<Vec<GuestLink>> {
    let mut query = Conditions::default();
    query.and("TRUE");
    if let Some(now) = filter.in_force_at {
        let now = query.bind(now);
        query.and(&format!("l.revoked_at IS NULL AND l.expires_at > {now}"));
    }
    if let Some(event_id) = &filter.event_id {
        let id = query.bind(event_id.value());
        query.and(&format!(
            "l.id IN (SELECT e.link_id FROM guest_link_events e WHERE e.event_id = {id})"
        ));
    }
    if let Some((created_at, id)) = &filter.before {
        let (created_at, id) = (query.bind(*created_at), query.bind(id.value()));
        query.and(&format!("(l.created_at, l.id) < ({created_at}, {id})"));
    }
    let limit = query.bind(probe);
    let sql = format!(
        "{SELECT} {} ORDER BY l.created_at DESC, l.id DESC LIMIT {limit} + 0",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    rows.iter().map(read_link).collect()
}

/// Returns the number of valid links.
pub async fn count_in_force(db: &Conn<'_>, now: Millis) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM guest_links WHERE revoked_at IS NULL AND expires_at > $1";
    let row = db.fetch_one(sql, [now.into()]).await?;
    Ok(row
        .map(|row| row.try_get("", "n"))
        .transpose()?
        .unwrap_or(0))
}

struct Shown {
    link_id: GuestLinkId,
    event_id: EventId,
}

columns!(Shown { link_id, event_id });

/// Loads the listed pieces of these links, by link.
pub async fn load_event_ids(
    db: &Conn<'_>,
    links: impl IntoIterator<Item = &GuestLinkId>,
) -> Result<HashMap<GuestLinkId, Vec<EventId>>> {
    let links: Vec<_> = links.into_iter().map(Bind::value).collect();
    if links.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=links.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT link_id, event_id FROM guest_link_events WHERE link_id IN ({})
         ORDER BY link_id, event_id",
        places.join(", ")
    );
    let mut ids: HashMap<GuestLinkId, Vec<EventId>> = HashMap::new();
    for row in db.fetch_all(&sql, links).await? {
        let shown: Shown = row.read()?;
        ids.entry(shown.link_id).or_default().push(shown.event_id);
    }
    Ok(ids)
}

/// Revokes a link. Returns `false` if the link was already revoked.
pub async fn revoke(
    db: &Conn<'_>,
    id: &GuestLinkId,
    member: &MemberId,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE guest_links SET revoked_at = $2, revoked_by = $3
               WHERE id = $1 AND revoked_at IS NULL";
    let values = [id.value(), now.into(), member.value()];
    Ok(db.run(sql, values).await? == 1)
}

/// Counts a wrong code of a link, and revokes the link when `most` wrong codes are counted. Returns
/// whether this call has revoked the link.
pub async fn count_wrong_code(
    db: &Conn<'_>,
    id: &GuestLinkId,
    most: i64,
    now: Millis,
) -> Result<bool> {
    let sql = "UPDATE guest_links SET wrong_codes = wrong_codes + 1 WHERE id = $1";
    db.run(sql, [id.value()]).await?;
    let sql = "UPDATE guest_links SET revoked_at = $2
               WHERE id = $1 AND revoked_at IS NULL AND wrong_codes >= $3";
    Ok(db.run(sql, [id.value(), now.into(), most.into()]).await? == 1)
}

/// Subtracts `given` from the wrong codes of a link, because the guest of the link entered them by
/// mistake.
pub async fn forgive_wrong_codes(db: &Conn<'_>, id: &GuestLinkId, given: i64) -> Result<()> {
    let sql = "UPDATE guest_links
               SET wrong_codes = CASE WHEN wrong_codes > $2 THEN wrong_codes - $2 ELSE 0 END
               WHERE id = $1";
    Ok(db.run_later(sql, [id.value(), given.into()]).await?)
}

/// Revokes all links that a member has created.
pub async fn revoke_all_of(
    db: &Conn<'_>,
    maker: &MemberId,
    revoked_by: &MemberId,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE guest_links SET revoked_at = $2, revoked_by = $3
               WHERE member_id = $1 AND revoked_at IS NULL";
    let values = [maker.value(), now.into(), revoked_by.value()];
    Ok(db.run_later(sql, values).await?)
}

/// True if the list of pieces of a link contains this piece.
pub async fn has_event(db: &Conn<'_>, id: &GuestLinkId, event_id: &EventId) -> Result<bool> {
    let sql = "SELECT 1 AS n FROM guest_link_events WHERE link_id = $1 AND event_id = $2";
    let row = db.fetch_one(sql, [id.value(), event_id.value()]).await?;
    Ok(row.is_some())
}

/// Records when a link was last opened.
pub async fn set_opened(db: &Conn<'_>, id: &GuestLinkId, at: Millis) -> Result<()> {
    let sql = "UPDATE guest_links SET opened_at = $2
               WHERE id = $1 AND (opened_at IS NULL OR opened_at < $2)";
    Ok(db.run_later(sql, [id.value(), at.into()]).await?)
}
