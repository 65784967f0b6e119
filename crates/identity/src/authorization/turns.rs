//! Limits document fetches. Anybody can name slow sites, so each network has few turns, and nobody
//! waits long for one.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{Code, Error, Result, site};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of simultaneous fetches: of all callers and of one network.
const OF_ALL: usize = 32;
const OF_NETWORK: usize = 2;
/// How long a caller waits for a turn.
const WAIT: Duration = Duration::from_secs(2);
/// The retry delay of a caller without a turn, in seconds. By then a slow site has answered or its
/// fetch was given up.
const COME_BACK: u64 = 5;

pub(super) struct Turns {
    all: Arc<Semaphore>,
    /// The turns of each network that has callers waiting or fetching.
    networks: Mutex<HashMap<Option<IpAddr>, Arc<Semaphore>>>,
}

/// A turn. Dropping it frees the turn.
#[expect(dead_code, reason = "dropping them gives the turn back")]
pub(super) struct Turn(OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(OF_ALL)),
            networks: Mutex::default(),
        }
    }

    /// Takes a turn for this caller.
    ///
    /// Refused (429) when none becomes free within `WAIT`.
    pub(super) async fn take(&self, address: Option<IpAddr>) -> Result<Turn> {
        let own = self.of_network(address.map(site));
        let taken = async {
            // The turn of its network is taken first, so that the callers of one network do not
            // wait in the queue of all.
            let own = own.acquire_owned().await?;
            Ok(Turn(own, self.all.clone().acquire_owned().await?))
        };
        match tokio::time::timeout(WAIT, taken).await {
            Ok(turn) => turn.map_err(|closed: tokio::sync::AcquireError| Error::internal(closed)),
            Err(_) => Err(Error::new(Code::RATE_LIMITED).retry_after(COME_BACK)),
        }
    }

    fn of_network(&self, network: Option<IpAddr>) -> Arc<Semaphore> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        networks.retain(|_, turns| Arc::strong_count(turns) > 1);
        let turns = networks
            .entry(network)
            .or_insert_with(|| Arc::new(Semaphore::new(OF_NETWORK)));
        turns.clone()
    }
}
