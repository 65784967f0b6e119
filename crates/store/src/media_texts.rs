//! The searchable texts of media: the alternative texts of the media and of their slides on events,
//! and the texts and prompts of generated images.

use std::collections::HashMap;

use domain::{Attached, MediaId, MemberId, time::Millis};
use sea_orm::Value;
use search::typed::Typed;

use crate::{
    Bind, Conn, Result,
    searching::{self, FoundText, Kind},
};

const READ: &str = "
SELECT f.id, f.created_at, f.alt, s.text, s.prompt
FROM media f LEFT JOIN media_sources s ON s.media_id = f.id WHERE f.id IN ({ids})";

const READ_SLIDES: &str = "
SELECT DISTINCT x.media_id, x.alt FROM event_media x WHERE x.media_id IN ({ids})
AND x.alt IS NOT NULL AND {seen} ORDER BY x.alt";

/// The condition that a slide is on an event that a member may see.
const IS_SEEN: &str = "EXISTS (SELECT 1 FROM event_people v
    WHERE v.event_id = x.event_id AND v.member_id = {member})";

/// A medium with its text.
struct MediumText {
    id: String,
    created_at: Millis,
    text: String,
}

/// Composes the texts of these media from their tables. If `member` is set, omits the alternative
/// texts on events that this member may not see.
async fn compose_texts(
    db: &Conn<'_>,
    ids: &[&str],
    member: Option<&MemberId>,
) -> Result<Vec<MediumText>> {
    let mut values: Vec<Value> = ids.iter().map(|id| (*id).into()).collect();
    let places: Vec<String> = (1..=values.len()).map(|n| format!("${n}")).collect();
    let in_ids = |sql: &str| sql.replace("{ids}", &places.join(", "));
    let media = db.fetch_all(&in_ids(READ), values.clone()).await?;
    let seen = match member {
        Some(member) => {
            values.push(member.value());
            IS_SEEN.replace("{member}", &format!("${}", values.len()))
        }
        None => "TRUE".to_owned(),
    };
    let slides = in_ids(READ_SLIDES).replace("{seen}", &seen);
    let mut alts: HashMap<String, Vec<String>> = HashMap::new();
    for slide in db.fetch_all(&slides, values).await? {
        let of_medium = alts.entry(slide.try_get("", "media_id")?).or_default();
        of_medium.push(slide.try_get("", "alt")?);
    }
    media
        .iter()
        .map(|row| {
            let id: String = row.try_get("", "id")?;
            let own: Option<String> = row.try_get("", "alt")?;
            let made_of: [Option<String>; 2] =
                [row.try_get("", "text")?, row.try_get("", "prompt")?];
            let slides = alts.remove(&id).unwrap_or_default();
            let made_of = made_of.into_iter().flatten();
            let mut texts: Vec<String> = vec![];
            for text in own.into_iter().chain(slides).chain(made_of) {
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            let mut texts = texts.iter().map(String::as_str);
            let title = texts.next().unwrap_or_default();
            Ok(MediumText {
                id,
                created_at: row.try_get("", "created_at")?,
                text: searching::join_text(title, texts),
            })
        })
        .collect()
}

/// Composes the text of a medium from its tables and stores it.
pub(crate) async fn save_text(db: &Conn<'_>, id: &str) -> Result<()> {
    for medium in compose_texts(db, &[id], None).await? {
        searching::save_text(db, Kind::Media, &medium.id, medium.created_at, medium.text).await?;
    }
    Ok(())
}

/// Keeps the found media that still match without the texts that the member may not see, and
/// replaces their texts by those that the member may see.
pub(crate) async fn retain_visible(
    db: &Conn<'_>,
    member: &MemberId,
    typed: &Typed,
    found: Vec<FoundText>,
) -> Result<Vec<FoundText>> {
    if found.is_empty() {
        return Ok(found);
    }
    let ids: Vec<&str> = found.iter().map(|text| text.id.as_str()).collect();
    let seen = compose_texts(db, &ids, Some(member)).await?;
    let mut seen: HashMap<String, String> = seen.into_iter().map(|m| (m.id, m.text)).collect();
    let kept = found.into_iter().filter_map(|found| {
        let text = seen.remove(&found.id)?;
        typed.find_place(&text)?;
        Some(FoundText { text, ..found })
    });
    Ok(kept.collect())
}

/// Stores the texts of media whose alternative text on an event changes.
pub(crate) async fn save_changed_texts(
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
            // Locks the row, because another event may change the text of the same medium.
            let lock = "UPDATE search_texts SET pending = TRUE WHERE kind = $1 AND id = $2";
            db.run(lock, [Kind::Media.as_str().into(), id.value()])
                .await?;
            save_text(db, id.as_str()).await?;
        }
    }
    Ok(())
}
