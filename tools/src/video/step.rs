//! One step of a video: changes the state and the event, and enqueues the next job, in one
//! transaction.
//!
//! A job loses the compare-and-set only if the video was canceled. If the provider has accepted the
//! video meanwhile, the same transaction enqueues the job that stops it at the provider. So canceling a
//! video never calls the provider. The jobs that submit, follow and store a video have unlimited
//! attempts and give up at a certain age of the video. So each video reaches a final state, even if each
//! run panics or the provider is no longer configured.

use std::time::Duration;

use super::{
    Maker, event,
    jobs::{FollowVideo, StopVideo, StoreVideo},
};
use domain::{
    Code, VideoState,
    time::{HOUR, Millis, SECOND},
};
use gateway::{
    Error, Result, Services,
    jobs::{Backoff, Job, JobContext, JobOutcome},
};
use store::{
    Conn,
    videos::{self, Video},
};

/// The age at which an unfinished generation of a video is marked as failed.
pub(super) const LONGEST: Millis = 6 * HOUR;
/// The limit of attempts, practically unlimited: a job gives up when its video reaches `LONGEST`.
pub(super) const ATTEMPTS: u32 = u32::MAX;
pub(super) const BACKOFF: Backoff = Backoff {
    first: Duration::from_secs(5),
    longest: Duration::from_secs(60),
};

/// The maximum number of attempts to store a provider's answer. After them the answer is lost.
const TRIES: u32 = 6;

/// Loads the video of a job if the video is in this state; `None` means that the job has nothing left to
/// do.
pub(super) async fn load_video_in_state(
    services: &Services,
    id: &domain::VideoId,
    state: VideoState,
) -> Result<Option<Video>> {
    let video = videos::find(&services.db.reader(), id).await?;
    Ok(video.filter(|video| video.state == state))
}

/// Finds the provider of a video, if this instance has it configured.
pub(super) fn find_maker<'s>(services: &'s Services, provider: &str) -> Option<&'s Maker> {
    let maker = services.parts.find::<Maker>();
    maker.filter(|maker| maker.name() == provider)
}

/// Returns a retry in a minute: a video without its provider waits until the provider is configured
/// again.
pub(super) fn retry_until_configured(now: Millis) -> JobOutcome {
    JobOutcome::Retry(Code::PROVIDER_NOT_CONFIGURED, Some(now + 60 * SECOND))
}

pub(super) fn is_late(video: &Video, now: Millis) -> bool {
    now >= video.created_at + LONGEST
}

/// Saves the next state of a video if the video is still in the state `from`, and enqueues its next job.
/// Returns `false` if the video was canceled meanwhile. Database errors are retried, so that the
/// provider's response is not lost. If the answer to a commit was lost, the commit may have taken
/// effect; a retry that finds the video in another state returns `false` only if the video was canceled.
pub(super) async fn advance_video(
    ctx: &JobContext,
    from: VideoState,
    next: &Video,
) -> Result<bool> {
    let mut tried = 1;
    loop {
        match try_advance_video(ctx, from, next, tried > 1).await {
            Err(error) if tried < TRIES => {
                tracing::warn!(
                    error = error.text_with_causes(),
                    "o estado de um vídeo não foi gravado"
                );
                tokio::time::sleep(Duration::from_millis(100 << tried)).await;
                tried += 1;
            }
            advanced => return advanced,
        }
    }
}

async fn try_advance_video(
    ctx: &JobContext,
    from: VideoState,
    next: &Video,
    is_repeated: bool,
) -> Result<bool> {
    let services = ctx.services();
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let next = Video {
        updated_at: now,
        ..next.clone()
    };
    let saved = videos::save(&tx.conn(), from, &next).await?;
    let advanced = saved || is_repeated && !is_canceled(&tx.conn(), &next).await?;
    if saved {
        enqueue_next_job(services, &tx.conn(), from, &next, now).await?;
    } else if !advanced {
        // The video was canceled during the call, so it is also stopped at the provider.
        enqueue_stop(services, &tx.conn(), &next, now).await?;
    }
    ctx.commit(tx).await?;
    Ok(advanced)
}

/// Returns true if the video was canceled. While the lease of a job is valid, only the next job that it
/// enqueued or a cancellation can change the state.
async fn is_canceled(db: &Conn<'_>, video: &Video) -> Result<bool> {
    let found = videos::find(db, &video.id).await?;
    Ok(found.is_none_or(|found| found.state == VideoState::Canceled))
}

async fn enqueue_next_job(
    services: &Services,
    db: &Conn<'_>,
    from: VideoState,
    next: &Video,
    now: Millis,
) -> Result<()> {
    let (queue, video_id) = (&services.queue, next.id.clone());
    match next.state {
        VideoState::InProgress if from == VideoState::Submitting => {
            let job = FollowVideo { video_id };
            job.enqueue_at(queue, db, now + 5 * SECOND, now).await?;
        }
        VideoState::Storing => {
            StoreVideo { video_id }.enqueue(queue, db, now).await?;
        }
        VideoState::Failed => {
            let by = ("fail_video_generation", None);
            event::release_event(services, db, next, None, by, now).await?;
        }
        _ => {}
    }
    Ok(())
}

/// Enqueues the job that stops a video at its provider, if the provider has accepted the video.
pub(super) async fn enqueue_stop(
    services: &Services,
    db: &Conn<'_>,
    video: &Video,
    now: Millis,
) -> Result<()> {
    if let Some(provider_job_id) = video.provider_job_id.clone() {
        let job = StopVideo {
            provider: video.provider.clone(),
            provider_job_id,
        };
        job.enqueue(&services.queue, db, now).await?;
    }
    Ok(())
}

/// Ends a video as failed.
pub(super) async fn end_as_failed(
    ctx: &JobContext,
    video: Video,
    error: &Error,
) -> Result<JobOutcome> {
    tracing::warn!(
        error = error.text_with_causes(),
        video = video.id.as_str(),
        "um vídeo falhou"
    );
    let from = video.state;
    let failed = Video {
        state: VideoState::Failed,
        error: Some(serde_json::to_string(&error.body())?),
        ..video
    };
    if !advance_video(ctx, from, &failed).await? {
        return Ok(JobOutcome::Done);
    }
    Ok(match error.code {
        Code::OUTCOME_UNKNOWN => JobOutcome::Unknown(error.code),
        code => JobOutcome::Failed(code),
    })
}

/// Converts the result of a run: an error becomes a retry.
pub(super) fn to_outcome(ran: Result<JobOutcome>, now: Millis) -> JobOutcome {
    ran.unwrap_or_else(|error| JobOutcome::from_result::<()>(Err(error), now))
}

/// Builds the error for a video that takes too long.
pub(super) fn timeout_error(what: &'static str) -> Error {
    Error::new(Code::PROVIDER_TIMEOUT)
        .because(what)
        .with_detail("next", "Peça de novo com uma chave nova.".into())
}
