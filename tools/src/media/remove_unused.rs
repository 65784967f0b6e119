//! The job that removes contents to which no row refers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{contents::remove_unused_contents, upload_link::delete_ended_uploads};
use gateway::{
    Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};

/// Removes contents that a killed process left in the storage, and uploads that have ended.
#[derive(Serialize, Deserialize)]
pub struct RemoveUnused;

impl Job for RemoveUnused {
    const NAME: &'static str = "remove_unused_media";
    const TIMEOUT: Duration = Duration::from_secs(1_800);

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(3_600), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        if let Err(error) = delete_ended_uploads(ctx.services(), ctx.now).await {
            return JobOutcome::from_result(Err::<usize, _>(error), ctx.now);
        }
        let removed = remove_unused_contents(ctx.services(), ctx.now).await;
        if let Ok(removed @ 1..) = removed {
            tracing::info!(
                removed,
                "arquivos sem uso foram removidos da guarda de mídias"
            );
        }
        JobOutcome::from_result(removed, ctx.now)
    }
}
