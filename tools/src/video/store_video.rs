//! The job that copies a finished video into the storage and attaches it to its event.
//!
//! The URL of a result is not stored: each attempt asks the provider for a new one, so an expired
//! URL fails only one attempt.

use std::time::Duration;

use super::{
    Maker,
    download::{Downloaded, download_video},
    event,
    jobs::StoreVideo,
    step::{self, end_as_failed, find_maker, is_late, timeout_error},
};
use crate::media::Claim;
use domain::{Code, Error, MediaId, VideoState};
use gateway::{
    Result, Services,
    jobs::{Backoff, Job, JobContext, JobOutcome},
};
use store::{
    media::{self, Media},
    videos::{self, Video},
};

/// The maximum number of attempts to copy a result from the provider.
const COPIES: i64 = 8;

impl Job for StoreVideo {
    const NAME: &'static str = "store_video";
    const ATTEMPTS: u32 = step::ATTEMPTS;
    const BACKOFF: Backoff = step::BACKOFF;
    const TIMEOUT: Duration = Duration::from_secs(1_800);

    fn dedupe_key(&self) -> Option<String> {
        Some(self.video_id.as_str().to_owned())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        step::to_outcome(self.store_result(ctx).await, ctx.now)
    }
}

impl StoreVideo {
    async fn store_result(&self, ctx: &JobContext) -> Result<JobOutcome> {
        let services = ctx.services();
        let found =
            step::load_video_in_state(services, &self.video_id, VideoState::Storing).await?;
        let Some(video) = found else {
            return Ok(JobOutcome::Done);
        };
        let now = services.clock.now();
        if is_late(&video, now) {
            let why = "O vídeo ficou pronto, mas não pôde ser copiado do provedor em 6 horas.";
            return end_as_failed(ctx, video, &timeout_error(why)).await;
        }
        let Some(maker) = find_maker(services, &video.provider) else {
            return Ok(step::retry_until_configured(now));
        };
        match copy_result(services, maker, &video).await {
            Ok(copy) => store_copy(ctx, video, copy).await,
            // A video that is too large fails at once. After other errors the copy is retried, which
            // also helps if the URL has expired.
            Err(error) if error.code == Code::PAYLOAD_TOO_LARGE => {
                end_as_failed(ctx, video, &error).await
            }
            Err(error) if error.code != Code::INTERNAL && ctx.attempt >= COPIES => {
                end_as_failed(ctx, video, &error).await
            }
            Err(error) => Err(error),
        }
    }
}

async fn copy_result(services: &Services, maker: &Maker, video: &Video) -> Result<Downloaded> {
    let id = video.provider_job_id.as_deref().unwrap_or_default();
    download_video(maker.download_video(id).await?, services.blobs.clone()).await
}

async fn store_copy(ctx: &JobContext, video: Video, copy: Downloaded) -> Result<JobOutcome> {
    let services = ctx.services();
    let claim = Claim::write_file(services, &copy.sha256, copy.file.path()).await?;
    let kept = record_completed(ctx, video, &copy).await;
    claim.release_claim(services).await;
    kept.map(|()| JobOutcome::Done)
}

/// Inserts the medium, completes the video and updates the event in one transaction. Writes nothing
/// if the video was canceled meanwhile.
async fn record_completed(ctx: &JobContext, video: Video, copy: &Downloaded) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let media = Media {
        id: MediaId::new(now),
        sha256: copy.sha256.clone(),
        media_type: copy.media_type.as_str().into(),
        bytes: i64::try_from(copy.bytes).map_err(Error::internal)?,
        width: Some(copy.size.0.into()),
        height: Some(copy.size.1.into()),
        kind: "video".into(),
        alt: Some(video.prompt.chars().take(500).collect()),
        origin: "video".into(),
        created_by: video.created_by.clone(),
        created_at: now,
        source_url: None,
    };
    let tx = services.db.begin().await?;
    let db = tx.conn();
    media::insert(&db, &media).await?;
    let done = Video {
        state: VideoState::Completed,
        progress: 100,
        media_id: Some(media.id.clone()),
        updated_at: now,
        ..video
    };
    if !videos::save(&db, VideoState::Storing, &done).await? {
        return Ok(());
    }
    let by = ("complete_video_generation", None);
    if event::release_event(services, &db, &done, Some(&media), by, now).await? {
        let attached = Video {
            attached: true,
            ..done
        };
        videos::save(&db, VideoState::Completed, &attached).await?;
    }
    ctx.commit(tx).await
}
