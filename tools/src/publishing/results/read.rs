//! The job that reads the figures of posts.

use std::time::Duration;

use domain::{Code, Format, ReadingAge, time::Millis};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use ports::{figures::Figures, publishing::Account};
use serde::{Deserialize, Serialize};
use store::{
    connections,
    post_results::{self, Attempt, DueReading},
};

use super::{
    desk::{FiguresNetwork, ResultsDesk},
    meaning::{Cause, cause_of},
};
use crate::publishing::{AccessToken, Connections};

/// Readings of one age, format and network in one run.
const BATCH: i64 = 25;
/// Unanswered requests in a row after which a network is left alone until the next run.
const UNANSWERED: u32 = 3;

/// Reads the figures that are due, one request at a time.
#[derive(Serialize, Deserialize)]
pub(in crate::publishing) struct ReadResults;

impl Job for ReadResults {
    const NAME: &'static str = "read_results";
    const TIMEOUT: Duration = Duration::from_secs(600);

    fn schedule(services: &Services) -> Schedule<Self> {
        match services.parts.find::<ResultsDesk>() {
            Some(_) => Schedule::Every(Duration::from_secs(300), Self),
            None => Schedule::OnDemand,
        }
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let ran = read_due(ctx).await;
        JobOutcome::from_result(ran, ctx.services().clock.now())
    }
}

async fn read_due(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let Some(desk) = services.parts.find::<ResultsDesk>() else {
        return Ok(());
    };
    for network in &desk.networks {
        let mut unanswered = 0;
        // A network that asks for a pause, or does not answer, gets one until the next run.
        'network: for format in Format::ALL.iter().copied() {
            for age in ReadingAge::ALL.iter().copied() {
                let Some(after) = age.after(format) else {
                    continue;
                };
                let now = services.clock.now();
                let published = (now - after - age.tried_for(format), now - after);
                let what = (network.name, format, age);
                let db = services.db.reader();
                let due = post_results::list_due(&db, what, published, now, BATCH).await?;
                for reading in due {
                    if ctx.is_stopping() {
                        return Ok(());
                    }
                    let due_at = reading.finished_at + after;
                    let prevented = read_one(ctx, network, &reading, (age, due_at)).await?;
                    unanswered = match prevented {
                        Some(Cause::Unreachable) => unanswered + 1,
                        _ => 0,
                    };
                    if prevented == Some(Cause::RateLimited) || unanswered == UNANSWERED {
                        break 'network;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Reads the figures of one post and stores them, or what prevented it, which is returned.
async fn read_one(
    ctx: &JobContext,
    network: &FiguresNetwork,
    reading: &DueReading,
    (age, due_at): (ReadingAge, Millis),
) -> Result<Option<Cause>> {
    let services = ctx.services();
    let read = fetch(services, network, reading).await?;
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let attempt = match &read {
        Ok(figures) => Attempt::Read(*figures),
        Err((cause, wait)) => {
            // The pause leaves time for several attempts.
            let longest = age.tried_for(reading.kind) / 5;
            let pause = cause.pause(reading.attempts, *wait);
            let pause = wait.map_or(pause.min(longest), |_| pause);
            Attempt::Prevented(cause.code(), now + pause)
        }
    };
    let which = (&reading.publication_id, age, due_at);
    post_results::record(&tx.conn(), which, attempt, now).await?;
    ctx.commit(tx).await?;
    services.changes.mark_area("publishing");
    Ok(read.err().map(|(cause, _)| cause))
}

type Prevented = (Cause, Option<u64>);

async fn fetch(
    services: &Services,
    network: &FiguresNetwork,
    reading: &DueReading,
) -> Result<std::result::Result<Figures, Prevented>> {
    let access = match reach(services, network, reading).await? {
        Ok(access) => access,
        Err(cause) => return Ok(Err((cause, None))),
    };
    let account = Account {
        id: &access.account_id,
        token: &access.token,
    };
    let placement = reading.kind.into();
    let read = network
        .api
        .fetch_figures(account, &reading.post_id, placement)
        .await;
    Ok(read.map_err(|unavailable| cause_of(&unavailable)))
}

/// The access token of the account that published, if it may read results.
async fn reach(
    services: &Services,
    network: &FiguresNetwork,
    reading: &DueReading,
) -> Result<std::result::Result<AccessToken, Cause>> {
    let connection = connections::find(&services.db.reader(), network.name).await?;
    let Some(connection) = connection else {
        return Ok(Err(Cause::Disconnected));
    };
    if connection.account_id != reading.account_id {
        return Ok(Err(Cause::OtherAccount));
    }
    let scope = network.api.scope();
    if !connection.scopes.iter().any(|given| given == scope) {
        return Ok(Err(Cause::NoPermission));
    }
    let connections = services.parts.get::<Connections>();
    match connections.access_token(network.name).await {
        Ok(access) if access.account_id == reading.account_id => Ok(Ok(access)),
        Ok(_) => Ok(Err(Cause::OtherAccount)),
        Err(error) if matches!(error.status(), 404 | 409) => Ok(Err(Cause::Disconnected)),
        Err(error) if error.code == Code::PROVIDER_FAILED => Ok(Err(Cause::Unreachable)),
        Err(error) => Err(error),
    }
}
