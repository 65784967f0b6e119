//! The cap on connections, and who gives way at it.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{sync::Notify, time::Instant};

/// What a connection does, in the order in which it gives way.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Stage {
    /// Its last answer is written.
    Leaving = 0,
    /// No whole head of a request has come.
    Opening = 1,
    /// Its last request is answered.
    Idle = 2,
    /// It has a request, and waits for the client to send the body or to take the answer.
    Stalled = 3,
    /// It has a request.
    Busy = 4,
    /// It has given way.
    Gone = 5,
}

/// Bits of a seat's state that hold its stage; the others hold since when.
const STAGE_BITS: u32 = 3;

/// The places there are.
pub(super) struct Seats {
    most: usize,
    begun: Instant,
    taken: Mutex<HashMap<u64, Arc<Seat>>>,
    next: AtomicU64,
}

/// One place.
pub(super) struct Seat {
    id: u64,
    client: IpAddr,
    begun: Instant,
    state: AtomicU64,
    gone: Notify,
}

/// A place that is free again when this is dropped.
pub(super) struct Place {
    seats: Arc<Seats>,
    pub(super) seat: Arc<Seat>,
}

impl Seats {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            begun: Instant::now(),
            taken: Mutex::default(),
            next: AtomicU64::default(),
        })
    }

    /// A place for a connection from this address. At the cap one that waits for its client gives
    /// way; `None` when there is none such: all are being answered.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let mut taken = self.taken();
        if taken.len() >= self.most && !give_way(&mut taken) {
            return None;
        }
        let seat = Arc::new(Seat {
            id: self.next.fetch_add(1, Ordering::Relaxed),
            client: client(address),
            begun: self.begun,
            state: AtomicU64::new(state(Stage::Opening, self.begun)),
            gone: Notify::new(),
        });
        taken.insert(seat.id, seat.clone());
        drop(taken);
        Some(Place {
            seats: self.clone(),
            seat,
        })
    }

    /// Ends one connection that waits for its client.
    pub(super) fn make_room(&self) {
        give_way(&mut self.taken());
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<u64, Arc<Seat>>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// First those that have no request, then those whose client is slow with theirs. Of these the
/// client with the most connections gives one, the one furthest from a request, and the oldest.
fn give_way(taken: &mut HashMap<u64, Arc<Seat>>) -> bool {
    let mut held: HashMap<IpAddr, usize> = HashMap::new();
    for seat in taken.values() {
        *held.entry(seat.client).or_default() += 1;
    }
    loop {
        let waiting = taken.values().filter_map(|seat| {
            let state = seat.state.load(Ordering::Acquire);
            (stage(state) < Stage::Busy as u64).then_some((seat, state))
        });
        let first = waiting.min_by_key(|(seat, state)| {
            let connections = held.get(&seat.client).copied().unwrap_or_default();
            let stage = stage(*state);
            let has_request = stage == Stage::Stalled as u64;
            (
                has_request,
                usize::MAX - connections,
                stage,
                *state,
                seat.id,
            )
        });
        let Some((seat, state)) = first else {
            return false;
        };
        if seat.change(state, Stage::Gone).is_ok() {
            let id = seat.id;
            seat.gone.notify_one();
            taken.remove(&id);
            return true;
        }
        // It went on just now; another one, then.
    }
}

impl Seat {
    /// From now on it is at this stage; `false` when it has given way.
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

    /// Waits until it has to give way.
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

/// Whose address it is: an IPv6 client has a whole network of 64 bits.
fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            Ipv6Addr::from(network).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.seats.taken().remove(&self.seat.id);
    }
}
