//! The publication of a variant that the published examples use.

use domain::{
    EventId, Format, MemberId, PublicationId, Revision, VariantId,
    time::{DAY, Millis},
    variant::{PublishMode, Variant, VariantContent},
};
use gateway::Result;
use store::{Conn, scheduled_posts, variants};

/// Inserts a variant of this piece, and its publication in two days.
pub(super) async fn seed_publication(
    db: &Conn<'_>,
    (publication, variant): (PublicationId, VariantId),
    event_id: EventId,
    owner: &MemberId,
    now: Millis,
) -> Result<()> {
    let variant = Variant {
        id: variant,
        event_id,
        channel: "instagram".into(),
        format: Format::Story,
        content: VariantContent::default(),
        due_at: Some(now + 2 * DAY),
        publish: PublishMode::Automatic,
        revision: Revision::FIRST,
        approved_revision: Some(Revision::FIRST),
        refused_revision: None,
        changed_by: owner.clone(),
        created_at: now - DAY,
        updated_at: now - DAY,
    };
    variants::insert(db, &variant).await?;
    let planned = ("17841400000000001", now + 2 * DAY);
    scheduled_posts::insert(db, &publication, &variant, planned, now).await?;
    Ok(())
}

/// Inserts a variant of this approved piece that was changed since.
pub(super) async fn seed_changed_variant(
    db: &Conn<'_>,
    id: VariantId,
    event_id: EventId,
    owner: &MemberId,
    now: Millis,
) -> Result<()> {
    let variant = Variant {
        id,
        event_id,
        channel: "linkedin".into(),
        format: Format::Post,
        content: VariantContent {
            caption: Some("A receita inteira está no blog: {link}".into()),
            link: Some("https://padaria.exemplo.test/receita".into()),
            ..VariantContent::default()
        },
        due_at: None,
        publish: PublishMode::Manual,
        revision: Revision::new(2),
        approved_revision: Some(Revision::FIRST),
        refused_revision: None,
        changed_by: owner.clone(),
        created_at: now - DAY,
        updated_at: now - DAY,
    };
    Ok(variants::insert(db, &variant).await?)
}
