//! The connection cap, and the choice of a connection to close when the cap is reached.
//!
//! Each connection has a slot. A connection that waits for its client can be closed in favour of a
//! new one. An atomic compare-and-set of its state decides the race between closing it and a
//! request that arrives at the same moment.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use domain::network_prefix;
use tokio::{sync::Notify, time::Instant};

/// The stage of a connection. Among the connections of one client, `close_one_waiting_connection` first
/// closes a connection in the lowest stage.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Stage {
    /// The last response is written, and input is being discarded.
    Leaving = 0,
    /// The head of the first request has not arrived completely.
    Opening = 1,
    /// Keep-alive: the connection waits for its next request.
    Idle = 2,
    /// The client has to send the request body or read the response.
    Stalled = 3,
    /// The request is being handled.
    Busy = 4,
    /// The connection must close.
    Gone = 5,
}

/// The low bits of a slot's state contain the stage; the others contain the time at which the stage
/// began.
const STAGE_BITS: u32 = 3;

/// All slots in use, and their maximum number.
pub(super) struct Slots {
    most: usize,
    begun: Instant,
    taken: Mutex<HashMap<u64, Arc<Slot>>>,
    next: AtomicU64,
}

/// The slot of one connection.
pub(super) struct Slot {
    id: u64,
    /// The client's IP address, or its network for IPv6.
    client: IpAddr,
    begun: Instant,
    state: AtomicU64,
    gone: Notify,
}

/// Holds the slot of a connection and frees it on drop.
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

    /// Assigns a slot to a new connection. At the cap, closes one connection that waits for its
    /// client; `None` if no connection waits.
    pub(super) fn assign_slot(self: &Arc<Self>, address: IpAddr) -> Option<SlotGuard> {
        let mut taken = self.lock_taken();
        if taken.len() >= self.most && !close_waiting_slot(&mut taken) {
            return None;
        }
        let slot = Arc::new(Slot {
            id: self.next.fetch_add(1, Ordering::Relaxed),
            client: network_prefix(address),
            begun: self.begun,
            state: AtomicU64::new(encode_state(Stage::Opening, self.begun)),
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
    pub(super) fn close_one_waiting_connection(&self) {
        close_waiting_slot(&mut self.lock_taken());
    }

    fn lock_taken(&self) -> MutexGuard<'_, HashMap<u64, Arc<Slot>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes one connection that waits for its client; `false` if there is none. Connections without a
/// request are closed before stalled ones. Among them, the client with the most connections loses
/// the one in the lowest stage, and of several in that stage the oldest.
fn close_waiting_slot(taken: &mut HashMap<u64, Arc<Slot>>) -> bool {
    let mut held: HashMap<IpAddr, usize> = HashMap::new();
    for slot in taken.values() {
        *held.entry(slot.client).or_default() += 1;
    }
    loop {
        let waiting = taken.values().filter_map(|slot| {
            let state = slot.state.load(Ordering::Acquire);
            (stage_bits(state) < Stage::Busy as u64).then_some((slot, state))
        });
        let first = waiting.min_by_key(|(slot, state)| {
            let connections = held.get(&slot.client).copied().unwrap_or_default();
            let stage = stage_bits(*state);
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
        if slot.replace_state(state, Stage::Gone).is_ok() {
            let id = slot.id;
            slot.gone.notify_one();
            taken.remove(&id);
            return true;
        }
        // The connection has just left this stage; the loop chooses again.
    }
}

impl Slot {
    /// Enters a stage; `false` if the connection must close.
    pub(super) fn enter_stage(&self, next: Stage) -> bool {
        let mut now = self.state.load(Ordering::Acquire);
        while stage_bits(now) != Stage::Gone as u64 {
            match self.replace_state(now, next) {
                Ok(_) => return true,
                Err(changed) => now = changed,
            }
        }
        false
    }

    pub(super) fn is_in_stage(&self, stage: Stage) -> bool {
        stage_bits(self.state.load(Ordering::Acquire)) == stage as u64
    }

    /// Waits until the connection must close.
    pub(super) async fn wait_until_gone(&self) {
        self.gone.notified().await;
    }

    fn replace_state(&self, from: u64, next: Stage) -> Result<u64, u64> {
        let next = encode_state(next, self.begun);
        self.state
            .compare_exchange(from, next, Ordering::AcqRel, Ordering::Acquire)
    }
}

fn encode_state(stage: Stage, begun: Instant) -> u64 {
    let since = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    since << STAGE_BITS | stage as u64
}

fn stage_bits(state: u64) -> u64 {
    state & ((1 << STAGE_BITS) - 1)
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        self.slots.lock_taken().remove(&self.slot.id);
    }
}
