//! Remarks on pieces, in threads. The thread is the aggregate: its state is stored with its first
//! remark.
//!
//! Writers that count threads or remarks first lock the e-mail draft that a new or reopened thread is
//! about, and then the piece (`events::lock_event`). Writers that change several remarks lock them in
//! the order of their ids ([`lock_where`]).

mod list;
mod of_draft;

use std::collections::{HashMap, HashSet};

use sea_orm::Value;

use super::{Bind, Conn, columns, many::bind_rows};
use crate::Result;
use domain::{
    EventId, GuestLinkId, MemberId, RemarkId, Revision, TemplateId, TokenId, time::Millis,
};

pub use list::{Filter, ForGuests, State, list, list_for_guests, load_mentions};
pub use of_draft::{Passage, count_open_of_draft, list_passages, set_passages};

/// A remark with the names of the people who wrote and resolved it.
#[derive(Debug)]
pub struct Remark {
    pub id: RemarkId,
    pub event_id: EventId,
    /// The id of the first remark of the thread.
    pub thread_id: RemarkId,
    /// The author or, if a guest wrote the remark, the member in whose name the guest acts.
    pub author_id: MemberId,
    /// The name of the author or guest.
    pub author_name: String,
    /// The link of the guest who wrote the remark; `None` if a member wrote it.
    pub guest_link_id: Option<GuestLinkId>,
    /// True if guests see the thread.
    pub for_guests: bool,
    /// The name of the agent or token through which the remark came; `None` for a session.
    pub agent: Option<String>,
    /// Empty if the remark was removed.
    pub text: String,
    /// The anchor of the thread, as JSON, on its first remark; `None` if the thread is about the whole
    /// piece.
    pub anchor: Option<String>,
    /// The e-mail draft that the thread is about; `None` if it is about the piece.
    pub template_id: Option<TemplateId>,
    /// Where the passage of the thread begins in the current draft, on the first remark; `None` if the
    /// draft does not contain the passage.
    pub passage_at: Option<i64>,
    /// The revision of the piece that the author read.
    pub read_revision: Revision,
    pub created_at: Millis,
    pub edited_at: Option<Millis>,
    pub removed_at: Option<Millis>,
    /// When the thread was resolved. This field and the next four are only set on the first remark of a
    /// thread.
    pub resolved_at: Option<Millis>,
    pub resolved_by: Option<MemberId>,
    pub resolved_by_name: Option<String>,
    /// When a submission named the thread as answered.
    pub answered_at: Option<Millis>,
    /// The revision of the piece that this submission resulted in.
    pub answered_revision: Option<Revision>,
}

columns!(Remark {
    id,
    event_id,
    thread_id,
    author_id,
    author_name,
    guest_link_id,
    for_guests,
    agent,
    text,
    anchor,
    template_id,
    passage_at,
    read_revision,
    created_at,
    edited_at,
    removed_at,
    resolved_at,
    resolved_by,
    resolved_by_name,
    answered_at,
    answered_revision,
});

impl Remark {
    /// True if the remark begins its thread.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.id == self.thread_id
    }
}

/// The columns of [`Remark`]. `h` is the first remark of the thread.
const SELECT: &str = "
SELECT r.id, r.event_id, r.thread_id, r.author_id,
    COALESCE(w.guest_name, a.name) AS author_name, r.guest_link_id, r.for_guests,
    COALESCE(g.client_name, t.label) AS agent, r.text, r.anchor,
    r.template_id, r.passage_at, r.read_revision, r.created_at,
    r.edited_at, r.removed_at, r.resolved_at, r.resolved_by, s.name AS resolved_by_name,
    r.answered_at, r.answered_revision
FROM remarks r
JOIN remarks h ON h.id = r.thread_id
JOIN members a ON a.id = r.author_id
LEFT JOIN guest_links w ON w.id = r.guest_link_id
LEFT JOIN members s ON s.id = r.resolved_by
LEFT JOIN agents g ON g.id = r.token_id
LEFT JOIN personal_tokens t ON t.id = r.token_id
WHERE ";

/// The condition that the thread of the row `{row}` has a remark that was not removed.
const HAS_REMARKS: &str = "EXISTS (SELECT 1 FROM remarks l
    WHERE l.thread_id = {row}.thread_id AND l.removed_at IS NULL)";

/// A remark to insert.
pub struct NewRemark<'a> {
    pub id: &'a RemarkId,
    pub event_id: &'a EventId,
    pub thread_id: &'a RemarkId,
    pub author_id: &'a MemberId,
    pub guest_link_id: Option<&'a GuestLinkId>,
    /// True if guests see the thread. Equal for all remarks of a thread.
    pub for_guests: bool,
    pub token_id: Option<&'a TokenId>,
    pub text: &'a str,
    pub anchor: Option<String>,
    /// The e-mail draft that the thread is about. Equal for all remarks of a thread.
    pub template_id: Option<&'a TemplateId>,
    /// Where the passage begins in the draft.
    pub passage_at: Option<i64>,
    pub read_revision: Revision,
}

const INSERT: &str = "
INSERT INTO remarks (id, event_id, thread_id, author_id, token_id, text, anchor, read_revision,
    created_at, guest_link_id, for_guests, template_id, passage_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

/// Inserts a remark and the distinct members that it mentions.
pub async fn insert(
    db: &Conn<'_>,
    remark: NewRemark<'_>,
    mentions: impl IntoIterator<Item = &MemberId>,
    now: Millis,
) -> Result<()> {
    let values = [
        remark.id.value(),
        remark.event_id.value(),
        remark.thread_id.value(),
        remark.author_id.value(),
        remark.token_id.map(|id| id.as_str().to_owned()).into(),
        remark.text.into(),
        remark.anchor.into(),
        remark.read_revision.value(),
        now.into(),
        remark.guest_link_id.map(|id| id.as_str().to_owned()).into(),
        remark.for_guests.into(),
        remark.template_id.map(|id| id.as_str().to_owned()).into(),
        remark.passage_at.into(),
    ];
    db.run_later(INSERT, values).await?;
    let mentions = mentions.into_iter();
    let (rows, values) = bind_rows(mentions.map(|member| [remark.id.value(), member.value()]));
    if !values.is_empty() {
        let sql = format!("INSERT INTO remark_mentions (remark_id, member_id) VALUES {rows}");
        db.run_later(&sql, values).await?;
    }
    Ok(())
}

/// Finds a remark, removed or not, without a visibility check.
pub async fn find(db: &Conn<'_>, id: &RemarkId) -> Result<Option<Remark>> {
    let row = db
        .fetch_one(&format!("{SELECT} r.id = $1"), [id.value()])
        .await?;
    Ok(row.map(|row| row.read()).transpose()?)
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// The id of the first remark of the thread.
    pub id: RemarkId,
    /// True if guests see the thread.
    pub for_guests: bool,
    /// The e-mail draft that the thread is about.
    pub template_id: Option<TemplateId>,
}

/// Loads the threads of these remarks of a piece, by the ids of the remarks. Omits remarks of other
/// pieces, and threads whose remarks are all removed.
pub async fn load_threads(
    db: &Conn<'_>,
    event_id: &EventId,
    remarks: &[RemarkId],
) -> Result<HashMap<RemarkId, Thread>> {
    if remarks.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (2..remarks.len() + 2).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT r.id, r.thread_id, r.for_guests, r.template_id FROM remarks r WHERE r.event_id = $1 AND r.id IN ({}) AND {}",
        places.join(", "),
        HAS_REMARKS.replace("{row}", "r"),
    );
    let values = std::iter::once(event_id.value()).chain(remarks.iter().map(Bind::value));
    let rows = db.fetch_all(&sql, values).await?;
    rows.iter()
        .map(|row| {
            let thread = Thread {
                id: row.try_get("", "thread_id")?,
                for_guests: row.try_get("", "for_guests")?,
                template_id: row.try_get("", "template_id")?,
            };
            Ok((row.try_get("", "id")?, thread))
        })
        .collect()
}

/// The numbers of open threads of a piece, in total and answered by the last submission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub open: i64,
    pub answered: i64,
}

/// Counts the open threads of these pieces, with or without threads about e-mail drafts. Pieces without
/// an open thread are missing.
pub async fn count_open(
    db: &Conn<'_>,
    with_email_drafts: bool,
    events: impl IntoIterator<Item = &EventId>,
) -> Result<HashMap<EventId, Counts>> {
    let events: Vec<_> = events.into_iter().map(Bind::value).collect();
    if events.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=events.len()).map(|n| format!("${n}")).collect();
    let drafts = match with_email_drafts {
        true => "",
        false => "AND template_id IS NULL",
    };
    let sql = format!(
        "SELECT event_id, count(*) AS open, count(answered_revision) AS answered FROM remarks
         WHERE id = thread_id AND resolved_at IS NULL {drafts} AND event_id IN ({}) GROUP BY event_id",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, events).await?;
    rows.iter()
        .map(|row| {
            let counts = Counts {
                open: row.try_get("", "open")?,
                answered: row.try_get("", "answered")?,
            };
            Ok((row.try_get("", "event_id")?, counts))
        })
        .collect()
}

/// True if a piece has an open thread that guests see.
pub async fn has_open_for_guests(db: &Conn<'_>, event_id: &EventId) -> Result<bool> {
    let sql = "SELECT 1 AS n FROM remarks
        WHERE event_id = $1 AND id = thread_id AND resolved_at IS NULL AND for_guests LIMIT 1";
    Ok(db.fetch_one(sql, [event_id.value()]).await?.is_some())
}

/// Counts the open threads that guests have begun on a piece.
pub async fn count_open_of_guests(db: &Conn<'_>, event_id: &EventId) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM remarks
        WHERE event_id = $1 AND id = thread_id AND resolved_at IS NULL
          AND guest_link_id IS NOT NULL";
    let row = db.fetch_one(sql, [event_id.value()]).await?;
    Ok(row
        .map(|row| row.try_get("", "n"))
        .transpose()?
        .unwrap_or(0))
}

/// Counts the remarks of a thread, including removed ones.
pub async fn count_thread_remarks(db: &Conn<'_>, thread: &RemarkId) -> Result<i64> {
    let sql = "SELECT count(*) AS n FROM remarks WHERE thread_id = $1";
    let row = db.fetch_one(sql, [thread.value()]).await?;
    Ok(row
        .map(|row| row.try_get("", "n"))
        .transpose()?
        .unwrap_or(0))
}

/// Finds which of these remarks are not removed. Unless `with_drafts` is true, omits remarks about e-mail
/// drafts.
pub async fn find_not_removed(
    db: &Conn<'_>,
    ids: &HashSet<RemarkId>,
    with_drafts: bool,
) -> Result<HashSet<RemarkId>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let places: Vec<String> = (1..=ids.len()).map(|n| format!("${n}")).collect();
    let only = match with_drafts {
        true => "",
        false => "AND template_id IS NULL",
    };
    let sql = format!(
        "SELECT id FROM remarks WHERE id IN ({}) AND removed_at IS NULL {only}",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, ids.iter().map(Bind::value)).await?;
    let shown = rows.iter().map(|row| row.try_get("", "id"));
    Ok(shown.collect::<Result<_, _>>()?)
}

/// Loads the members who wrote other remarks in the threads of these remarks, by remark. Removed remarks
/// are missing.
pub async fn load_thread_authors(
    db: &Conn<'_>,
    remarks: &[RemarkId],
) -> Result<HashMap<RemarkId, Vec<MemberId>>> {
    if remarks.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=remarks.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT DISTINCT r.id, o.author_id FROM remarks r
         LEFT JOIN remarks o ON o.thread_id = r.thread_id AND o.id <> r.id
             AND o.guest_link_id IS NULL AND o.removed_at IS NULL
         WHERE r.id IN ({}) AND r.removed_at IS NULL",
        places.join(", ")
    );
    let mut authors: HashMap<RemarkId, Vec<MemberId>> = HashMap::new();
    for row in db.fetch_all(&sql, remarks.iter().map(Bind::value)).await? {
        let of_remark = authors.entry(row.try_get("", "id")?).or_default();
        of_remark.extend(row.try_get::<Option<MemberId>>("", "author_id")?);
    }
    Ok(authors)
}

/// Replaces the text of a remark.
pub async fn set_text(db: &Conn<'_>, id: &RemarkId, text: &str, now: Millis) -> Result<()> {
    let sql = "UPDATE remarks SET text = $2, edited_at = $3 WHERE id = $1 AND removed_at IS NULL";
    db.run(sql, [id.value(), text.into(), now.into()]).await?;
    Ok(())
}

/// Resolves a thread. Does nothing if the thread is already resolved, so that the first of two callers
/// counts.
pub async fn resolve(
    db: &Conn<'_>,
    thread: &RemarkId,
    member: &MemberId,
    now: Millis,
) -> Result<()> {
    let sql = "UPDATE remarks SET resolved_at = $2, resolved_by = $3
               WHERE id = $1 AND resolved_at IS NULL";
    db.run(sql, [thread.value(), now.into(), member.value()])
        .await?;
    Ok(())
}

/// Reopens a resolved thread, which is then no longer answered.
pub async fn reopen(db: &Conn<'_>, thread: &RemarkId) -> Result<()> {
    let sql = "UPDATE remarks SET resolved_at = NULL, resolved_by = NULL, answered_at = NULL,
               answered_revision = NULL WHERE id = $1 AND resolved_at IS NOT NULL";
    db.run(sql, [thread.value()]).await?;
    Ok(())
}

/// Removes the text and the mentions of a remark. Resolves the thread if all its remarks are removed.
/// Returns `false` if the remark was already removed.
pub async fn remove(
    db: &Conn<'_>,
    remark: &Remark,
    member: &MemberId,
    now: Millis,
) -> Result<bool> {
    const REMOVE: &str = "UPDATE remarks SET text = '', removed_at = $2
        WHERE id = $1 AND removed_at IS NULL";
    if db.run(REMOVE, [remark.id.value(), now.into()]).await? == 0 {
        return Ok(false);
    }
    let sql = "DELETE FROM remark_mentions WHERE remark_id = $1";
    db.run(sql, [remark.id.value()]).await?;
    let sql = format!(
        "UPDATE remarks SET resolved_at = $2, resolved_by = $3
         WHERE id = $1 AND resolved_at IS NULL AND NOT {}",
        HAS_REMARKS.replace("{row}", "remarks")
    );
    let values = [remark.thread_id.value(), now.into(), member.value()];
    db.run(&sql, values).await?;
    Ok(true)
}

/// Records that a revision of the piece answers these threads.
pub async fn mark_answered(
    db: &Conn<'_>,
    threads: impl IntoIterator<Item = &RemarkId>,
    revision: Revision,
    now: Millis,
) -> Result<()> {
    let threads: Vec<_> = threads.into_iter().map(Bind::value).collect();
    if threads.is_empty() {
        return Ok(());
    }
    lock_by_ids(db, &threads).await?;
    let places: Vec<String> = (3..threads.len() + 3).map(|n| format!("${n}")).collect();
    let sql = format!(
        "UPDATE remarks SET answered_at = $1, answered_revision = $2 WHERE id IN ({})",
        places.join(", ")
    );
    let values = [now.into(), revision.value()].into_iter().chain(threads);
    Ok(db.run_later(&sql, values).await?)
}

/// Marks the open threads of a piece as not answered, because the piece goes back to work.
pub async fn clear_answers(db: &Conn<'_>, event_id: &EventId) -> Result<()> {
    const ANSWERED: &str = "event_id = $1 AND id = thread_id AND resolved_at IS NULL
        AND answered_revision IS NOT NULL";
    lock_where(db, ANSWERED, vec![event_id.value()]).await?;
    let sql =
        format!("UPDATE remarks SET answered_at = NULL, answered_revision = NULL WHERE {ANSWERED}");
    Ok(db.run_later(&sql, [event_id.value()]).await?)
}

/// Locks the remarks with these ids, like [`lock_where`].
async fn lock_by_ids(db: &Conn<'_>, ids: &[Value]) -> Result<()> {
    let places: Vec<String> = (1..=ids.len()).map(|n| format!("${n}")).collect();
    let among = format!("id IN ({})", places.join(", "));
    lock_where(db, &among, ids.to_vec()).await
}

/// Locks remarks until the end of the transaction. PostgreSQL locks them in the order of their ids,
/// which prevents deadlocks between a change of an e-mail draft and a change of a piece. SQLite has a
/// single writer.
async fn lock_where(db: &Conn<'_>, condition: &str, values: Vec<Value>) -> Result<()> {
    if db.is_sqlite() {
        return Ok(());
    }
    let sql = format!("SELECT id FROM remarks WHERE {condition} ORDER BY id FOR NO KEY UPDATE");
    db.fetch_all(&sql, values).await?;
    Ok(())
}
