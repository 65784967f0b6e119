//! The issuer's keys in memory. They are fetched again when they are old or a session has an
//! unknown key id.
//!
//! One fetch runs at a time, and at most one starts in 10 seconds. Callers share the fetch, which
//! continues if a caller disconnects. A caller waits for a fetch if the key is unknown or the key set is
//! older than its `max-age`. After a failed fetch, callers with a known key do not wait: the next
//! attempt runs in the background. If the key is unknown and the last fetch failed, the error is 500 and
//! not 401, because the session may be valid.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::time::{DAY, MINUTE, Millis, SECOND};
use gateway::{Code, Error, Result};
use ports::KeyPublisher;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use super::key_set::{Key, KeySet};

/// The minimum time between two fetches, however many key ids are unknown.
const INTERVAL: Millis = 10 * SECOND;
/// The time for which keys are used before the next fetch, if the issuer states no duration.
const MAX_AGE: Millis = 10 * MINUTE;

pub(super) struct KeyCache {
    publisher: Arc<dyn KeyPublisher>,
    state: Mutex<State>,
    /// Locked during a fetch, so that only one fetch is in progress.
    turn: Arc<Turn<()>>,
}

#[derive(Default)]
struct State {
    keys: Option<KeySet>,
    fresh_until: Millis,
    attempted_at: Option<Millis>,
    /// True if the last fetch failed.
    failed: bool,
}

impl State {
    fn find(&self, kid: &str) -> Option<Arc<Key>> {
        self.keys.as_ref()?.find(kid)
    }

    /// True if another fetch may start. A clock that was set back does not prevent it.
    fn may_fetch(&self, now: Millis) -> bool {
        self.attempted_at
            .is_none_or(|at| now < at || now >= at + INTERVAL)
    }
}

impl KeyCache {
    pub(super) fn new(publisher: Arc<dyn KeyPublisher>) -> Self {
        Self {
            publisher,
            state: Mutex::default(),
            turn: Arc::default(),
        }
    }

    /// Finds the key with this id in memory.
    pub(super) fn find_cached(&self, kid: &str) -> Option<Arc<Key>> {
        self.lock_state().find(kid)
    }

    /// Finds the key with this id; `None` if the issuer has no such key. Fetches the keys first if
    /// they are old. After a failed fetch, callers continue to use old keys without waiting.
    ///
    /// Fails with 500 if the key is unknown and the issuer did not answer.
    pub(super) async fn find(self: &Arc<Self>, kid: &str, now: Millis) -> Result<Option<Arc<Key>>> {
        let (found, fresh, failed) = {
            let state = self.lock_state();
            (state.find(kid), now < state.fresh_until, state.failed)
        };
        match found {
            Some(key) if fresh => return Ok(Some(key)),
            Some(key) if failed => {
                if let Ok(turn) = self.turn.clone().try_lock_owned() {
                    self.start_fetch(turn, now);
                }
                return Ok(Some(key));
            }
            _ => {}
        }
        // If another caller has fetched the keys while this one waited for the lock, the keys are
        // found below.
        let turn = self.turn.clone().lock_owned().await;
        if let Some(fetching) = self.start_fetch(turn, now) {
            fetching.await.map_err(Error::internal)?;
        }
        let state = self.lock_state();
        match state.find(kid) {
            None if state.failed => Err(issuer_unavailable_error()),
            found => Ok(found),
        }
    }

    /// Starts a fetch on its own task, so that it continues for the other callers if one disconnects.
    /// Returns `None` if it is too early for another fetch.
    fn start_fetch(
        self: &Arc<Self>,
        turn: OwnedMutexGuard<()>,
        now: Millis,
    ) -> Option<tokio::task::JoinHandle<()>> {
        {
            let mut state = self.lock_state();
            if !state.may_fetch(now) {
                return None;
            }
            state.attempted_at = Some(now);
        }
        let this = self.clone();
        Some(tokio::spawn(async move {
            let fetched = this.publisher.fetch_keys().await;
            let fetched = fetched.and_then(|published| {
                let age = published.max_age.map_or(MAX_AGE, |age| {
                    let age = i64::try_from(age.as_millis()).unwrap_or(DAY);
                    age.clamp(INTERVAL, DAY)
                });
                Ok((KeySet::parse(&published.set)?, age))
            });
            let mut state = this.lock_state();
            match fetched {
                Ok((keys, age)) => {
                    state.keys = Some(keys);
                    state.fresh_until = now + age;
                    state.failed = false;
                }
                Err(error) => {
                    tracing::warn!(
                        error = error.text_with_causes(),
                        "as chaves do provedor de identidade não puderam ser lidas"
                    );
                    state.failed = true;
                }
            }
            drop(state);
            drop(turn);
        }))
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn issuer_unavailable_error() -> Error {
    Error::new(Code::PROVIDER_FAILED)
        .because("O provedor de identidade não responde, e a sessão não pôde ser conferida.")
        .with_detail(
            "next",
            "Espere e repita o mesmo pedido; um token pessoal funciona enquanto isso.".into(),
        )
        .with_retry_after((INTERVAL / SECOND).cast_unsigned())
}
