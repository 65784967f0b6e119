//! Configuration keys with versioned values.

use entity::{
    config_entry,
    config_log::{Column, Entity},
};
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{Bind, Conn, columns, versions::Publish};
use crate::Result;
use domain::{Error, MemberId, Version, time::Millis};

/// One version of the value of a configuration key.
#[derive(Debug)]
pub struct ConfigEntry {
    pub key: String,
    pub version: Version,
    pub value: String,
    pub updated_at: Millis,
    pub updated_by: MemberId,
}

columns!(ConfigEntry {
    key,
    version,
    value,
    updated_at,
    updated_by,
});

/// Returns the current entries in key order, after the key `after`; at most `probe` rows.
pub async fn list(
    db: &Conn<'_>,
    key: Option<&str>,
    after: Option<String>,
    probe: i64,
) -> Result<Vec<ConfigEntry>> {
    let mut query = config_entry::Entity::find();
    if let Some(key) = key {
        query = query.filter(config_entry::Column::Key.eq(key));
    }
    if let Some(after) = after {
        query = query.filter(config_entry::Column::Key.gt(after));
    }
    let query = query
        .order_by_asc(config_entry::Column::Key)
        .limit(probe.cast_unsigned());
    Ok(query.into_model().all(db).await?)
}

/// Returns the current value of a key, as JSON.
pub async fn find_current_value(db: &Conn<'_>, key: &str) -> Result<Option<String>> {
    let entry = config_entry::Entity::find_by_id(key).one(db).await?;
    Ok(entry.map(|entry| entry.value))
}

const PUBLISH: Publish = Publish {
    next: "
INSERT INTO config_entries (key, version, value, updated_at, updated_by)
VALUES ($1, 1, $2, $3, $4)
ON CONFLICT (key) DO UPDATE
SET version = config_entries.version + 1, value = excluded.value,
    updated_at = CASE WHEN excluded.updated_at > config_entries.updated_at
        THEN excluded.updated_at ELSE config_entries.updated_at + 1 END,
    updated_by = excluded.updated_by
RETURNING version, updated_at",
    first: "
INSERT INTO config_entries (key, version, value, updated_at, updated_by)
VALUES ($1, 1, $2, $3, $4)
ON CONFLICT (key) DO NOTHING
RETURNING version, updated_at",
    after: "
UPDATE config_entries
SET version = version + 1, value = $2,
    updated_at = CASE WHEN $3 > updated_at THEN $3 ELSE updated_at + 1 END, updated_by = $4
WHERE key = $1 AND version = $5
RETURNING version, updated_at",
};

const LOG: &str = "
INSERT INTO config_log (key, version, value, updated_at, updated_by) VALUES ($1, $2, $3, $4, $5)";

/// Publishes the next version of a key if the current version equals `expected`. [`Version::NONE`]
/// expects that the key has no version yet.
///
/// Otherwise returns an error (409) with the current version. Concurrent callers with `expected`
/// `None` publish different versions.
pub async fn publish(
    db: &Conn<'_>,
    key: &str,
    value: &str,
    member_id: &MemberId,
    expected: Option<Version>,
    now: Millis,
) -> Result<Version> {
    let values = vec![key.into(), value.into(), now.into(), member_id.value()];
    let Some((version, updated_at)) = PUBLISH.run(db, values, expected).await? else {
        let current = config_entry::Entity::find_by_id(key).one(db).await?;
        return Err(Error::stale_revision(current.map_or(0, |entry| entry.version)).into());
    };
    let values = [
        key.into(),
        version.value(),
        value.into(),
        updated_at.into(),
        member_id.value(),
    ];
    db.run(LOG, values).await?;
    Ok(version)
}

/// A position in the log: (updated_at, key, version).
pub type LogPosition = (Millis, String, Version);

/// Returns all versions of all keys, newest first, before the position `before`; at most `probe` rows.
pub async fn list_log(
    db: &Conn<'_>,
    key: Option<&str>,
    before: Option<LogPosition>,
    probe: i64,
) -> Result<Vec<ConfigEntry>> {
    let mut query = Entity::find();
    if let Some(key) = key {
        query = query.filter(Column::Key.eq(key));
    }
    if let Some((at, key, version)) = before {
        let same_key = Column::Key.eq(&key).and(Column::Version.lt(version.get()));
        let same_time = Column::UpdatedAt
            .eq(at)
            .and(Column::Key.gt(&key).or(same_key));
        query = query.filter(Column::UpdatedAt.lt(at).or(same_time));
    }
    let query = query
        .order_by_desc(Column::UpdatedAt)
        .order_by_asc(Column::Key)
        .order_by_desc(Column::Version);
    let query = query.limit(probe.cast_unsigned());
    Ok(query.into_model().all(db).await?)
}
