//! The job that renews tokens before they expire.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Connections;
use gateway::{
    Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};

/// Renews the connections that are due. A failure is recorded at the connection, with the time of
/// its next attempt.
#[derive(Serialize, Deserialize)]
pub struct RenewConnections;

impl Job for RenewConnections {
    const NAME: &'static str = "renew_connections";
    /// Long enough for the requests to every network.
    const TIMEOUT: Duration = Duration::from_secs(300);

    fn schedule(services: &Services) -> Schedule<Self> {
        let connections = services.parts.get::<Connections>();
        match connections.networks().next() {
            Some(_) => Schedule::Every(Duration::from_secs(300), Self),
            None => Schedule::OnDemand,
        }
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let connections = ctx.services().parts.get::<Connections>();
        JobOutcome::from_result(connections.renew_due().await, ctx.now)
    }
}
