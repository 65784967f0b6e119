//! The inputs of generated images: texts, prompts and other images.

use std::collections::BTreeMap;

use super::{Bind, Conn, columns, conditions::Conditions, media_texts, text_column};
use crate::Result;
use domain::{MediaId, Style};

/// The inputs of a generated image, and its generator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The text of a card.
    pub text: Option<String>,
    /// The description of a single image, or of the background of a card.
    pub prompt: Option<String>,
    pub style: Style,
    /// The quality that was requested for a single image.
    pub quality: Option<String>,
    /// The stored image that the caller chose as background.
    pub photo_id: Option<MediaId>,
    /// The background that a provider drew.
    pub background_id: Option<MediaId>,
    /// The number of a card in its page mark, counted from 1.
    pub page: Option<i64>,
    /// The total number of cards in the page mark.
    pub pages: Option<i64>,
    /// The generator of the image: `local` or the provider.
    pub maker: String,
}

columns!(Source {
    text,
    prompt,
    style,
    quality,
    photo_id,
    background_id,
    page,
    pages,
    maker,
});

text_column!(Style);

const INSERT: &str = "
INSERT INTO media_sources (media_id, text, prompt, style, quality, photo_id, background_id, page,
    pages, maker)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// Stores the inputs of a generated image. The medium must be stored already.
pub async fn insert(db: &Conn<'_>, media_id: &MediaId, source: &Source) -> Result<()> {
    let id = |id: &Option<MediaId>| id.as_ref().map(|id| id.as_str().to_owned());
    let values = [
        media_id.value(),
        source.text.clone().into(),
        source.prompt.clone().into(),
        source.style.as_str().into(),
        source.quality.clone().into(),
        id(&source.photo_id).into(),
        id(&source.background_id).into(),
        source.page.into(),
        source.pages.into(),
        source.maker.as_str().into(),
    ];
    db.run(INSERT, values).await?;
    media_texts::save_text(db, media_id.as_str()).await
}

/// Finds the inputs of the generated media among `ids`.
pub async fn find_all(
    db: &Conn<'_>,
    ids: impl IntoIterator<Item = &MediaId>,
) -> Result<BTreeMap<MediaId, Source>> {
    let mut query = Conditions::default();
    let names: Vec<String> = ids.into_iter().map(|id| query.bind(id.value())).collect();
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let sql = format!(
        "SELECT * FROM media_sources WHERE media_id IN ({})",
        names.join(", ")
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    let rows = rows
        .iter()
        .map(|row| Ok((row.try_get("", "media_id")?, row.read()?)));
    rows.collect()
}
