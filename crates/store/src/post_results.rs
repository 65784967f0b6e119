//! The results of published posts: readings of their figures.

mod hours;
mod list;

use super::{Bind, Conn, Row, columns, text_column};
use crate::Result;
use domain::{EventId, Format, PublicationId, ReadingAge, time::Millis};
use ports::figures::Figures;

pub use hours::{SeenPost, list_posts_with_views};
pub use list::{Filter, Listed, list};

/// A publication whose figures are due.
#[derive(Debug, Clone)]
pub struct DueReading {
    pub publication_id: PublicationId,
    pub network: String,
    pub kind: Format,
    pub account_id: String,
    pub post_id: String,
    pub event_id: EventId,
    /// The whole post, as JSON.
    pub post: String,
    pub finished_at: Millis,
    /// The number of earlier attempts to read the figures.
    pub attempts: i64,
}

columns!(DueReading {
    publication_id,
    network,
    kind,
    account_id,
    post_id,
    event_id,
    post,
    finished_at,
    attempts,
});

/// The figures of a publication at an age, or the failed attempts to read them.
#[derive(Debug, Clone)]
pub struct Reading {
    pub publication_id: PublicationId,
    pub age: ReadingAge,
    pub due_at: Millis,
    pub read_at: Option<Millis>,
    /// The error code of the last attempt; `None` if the figures were read.
    pub code: Option<String>,
    pub reach: Option<i64>,
    pub views: Option<i64>,
    pub likes: Option<i64>,
    pub comments: Option<i64>,
    pub shares: Option<i64>,
    pub saves: Option<i64>,
    pub clicks: Option<i64>,
}

columns!(Reading {
    publication_id,
    age,
    due_at,
    read_at,
    code,
    reach,
    views,
    likes,
    comments,
    shares,
    saves,
    clicks,
});

text_column!(ReadingAge);

/// Lists the published posts of this network and format whose reading at this age is due: they were
/// published between the two instants, their figures are not read yet, and the next attempt is not
/// postponed beyond `now`. Returns at most `most`, the oldest first.
pub async fn list_due(
    db: &Conn<'_>,
    (network, kind, age): (&str, Format, ReadingAge),
    (published_after, published_until): (Millis, Millis),
    now: Millis,
    most: i64,
) -> Result<Vec<DueReading>> {
    let sql = "SELECT p.id AS publication_id, p.network, p.kind, p.account_id, p.post_id,
            p.event_id, p.post, p.finished_at, coalesce(r.attempts, 0) AS attempts
        FROM publications p LEFT JOIN post_results r ON r.publication_id = p.id AND r.age = $1
        WHERE p.variant_id IS NOT NULL AND p.state = 'published' AND p.post_id IS NOT NULL
        AND p.network = $2 AND p.kind = $3 AND p.finished_at > $4 AND p.finished_at <= $5
        AND r.read_at IS NULL AND coalesce(r.retry_at, 0) <= $6
        ORDER BY p.finished_at, p.id LIMIT $7";
    let values = [
        age.as_str().into(),
        network.into(),
        kind.as_str().into(),
        published_after.into(),
        published_until.into(),
        now.into(),
        most.into(),
    ];
    let rows = db.fetch_all(sql, values).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// The outcome of an attempt to read figures.
#[derive(Debug)]
pub enum Attempt<'a> {
    Read(Figures),
    /// The error code, and the time of the next attempt.
    Prevented(&'a str, Millis),
}

/// Stores an attempt, unless the figures were already read.
pub async fn record(
    db: &Conn<'_>,
    (id, age, due_at): (&PublicationId, ReadingAge, Millis),
    attempt: Attempt<'_>,
    now: Millis,
) -> Result<()> {
    let (read_at, retry_at, code, figures) = match attempt {
        Attempt::Read(figures) => (Some(now), None, None, figures),
        Attempt::Prevented(code, at) => (None, Some(at), Some(code), Figures::default()),
    };
    let sql = "INSERT INTO post_results (publication_id, age, due_at, read_at, retry_at, attempts, code,
            reach, views, likes, comments, shares, saves, clicks)
        VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (publication_id, age) DO UPDATE SET read_at = excluded.read_at,
            retry_at = excluded.retry_at, attempts = post_results.attempts + 1, code = excluded.code,
            reach = excluded.reach, views = excluded.views, likes = excluded.likes,
            comments = excluded.comments, shares = excluded.shares, saves = excluded.saves,
            clicks = excluded.clicks
        WHERE post_results.read_at IS NULL";
    let values = [
        id.value(),
        age.as_str().into(),
        due_at.into(),
        read_at.into(),
        retry_at.into(),
        code.map(str::to_owned).into(),
        figures.reach.into(),
        figures.views.into(),
        figures.likes.into(),
        figures.comments.into(),
        figures.shares.into(),
        figures.saves.into(),
        figures.clicks.into(),
    ];
    db.run(sql, values).await?;
    Ok(())
}

/// Loads the readings of these publications. The readings of each publication are ordered by due time.
pub async fn load(db: &Conn<'_>, ids: &[PublicationId]) -> Result<Vec<Reading>> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (1..=ids.len()).map(|number| format!("${number}")).collect();
    let sql = format!(
        "SELECT * FROM post_results WHERE publication_id IN ({}) ORDER BY publication_id, due_at",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, ids.iter().map(Bind::value)).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}
