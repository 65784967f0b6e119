//! Reminders of posts that a person publishes by hand.

use std::collections::BTreeSet;

use super::{Bind, Conn, Row, columns};
use crate::Result;
use domain::{EventId, Format, VariantId, time::Millis};

/// An approved variant with an hour that a person must publish and that is not published yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnpostedVariant {
    pub variant_id: VariantId,
    pub event_id: EventId,
    pub channel: String,
    pub format: Format,
    pub due_at: Millis,
}

columns!(UnpostedVariant {
    variant_id,
    event_id,
    channel,
    format,
    due_at,
});

/// Selects the unposted variants: approved variants of approved pieces, with an hour and without a
/// published post, that a person must publish. These are the manual variants, and the variants whose
/// publication is late because the network is not registered or the account is not connected; the
/// service does not publish such a variant by itself any more.
const UNPOSTED: &str = "
SELECT v.id AS variant_id, v.event_id, v.channel, v.format, coalesce(v.due_at, e.due_at) AS due_at
FROM event_variants v JOIN events e ON e.id = v.event_id
WHERE (v.publish = 'manual' OR EXISTS (SELECT 1 FROM publications l WHERE l.event_id = v.event_id
    AND l.network = v.channel AND l.kind = v.format AND l.variant_id IS NOT NULL AND l.open = 1
    AND l.state = 'late' AND l.code IN ('PROVIDER_NOT_CONFIGURED', 'ACCOUNT_DISCONNECTED',
        'ACCOUNT_CHANGED', 'PERMISSION_MISSING')))
AND v.approved_revision = v.revision AND e.status = 'aprovado'
AND coalesce(v.due_at, e.due_at) IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.event_id = v.event_id AND p.network = v.channel
    AND p.kind = v.format AND p.variant_id IS NOT NULL AND p.state = 'published')";

/// Lists the unposted variants whose hour is not after `now`, and for whose hour no reminder is recorded;
/// at most `most`, the earliest first. The hour of a manual variant is after `manual_since`, and that of an
/// automatic one after `late_since`.
pub async fn list_due(
    db: &Conn<'_>,
    (manual_since, late_since): (Millis, Millis),
    now: Millis,
    most: i64,
) -> Result<Vec<UnpostedVariant>> {
    let sql = format!(
        "{UNPOSTED} AND coalesce(v.due_at, e.due_at) <= $2
         AND coalesce(v.due_at, e.due_at) > CASE WHEN v.publish = 'manual' THEN $1 ELSE $4 END
         AND NOT EXISTS (SELECT 1 FROM post_reminders r WHERE r.event_id = v.event_id
             AND r.channel = v.channel AND r.format = v.format
             AND r.due_at = coalesce(v.due_at, e.due_at))
         ORDER BY coalesce(v.due_at, e.due_at), v.id LIMIT $3"
    );
    let rows = db
        .fetch_all(
            &sql,
            [
                manual_since.into(),
                now.into(),
                most.into(),
                late_since.into(),
            ],
        )
        .await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// Finds which of these variants are unposted.
pub async fn find_unposted(db: &Conn<'_>, ids: &[VariantId]) -> Result<Vec<UnpostedVariant>> {
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (1..=ids.len()).map(|number| format!("${number}")).collect();
    let sql = format!("{UNPOSTED} AND v.id IN ({})", places.join(", "));
    let rows = db.fetch_all(&sql, ids.iter().map(Bind::value)).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// Finds the unposted variants of these pieces.
pub async fn find_unposted_of_pieces(
    db: &Conn<'_>,
    events: &BTreeSet<&EventId>,
) -> Result<Vec<UnpostedVariant>> {
    if events.is_empty() {
        return Ok(vec![]);
    }
    let places: Vec<String> = (1..=events.len())
        .map(|number| format!("${number}"))
        .collect();
    let sql = format!("{UNPOSTED} AND v.event_id IN ({})", places.join(", "));
    let rows = db
        .fetch_all(&sql, events.iter().map(|id| id.value()))
        .await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}

/// Deletes the record of a reminder, so that people can be reminded again of a post at this hour: either
/// nobody was reminded, or the reminder was marked as read before the post was published.
pub async fn forget(
    db: &Conn<'_>,
    event_id: &EventId,
    (channel, format): (&str, &str),
    due_at: Millis,
) -> Result<()> {
    let sql = "DELETE FROM post_reminders
        WHERE event_id = $1 AND channel = $2 AND format = $3 AND due_at = $4";
    let values = [
        event_id.value(),
        channel.into(),
        format.into(),
        due_at.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Records that people are reminded of a post at its hour. Returns `false` if a reminder was already
/// recorded.
pub async fn insert(db: &Conn<'_>, post: &UnpostedVariant, now: Millis) -> Result<bool> {
    let sql = "INSERT INTO post_reminders (event_id, channel, format, due_at, reminded_at)
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    let values = [
        post.event_id.value(),
        post.channel.as_str().into(),
        post.format.as_str().into(),
        post.due_at.into(),
        now.into(),
    ];
    Ok(db.run(sql, values).await? == 1)
}

/// Deletes the records for hours before an instant, which cause no more reminders.
pub async fn delete_before(db: &Conn<'_>, before: Millis) -> Result<()> {
    let sql = "DELETE FROM post_reminders WHERE due_at < $1";
    Ok(db.run_later(sql, [before.into()]).await?)
}
