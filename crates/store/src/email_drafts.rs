//! E-mail drafts.
//!
//! The HTML is in a separate table, so that a list does not read it. The version token of a draft
//! is `updated_at`, which grows by at least a millisecond with each write. A deleted draft keeps
//! its row without HTML. A new draft with the same name starts after the last token, so that a
//! caller with a token of the deleted draft cannot overwrite it.

use entity::email_draft::{Column, Entity};
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{Bind, Conn, Row, columns};
use crate::{
    Result,
    searching::{self, FoundText, Joined, Kind},
};
use domain::{
    Error, MemberId, TemplateId, TextRange, UpdateToken, fold_text,
    time::{Millis, Timestamp},
};
use search::{Document, typed::Typed};
use serde_json::Value;

/// The maximum length of the HTML whose text is searched, in bytes. Mail clients show no more.
const SEARCHED: usize = 300_000;

/// A draft with its HTML, or a range of it.
#[derive(Debug)]
pub struct Draft {
    pub metadata: String,
    /// Length of the whole HTML, in characters.
    pub html_length: i64,
    pub updated_at: Millis,
    pub updated_by: MemberId,
    pub updated_by_name: Option<String>,
    pub html: String,
}

/// A draft without its HTML.
#[derive(Debug)]
pub struct Listed {
    pub template_id: TemplateId,
    pub metadata: String,
    /// Length of the HTML, in characters.
    pub html_length: Option<i64>,
    pub updated_at: Millis,
    pub updated_by: MemberId,
}

columns!(Listed {
    template_id,
    metadata,
    html_length,
    updated_at,
    updated_by,
});

/// The new values of a write.
pub struct Write<'a> {
    pub template_id: &'a TemplateId,
    pub html: &'a str,
    /// The metadata as JSON; `None` keeps the stored metadata.
    pub metadata: Option<String>,
    pub member_id: &'a MemberId,
}

/// The values stored by a write.
#[derive(Debug)]
pub struct Written {
    pub html_length: i64,
    pub metadata: String,
    pub updated_at: Millis,
}

/// Lists drafts without their HTML, newest first, after the position `after`; at most `probe` rows.
/// If `text` is set, lists only drafts whose id or metadata contains the text, regardless of case
/// and accents.
pub async fn list(
    db: &Conn<'_>,
    text: Option<&str>,
    mut after: Option<(Millis, TemplateId)>,
    probe: i64,
) -> Result<Vec<Listed>> {
    const AT_ONCE: i64 = 200;
    let Some(text) = text else {
        return list_page(db, after, probe).await;
    };
    let text = fold_text(text);
    let wanted = usize::try_from(probe).unwrap_or(usize::MAX);
    let mut found = vec![];
    loop {
        let rows = list_page(db, after, AT_ONCE).await?;
        let last = rows.last();
        after = last.map(|row| (row.updated_at, row.template_id.clone()));
        let has = |row: &Listed| {
            fold_text(row.template_id.as_str()).contains(&text)
                || fold_text(&row.metadata).contains(&text)
        };
        found.extend(rows.into_iter().filter(has));
        if found.len() >= wanted || after.is_none() {
            found.truncate(wanted);
            return Ok(found);
        }
    }
}

async fn list_page(
    db: &Conn<'_>,
    after: Option<(Millis, TemplateId)>,
    probe: i64,
) -> Result<Vec<Listed>> {
    let mut query = Entity::find().filter(Column::HtmlLength.is_not_null());
    if let Some((at, id)) = after {
        let same_time = Column::UpdatedAt
            .eq(at)
            .and(Column::TemplateId.gt(id.value()));
        query = query.filter(Column::UpdatedAt.lt(at).or(same_time));
    }
    let query = query
        .order_by_desc(Column::UpdatedAt)
        .order_by_asc(Column::TemplateId);
    let query = query.limit(probe.cast_unsigned());
    Ok(query.into_model().all(db).await?)
}

const FIND: &str = "
SELECT d.metadata, d.html_length, d.updated_at, d.updated_by, m.name AS updated_by_name,
    h.html AS html
FROM email_drafts d
JOIN email_draft_html h ON h.template_id = d.template_id
LEFT JOIN members m ON m.id = d.updated_by
WHERE d.template_id = $1 AND d.html_length IS NOT NULL";

/// Finds a draft with its whole HTML.
pub async fn find(db: &Conn<'_>, template_id: &TemplateId) -> Result<Option<Draft>> {
    let row = db.fetch_one(FIND, [template_id.value()]).await?;
    row.as_ref().map(read_draft).transpose()
}

/// Finds a draft with its whole HTML, and locks it until the end of the transaction.
pub async fn find_locked(db: &Conn<'_>, template_id: &TemplateId) -> Result<Option<Draft>> {
    let sql = "UPDATE email_drafts SET updated_at = updated_at WHERE template_id = $1";
    db.run(sql, [template_id.value()]).await?;
    find(db, template_id).await
}

const FIND_WINDOW: &str = "
SELECT d.metadata, d.html_length, d.updated_at, d.updated_by, m.name AS updated_by_name,
    substr(h.html, CAST($2 AS INTEGER), CAST($3 AS INTEGER)) AS html
FROM email_drafts d
JOIN email_draft_html h ON h.template_id = d.template_id
LEFT JOIN members m ON m.id = d.updated_by
WHERE d.template_id = $1 AND d.html_length IS NOT NULL";

/// Finds a draft with a range of its HTML.
pub async fn find_with_html_range(
    db: &Conn<'_>,
    template_id: &TemplateId,
    span: TextRange,
) -> Result<Option<Draft>> {
    let values = [
        template_id.value(),
        (span.from + 1).into(),
        span.length.into(),
    ];
    let row = db.fetch_one(FIND_WINDOW, values).await?;
    row.as_ref().map(read_draft).transpose()
}

fn read_draft(row: &Row) -> Result<Draft> {
    Ok(Draft {
        metadata: row.try_get("", "metadata")?,
        html_length: row.try_get("", "html_length")?,
        updated_at: row.try_get("", "updated_at")?,
        updated_by: row.try_get("", "updated_by")?,
        updated_by_name: row.try_get("", "updated_by_name")?,
        html: row.try_get("", "html")?,
    })
}

/// Inserts a draft or replaces a deleted one; keeps an existing draft.
const CREATE: &str = "
INSERT INTO email_drafts (template_id, metadata, html_length, updated_at, updated_by)
VALUES ($1, COALESCE($2, '{}'), $3, $4, $5)
ON CONFLICT (template_id) DO UPDATE
SET metadata = excluded.metadata, html_length = excluded.html_length,
    updated_at = CASE WHEN excluded.updated_at > email_drafts.updated_at
        THEN excluded.updated_at ELSE email_drafts.updated_at + 1 END,
    updated_by = excluded.updated_by
WHERE email_drafts.html_length IS NULL
RETURNING metadata, updated_at";

const UPDATE: &str = "
UPDATE email_drafts
SET metadata = COALESCE($2, metadata), html_length = $3,
    updated_at = CASE WHEN $4 > updated_at THEN $4 ELSE updated_at + 1 END,
    updated_by = $5
WHERE template_id = $1 AND updated_at = $6 AND html_length IS NOT NULL
RETURNING metadata, updated_at";

const PUT_HTML: &str = "
INSERT INTO email_draft_html (template_id, html) VALUES ($1, $2)
ON CONFLICT (template_id) DO UPDATE SET html = excluded.html";

/// Writes the draft if its token equals `expected`. `None` expects that there is no draft.
///
/// Otherwise returns an error (409) with the current token.
pub async fn save(
    db: &Conn<'_>,
    write: Write<'_>,
    expected: Option<UpdateToken>,
    now: Millis,
) -> Result<Written> {
    let html_length = i64::try_from(write.html.chars().count()).map_err(Error::internal)?;
    let mut values = vec![
        write.template_id.value(),
        write.metadata.into(),
        html_length.into(),
        now.into(),
        write.member_id.value(),
    ];
    let sql = match expected {
        None => CREATE,
        Some(token) => {
            values.push(token.instant().into());
            UPDATE
        }
    };
    let Some(row) = db.fetch_one(sql, values).await? else {
        return Err(load_stale_token_error(db, write.template_id).await?.into());
    };
    db.run(PUT_HTML, [write.template_id.value(), write.html.into()])
        .await?;
    let written = Written {
        html_length,
        metadata: row.try_get("", "metadata")?,
        updated_at: row.try_get("", "updated_at")?,
    };
    let id = write.template_id.as_str();
    let text = search_text(id, &written.metadata, write.html);
    searching::save_text(db, Kind::EmailDraft, id, written.updated_at, text).await?;
    Ok(written)
}

/// Returns the text by which a draft is found: its name, the texts of its metadata, and the text that
/// its HTML displays.
pub(crate) fn search_text(id: &str, metadata: &str, html: &str) -> String {
    let mut texts = vec![];
    collect_texts(
        serde_json::from_str(metadata).unwrap_or_default(),
        &mut texts,
    );
    let end = (0..=SEARCHED.min(html.len())).rev();
    let end = end.into_iter().find(|end| html.is_char_boundary(*end));
    let shown = Document::from_html(&html[..end.unwrap_or(0)]);
    texts.extend(shown.paragraphs.into_iter().map(|paragraph| paragraph.text));
    searching::join_text(id, texts.iter().map(String::as_str))
}

fn collect_texts(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.into_iter().for_each(|one| collect_texts(one, texts)),
        Value::Object(fields) => {
            let values = fields.into_iter().map(|(_, value)| value);
            values.for_each(|one| collect_texts(one, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Finds drafts by their texts.
pub async fn find_by_query(db: &Conn<'_>, typed: &Typed, most: usize) -> Result<Vec<FoundText>> {
    searching::find_texts(db, Kind::EmailDraft, typed, Joined::default(), most).await
}

const DELETE: &str = "
UPDATE email_drafts
SET metadata = '{}', html_length = NULL,
    updated_at = CASE WHEN $2 > updated_at THEN $2 ELSE updated_at + 1 END,
    updated_by = $3
WHERE template_id = $1 AND updated_at = $4 AND html_length IS NOT NULL";

/// Deletes the draft if it still has this token.
///
/// Returns an error (404) if there is no draft, or (409) with the current token if the token has
/// changed.
pub async fn delete(
    db: &Conn<'_>,
    template_id: &TemplateId,
    expected: UpdateToken,
    member_id: &MemberId,
    now: Millis,
) -> Result<()> {
    let values = [
        template_id.value(),
        now.into(),
        member_id.value(),
        expected.instant().into(),
    ];
    if db.run(DELETE, values).await? == 0 {
        return Err(match find_current_token(db, template_id).await? {
            None => not_found().into(),
            Some(token) => Error::stale_revision(token).into(),
        });
    }
    let sql = "DELETE FROM email_draft_html WHERE template_id = $1";
    db.run(sql, [template_id.value()]).await?;
    searching::delete_text(db, Kind::EmailDraft, template_id.as_str()).await
}

/// Returns the error for a draft that does not exist (404).
pub fn not_found() -> Error {
    Error::not_found_in("rascunho de e-mail", "list_email_drafts")
}

/// Returns the error for a write that expected an old token of the draft. The error contains the current
/// token.
async fn load_stale_token_error(db: &Conn<'_>, template_id: &TemplateId) -> Result<Error> {
    Ok(Error::stale_revision(
        find_current_token(db, template_id).await?,
    ))
}

/// Returns the current token of the draft; `None` when there is no draft.
async fn find_current_token(db: &Conn<'_>, template_id: &TemplateId) -> Result<Option<String>> {
    let found = Entity::find_by_id(template_id.as_str()).one(db).await?;
    let live = found.filter(|row| row.html_length.is_some());
    Ok(live.map(|row| Timestamp(row.updated_at).to_string()))
}
