//! The issuer's keys in memory. They are fetched again when they are old or a session names an
//! unknown key.
//!
//! One fetch runs at a time, at most one in 10 seconds. Callers share it, and no disconnecting
//! caller ends it. A caller waits for a fetch if the key is unknown or the set is older than its
//! `max-age`. After a failed fetch, callers with a known key do not wait: the next attempt runs in
//! the background. An unknown key while the last fetch failed is a 500 and not a 401, because the
//! session may be good.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::time::{DAY, MINUTE, Millis, SECOND};
use gateway::{Code, Error, Result};
use ports::KeyPublisher;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use super::key_set::{Key, KeySet};

/// Minimum time between two fetches, for any number of unknown keys.
const INTERVAL: Millis = 10 * SECOND;
/// How long keys are used without another fetch, if the issuer does not say.
const MAX_AGE: Millis = 10 * MINUTE;

pub(super) struct KeyCache {
    publisher: Arc<dyn KeyPublisher>,
    state: Mutex<State>,
    /// Locked during a fetch, so that only one is in progress.
    turn: Arc<Turn<()>>,
}

#[derive(Default)]
struct State {
    keys: Option<KeySet>,
    fresh_until: Millis,
    attempted_at: Option<Millis>,
    /// Whether the last fetch failed.
    failed: bool,
}

impl State {
    fn find(&self, kid: &str) -> Option<Arc<Key>> {
        self.keys.as_ref()?.find(kid)
    }

    /// True if another fetch may begin. A clock that was set back does not prevent it.
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

    /// The key with this id, if it is in memory.
    pub(super) fn cached(&self, kid: &str) -> Option<Arc<Key>> {
        self.state().find(kid)
    }

    /// Finds the key with this id; `None` if the issuer has no such key. Old keys are fetched again
    /// first. After a failed fetch, callers continue to use old keys without waiting.
    ///
    /// Refused (500) when the key is unknown and the issuer did not answer.
    pub(super) async fn find(self: &Arc<Self>, kid: &str, now: Millis) -> Result<Option<Arc<Key>>> {
        let (found, fresh, failed) = {
            let state = self.state();
            (state.find(kid), now < state.fresh_until, state.failed)
        };
        match found {
            Some(key) if fresh => return Ok(Some(key)),
            Some(key) if failed => {
                if let Ok(turn) = self.turn.clone().try_lock_owned() {
                    self.fetch(turn, now);
                }
                return Ok(Some(key));
            }
            _ => {}
        }
        // A caller that waited here for another caller's fetch finds its result below.
        let turn = self.turn.clone().lock_owned().await;
        if let Some(fetching) = self.fetch(turn, now) {
            fetching.await.map_err(Error::internal)?;
        }
        let state = self.state();
        match state.find(kid) {
            None if state.failed => Err(away()),
            found => Ok(found),
        }
    }

    /// Fetches the keys in a task of its own, so that a caller who disconnects does not end the
    /// fetch for the others. `None` if it is too early for another fetch.
    fn fetch(
        self: &Arc<Self>,
        turn: OwnedMutexGuard<()>,
        now: Millis,
    ) -> Option<tokio::task::JoinHandle<()>> {
        {
            let mut state = self.state();
            if !state.may_fetch(now) {
                return None;
            }
            state.attempted_at = Some(now);
        }
        let this = self.clone();
        Some(tokio::spawn(async move {
            let fetched = this.publisher.keys().await;
            let fetched = fetched.and_then(|published| {
                let age = published.max_age.map_or(MAX_AGE, |age| {
                    let age = i64::try_from(age.as_millis()).unwrap_or(DAY);
                    age.clamp(INTERVAL, DAY)
                });
                Ok((KeySet::read(&published.set)?, age))
            });
            let mut state = this.state();
            match fetched {
                Ok((keys, age)) => {
                    state.keys = Some(keys);
                    state.fresh_until = now + age;
                    state.failed = false;
                }
                Err(error) => {
                    tracing::warn!(
                        error = error.with_causes(),
                        "as chaves do provedor de identidade não puderam ser lidas"
                    );
                    state.failed = true;
                }
            }
            drop(state);
            drop(turn);
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn away() -> Error {
    Error::new(Code::PROVIDER_FAILED)
        .because("O provedor de identidade não responde, e a sessão não pôde ser conferida.")
        .with(
            "next",
            "Espere e repita o mesmo pedido; um token pessoal funciona enquanto isso.".into(),
        )
        .retry_after((INTERVAL / SECOND).cast_unsigned())
}
