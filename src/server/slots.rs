//! The connection cap, and which connection is closed when it is reached.
//!
//! The cap is a table of slots. A connection that waits for its client can be closed for a new one.
//! One compare-and-set decides between that and a request that arrives at the same moment.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::network;
use tokio::{sync::Notify, time::Instant};

/// The stage of a connection, in the order in which connections are closed at the cap.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Stage {
    /// Its last response is written.
    Leaving = 0,
    /// No whole head of a request has arrived.
    Opening = 1,
    /// It has no request in flight: the last one is answered.
    Idle = 2,
    /// Its request waits for the client to send the body or read the response.
    Stalled = 3,
    /// Its request is being handled.
    Busy = 4,
    /// It must close.
    Gone = 5,
}

/// The low bits of a slot's state hold the stage; the others hold the time at which it began.
const STAGE_BITS: u32 = 3;

/// All slots, and their maximum number.
pub(super) struct Slots {
    most: usize,
    begun: Instant,
    taken: Mutex<HashMap<u64, Arc<Slot>>>,
    next: AtomicU64,
}

/// The slot of one connection.
pub(super) struct Slot {
    id: u64,
    /// The network of the client.
    client: IpAddr,
    begun: Instant,
    state: AtomicU64,
    gone: Notify,
}

/// Frees the slot when dropped.
pub(super) struct SlotGuard {
    slots: Arc<Slots>,
    pub(super) slot: Arc<Slot>,
}

impl Slots {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            begun: Instant::now(),
            taken: Mutex::default(),
            next: AtomicU64::default(),
        })
    }

    /// A slot for a connection from this address. At the cap, one connection that waits for its
    /// client is closed instead. `None` if all connections are being handled.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<SlotGuard> {
        let mut taken = self.taken();
        if taken.len() >= self.most && !give_way(&mut taken) {
            return None;
        }
        let slot = Arc::new(Slot {
            id: self.next.fetch_add(1, Ordering::Relaxed),
            client: network(address),
            begun: self.begun,
            state: AtomicU64::new(state(Stage::Opening, self.begun)),
            gone: Notify::new(),
        });
        taken.insert(slot.id, slot.clone());
        drop(taken);
        Some(SlotGuard {
            slots: self.clone(),
            slot,
        })
    }

    /// Closes one connection that waits for its client.
    pub(super) fn make_room(&self) {
        give_way(&mut self.taken());
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<u64, Arc<Slot>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes one connection. Connections without a request go first, then those with a slow client.
/// Among these, the client with the most connections loses one: the one in the earliest stage, and
/// of those the oldest.
fn give_way(taken: &mut HashMap<u64, Arc<Slot>>) -> bool {
    let mut held: HashMap<IpAddr, usize> = HashMap::new();
    for slot in taken.values() {
        *held.entry(slot.client).or_default() += 1;
    }
    loop {
        let waiting = taken.values().filter_map(|slot| {
            let state = slot.state.load(Ordering::Acquire);
            (stage(state) < Stage::Busy as u64).then_some((slot, state))
        });
        let first = waiting.min_by_key(|(slot, state)| {
            let connections = held.get(&slot.client).copied().unwrap_or_default();
            let stage = stage(*state);
            let has_request = stage == Stage::Stalled as u64;
            (
                has_request,
                usize::MAX - connections,
                stage,
                *state,
                slot.id,
            )
        });
        let Some((slot, state)) = first else {
            return false;
        };
        if slot.change(state, Stage::Gone).is_ok() {
            let id = slot.id;
            slot.gone.notify_one();
            taken.remove(&id);
            return true;
        }
        // The connection has just left this stage, so another one is chosen.
    }
}

impl Slot {
    /// Enters a stage; `false` when the connection must close.
    pub(super) fn enter(&self, next: Stage) -> bool {
        let mut now = self.state.load(Ordering::Acquire);
        while stage(now) != Stage::Gone as u64 {
            match self.change(now, next) {
                Ok(_) => return true,
                Err(changed) => now = changed,
            }
        }
        false
    }

    /// Waits until the connection must close.
    pub(super) async fn gone(&self) {
        self.gone.notified().await;
    }

    fn change(&self, from: u64, next: Stage) -> Result<u64, u64> {
        let next = state(next, self.begun);
        self.state
            .compare_exchange(from, next, Ordering::AcqRel, Ordering::Acquire)
    }
}

fn state(stage: Stage, begun: Instant) -> u64 {
    let since = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    since << STAGE_BITS | stage as u64
}

fn stage(state: u64) -> u64 {
    state & ((1 << STAGE_BITS) - 1)
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        self.slots.taken().remove(&self.slot.id);
    }
}
