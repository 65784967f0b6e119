//! Fetches of client metadata documents in progress. Simultaneous callers share a fetch.
//!
//! A fetch can be joined only after the caller that starts it has acquired a turn (`turns.rs`). So no
//! caller waits in the queue of another network.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::{
    Error, Result,
    time::{HOUR, MINUTE, Millis},
};
use ports::{ClientDocument, ClientDocuments};
use store::agents::clients::Client;
use tokio::sync::watch;
use url::Url;

use super::{copies::Copies, document, turns::Turn};

/// The minimum time for which a copy of a document is fresh.
const SHORTEST: Millis = 5 * MINUTE;
/// The maximum time for which a copy of a document is fresh.
const LONGEST: Millis = 24 * HOUR;
/// The time for which a copy of a document is fresh if its publisher states no duration.
const USUAL: Millis = HOUR;

/// The reason why a fetch returned no client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The document could not be fetched.
    Away,
    /// The document was fetched but is not acceptable.
    NotAccepted,
}

type Outcome = watch::Receiver<Option<Result<Client, Failure>>>;

pub(super) struct Fetching {
    documents: Arc<dyn ClientDocuments>,
    under_way: Arc<Mutex<HashMap<String, Outcome>>>,
    pub(super) copies: Arc<Copies>,
}

impl Fetching {
    pub(super) fn new(documents: Arc<dyn ClientDocuments>) -> Self {
        Self {
            documents,
            under_way: Arc::default(),
            copies: Arc::default(),
        }
    }

    /// Finds the fetch of this URL, if one is in progress.
    pub(super) fn find_in_progress(&self, url: &Url) -> Option<Outcome> {
        lock(&self.under_way).get(url.as_str()).cloned()
    }

    /// Joins the fetch of this URL, or starts one with this turn. The fetch runs on its own task, so
    /// that it continues for the other callers if one disconnects.
    pub(super) fn join_or_start(&self, url: &Url, turn: Turn, now: Millis) -> Outcome {
        let mut under_way = lock(&self.under_way);
        if let Some(outcome) = under_way.get(url.as_str()) {
            return outcome.clone();
        }
        let (sender, outcome) = watch::channel(None);
        under_way.insert(url.as_str().to_owned(), outcome.clone());
        let ended = Ended(self.under_way.clone(), url.as_str().to_owned());
        let (documents, copies, url) = (self.documents.clone(), self.copies.clone(), url.clone());
        tokio::spawn(async move {
            let fetched = documents.fetch_document(url.as_str()).await;
            drop(turn);
            let read = parse_fetched(&url, fetched, now);
            if let Ok(client) = &read {
                copies.store_copy(client.clone());
            }
            // From here on, new callers use the copy instead of joining this fetch.
            drop(ended);
            sender.send_replace(Some(read));
        });
        outcome
    }
}

/// Waits for the result of a fetch.
pub(super) async fn wait_for_outcome(mut outcome: Outcome) -> Result<Result<Client, Failure>> {
    let read = outcome.wait_for(Option::is_some).await;
    let read = read.map_err(Error::internal)?;
    read.clone().ok_or_else(|| Error::internal("no outcome"))
}

fn parse_fetched(
    url: &Url,
    fetched: Result<ClientDocument>,
    now: Millis,
) -> Result<Client, Failure> {
    let host = url.host_str();
    let fetched = fetched.map_err(|error| {
        let cause = innermost_cause(&error);
        tracing::warn!(
            host,
            cause,
            "o documento de um cliente OAuth não pôde ser lido; PAUTA_CLIENT_DOCUMENTS diz de quem são lidos"
        );
        Failure::Away
    })?;
    let age = fetched.max_age.map_or(USUAL, |age| {
        Millis::try_from(age.as_millis()).unwrap_or(LONGEST)
    });
    let fresh_until = now + age.clamp(SHORTEST, LONGEST);
    document::parse(url.as_str(), &fetched.body, now, fresh_until).map_err(|cause| {
        tracing::warn!(
            host,
            cause,
            "o documento de um cliente OAuth não é aceito; PAUTA_CLIENT_DOCUMENTS diz de quem são lidos"
        );
        Failure::NotAccepted
    })
}

/// Returns the message of the innermost source of an error.
fn innermost_cause(error: &Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Removes a fetch from those in progress on drop, even after a panic.
struct Ended(Arc<Mutex<HashMap<String, Outcome>>>, String);

impl Drop for Ended {
    fn drop(&mut self) {
        lock(&self.0).remove(&self.1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
