//! Selects the changes that a caller is notified of.
//!
//! An area is announced to those who can read something of it. Where a resource kind has `told_to`,
//! that decides for each of its resources instead: a change of an event is announced to those who
//! see it, or from whom it was just taken; a change of a token or an agent to its owner and the
//! admins.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use store::Conn;
use tokio::sync::watch;

use super::{Changes, Principal, Registry, Resource, changes::Change};

/// Maximum number of resources looked up per answer. Beyond it, the answer names the area if the
/// caller can read the area.
const LOOKED_UP: usize = 32;

/// The message sent to a watcher.
pub struct News {
    /// The areas in which something changed; `None` if changes were missed, so that any area may
    /// have changed.
    pub areas: Option<BTreeSet<String>>,
    /// The position in the marks up to which the message is complete.
    pub point: String,
    /// True if the watcher read too slowly and missed marks.
    pub late: bool,
}

/// Reads the change marks for one caller.
pub struct Watcher {
    changes: Changes,
    registry: Arc<Registry>,
    caller: Principal,
    /// The areas that the caller can read.
    areas: HashSet<&'static str>,
    /// The resource kinds that choose their own audience.
    kinds: HashMap<&'static str, Resource>,
    /// The number of the last mark read; `None` if the starting position is unknown.
    seen: Option<u64>,
    newest: watch::Receiver<u64>,
}

impl Watcher {
    /// Watches changes for a caller after a position, or from now on if there is none.
    #[must_use]
    pub fn new(
        changes: &Changes,
        registry: Arc<Registry>,
        caller: Principal,
        since: Option<&str>,
    ) -> Self {
        changes.hear();
        let newest = changes.subscribe();
        let seen = match since {
            Some(point) => changes.number(point),
            None => Some(*newest.borrow()),
        };
        let kinds = registry.all().flat_map(|route| {
            let within = route.spec.within.map(|(resource, _)| resource);
            let about = route.spec.resource.map(|(resource, _)| resource);
            within.into_iter().chain(about)
        });
        let kinds = kinds.filter(Resource::has_own_watchers);
        let kinds = kinds.map(|resource| (resource.kind, resource)).collect();
        Self {
            changes: changes.clone(),
            areas: readable_areas(&registry, &caller),
            registry,
            caller,
            kinds,
            seen,
            newest,
        }
    }

    #[must_use]
    pub fn caller(&self) -> &Principal {
        &self.caller
    }

    /// The database in which the caller is looked up.
    #[must_use]
    pub fn db(&self) -> Conn<'_> {
        self.changes.db()
    }

    /// Updates the caller and its rights.
    pub fn set_caller(&mut self, caller: Principal) {
        if caller.capabilities != self.caller.capabilities {
            self.areas = readable_areas(&self.registry, &caller);
        }
        self.caller = caller;
    }

    /// The areas changed since the last answer, for this caller.
    pub async fn news(&mut self) -> News {
        let (newest, marks) = match self.seen {
            Some(seen) => self.changes.after(seen),
            None => (*self.newest.borrow_and_update(), Some(vec![None])),
        };
        self.seen = Some(newest);
        let late = marks.is_none();
        // One missing mark makes the whole set unknown.
        let changes: Option<HashSet<Change>> = marks.and_then(|marks| marks.into_iter().collect());
        let areas = match changes {
            Some(changes) => Some(self.told(changes).await),
            None => None,
        };
        News {
            areas,
            point: self.changes.point(newest),
            late,
        }
    }

    /// The areas of the changes that the caller is notified of.
    async fn told(&self, changes: HashSet<Change>) -> BTreeSet<String> {
        let mut areas = BTreeSet::new();
        let mut looked_up = 0;
        for change in changes {
            if !areas.contains(&*change.area) && self.is_told(&change, &mut looked_up).await {
                areas.insert(change.area.into_owned());
            }
        }
        areas
    }

    /// True if there are marks that `news` has not read.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        *self.newest.borrow() > self.seen.unwrap_or_default()
    }

    /// Waits until there are marks that `news` has not read.
    pub async fn changed(&mut self) {
        let seen = self.seen.unwrap_or_default();
        // `changes` owns the sender, so the wait cannot fail.
        let _ = self.newest.wait_for(|newest| *newest > seen).await;
    }

    async fn is_told(&self, change: &Change, looked_up: &mut usize) -> bool {
        let reads_area = self.areas.contains(&*change.area);
        let Some((kind, ids)) = &change.resources else {
            return reads_area;
        };
        let Some(resource) = self.kinds.get(&**kind) else {
            return reads_area;
        };
        let db = self.changes.db();
        for id in ids {
            *looked_up += 1;
            if *looked_up > LOOKED_UP {
                return reads_area;
            }
            let told = resource.is_told(db, &self.caller.member, id).await;
            // If the lookup fails, the area decides. A page that reloads once too often is better
            // than one that misses a change.
            if told.unwrap_or(reads_area) {
                return true;
            }
        }
        false
    }
}

/// The areas in which a caller can read something.
fn readable_areas(registry: &Registry, caller: &Principal) -> HashSet<&'static str> {
    let read = registry.operations.iter().filter(|operation| {
        let spec = &operation.spec;
        let is_read = !spec.is_recorded() && !spec.access.is_public();
        is_read && caller.authorize(spec.access).is_ok()
    });
    read.map(|operation| operation.area.name).collect()
}
