//! Uploads a video from the storage to the provider, in chunks.
//!
//! Every run first asks the provider how many bytes it has received. So an upload continues after a
//! lost response, after a restart or on another instance.
//!
//! The upload URL is a secret: it is stored encrypted, used only if it leads to the provider or to
//! a public host over HTTPS, and deleted with the upload.

use domain::{
    Code, MediaId,
    time::{HOUR, MINUTE, Millis},
};
use gateway::{
    Error, Result,
    jobs::{JobContext, JobOutcome},
};
use ports::shortvideo::{Progress, Received, Trouble, UploadChunk};
use store::{
    media::{self, Media, storage_path},
    publications::{self, Publication, UPLOAD_URL},
    publishing_pauses, secrets,
};

use crate::publishing::{PUBLISHING_PAUSED, UPLOAD_EXPIRED};

use super::{
    asking::{self, Asked, PAUSE},
    desk::Desk,
    meaning::map_provider_code,
    photos::divide_into_chunks,
    post::Post,
};
use domain::PublicationState as State;

/// The time after which an upload expires at the provider.
const OPEN: Millis = HOUR;

pub(super) async fn continue_upload(
    ctx: &JobContext,
    publication: &Publication,
) -> Result<JobOutcome> {
    let services = ctx.services();
    let expired = services.clock.now() >= publication.created_at + OPEN;
    let (code, at) = match asking::request_status(ctx, publication).await? {
        Asked::Progress(Progress::Working { uploaded }) => {
            let uploaded = i64::try_from(uploaded).unwrap_or(i64::MAX);
            if uploaded >= publication.bytes {
                return record_all_received(ctx, publication).await;
            }
            // The provider never publishes a video without all of its bytes.
            return match expired {
                true => end_as_expired(ctx, publication).await,
                false => send_chunks(ctx, publication, uploaded.unsigned_abs()).await,
            };
        }
        Asked::Progress(progress) => {
            return asking::end_with_status(ctx, publication, progress).await;
        }
        Asked::Later(at) => (None, at),
        Asked::HeldUp(code, at) => (Some(code), at),
    };
    match (expired, publication.finishing) {
        (true, 0) => end_as_expired(ctx, publication).await,
        // The last chunk may have arrived although its response was lost.
        (true, _) => record_all_received(ctx, publication).await,
        (false, _) => asking::record_held_up(ctx, publication, code, at).await,
    }
}

/// Sends the chunks after the first `sent` bytes.
async fn send_chunks(
    ctx: &JobContext,
    publication: &Publication,
    mut sent: u64,
) -> Result<JobOutcome> {
    let services = ctx.services();
    let desk = Desk::require_configured(services)?;
    let media = load_video(ctx, publication).await?;
    let id = publication.id.as_str();
    let sealed = secrets::find_sealed(&services.db.reader(), UPLOAD_URL, id).await?;
    let url = services
        .keys
        .open(UPLOAD_URL, id, &sealed.unwrap_or_default())?;
    let url = String::from_utf8(url).map_err(Error::internal)?;
    let chunks = divide_into_chunks(publication.bytes);
    loop {
        let range = chunks.range_after(sent);
        let (end, last) = (range.end, range.end == chunks.size);
        let tx = services.db.begin().await?;
        // The provider publishes a video when its last chunk arrives, so this chunk waits for the end of
        // the pause. If the pause lasts too long, the upload expires.
        if last && publishing_pauses::find(&tx.conn()).await?.is_some() {
            drop(tx);
            let at = services.clock.now() + MINUTE;
            return asking::record_held_up(ctx, publication, Some(PUBLISHING_PAUSED), at).await;
        }
        let bytes = i64::try_from(range.start).map_err(Error::internal)?;
        let now = services.clock.now();
        publications::record_upload(&tx.conn(), &publication.id, bytes, last, now).await?;
        ctx.commit(tx).await?;
        let path = storage_path(&media.sha256);
        let stream = services.blobs.read_range(&path, range.clone()).await?;
        let chunk = UploadChunk {
            range,
            size: chunks.size,
            media_type: media.media_type.clone(),
            bytes: stream.ok_or_else(|| Error::internal("a stored file is missing"))?,
        };
        match desk.api.upload_chunk(&url, chunk).await {
            Ok(Received::Part) if !last => sent = end,
            Ok(Received::All) if last => return record_all_received(ctx, publication).await,
            Err(Trouble::Refused { code, .. }) if code == "upload_403" => {
                return end_as_expired(ctx, publication).await;
            }
            Err(Trouble::Refused { code, .. })
                if !matches!(code.as_str(), "upload_416" | "upload_429") =>
            {
                let meant = map_provider_code(&code).code.as_str();
                return asking::end_publication(
                    ctx,
                    publication,
                    State::Failed,
                    meant,
                    Some(&code),
                )
                .await;
            }
            // The next run asks the provider where to continue.
            _ => return Ok(JobOutcome::Retry(Code::PROVIDER_FAILED, None)),
        }
        if ctx.is_stopping() {
            return Ok(JobOutcome::Again(services.clock.now()));
        }
    }
}

async fn load_video(ctx: &JobContext, publication: &Publication) -> Result<Media> {
    let post: Post = serde_json::from_str(&publication.post)?;
    let id: MediaId = post.sent_ids.into_iter().next().unwrap_or_default();
    let media = media::find(&ctx.services().db.reader(), &id).await?;
    media.ok_or_else(|| Error::internal("the medium of a publication is missing"))
}

async fn record_all_received(ctx: &JobContext, publication: &Publication) -> Result<JobOutcome> {
    let services = ctx.services();
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    publications::record_receipt(&tx.conn(), &publication.id, now).await?;
    ctx.commit(tx).await?;
    Ok(JobOutcome::Again(now + PAUSE))
}

async fn end_as_expired(ctx: &JobContext, publication: &Publication) -> Result<JobOutcome> {
    let code = UPLOAD_EXPIRED.as_str();
    asking::end_publication(ctx, publication, State::Failed, code, None).await
}
