//! Uploads by a signed link: one row each, and one row for each part that has arrived.

use super::{Bind, Conn, columns};
use crate::Result;
use domain::{MediaId, MemberId, UploadId, time::Millis};

/// An upload by a signed link.
#[derive(Debug, Clone)]
pub struct Upload {
    pub id: UploadId,
    pub member_id: MemberId,
    /// A reference to the credential that requested the link, without its secret.
    pub credential: String,
    /// The target of the file, as JSON.
    pub placement: String,
    /// The announced type of the file; `None` if none was announced.
    pub media_type: Option<String>,
    /// The announced size of the file in bytes; `None` if none was announced.
    pub bytes: Option<i64>,
    /// The number of bytes that have arrived in parts.
    pub received: i64,
    pub created_at: Millis,
    pub expires_at: Millis,
    /// The medium; `None` until the file is stored.
    pub media_id: Option<MediaId>,
}

columns!(Upload {
    id,
    member_id,
    credential,
    placement,
    media_type,
    bytes,
    received,
    created_at,
    expires_at,
    media_id,
});

/// A part of a file that has arrived.
#[derive(Debug, Clone)]
pub struct Part {
    /// The position of the part's first byte in the file.
    pub starts_at: i64,
    pub bytes: i64,
    /// The SHA-256 of the stored content of the part.
    pub sha256: String,
}

columns!(Part {
    starts_at,
    bytes,
    sha256,
});

const INSERT: &str = "
INSERT INTO uploads (id, member_id, credential, placement, media_type, bytes, received, created_at,
    expires_at)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8)";

/// Inserts an upload that has received nothing yet.
pub async fn insert(db: &Conn<'_>, upload: &Upload) -> Result<()> {
    let values = [
        upload.id.value(),
        upload.member_id.value(),
        upload.credential.as_str().into(),
        upload.placement.as_str().into(),
        upload.media_type.clone().into(),
        upload.bytes.into(),
        upload.created_at.into(),
        upload.expires_at.into(),
    ];
    db.run(INSERT, values).await?;
    Ok(())
}

pub async fn find(db: &Conn<'_>, id: &UploadId) -> Result<Option<Upload>> {
    let row = db.fetch_one("SELECT * FROM uploads WHERE id = $1", [id.value()]);
    Ok(row.await?.map(|row| row.read()).transpose()?)
}

/// Counts the uploads of a member that have not ended.
pub async fn count_open(db: &Conn<'_>, member_id: &MemberId, now: Millis) -> Result<i64> {
    const SQL: &str = "SELECT count(*) AS n FROM uploads
        WHERE member_id = $1 AND expires_at > $2 AND media_id IS NULL";
    let row = db.fetch_one(SQL, [member_id.value(), now.into()]).await?;
    Ok(row.map_or(Ok(0), |row| row.try_get("", "n"))?)
}

/// Appends a part to those that have arrived, and extends the validity of the link. Returns `false`
/// if the part does not begin at the end of the received bytes.
pub async fn append_part(
    db: &Conn<'_>,
    id: &UploadId,
    part: &Part,
    expires_at: Millis,
) -> Result<bool> {
    const APPEND: &str = "UPDATE uploads SET received = received + $3, expires_at = $4
        WHERE id = $1 AND received = $2 AND media_id IS NULL";
    const INSERT: &str =
        "INSERT INTO upload_parts (upload_id, starts_at, bytes, sha256) VALUES ($1, $2, $3, $4)";
    let values = [
        id.value(),
        part.starts_at.into(),
        part.bytes.into(),
        expires_at.into(),
    ];
    if db.run(APPEND, values).await? == 0 {
        return Ok(false);
    }
    let values = [
        id.value(),
        part.starts_at.into(),
        part.bytes.into(),
        part.sha256.as_str().into(),
    ];
    db.run(INSERT, values).await?;
    Ok(true)
}

/// Lists the parts of an upload, in the order of their positions.
pub async fn list_parts(db: &Conn<'_>, id: &UploadId) -> Result<Vec<Part>> {
    const SQL: &str = "SELECT starts_at, bytes, sha256 FROM upload_parts WHERE upload_id = $1
        ORDER BY starts_at";
    let rows = db.fetch_all(SQL, [id.value()]).await?;
    Ok(rows
        .iter()
        .map(crate::Row::read)
        .collect::<Result<_, _>>()?)
}

/// Removes the last part, so that it can be sent again.
pub async fn remove_last_part(db: &Conn<'_>, id: &UploadId, part: &Part) -> Result<()> {
    const SHORTEN: &str = "UPDATE uploads SET received = $2 WHERE id = $1";
    const DELETE: &str = "DELETE FROM upload_parts WHERE upload_id = $1 AND starts_at = $2";
    db.run(SHORTEN, [id.value(), part.starts_at.into()]).await?;
    db.run(DELETE, [id.value(), part.starts_at.into()]).await?;
    Ok(())
}

/// Removes the rows of the parts of an upload.
pub async fn delete_parts(db: &Conn<'_>, id: &UploadId) -> Result<()> {
    db.run(
        "DELETE FROM upload_parts WHERE upload_id = $1",
        [id.value()],
    )
    .await?;
    Ok(())
}

/// Removes all parts, so that the whole file can be sent again.
pub async fn restart(db: &Conn<'_>, id: &UploadId) -> Result<()> {
    db.run(
        "UPDATE uploads SET received = 0 WHERE id = $1",
        [id.value()],
    )
    .await?;
    delete_parts(db, id).await
}

/// Records the medium of an upload whose file is stored.
pub async fn complete(db: &Conn<'_>, id: &UploadId, media_id: &MediaId) -> Result<()> {
    const SQL: &str = "UPDATE uploads SET media_id = $2 WHERE id = $1";
    db.run(SQL, [id.value(), media_id.value()]).await?;
    Ok(())
}

/// Lists the ids of uploads that ended before an instant.
pub async fn list_ended(db: &Conn<'_>, before: Millis, most: i64) -> Result<Vec<UploadId>> {
    const SQL: &str = "SELECT id FROM uploads WHERE expires_at < $1 ORDER BY expires_at LIMIT $2";
    let rows = db.fetch_all(SQL, [before.into(), most.into()]).await?;
    Ok(rows
        .iter()
        .map(|row| row.try_get("", "id"))
        .collect::<Result<_, _>>()?)
}

/// Deletes an upload and its parts.
pub async fn delete(db: &Conn<'_>, id: &UploadId) -> Result<()> {
    delete_parts(db, id).await?;
    db.run("DELETE FROM uploads WHERE id = $1", [id.value()])
        .await?;
    Ok(())
}
