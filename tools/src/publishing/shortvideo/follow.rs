//! The job that completes a publication: it uploads a video, and then requests the status until the
//! publication ends.

use std::time::Duration;

use domain::{
    Code, PublicationId, PublicationState as State,
    time::{HOUR, Millis},
};
use gateway::{
    Result,
    jobs::{Backoff, Job, JobContext, JobOutcome},
};
use ports::shortvideo::Progress;
use serde::{Deserialize, Serialize};
use store::publications::{self, Publication};

use super::{
    asking::{Asked, end_publication, end_with_status, next_pause, record_held_up, request_status},
    upload,
};

/// The age from which the outcome of a publication counts as unknown.
const GIVEN_UP: Millis = 48 * HOUR;

/// Completes one publication.
#[derive(Serialize, Deserialize)]
pub(in crate::publishing) struct FollowPublication {
    pub id: PublicationId,
}

impl Job for FollowPublication {
    const NAME: &'static str = "follow_publication";
    /// The limit of attempts. It is larger than the number of attempts within `GIVEN_UP`, so that only
    /// this age ends a publication.
    const ATTEMPTS: u32 = 10_000;
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(5),
        longest: Duration::from_secs(600),
    };
    /// The timeout of one run. A large video is uploaded in several runs.
    const TIMEOUT: Duration = Duration::from_secs(1_800);

    fn dedupe_key(&self) -> Option<String> {
        Some(self.id.as_str().to_owned())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        match self.continue_publication(ctx).await {
            Ok(outcome) => outcome,
            Err(error) => JobOutcome::from_result(Err::<(), _>(error), ctx.services().clock.now()),
        }
    }
}

impl FollowPublication {
    async fn continue_publication(&self, ctx: &JobContext) -> Result<JobOutcome> {
        let services = ctx.services();
        let found = publications::find(&services.db.reader(), &self.id).await?;
        let Some(publication) = found else {
            return Ok(JobOutcome::Done);
        };
        if publication.finished_at.is_some() {
            return Ok(JobOutcome::Done);
        }
        if services.clock.now() >= publication.created_at + GIVEN_UP {
            let code = Code::OUTCOME_UNKNOWN.as_str();
            return end_publication(ctx, &publication, State::Unknown, code, None).await;
        }
        match publication.state {
            State::Uploading => upload::continue_upload(ctx, &publication).await,
            State::Processing => follow_processing(ctx, &publication).await,
            _ => Ok(JobOutcome::Done),
        }
    }
}

async fn follow_processing(ctx: &JobContext, publication: &Publication) -> Result<JobOutcome> {
    match request_status(ctx, publication).await? {
        Asked::Progress(Progress::Working { .. }) => {
            let at = ctx.services().clock.now() + next_pause(publication.polls);
            record_held_up(ctx, publication, None, at).await
        }
        Asked::Progress(progress) => end_with_status(ctx, publication, progress).await,
        Asked::Later(at) => Ok(JobOutcome::Again(at)),
        Asked::HeldUp(code, at) => record_held_up(ctx, publication, Some(code), at).await,
    }
}
