//! Copies of client metadata documents in the memory of this instance. Anybody can make the service
//! fetch a document, so a copy is stored in the database only when a member has authorized the
//! client.
//!
//! The row is inserted in the transaction that stores the authorization.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use domain::ClientId;
use store::agents::clients::Client;

/// Maximum number of copies, each of about 10 kB at most. Beyond it the least recently used copy is
/// dropped.
const MOST: usize = 500;

#[derive(Default)]
pub(super) struct Copies(Mutex<State>);

#[derive(Default)]
struct State {
    /// Each copy with the sequence number of its last use.
    by_id: HashMap<ClientId, (Client, u64)>,
    uses: u64,
}

impl Copies {
    pub(super) fn find(&self, id: &ClientId) -> Option<Client> {
        let mut state = self.lock_state();
        state.uses += 1;
        let now = state.uses;
        let (client, used) = state.by_id.get_mut(id)?;
        *used = now;
        Some(client.clone())
    }

    pub(super) fn store_copy(&self, client: Client) {
        let mut state = self.lock_state();
        state.uses += 1;
        let now = state.uses;
        state.by_id.insert(client.id.clone(), (client, now));
        if state.by_id.len() > MOST {
            let oldest = state.by_id.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(id) = oldest.map(|(id, _)| id.clone()) {
                state.by_id.remove(&id);
            }
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authorization::document;

    #[test]
    fn a_full_cache_drops_the_least_recently_used_copy() {
        let copies = Copies::default();
        let id = |n: usize| format!("https://site-{n}.test/client.json");
        let keep = |n: usize| {
            copies.store_copy(document::new_client(&id(n), "x".into(), vec![], true, 0));
        };
        for n in 0..MOST {
            keep(n);
        }
        assert!(copies.find(&id(0).as_str().into()).is_some());
        keep(MOST);
        assert!(copies.find(&id(0).as_str().into()).is_some());
        assert!(copies.find(&id(1).as_str().into()).is_none());
        assert_eq!(copies.lock_state().by_id.len(), MOST);
    }
}
