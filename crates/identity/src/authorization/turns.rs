//! Who may have a document fetched now. Anybody can name slow sites, so each network has few turns, and
//! nobody waits long for one.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{Code, Error, Result, site};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Fetches at once, of all callers and of one network.
const OF_ALL: usize = 32;
const OF_NETWORK: usize = 2;
/// How long a caller waits for a turn.
const WAIT: Duration = Duration::from_secs(2);
/// When a caller without a turn is to come back: a slow site has answered or was given up by then.
const COME_BACK: u64 = 5;

pub(super) struct Turns {
    all: Arc<Semaphore>,
    /// The networks of callers that wait or have a turn.
    networks: Mutex<HashMap<Option<IpAddr>, Arc<Semaphore>>>,
}

/// A turn, until it is dropped.
#[expect(dead_code, reason = "dropping them gives the turn back")]
pub(super) struct Turn(OwnedSemaphorePermit, OwnedSemaphorePermit);

impl Turns {
    pub(super) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(OF_ALL)),
            networks: Mutex::default(),
        }
    }

    /// A turn for this caller.
    ///
    /// Refused (429) when none is free for some time.
    pub(super) async fn take(&self, address: Option<IpAddr>) -> Result<Turn> {
        let own = self.of_network(address.map(site));
        let taken = async {
            // First its own, so that the callers of one network do not wait among all.
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
