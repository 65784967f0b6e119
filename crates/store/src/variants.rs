//! Variants of pieces. The piece is the aggregate: a change of a variant is also a change of its
//! piece, whose revision decides between two writers.
//!
//! `events::save` approves all variants with their piece, and withdraws their approval when the piece
//! goes back to work.

use std::collections::HashMap;

use super::{Bind, Conn, Row, columns, text_column};
use crate::Result;
use domain::{
    EventId, EventStatus, Format, MemberId, Revision, VariantId,
    time::Millis,
    variant::{PublishMode, Variant},
};

const SELECT: &str = "
SELECT id, event_id, channel, format, content, due_at, publish, revision, approved_revision,
    refused_revision, changed_by, created_at, updated_at
FROM event_variants WHERE ";

text_column!(Format, PublishMode);

fn read_variant(row: &Row) -> Result<Variant> {
    let content: String = row.try_get("", "content")?;
    Ok(Variant {
        id: row.try_get("", "id")?,
        event_id: row.try_get("", "event_id")?,
        channel: row.try_get("", "channel")?,
        format: row.try_get("", "format")?,
        content: serde_json::from_str(&content)?,
        due_at: row.try_get("", "due_at")?,
        publish: row.try_get("", "publish")?,
        revision: row.try_get("", "revision")?,
        approved_revision: row.try_get("", "approved_revision")?,
        refused_revision: row.try_get("", "refused_revision")?,
        changed_by: row.try_get("", "changed_by")?,
        created_at: row.try_get("", "created_at")?,
        updated_at: row.try_get("", "updated_at")?,
    })
}

/// Finds a variant.
pub async fn find(db: &Conn<'_>, id: &VariantId) -> Result<Option<Variant>> {
    let sql = format!("{SELECT} id = $1");
    let row = db.fetch_one(&sql, [id.value()]).await?;
    row.as_ref().map(read_variant).transpose()
}

/// Lists the variants of a piece, by channel and format.
pub async fn list(db: &Conn<'_>, event_id: &EventId) -> Result<Vec<Variant>> {
    Ok(load(db, [event_id])
        .await?
        .remove(event_id)
        .unwrap_or_default())
}

/// Loads the variants of these pieces in one query, each list by channel and format. Pieces without
/// variants are missing.
pub async fn load(
    db: &Conn<'_>,
    events: impl IntoIterator<Item = &EventId>,
) -> Result<HashMap<EventId, Vec<Variant>>> {
    let events: Vec<_> = events.into_iter().map(Bind::value).collect();
    let mut variants: HashMap<EventId, Vec<Variant>> = HashMap::new();
    if events.is_empty() {
        return Ok(variants);
    }
    let places: Vec<String> = (1..=events.len())
        .map(|number| format!("${number}"))
        .collect();
    let sql = format!(
        "{SELECT} event_id IN ({}) ORDER BY event_id, channel, format",
        places.join(", ")
    );
    for row in db.fetch_all(&sql, events).await? {
        let variant = read_variant(&row)?;
        variants
            .entry(variant.event_id.clone())
            .or_default()
            .push(variant);
    }
    Ok(variants)
}

/// A variant with an hour of its own.
#[derive(Debug, Clone)]
pub struct DatedVariant {
    pub id: VariantId,
    pub event_id: EventId,
    pub channel: String,
    pub format: Format,
    pub due_at: Millis,
    /// 1 if the current revision was approved.
    pub is_approved: i64,
}

columns!(DatedVariant {
    id,
    event_id,
    channel,
    format,
    due_at,
    is_approved,
});

/// Lists the variants of these pieces that have an hour of their own, in the order of these hours; at
/// most `most`.
pub async fn list_dated(
    db: &Conn<'_>,
    events: impl IntoIterator<Item = &EventId>,
    most: i64,
) -> Result<Vec<DatedVariant>> {
    let mut values = vec![most.into()];
    values.extend(events.into_iter().map(Bind::value));
    if values.len() == 1 {
        return Ok(vec![]);
    }
    let places: Vec<String> = (2..=values.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT v.id, v.event_id, v.channel, v.format, v.due_at,
            CASE WHEN v.approved_revision = v.revision THEN CAST(1 AS BIGINT)
                ELSE CAST(0 AS BIGINT) END AS is_approved
         FROM event_variants v
         WHERE v.event_id IN ({}) AND v.due_at IS NOT NULL
         ORDER BY v.due_at, v.id LIMIT $1 + 0",
        places.join(", ")
    );
    let rows = db.fetch_all(&sql, values).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

/// A channel that a piece goes to.
#[derive(Debug, Clone)]
pub struct ListedChannel {
    pub event_id: EventId,
    pub channel: String,
    pub format: Format,
    pub due_at: Option<Millis>,
    pub publish: PublishMode,
    /// 1 if the current revision was approved.
    pub is_approved: i64,
    /// 1 if the post of the variant is late: its publication is `late` or `unknown`, or the post was not
    /// published by its hour although a person publishes it or the service has failed.
    pub is_late: i64,
}

columns!(ListedChannel {
    event_id,
    channel,
    format,
    due_at,
    publish,
    is_approved,
    is_late,
});

/// The condition that the post of the variant `v` of the piece `e` is late at `{now}`.
const IS_LATE: &str =
    "(EXISTS (SELECT 1 FROM publications p WHERE p.event_id = v.event_id AND p.network = v.channel
        AND p.kind = v.format AND p.variant_id IS NOT NULL AND p.open = 1
        AND p.state IN ('late', 'unknown'))
    OR ({is_unposted}))";

/// The condition that the post of the variant `v` of the piece `e` was not published by its hour, at
/// `{now}`, although a person publishes it or the service has failed. A variant without its own hour has
/// the hour of its piece.
const IS_UNPOSTED: &str =
    "(v.publish = 'manual' OR EXISTS (SELECT 1 FROM publications p WHERE p.variant_id = v.id
        AND p.event_id = v.event_id AND p.variant_revision = v.revision AND p.state = 'failed'))
    AND v.approved_revision = v.revision AND e.status = 'aprovado'
    AND coalesce(v.due_at, e.due_at) < {now}
    AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.event_id = v.event_id
        AND p.network = v.channel AND p.kind = v.format AND p.variant_id IS NOT NULL
        AND p.state = 'published')";

fn late_condition(now: &str) -> String {
    IS_LATE
        .replace("{is_unposted}", IS_UNPOSTED)
        .replace("{now}", now)
}

/// Selects the pieces whose variants have an open publication that waits for a person. The query uses
/// the index `publications_open_state`. SQLite reads the tables of a CROSS JOIN in the order in which
/// they are written.
const IN_TROUBLE: &str = "SELECT v.event_id FROM publications l CROSS JOIN event_variants v
    WHERE l.open = 1 AND l.variant_id IS NOT NULL AND l.state IN ('late', 'unknown')
      AND v.event_id = l.event_id AND v.channel = l.network AND v.format = l.kind";

/// Returns a query for the ids of the pieces with a late variant. Unposted variants are only found in
/// approved pieces whose own date has not passed at `now`, because a piece whose date has passed is
/// itself late.
///
/// The query starts from approved pieces and not from variants whose hour has passed, because every
/// published piece has such variants.
pub(crate) fn select_late_by_variants(now: &str) -> String {
    let is_unposted = IS_UNPOSTED.replace("{now}", now);
    format!(
        "{IN_TROUBLE} UNION
         SELECT v.event_id FROM events e CROSS JOIN event_variants v
         WHERE e.status = 'aprovado' AND e.agenda_at >= {now} AND v.event_id = e.id
           AND v.due_at IS NOT NULL AND {is_unposted}"
    )
}

/// Selects the pieces with a variant whose own hour is in a span. Omits archived pieces.
const DUE: &str = "
SELECT v.event_id FROM event_variants v JOIN events e ON e.id = v.event_id
WHERE v.due_at IS NOT NULL AND v.due_at >= $1 AND v.due_at < $2 AND e.status <> 'arquivado'{seen}
GROUP BY v.event_id ORDER BY min(v.due_at), v.event_id LIMIT $3 + 0";

/// Lists at most `most` pieces with a variant whose own hour is in this span, the earliest first. If
/// `visible_to` is set, lists only pieces that this member may see. The end of the span is exclusive.
pub async fn list_due_pieces(
    db: &Conn<'_>,
    visible_to: Option<&MemberId>,
    (from, until): (Millis, Millis),
    most: i64,
) -> Result<Vec<EventId>> {
    let mut values = vec![from.into(), until.into(), most.into()];
    let seen = match visible_to {
        Some(member) => {
            values.push(member.value());
            " AND EXISTS (SELECT 1 FROM event_people p
                WHERE p.event_id = v.event_id AND p.member_id = $4)"
        }
        None => "",
    };
    let rows = db.fetch_all(&DUE.replace("{seen}", seen), values).await?;
    let ids = rows.iter().map(|row| row.try_get("", "event_id"));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// Loads the channels of the variants of these pieces in one query, without the contents of the
/// variants, ordered by channel and format. Pieces without variants are missing.
pub async fn load_channels(
    db: &Conn<'_>,
    events: impl IntoIterator<Item = &EventId>,
    now: Millis,
) -> Result<HashMap<EventId, Vec<ListedChannel>>> {
    let mut channels: HashMap<EventId, Vec<ListedChannel>> = HashMap::new();
    let events: Vec<_> = events.into_iter().map(Bind::value).collect();
    if events.is_empty() {
        return Ok(channels);
    }
    let places: Vec<String> = (2..=events.len() + 1)
        .map(|number| format!("${number}"))
        .collect();
    let is_late = late_condition("$1");
    let sql = format!(
        "SELECT v.event_id, v.channel, v.format, v.due_at, v.publish,
            CASE WHEN v.approved_revision = v.revision THEN 1 ELSE 0 END AS is_approved,
            CASE WHEN {is_late} THEN 1 ELSE 0 END AS is_late
         FROM event_variants v JOIN events e ON e.id = v.event_id
         WHERE v.event_id IN ({}) ORDER BY v.event_id, v.channel, v.format",
        places.join(", ")
    );
    let values: Vec<_> = std::iter::once(now.into()).chain(events).collect();
    for row in db.fetch_all(&sql, values).await? {
        let channel: ListedChannel = row.read()?;
        let of_piece = channels.entry(channel.event_id.clone()).or_default();
        of_piece.push(channel);
    }
    Ok(channels)
}

/// The condition that the current revision of the variant `v` is neither approved nor refused. Such a
/// variant waits for a decision if its piece is approved.
pub(crate) const UNDECIDED: &str = "
    (v.approved_revision IS NULL OR v.approved_revision <> v.revision)
    AND (v.refused_revision IS NULL OR v.refused_revision <> v.revision)";

/// Inserts a variant.
pub async fn insert(db: &Conn<'_>, variant: &Variant) -> Result<()> {
    let sql = "INSERT INTO event_variants (id, event_id, channel, format, content, due_at, publish,
            revision, approved_revision, refused_revision, changed_by, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    let values = [
        variant.id.value(),
        variant.event_id.value(),
        variant.channel.as_str().into(),
        variant.format.as_str().into(),
        serde_json::to_string(&variant.content)?.into(),
        variant.due_at.into(),
        variant.publish.as_str().into(),
        variant.revision.value(),
        variant.approved_revision.map(Revision::get).into(),
        variant.refused_revision.map(Revision::get).into(),
        variant.changed_by.value(),
        variant.created_at.into(),
        variant.updated_at.into(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Stores the new state of a variant.
pub async fn update(db: &Conn<'_>, variant: &Variant) -> Result<()> {
    let sql = "UPDATE event_variants SET content = $2, due_at = $3, publish = $4, revision = $5,
            approved_revision = $6, refused_revision = $7, updated_at = $8, changed_by = $9
        WHERE id = $1";
    let values = [
        variant.id.value(),
        serde_json::to_string(&variant.content)?.into(),
        variant.due_at.into(),
        variant.publish.as_str().into(),
        variant.revision.value(),
        variant.approved_revision.map(Revision::get).into(),
        variant.refused_revision.map(Revision::get).into(),
        variant.updated_at.into(),
        variant.changed_by.value(),
    ];
    Ok(db.run_later(sql, values).await?)
}

/// Deletes a variant.
pub async fn delete(db: &Conn<'_>, id: &VariantId) -> Result<()> {
    let sql = "DELETE FROM event_variants WHERE id = $1";
    Ok(db.run_later(sql, [id.value()]).await?)
}

/// Approves all variants of a piece when the piece is approved. When the piece goes back to work,
/// withdraws the approval of its variants and increments their revisions: the content that a variant
/// takes from the piece may change until the next approval, and the new revision is published even if
/// the earlier one failed.
pub(crate) async fn follow_status(
    db: &Conn<'_>,
    event_id: &EventId,
    (before, after): (EventStatus, EventStatus),
    now: Millis,
) -> Result<()> {
    let approved = match (before, after) {
        (before, after) if before == after => return Ok(()),
        (_, EventStatus::Approved) => "approved_revision = revision",
        (EventStatus::Approved | EventStatus::Archived, after) if after.is_editable() => {
            "approved_revision = NULL, revision = revision + 1"
        }
        _ => return Ok(()),
    };
    let sql = format!(
        "UPDATE event_variants SET {approved}, updated_at = $2
         WHERE event_id = $1"
    );
    Ok(db.run_later(&sql, [event_id.value(), now.into()]).await?)
}
