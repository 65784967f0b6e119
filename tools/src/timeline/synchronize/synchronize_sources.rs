//! The job that reads all sources.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Connectors, Reader};
use crate::figures::count_marked_rows;
use gateway::{
    Services,
    jobs::{Backoff, Job, JobContext, JobOutcome, Schedule},
};

/// The maximum time for which one run reads. The next run continues.
const LASTS: Duration = Duration::from_secs(240);

/// Reads the new records of all sources, at the configured interval.
#[derive(Serialize, Deserialize)]
pub struct SynchronizeSources {}

impl Job for SynchronizeSources {
    const NAME: &'static str = "synchronize_sources";
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(60),
        longest: Duration::from_secs(1_800),
    };
    const TIMEOUT: Duration = Duration::from_secs(900);

    fn schedule(services: &Services) -> Schedule<Self> {
        let connectors = services.parts.get::<Connectors>();
        match connectors.every.filter(|_| !connectors.sources.is_empty()) {
            Some(every) => Schedule::Every(every, Self {}),
            None => Schedule::OnDemand,
        }
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let services = ctx.services();
        let reader = Reader::with_time_limit(services, None, LASTS);
        let (mut is_cut, mut failed) = (false, None);
        for source in &services.parts.get::<Connectors>().sources {
            let report = reader.read_source(&**source).await;
            is_cut |= report.is_cut;
            failed = failed.or(report.error);
        }
        let now = services.clock.now();
        if let Err(error) = count_marked_rows(&services.db, now).await {
            return JobOutcome::retry(&error, now);
        }
        match failed {
            Some(error) => JobOutcome::retry(&error, now),
            None if is_cut => JobOutcome::Again(now),
            None => JobOutcome::Done,
        }
    }
}
