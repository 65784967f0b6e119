//! The job that submits a video to the provider, at most once.
//!
//! The state `submitting` is committed before the provider is called. If a run finds a video in this
//! state, an earlier run was killed during the call, and the video fails with `OUTCOME_UNKNOWN`. The
//! port distinguishes three failures of a submission (`NotSubmitted`): a retryable failure without
//! effect, a refusal without effect, and a failure that may have had an effect.

use std::time::Duration;

use super::{
    Maker,
    jobs::SubmitVideo,
    offer::require_offered,
    step::{self, advance_video, end_as_failed, is_late, timeout_error},
};
use crate::media;
use domain::{Code, Error, VideoState};
use gateway::{
    Result, Services,
    jobs::{Backoff, Job, JobContext, JobOutcome},
};
use ports::{FirstFrame, NotSubmitted, VideoRequest};
use store::videos::{self, Video};

impl Job for SubmitVideo {
    const NAME: &'static str = "submit_video";
    const ATTEMPTS: u32 = step::ATTEMPTS;
    const BACKOFF: Backoff = step::BACKOFF;
    const TIMEOUT: Duration = Duration::from_secs(180);

    fn dedupe_key(&self) -> Option<String> {
        Some(self.video_id.as_str().to_owned())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        step::to_outcome(self.submit_video(ctx).await, ctx.now)
    }
}

impl SubmitVideo {
    async fn submit_video(&self, ctx: &JobContext) -> Result<JobOutcome> {
        let services = ctx.services();
        let Some(video) = videos::find(&services.db.reader(), &self.video_id).await? else {
            return Ok(JobOutcome::Done);
        };
        match video.state {
            VideoState::Queued => {}
            VideoState::Submitting => return end_as_failed(ctx, video, &interrupted_error()).await,
            _ => return Ok(JobOutcome::Done),
        }
        let now = services.clock.now();
        if is_late(&video, now) {
            let why = "O provedor de vídeos não aceitou o pedido em 6 horas; nada foi gerado.";
            return end_as_failed(ctx, video, &timeout_error(why)).await;
        }
        let Some(maker) = services.parts.find::<Maker>() else {
            return Ok(step::retry_until_configured(now));
        };
        let request = match build_request(services, maker, &video).await {
            Ok(request) => request,
            Err(error) if error.code == Code::INVALID_INPUT => {
                return end_as_failed(ctx, video, &error).await;
            }
            Err(error) => return Err(error),
        };
        let sending = Video {
            state: VideoState::Submitting,
            provider: maker.name().into(),
            ..video
        };
        if !advance_video(ctx, VideoState::Queued, &sending).await? {
            return Ok(JobOutcome::Done);
        }
        match maker.submit_request(request).await {
            Ok(id) => record_confirmed(ctx, sending, id).await,
            Err(NotSubmitted::Refused(error) | NotSubmitted::Unknown(error)) => {
                end_as_failed(ctx, sending, &error).await
            }
            Err(NotSubmitted::Later(error)) => {
                let queued = Video {
                    state: VideoState::Queued,
                    ..sending
                };
                advance_video(ctx, VideoState::Submitting, &queued).await?;
                Err(error)
            }
        }
    }
}

async fn record_confirmed(ctx: &JobContext, sending: Video, id: String) -> Result<JobOutcome> {
    let made = Video {
        state: VideoState::InProgress,
        progress: 1,
        provider_job_id: Some(id),
        ..sending
    };
    let advanced = advance_video(ctx, VideoState::Submitting, &made).await;
    if advanced.is_err() {
        tracing::error!(
            video = made.id.as_str(),
            provider_job_id = made.provider_job_id,
            "o provedor faz um vídeo que não foi registrado"
        );
    }
    advanced.map(|_| JobOutcome::Done)
}

fn interrupted_error() -> Error {
    Error::new(Code::OUTCOME_UNKNOWN)
        .because("O serviço parou enquanto pedia o vídeo: talvez ele esteja sendo feito.")
        .with_detail(
            "next",
            "Confira na conta do provedor antes de pedir de novo: o vídeo pode ter sido cobrado."
                .into(),
        )
}

/// Builds the request to the provider. Checks the request against the current offer, because the
/// configured provider may have changed since the video was queued.
async fn build_request(services: &Services, maker: &Maker, video: &Video) -> Result<VideoRequest> {
    let seconds = u32::try_from(video.duration_s).map_err(Error::internal)?;
    require_offered(maker, &video.prompt, video.aspect, Some(seconds))?;
    let first_frame = match &video.frame_id {
        None => None,
        Some(id) => {
            let found = store::media::find(&services.db.reader(), id).await?;
            let found = found.ok_or_else(|| Error::internal("a first frame is missing"))?;
            Some(FirstFrame {
                bytes: media::load_file(services, &found).await?,
            })
        }
    };
    Ok(VideoRequest {
        prompt: video.prompt.clone(),
        aspect: video.aspect,
        seconds,
        first_frame,
    })
}
