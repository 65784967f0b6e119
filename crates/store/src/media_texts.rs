//! The texts by which media are found: their alternative texts, there and on events, and what
//! generated images were made from.

use domain::{Attached, MediaId, time::Millis};

use crate::{
    Bind, Conn, Result,
    searching::{self, Kind},
};

const READ: &str = "
SELECT f.created_at, f.alt, s.text, s.prompt
FROM media f LEFT JOIN media_sources s ON s.media_id = f.id WHERE f.id = $1";

const READ_SLIDES: &str = "
SELECT DISTINCT alt FROM event_media WHERE media_id = $1 AND alt IS NOT NULL ORDER BY alt";

/// Stores the text of a medium from what its tables contain.
pub(crate) async fn put(db: &Conn<'_>, id: &str) -> Result<()> {
    let Some(row) = db.fetch_one(READ, [id.into()]).await? else {
        return Ok(());
    };
    let created_at: Millis = row.try_get("", "created_at")?;
    let mut texts: Vec<String> = vec![];
    let mut add = |text: Option<String>| {
        let text = text.filter(|text| !texts.contains(text));
        texts.extend(text);
    };
    add(row.try_get("", "alt")?);
    for slide in db.fetch_all(READ_SLIDES, [id.into()]).await? {
        add(slide.try_get("", "alt")?);
    }
    add(row.try_get("", "text")?);
    add(row.try_get("", "prompt")?);
    let mut texts = texts.iter().map(String::as_str);
    let title = texts.next().unwrap_or_default();
    let text = searching::join_text(title, texts);
    searching::put(db, Kind::Media, id, created_at, text).await
}

/// Stores the texts of media whose alternative text on an event changes.
pub(crate) async fn put_changed(
    db: &Conn<'_>,
    before: &[Attached],
    after: &[Attached],
) -> Result<()> {
    let alt = |media: &[Attached], id: &MediaId| {
        let slide = media.iter().find(|slide| slide.id == *id);
        slide.and_then(|slide| slide.alt.clone())
    };
    let mut ids: Vec<&MediaId> = before.iter().chain(after).map(|slide| &slide.id).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        if alt(before, id) != alt(after, id) {
            // Another event may change the text of the same medium.
            let lock = "UPDATE search_texts SET pending = TRUE WHERE kind = $1 AND id = $2";
            db.run(lock, [Kind::Media.as_str().into(), id.value()])
                .await?;
            put(db, id.as_str()).await?;
        }
    }
    Ok(())
}
