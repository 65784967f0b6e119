//! Stores the searchable texts of resources that are older than the search over everything.

use domain::project::Project;
use sea_orm::{ConnectionTrait, DbBackend};

use crate::{
    Conn, Result, email_drafts, media_texts,
    projects::search_text,
    searching::{self, Kind},
};

/// The number of texts that one call of [`save_missing_texts`] stores.
const BATCH: usize = 50;

const READ_DRAFT: &str = "
SELECT d.metadata, d.updated_at AS changed_at, h.html FROM email_drafts d
JOIN email_draft_html h ON h.template_id = d.template_id
WHERE d.template_id = $1 AND d.html_length IS NOT NULL";

const READ_PROJECT: &str = "
SELECT document, updated_at AS changed_at FROM projects WHERE id = $1";

/// Stores the texts of a batch of resources that have none yet. Returns whether there may be more.
/// Reads one resource at a time, because some are large.
pub async fn save_missing_texts(db: &Conn<'_>) -> Result<bool> {
    let lock = match db.get_database_backend() {
        // A writer waits for a row that is locked here, and then replaces this text by its newer text.
        DbBackend::Postgres => "FOR UPDATE SKIP LOCKED",
        _ => "",
    };
    let sql = format!(
        "SELECT kind, id FROM search_texts WHERE pending AND text IS NULL LIMIT {BATCH} {lock}"
    );
    let rows = db.fetch_all(&sql, []).await?;
    for row in &rows {
        let (kind, id): (String, String) = (row.try_get("", "kind")?, row.try_get("", "id")?);
        let kind = Kind::ALL.into_iter().find(|one| one.as_str() == kind);
        match kind {
            Some(Kind::Media) => media_texts::save_text(db, &id).await?,
            Some(kind) => save_text(db, kind, &id).await?,
            None => {}
        }
    }
    Ok(rows.len() == BATCH)
}

async fn save_text(db: &Conn<'_>, kind: Kind, id: &str) -> Result<()> {
    let sql = match kind {
        Kind::EmailDraft => READ_DRAFT,
        _ => READ_PROJECT,
    };
    let Some(row) = db.fetch_one(sql, [id.into()]).await? else {
        return searching::delete_text(db, kind, id).await;
    };
    let text = match kind {
        Kind::EmailDraft => {
            let metadata: String = row.try_get("", "metadata")?;
            let html: String = row.try_get("", "html")?;
            email_drafts::search_text(id, &metadata, &html)
        }
        _ => {
            let document: String = row.try_get("", "document")?;
            search_text(&serde_json::from_str::<Project>(&document)?)
        }
    };
    searching::save_text(db, kind, id, row.try_get("", "changed_at")?, text).await
}
