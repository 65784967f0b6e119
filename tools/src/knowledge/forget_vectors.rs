//! The job that deletes vectors that are no longer needed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::semantics::Semantics;
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::knowledge::vectors;

/// Deletes the vectors of deleted contents and of former models.
#[derive(Serialize, Deserialize)]
pub struct ForgetVectors;

impl Job for ForgetVectors {
    const NAME: &'static str = "forget_vectors";

    fn schedule(_: &Services) -> Schedule<Self> {
        Schedule::Every(Duration::from_secs(3_600), Self)
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        JobOutcome::from_result(delete_unneeded_vectors(ctx.services()).await, ctx.now)
    }
}

async fn delete_unneeded_vectors(services: &Services) -> Result<()> {
    // If the provider does not answer, the current model is unknown. Then only the vectors of
    // deleted contents are deleted.
    let profile = match services.parts.find::<Semantics>() {
        Some(semantics) => semantics.embedding_profile().await.ok(),
        None => None,
    };
    let tx = services.db.begin().await?;
    vectors::delete_unused_vectors(&tx.conn(), profile.as_ref(), services.clock.now()).await?;
    Ok(tx.commit().await?)
}
