//! The job that reads the figures of posts.

use std::time::Duration;

use domain::{Code, Format, ReadingAge, time::Millis};
use gateway::{
    Result, Services,
    jobs::{Job, JobContext, JobOutcome, Schedule},
};
use ports::{
    figures::{Figures, Unavailable},
    publishing::Account,
};
use serde::{Deserialize, Serialize};
use store::{
    connections::{self, Connection},
    post_results::{self, Attempt, DueReading},
};

use super::{
    clicks::Visits,
    desk::{FiguresNetwork, ResultsDesk},
    meaning::{Cause, cause_of},
};
use crate::publishing::{AccessToken, Connections};

/// The maximum number of readings per age, format and network in one run, for a network that returns
/// one post per call.
const BATCH: usize = 25;
/// The number of consecutive unanswered requests after which a network gets no further request in this
/// run.
const UNANSWERED: u32 = 3;

/// Reads the figures that are due. Sends one request at a time, each for as many posts as the network
/// allows.
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
        let ran = read_due_figures(ctx).await;
        JobOutcome::from_result(ran, ctx.services().clock.now())
    }
}

async fn read_due_figures(ctx: &JobContext) -> Result<()> {
    let services = ctx.services();
    let Some(desk) = services.parts.find::<ResultsDesk>() else {
        return Ok(());
    };
    for network in &desk.networks {
        let mut unanswered = 0;
        let at_once = network.api.most_at_once().max(1);
        let batch = i64::try_from(at_once.max(BATCH)).unwrap_or(i64::MAX);
        // A network that demands a pause or does not answer gets no further request in this run.
        'network: for format in Format::ALL.iter().copied() {
            for age in ReadingAge::ALL.iter().copied() {
                let Some(after) = age.after(format) else {
                    continue;
                };
                let now = services.clock.now();
                let published = (now - after - age.retry_period(format), now - after);
                let what = (network.name, format, age);
                let db = services.db.reader();
                let due = post_results::list_due(&db, what, published, now, batch).await?;
                for some in due.chunks(at_once) {
                    if ctx.is_stopping() {
                        return Ok(());
                    }
                    let prevented = read_figures(ctx, network, some, (age, after)).await?;
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

/// Reads the figures of these posts of one format. Stores the figures, or the reason for which they
/// could not be read. Returns `RateLimited` or `Unreachable` if the network limits the calls or does
/// not answer.
async fn read_figures(
    ctx: &JobContext,
    network: &FiguresNetwork,
    readings: &[DueReading],
    (age, after): (ReadingAge, Millis),
) -> Result<Option<Cause>> {
    let services = ctx.services();
    let read = fetch_post_figures(services, network, readings).await?;
    let visits = Visits::count(services, network.name, readings).await?;
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    for (reading, read) in readings.iter().zip(&read) {
        let attempt = match read {
            Ok(figures) => Attempt::Read(Figures {
                clicks: figures.clicks.or_else(|| visits.find_visits(reading)),
                ..*figures
            }),
            Err((cause, wait)) => {
                // The pause is at most a fifth of the time for retries, so that several attempts fit.
                let longest = age.retry_period(reading.kind) / 5;
                let pause = cause.pause(reading.attempts, *wait);
                let pause = wait.map_or(pause.min(longest), |_| pause);
                Attempt::Prevented(cause.code(), now + pause)
            }
        };
        let which = (&reading.publication_id, age, reading.finished_at + after);
        post_results::record(&tx.conn(), which, attempt, now).await?;
    }
    ctx.commit(tx).await?;
    services.changes.mark_area("publishing");
    let causes = || read.iter().filter_map(|one| one.as_ref().err());
    let is_any = |wanted: Cause| causes().any(|(cause, _)| *cause == wanted);
    Ok([Cause::RateLimited, Cause::Unreachable]
        .into_iter()
        .find(|wanted| is_any(*wanted)))
}

/// The reason for an answer without figures, and the pause that the network demands, in seconds.
type Prevented = (Cause, Option<u64>);
type Fetched = std::result::Result<Figures, Prevented>;

/// Requests the figures of these posts. Posts that another account published get the reason
/// `OtherAccount`. The results are in the order of the posts.
async fn fetch_post_figures(
    services: &Services,
    network: &FiguresNetwork,
    readings: &[DueReading],
) -> Result<Vec<Fetched>> {
    let connection = connections::find(&services.db.reader(), network.connection).await?;
    let Some(connection) = connection else {
        let none = readings.iter().map(|_| Err((Cause::Disconnected, None)));
        return Ok(none.collect());
    };
    let is_own = |reading: &&DueReading| reading.account_id == connection.account_id;
    let own: Vec<&DueReading> = readings.iter().filter(is_own).collect();
    let read = match own.first() {
        Some(first) => {
            fetch_own_figures(services, network, &connection, (&own, first.kind)).await?
        }
        None => vec![],
    };
    let mut read = read.into_iter();
    let all = readings.iter().map(|reading| match is_own(&reading) {
        true => read.next().unwrap_or(Err((Cause::Unreachable, None))),
        false => Err((Cause::OtherAccount, None)),
    });
    Ok(all.collect())
}

/// Requests the figures of posts that the connected account published. Renews a token that the network
/// refuses, once.
async fn fetch_own_figures(
    services: &Services,
    network: &FiguresNetwork,
    connection: &Connection,
    (readings, kind): (&[&DueReading], Format),
) -> Result<Vec<Fetched>> {
    let all = |cause: Cause| vec![Err((cause, None)); readings.len()];
    let scopes = network.api.scopes();
    if !connection
        .scopes
        .iter()
        .any(|given| scopes.contains(&&**given))
    {
        return Ok(all(Cause::NoPermission));
    }
    let connections = services.parts.get::<Connections>();
    let mut access = match check_token_account(
        connections.access_token(network.connection).await,
        connection,
    )? {
        Ok(access) => access,
        Err(cause) => return Ok(all(cause)),
    };
    let ids: Vec<&str> = readings.iter().map(|reading| &*reading.post_id).collect();
    let mut read = request_figures(network, &access, &ids, kind).await;
    if read.contains(&Err(Unavailable::TokenRefused)) {
        let newer = connections.access_token_newer_than(network.connection, access.version);
        if let Ok(newer) = check_token_account(newer.await, connection)? {
            access = newer;
            read = request_figures(network, &access, &ids, kind).await;
        }
    }
    let read = read.into_iter();
    Ok(read.map(|one| one.map_err(|why| cause_of(&why))).collect())
}

async fn request_figures(
    network: &FiguresNetwork,
    access: &AccessToken,
    post_ids: &[&str],
    kind: Format,
) -> Vec<std::result::Result<Figures, Unavailable>> {
    let account = Account {
        id: &access.account_id,
        token: &access.token,
    };
    let asked = network.api.fetch_figures(account, post_ids, kind.into());
    asked.await
}

/// Returns the access token if it belongs to the account that published; otherwise the reason.
fn check_token_account(
    access: Result<AccessToken>,
    connection: &Connection,
) -> Result<std::result::Result<AccessToken, Cause>> {
    match access {
        Ok(access) if access.account_id == connection.account_id => Ok(Ok(access)),
        Ok(_) => Ok(Err(Cause::OtherAccount)),
        Err(error) if matches!(error.status(), 404 | 409) => Ok(Err(Cause::Disconnected)),
        Err(error) if error.code == Code::PROVIDER_FAILED => Ok(Err(Cause::Unreachable)),
        Err(error) => Err(error),
    }
}
