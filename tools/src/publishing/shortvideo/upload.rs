//! The upload of a video in chunks from the storage.
//!
//! Every run begins with the provider's own count of bytes. So an upload continues after a lost
//! answer, after a restart or on another instance.
//!
//! The upload URL is a secret of the provider: it is encrypted, judged by the guard of outside
//! addresses, and deleted with the upload.

use domain::{
    Code, MediaId,
    time::{HOUR, Millis},
};
use gateway::{
    Error, Result,
    jobs::{JobContext, JobOutcome},
};
use ports::shortvideo::{Progress, Received, Trouble, UploadChunk};
use store::{
    media::{self, Media, storage_path},
    publications::{self, Publication, UPLOAD_URL},
    secrets,
};

use crate::publishing::UPLOAD_EXPIRED;

use super::{
    asking::{self, Asked, PAUSE},
    desk::Desk,
    meaning::meaning,
    photos::chunks,
    post::Post,
};
use domain::PublicationState as State;

/// How long the provider accepts the bytes of an upload.
const OPEN: Millis = HOUR;

pub(super) async fn proceed(ctx: &JobContext, publication: &Publication) -> Result<JobOutcome> {
    let services = ctx.services();
    let expired = services.clock.now() >= publication.created_at + OPEN;
    let (code, at) = match asking::ask(ctx, publication).await? {
        Asked::Told(Progress::Working { uploaded }) => {
            let uploaded = i64::try_from(uploaded).unwrap_or(i64::MAX);
            if uploaded >= publication.bytes {
                return received(ctx, publication).await;
            }
            // The provider never publishes a video without all of its bytes.
            return match expired {
                true => expire(ctx, publication).await,
                false => send(ctx, publication, uploaded.unsigned_abs()).await,
            };
        }
        Asked::Told(told) => return asking::over(ctx, publication, told).await,
        Asked::Later(at) => (None, at),
        Asked::HeldUp(code, at) => (Some(code), at),
    };
    match (expired, publication.finishing) {
        (true, 0) => expire(ctx, publication).await,
        // The last chunk may have arrived although its answer was lost.
        (true, _) => received(ctx, publication).await,
        (false, _) => asking::held_up(ctx, publication, code, at).await,
    }
}

/// Sends the bytes that follow the first `sent`.
async fn send(ctx: &JobContext, publication: &Publication, mut sent: u64) -> Result<JobOutcome> {
    let services = ctx.services();
    let desk = Desk::of(services)?;
    let media = video(ctx, publication).await?;
    let id = publication.id.as_str();
    let sealed = secrets::find(&services.db.reader(), UPLOAD_URL, id).await?;
    let url = services
        .keys
        .open(UPLOAD_URL, id, &sealed.unwrap_or_default())?;
    let url = String::from_utf8(url).map_err(Error::internal)?;
    let chunks = chunks(publication.bytes);
    loop {
        let range = chunks.after(sent);
        let (end, last) = (range.end, range.end == chunks.size);
        let tx = services.db.begin().await?;
        let bytes = i64::try_from(range.start).map_err(Error::internal)?;
        let now = services.clock.now();
        publications::uploaded(&tx.conn(), &publication.id, bytes, last, now).await?;
        ctx.commit(tx).await?;
        let path = storage_path(&media.sha256);
        let stream = services.blobs.read(&path, range.clone()).await?;
        let chunk = UploadChunk {
            range,
            size: chunks.size,
            media_type: media.media_type.clone(),
            bytes: stream.ok_or_else(|| Error::internal("a stored file is missing"))?,
        };
        match desk.api.upload(&url, chunk).await {
            Ok(Received::Part) if !last => sent = end,
            Ok(Received::All) if last => return received(ctx, publication).await,
            Err(Trouble::Refused { code, .. }) if code == "upload_403" => {
                return expire(ctx, publication).await;
            }
            Err(Trouble::Refused { code, .. })
                if !matches!(code.as_str(), "upload_416" | "upload_429") =>
            {
                let meant = meaning(&code).code.as_str();
                return asking::end(ctx, publication, State::Failed, meant, Some(&code)).await;
            }
            // The provider's next count shows where to continue.
            _ => return Ok(JobOutcome::Retry(Code::PROVIDER_FAILED, None)),
        }
        if ctx.is_stopping() {
            return Ok(JobOutcome::Again(services.clock.now()));
        }
    }
}

async fn video(ctx: &JobContext, publication: &Publication) -> Result<Media> {
    let post: Post = serde_json::from_str(&publication.post)?;
    let id: MediaId = post.sent_ids.into_iter().next().unwrap_or_default();
    let media = media::find(&ctx.services().db.reader(), &id).await?;
    media.ok_or_else(|| Error::internal("the medium of a publication is missing"))
}

async fn received(ctx: &JobContext, publication: &Publication) -> Result<JobOutcome> {
    let services = ctx.services();
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    publications::received(&tx.conn(), &publication.id, now).await?;
    ctx.commit(tx).await?;
    Ok(JobOutcome::Again(now + PAUSE))
}

async fn expire(ctx: &JobContext, publication: &Publication) -> Result<JobOutcome> {
    let code = UPLOAD_EXPIRED.as_str();
    asking::end(ctx, publication, State::Failed, code, None).await
}
