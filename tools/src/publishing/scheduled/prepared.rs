//! Stores the prepared post of a network between the steps, and deletes it at the network.
//!
//! The URLs of an upload are secrets: they are stored encrypted, and deleted with the upload.

use domain::time::HOUR;
use gateway::{Error, Result, Services, jobs::JobContext};
use ports::publishing::Prepared;
use store::{
    publications::UPLOAD_URL,
    scheduled_posts::{self, ScheduledPost},
    secrets::{self, Sealed},
};

use super::{
    meaning::Cause,
    network::{HELD_UP, Reached, reach},
    steps::Next,
};
use domain::PostState as State;

/// Loads the prepared post of a publication; the default value if nothing was prepared.
pub(super) async fn load_prepared(
    services: &Services,
    publication: &ScheduledPost,
) -> Result<Prepared> {
    let Some(text) = &publication.prepared else {
        return Ok(Prepared::default());
    };
    let mut prepared: Prepared = serde_json::from_str(text)?;
    if let Some(upload) = &mut prepared.upload {
        let id = publication.id.as_str();
        let sealed = secrets::find_sealed(&services.db.reader(), UPLOAD_URL, id).await?;
        // Without its URLs an upload cannot continue, so it starts again.
        if let Some(sealed) = sealed {
            let opened = services.keys.open(UPLOAD_URL, id, &sealed)?;
            upload.addresses = String::from_utf8(opened).map_err(Error::internal)?;
        }
    }
    Ok(prepared)
}

/// Stores the prepared post.
pub(super) async fn store_prepared(
    ctx: &JobContext,
    publication: &ScheduledPost,
    prepared: &Prepared,
) -> Result<()> {
    let services = ctx.services();
    let id = &publication.id;
    let sealed = match &prepared.upload {
        None => None,
        Some(upload) => Some(Sealed {
            purpose: UPLOAD_URL.into(),
            id: id.as_str().into(),
            kid: services.keys.active_key_id().into(),
            sealed: services
                .keys
                .seal(UPLOAD_URL, id.as_str(), upload.addresses.as_bytes())?,
        }),
    };
    let text = serde_json::to_string(prepared)?;
    let tx = services.db.begin().await?;
    let now = services.clock.now();
    scheduled_posts::record_prepared(&tx.conn(), id, (&text, sealed.as_ref()), now).await?;
    ctx.commit(tx).await
}

/// Stores that the network has accepted the post and publishes it later. The lease of the job is not
/// needed, because this fact is true for every instance.
pub(super) async fn store_taken(
    ctx: &JobContext,
    publication: &ScheduledPost,
    prepared: &Prepared,
) -> Result<()> {
    let services = ctx.services();
    let text = serde_json::to_string(prepared)?;
    let tx = services.db.begin().await?;
    let (code, now) = (Cause::Processing.code(), services.clock.now());
    scheduled_posts::record_acceptance(&tx.conn(), &publication.id, (&text, code), now).await?;
    Ok(tx.commit().await?)
}

/// Deletes the prepared post at a network that keeps it, before the post is prepared again. If this
/// fails, the network keeps a post that only the account can see.
pub(super) async fn discard(
    ctx: &JobContext,
    publication: &ScheduledPost,
    reached: &Reached<'_>,
) -> Result<()> {
    let api = &reached.network.api;
    if !api.keeps_prepared() || publication.is_uncertain == 1 || publication.prepared.is_none() {
        return Ok(());
    }
    let prepared = load_prepared(ctx.services(), publication).await?;
    if let Err(trouble) = api.discard(reached.account(), &prepared).await {
        tracing::warn!(
            publication = publication.id.as_str(),
            ?trouble,
            "o preparo ficou na rede"
        );
    }
    Ok(())
}

/// Deletes the prepared post of a publication that has ended without a post, and then the URLs of its
/// upload, which the deletion may need. Keeps a prepared post that an earlier request may have
/// published, and a video that the network keeps private (`LockedPrivate`).
pub(super) async fn discard_ended(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let services = ctx.services();
    if !matches!(publication.state, State::Failed | State::Canceled)
        || publication.prepared.is_none()
    {
        return Ok(Next::Nothing);
    }
    let is_locked = publication.code.as_deref() == Some(Cause::LockedPrivate.code());
    if publication.is_uncertain == 1 || publication.evidence.is_some() || is_locked {
        return forget_addresses(ctx, publication).await;
    }
    let now = services.clock.now();
    let is_discarded = match reach(services, publication).await? {
        Ok(reached) if !reached.network.api.keeps_prepared() => {
            return forget_addresses(ctx, publication).await;
        }
        Ok(reached) => {
            let prepared = load_prepared(services, publication).await?;
            let discarded = reached.network.api.discard(reached.account(), &prepared);
            discarded.await.is_ok()
        }
        Err(_) => false,
    };
    if !is_discarded {
        return match now < publication.updated_at + HOUR {
            true => Ok(Next::At(now + HELD_UP)),
            false => forget_addresses(ctx, publication).await,
        };
    }
    let tx = services.db.begin().await?;
    scheduled_posts::forget_prepared(&tx.conn(), &publication.id, now).await?;
    ctx.commit(tx).await?;
    Ok(Next::Nothing)
}

async fn forget_addresses(ctx: &JobContext, publication: &ScheduledPost) -> Result<Next> {
    let tx = ctx.services().db.begin().await?;
    scheduled_posts::forget_addresses(&tx.conn(), &publication.id).await?;
    ctx.commit(tx).await?;
    Ok(Next::Nothing)
}
