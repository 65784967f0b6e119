//! Limits simultaneous document fetches. An anonymous caller can request documents of slow sites, so
//! each network has few turns, and a caller waits at most two seconds for one.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{Code, Error, Result, site_prefix};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of simultaneous fetches for all callers.
const OF_ALL: usize = 32;
/// Maximum number of simultaneous fetches for the callers of one network.
const OF_NETWORK: usize = 2;
/// The maximum time that a caller waits for a turn.
const WAIT: Duration = Duration::from_secs(2);
/// The `Retry-After` of a caller without a turn, in seconds. After this time, a slow fetch has
/// finished or timed out.
const COME_BACK: u64 = 5;

pub(super) struct Turns {
    all: Arc<Semaphore>,
    /// The turns of each network that has waiting or fetching callers.
    networks: Mutex<HashMap<Option<IpAddr>, Arc<Semaphore>>>,
}

/// The right to fetch one document. Dropping it frees the turn.
#[expect(dead_code, reason = "dropping the permits frees the turn")]
pub(super) struct Turn(OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(OF_ALL)),
            networks: Mutex::default(),
        }
    }

    /// Acquires a turn for this caller.
    ///
    /// Fails with 429 if none becomes free within `WAIT`.
    pub(super) async fn acquire(&self, address: Option<IpAddr>) -> Result<Turn> {
        let own = self.network_turns(address.map(site_prefix));
        let taken = async {
            // The turn of the caller's network is acquired first, so that the callers of one
            // network do not fill the queue of all callers.
            let own = own.acquire_owned().await?;
            Ok(Turn(own, self.all.clone().acquire_owned().await?))
        };
        match tokio::time::timeout(WAIT, taken).await {
            Ok(turn) => turn.map_err(|closed: tokio::sync::AcquireError| Error::internal(closed)),
            Err(_) => Err(Error::new(Code::RATE_LIMITED).with_retry_after(COME_BACK)),
        }
    }

    fn network_turns(&self, network: Option<IpAddr>) -> Arc<Semaphore> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        networks.retain(|_, turns| Arc::strong_count(turns) > 1);
        let turns = networks
            .entry(network)
            .or_insert_with(|| Arc::new(Semaphore::new(OF_NETWORK)));
        turns.clone()
    }
}
