//! Seeds publications of variants: for the published examples, and for the posts of the agenda with
//! their figures.

use domain::{
    CommentState, EventId, Format, MemberId, PostState, PublicationId, ReadingAge, Revision,
    VariantId,
    time::{DAY, MINUTE, Millis},
    variant::{PublishMode, Variant, VariantContent},
};
use gateway::Result;
use ports::figures::Figures;
use store::{
    Conn,
    post_results::{self, Attempt},
    scheduled_posts::{self, Step},
    variants,
};

/// The account under which the demo's posts appear.
const ACCOUNT: &str = "17841400000000001";

/// Inserts a variant of this piece, and a publication of the variant that is due in two days.
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
    let planned = (ACCOUNT, now + 2 * DAY);
    scheduled_posts::insert(db, &publication, &variant, planned, now).await?;
    Ok(())
}

/// Inserts a variant of this approved piece that was changed after the approval.
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

/// Inserts a variant of this approved piece that a person should have posted two days ago.
pub(super) async fn seed_late_variant(
    db: &Conn<'_>,
    id: VariantId,
    event_id: EventId,
    owner: &MemberId,
    now: Millis,
) -> Result<()> {
    let variant = Variant {
        id,
        event_id,
        channel: "whatsapp".into(),
        format: Format::Post,
        content: VariantContent::default(),
        due_at: Some(now - 2 * DAY),
        publish: PublishMode::Manual,
        revision: Revision::FIRST,
        approved_revision: Some(Revision::FIRST),
        refused_revision: None,
        changed_by: owner.clone(),
        created_at: now - 3 * DAY,
        updated_at: now - 3 * DAY,
    };
    Ok(variants::insert(db, &variant).await?)
}

/// A published post of the demo.
pub(super) struct Posted<'a> {
    pub event_id: EventId,
    pub owner: &'a MemberId,
    pub at: Millis,
    /// The number of accounts that saw the post within a week. The other figures are computed from this
    /// number.
    pub reach: i64,
}

/// Inserts a published variant for the feed of Instagram, and the readings of its figures until `today`.
pub(super) async fn seed_post(db: &Conn<'_>, posted: Posted<'_>, today: Millis) -> Result<()> {
    let variant = Variant {
        id: VariantId::new(posted.at),
        event_id: posted.event_id,
        channel: "instagram".into(),
        format: Format::Feed,
        content: VariantContent::default(),
        due_at: None,
        publish: PublishMode::Automatic,
        revision: Revision::FIRST,
        approved_revision: Some(Revision::FIRST),
        refused_revision: None,
        changed_by: posted.owner.clone(),
        created_at: posted.at - DAY,
        updated_at: posted.at - DAY,
    };
    variants::insert(db, &variant).await?;
    let (id, at) = (PublicationId::new(posted.at), posted.at);
    scheduled_posts::insert(db, &id, &variant, (ACCOUNT, at), at - DAY).await?;
    let sending = (PostState::Scheduled, PostState::Publishing);
    scheduled_posts::record_step(db, &id, sending, Step::default(), at).await?;
    let post_id = format!("1790000000{}", posted.reach);
    let link = format!("https://www.instagram.com/p/exemplo-{}/", posted.reach);
    let found = (Some(post_id.as_str()), Some(link.as_str()));
    scheduled_posts::record_published(db, &id, found, CommentState::Absent, at).await?;
    scheduled_posts::record_follow_up_done(db, &id, at + MINUTE).await?;
    let shares = [22, 70, 100, 112];
    for (age, percent) in ReadingAge::ALL.iter().zip(shares) {
        let due_at = age.after(Format::Feed).map(|after| at + after);
        let Some(due_at) = due_at.filter(|due_at| *due_at <= today) else {
            continue;
        };
        let reach = posted.reach * percent / 100;
        let figures = Figures {
            reach: Some(reach),
            views: Some(reach * 14 / 10),
            likes: Some(reach / 17),
            comments: Some(reach / 190),
            shares: Some(reach / 90),
            saves: Some(reach / 40),
            clicks: Some(reach / 55),
        };
        let read_at = due_at + 3 * MINUTE;
        post_results::record(db, (&id, *age, due_at), Attempt::Read(figures), read_at).await?;
    }
    Ok(())
}
