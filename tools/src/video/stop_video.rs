//! The job that stops a canceled video at its provider.

use super::{
    jobs::StopVideo,
    step::{self, find_maker},
};
use gateway::jobs::{Backoff, Job, JobContext, JobOutcome};

impl Job for StopVideo {
    const NAME: &'static str = "stop_video";
    const ATTEMPTS: u32 = 6;
    const BACKOFF: Backoff = step::BACKOFF;

    fn dedupe_key(&self) -> Option<String> {
        Some(self.provider_job_id.clone())
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        match find_maker(ctx.services(), &self.provider) {
            Some(maker) => JobOutcome::from_result(
                maker.cancel_generation(&self.provider_job_id).await,
                ctx.now,
            ),
            None => step::retry_until_configured(ctx.now),
        }
    }
}
