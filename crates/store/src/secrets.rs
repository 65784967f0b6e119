//! Encrypted records. The callers determine their contents and keys.

use super::{Conn, columns};
use crate::Result;

/// An encrypted record.
#[derive(Debug, Clone)]
pub struct Sealed {
    /// The kind of secret. The encryption authenticates it together with the text.
    pub purpose: String,
    /// The owner of the secret. The encryption also authenticates the owner.
    pub id: String,
    /// The id of the encryption key.
    pub kid: String,
    pub sealed: String,
}

columns!(Sealed {
    purpose,
    id,
    kid,
    sealed
});

const PUT: &str = "
INSERT INTO secrets (purpose, id, kid, sealed) VALUES ($1, $2, $3, $4)
ON CONFLICT (purpose, id) DO UPDATE SET kid = excluded.kid, sealed = excluded.sealed";

/// Stores a record, or replaces an earlier one.
pub async fn save_record(db: &Conn<'_>, record: &Sealed) -> Result<()> {
    let Sealed {
        purpose,
        id,
        kid,
        sealed,
    } = record;
    let values = [purpose, id, kid, sealed].map(|text| text.as_str().into());
    db.run(PUT, values).await?;
    Ok(())
}

/// Stores a record, unless a record with the same purpose and id exists.
pub async fn insert_if_absent(db: &Conn<'_>, record: &Sealed) -> Result<()> {
    let sql = "INSERT INTO secrets (purpose, id, kid, sealed) VALUES ($1, $2, $3, $4)
               ON CONFLICT (purpose, id) DO NOTHING";
    let texts = [&record.purpose, &record.id, &record.kid, &record.sealed];
    db.run(sql, texts.map(|text| text.as_str().into())).await?;
    Ok(())
}

pub async fn find_sealed(db: &Conn<'_>, purpose: &str, id: &str) -> Result<Option<String>> {
    let sql = "SELECT sealed FROM secrets WHERE purpose = $1 AND id = $2";
    let row = db.fetch_one(sql, [purpose.into(), id.into()]).await?;
    Ok(row.map(|row| row.try_get("", "sealed")).transpose()?)
}

pub async fn delete(db: &Conn<'_>, purpose: &str, id: &str) -> Result<()> {
    let sql = "DELETE FROM secrets WHERE purpose = $1 AND id = $2";
    db.run(sql, [purpose.into(), id.into()]).await?;
    Ok(())
}

/// Lists one record per encryption key in use.
pub async fn list_one_per_key(db: &Conn<'_>) -> Result<Vec<Sealed>> {
    let mut found: Vec<Sealed> = vec![];
    let sql = "SELECT * FROM secrets WHERE kid > $1 ORDER BY kid, purpose, id LIMIT 1";
    loop {
        let after = found.last().map_or("", |record| &record.kid);
        match db.fetch_one(sql, [after.into()]).await? {
            Some(row) => found.push(row.read()?),
            None => return Ok(found),
        }
    }
}

const UNDER_OTHERS: &str = "
SELECT * FROM secrets WHERE kid <> $1 AND (purpose > $2 OR (purpose = $2 AND id > $3))
ORDER BY purpose, id LIMIT $4";

/// Lists a page of the records whose key is not `kid`, after a position.
pub async fn list_under_other_keys(
    db: &Conn<'_>,
    kid: &str,
    after: (&str, &str),
    limit: i64,
) -> Result<Vec<Sealed>> {
    let values = [kid.into(), after.0.into(), after.1.into(), limit.into()];
    let rows = db.fetch_all(UNDER_OTHERS, values).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

/// Counts the records whose key is not `kid`.
pub async fn count_under_other_keys(db: &Conn<'_>, kid: &str) -> Result<u64> {
    let sql = "SELECT count(*) AS counted FROM secrets WHERE kid <> $1";
    let row = db.fetch_one(sql, [kid.into()]).await?;
    let counted: Option<i64> = row.map(|row| row.try_get("", "counted")).transpose()?;
    Ok(counted.unwrap_or_default().unsigned_abs())
}

/// Replaces the encrypted text of a record if it still equals the text in `from`. Returns whether the
/// text was replaced.
pub async fn replace_if_unchanged(
    db: &Conn<'_>,
    from: &Sealed,
    kid: &str,
    sealed: &str,
) -> Result<bool> {
    let sql = "UPDATE secrets SET kid = $1, sealed = $2
               WHERE purpose = $3 AND id = $4 AND sealed = $5";
    let texts = [kid, sealed, &from.purpose, &from.id, &from.sealed];
    Ok(db.run(sql, texts.map(Into::into)).await? > 0)
}
