//! Document fetches in progress, shared by their callers.
//!
//! A fetch can be joined only once it has its turn (`turns.rs`), so nobody waits in the queue of
//! another network.

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

/// How long a copy of a document is used: the limits, and the default if the publisher states no
/// duration.
const SHORTEST: Millis = 5 * MINUTE;
const LONGEST: Millis = 24 * HOUR;
const USUAL: Millis = HOUR;

/// The reason why a fetch gave no client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The document could not be read.
    Away,
    /// The document was read but is not acceptable.
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

    /// The fetch of this address that is in progress.
    pub(super) fn find(&self, url: &Url) -> Option<Outcome> {
        lock(&self.under_way).get(url.as_str()).cloned()
    }

    /// Joins the fetch of this address, or begins it with this turn. It runs on a task of its own,
    /// so that a caller who leaves does not end it for the others.
    pub(super) fn join(&self, url: &Url, turn: Turn, now: Millis) -> Outcome {
        let mut under_way = lock(&self.under_way);
        if let Some(outcome) = under_way.get(url.as_str()) {
            return outcome.clone();
        }
        let (told, outcome) = watch::channel(None);
        under_way.insert(url.as_str().to_owned(), outcome.clone());
        let ended = Ended(self.under_way.clone(), url.as_str().to_owned());
        let (documents, copies, url) = (self.documents.clone(), self.copies.clone(), url.clone());
        tokio::spawn(async move {
            let fetched = documents.fetch(url.as_str()).await;
            drop(turn);
            let read = read(&url, fetched, now);
            if let Ok(client) = &read {
                copies.keep(client.clone());
            }
            // New callers find the copy from now on.
            drop(ended);
            told.send_replace(Some(read));
        });
        outcome
    }
}

/// Waits for the outcome of a fetch.
pub(super) async fn outcome(mut outcome: Outcome) -> Result<Result<Client, Failure>> {
    let read = outcome.wait_for(Option::is_some).await;
    let read = read.map_err(Error::internal)?;
    read.clone().ok_or_else(|| Error::internal("no outcome"))
}

fn read(url: &Url, fetched: Result<ClientDocument>, now: Millis) -> Result<Client, Failure> {
    let host = url.host_str();
    let fetched = fetched.map_err(|error| {
        let cause = cause(&error);
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
    document::read(url.as_str(), &fetched.body, now, fresh_until).map_err(|cause| {
        tracing::warn!(
            host,
            cause,
            "o documento de um cliente OAuth não é aceito; PAUTA_CLIENT_DOCUMENTS diz de quem são lidos"
        );
        Failure::NotAccepted
    })
}

/// The innermost cause of an error.
fn cause(error: &Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// Removes a fetch from those in progress when it is dropped, even after a panic.
struct Ended(Arc<Mutex<HashMap<String, Outcome>>>, String);

impl Drop for Ended {
    fn drop(&mut self) {
        lock(&self.0).remove(&self.1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
