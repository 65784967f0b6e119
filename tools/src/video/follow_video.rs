//! The job that requests the progress of a video from the provider.

use super::{
    jobs::FollowVideo,
    step::{self, advance_video, end_as_failed, find_maker, is_late, timeout_error},
};
use domain::{
    Code, Error, VideoState,
    time::{Millis, SECOND},
};
use gateway::{
    Result,
    jobs::{Backoff, Job, JobContext, JobOutcome},
};
use ports::VideoProgress;
use store::videos::Video;

/// The number of attempts before a video fails because the provider does not know it. At some providers
/// a new video is unknown for a moment.
const ABSENT: i64 = 4;
/// The progress shown while the result of a video is copied.
const STORING: i64 = 95;

impl Job for FollowVideo {
    const NAME: &'static str = "follow_video";
    const ATTEMPTS: u32 = step::ATTEMPTS;
    const BACKOFF: Backoff = step::BACKOFF;

    fn dedupe_key(&self) -> Option<String> {
        Some(self.video_id.as_str().to_owned())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        step::to_outcome(self.follow_progress(ctx).await, ctx.now)
    }
}

impl FollowVideo {
    async fn follow_progress(&self, ctx: &JobContext) -> Result<JobOutcome> {
        let services = ctx.services();
        let found =
            step::load_video_in_state(services, &self.video_id, VideoState::InProgress).await?;
        let Some(video) = found else {
            return Ok(JobOutcome::Done);
        };
        let now = services.clock.now();
        if is_late(&video, now) {
            let tx = services.db.begin().await?;
            step::enqueue_stop(services, &tx.conn(), &video, now).await?;
            ctx.commit(tx).await?;
            let why = "O vídeo não ficou pronto em 6 horas.";
            return end_as_failed(ctx, video, &timeout_error(why)).await;
        }
        let Some(maker) = find_maker(services, &video.provider) else {
            return Ok(step::retry_until_configured(now));
        };
        let id = video.provider_job_id.as_deref().unwrap_or_default();
        match maker.fetch_progress(id).await? {
            VideoProgress::Running(percent) => {
                let percent = percent.map_or(0, i64::from).min(STORING - 1);
                if percent > video.progress {
                    let further = Video {
                        progress: percent,
                        ..video.clone()
                    };
                    advance_video(ctx, VideoState::InProgress, &further).await?;
                }
                Ok(JobOutcome::Again(
                    now + progress_pause(now - video.created_at),
                ))
            }
            VideoProgress::Completed => {
                let storing = Video {
                    state: VideoState::Storing,
                    progress: STORING.max(video.progress),
                    ..video
                };
                advance_video(ctx, VideoState::InProgress, &storing).await?;
                Ok(JobOutcome::Done)
            }
            VideoProgress::Failed(error) => end_as_failed(ctx, video, &error).await,
            VideoProgress::Absent if ctx.attempt < ABSENT => {
                Ok(JobOutcome::Retry(Code::PROVIDER_FAILED, None))
            }
            VideoProgress::Absent => end_as_failed(ctx, video, &unknown_video_error()).await,
        }
    }
}

/// Returns the pause before the next progress request: a tenth of the elapsed time, from 5 to 30 seconds.
fn progress_pause(elapsed: Millis) -> Millis {
    (elapsed / 10).clamp(5 * SECOND, 30 * SECOND)
}

fn unknown_video_error() -> Error {
    Error::new(Code::PROVIDER_FAILED)
        .because("O provedor de vídeos não conhece mais este vídeo.")
        .with_detail("next", "Peça de novo com uma chave nova.".into())
}
