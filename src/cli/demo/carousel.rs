//! The carousel that an example corrects.

use anyhow::Result;
use domain::{
    EventId, MediaId, Style,
    time::{DAY, Millis},
};
use gateway::{Gateway, Principal, Services};
use ports::CardRequest;
use store::{
    contents,
    events::{self, Attached, Change, Event},
    media::{self, Media, storage_path},
    media_sources::{self, Source},
};

use crate::reason::into_anyhow;

/// The texts of the cards.
const CARDS: [&str; 2] = [
    "Três sopas de inverno\n\nUma por dia, sem pressa: o caldo se faz sozinho.",
    "1. Caldo verde\n\n- Couve cortada fina\n- Batata bem cozida\n- Azeite no prato",
];

/// Draws the cards and attaches them to the event, on behalf of the caller.
pub(super) async fn seed_carousel(
    gateway: &Gateway,
    caller: &Principal,
    event_id: &EventId,
    ids: [MediaId; 2],
    now: Millis,
) -> Result<()> {
    let services = &gateway.services;
    let mut drawn = vec![];
    for (number, (id, text)) in (1..).zip(ids.into_iter().zip(CARDS)) {
        let source = Source {
            text: Some(text.into()),
            prompt: None,
            style: Style::Editorial,
            quality: None,
            photo_id: None,
            background_id: None,
            page: Some(number),
            pages: Some(2),
            maker: "local".into(),
        };
        let media = store_card(services, caller, (id, text), u32::try_from(number)?, now).await?;
        drawn.push((media, source));
    }
    let tx = services.db.begin().await?;
    let db = tx.conn();
    let before = events::find(&db, event_id).await.map_err(into_anyhow)?;
    let before: Event = before.ok_or_else(|| anyhow::anyhow!("a peça não existe"))?;
    let mut after = before.clone();
    for (slide_index, (medium, source)) in (0..).zip(&drawn) {
        media::insert(&db, medium).await.map_err(into_anyhow)?;
        let stored = media_sources::insert(&db, &medium.id, source).await;
        stored.map_err(into_anyhow)?;
        let released = contents::release_claim(&db, &medium.sha256, now).await;
        released.map_err(into_anyhow)?;
        after.media.push(Attached {
            id: medium.id.clone(),
            slide_index,
            kind: medium.kind.clone(),
            alt: medium.alt.clone(),
            media_type: medium.media_type.clone(),
        });
    }
    let change = Change {
        actor: &caller.member.id,
        action: "generate_carousel",
        reason: None,
    };
    let saved = events::save(&db, &before, after, change, now - DAY).await;
    saved.map_err(into_anyhow)?;
    tx.commit().await?;
    Ok(())
}

/// Draws a card and stores its bytes under a claim.
async fn store_card(
    services: &Services,
    caller: &Principal,
    (id, text): (MediaId, &str),
    number: u32,
    now: Millis,
) -> Result<Media> {
    let request = CardRequest {
        text: text.into(),
        prompt: None,
        photo: None,
        style: Style::Editorial,
        width: 1080,
        height: 1350,
        page: (number, 2),
        look: None,
    };
    let picture = services.images.draw_card(request).await;
    let picture = picture.map_err(into_anyhow)?;
    let media = Media {
        id,
        sha256: domain::sha256_hex(&picture.bytes),
        media_type: picture.media_type.into(),
        bytes: i64::try_from(picture.bytes.len())?,
        width: Some(picture.width.into()),
        height: Some(picture.height.into()),
        kind: "card".into(),
        alt: Some(text.into()),
        origin: "carousel".into(),
        created_by: caller.member.id.clone(),
        created_at: now - 3 * DAY,
        source_url: None,
    };
    let tx = services.db.begin().await?;
    let claimed = contents::claim_content(&tx.conn(), &media.sha256, now).await;
    claimed.map_err(into_anyhow)?;
    tx.commit().await?;
    let path = storage_path(&media.sha256);
    let stored = services.blobs.store_bytes(&path, picture.bytes);
    stored.await.map_err(into_anyhow)?;
    Ok(media)
}
