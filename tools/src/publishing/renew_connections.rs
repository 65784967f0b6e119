//! The job that renews tokens before they expire, and announces connections that end.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::{CONNECTION, Connections};
use crate::announcements::{CONNECTION_ENDED, CONNECTION_ENDING};
use domain::time::{DAY, Millis, Timestamp};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use store::connections;

/// The time before its end at which a connection that only a person can renew is announced.
const ANNOUNCED: Millis = 7 * DAY;

/// Renews the connections whose renewal is due. A failure is stored in the connection, with the time of
/// the next attempt.
#[derive(Serialize, Deserialize)]
pub struct RenewConnections;

impl Job for RenewConnections {
    const NAME: &'static str = "renew_connections";
    /// The time limit of a run. It suffices for the requests to all networks.
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
        let ran = async {
            connections.renew_due().await?;
            announce_ending(ctx).await
        };
        JobOutcome::from_result(ran.await, ctx.now)
    }
}

/// Announces each connection once that has ended or ends soon.
async fn announce_ending(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let now = services.clock.now();
    let soon = now + ANNOUNCED;
    if !connections::has_ending(&services.db.reader(), now, soon).await? {
        return Ok(());
    }
    let tx = services.db.begin().await?;
    let db = tx.conn();
    for ending in connections::take_ending(&db, now, soon).await? {
        let connection = (CONNECTION, ending.provider.as_str());
        let (announcement, facts) = match ending.until {
            Some(until) => {
                let until = json!(Timestamp(until));
                (
                    CONNECTION_ENDING,
                    Map::from_iter([("ate".to_owned(), until)]),
                )
            }
            None => (CONNECTION_ENDED, Map::new()),
        };
        announcement
            .record(services, &db, connection, facts)
            .await?;
    }
    ctx.commit(tx).await
}
