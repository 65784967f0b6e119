//! Selects the changes that a caller is notified of.
//!
//! A change of an area is sent to the members who can read something in the area. If the resource
//! kind has an audience (`Resource::with_audience`), the audience of each resource decides instead. A
//! change of an event is sent to the members who can see the event or could see it before the
//! change. A change of a token or an agent is sent to its owner and the admins.
//!
//! Each author is named from the point of view of the member who reads the message. Changes that
//! this member made in a session have no author.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use store::Conn;
use tokio::sync::watch;

use super::{
    Changes, Principal, Registry, Resource,
    changes::{Author, Change},
};

/// Maximum number of resources looked up per message. Beyond it, the area is sent if the caller can
/// read the area.
const LOOKED_UP: usize = 32;

/// The areas with changes, each with the names of their authors. `None` among the names stands for the
/// service itself or an unknown author. An area without names was changed by the caller only.
pub type AuthorsByArea = BTreeMap<String, BTreeSet<Option<String>>>;

/// The message that a watcher sends.
pub struct News {
    /// The areas with changes; `None` if marks were missed, so that any area may have changed.
    pub areas: Option<AuthorsByArea>,
    /// The position of the last mark that this message covers.
    pub point: String,
    /// True if the watcher lagged too far behind and missed marks.
    pub late: bool,
}

/// Reads the change marks for one caller.
pub struct Watcher {
    changes: Changes,
    registry: Arc<Registry>,
    caller: Principal,
    /// The areas that the caller can read.
    areas: HashSet<&'static str>,
    /// The resource kinds that have an audience.
    kinds: HashMap<&'static str, Resource>,
    /// The number of the last mark read; `None` if the start position is from another run or
    /// instance.
    seen: Option<u64>,
    newest: watch::Receiver<u64>,
}

impl Watcher {
    /// Creates a watcher for a caller. It starts at the position `since`, or at the newest mark if
    /// `since` is `None`.
    #[must_use]
    pub fn new(
        changes: &Changes,
        registry: Arc<Registry>,
        caller: Principal,
        since: Option<&str>,
    ) -> Self {
        changes.start_listening();
        let newest = changes.subscribe();
        let seen = match since {
            Some(point) => changes.parse_position(point),
            None => Some(*newest.borrow()),
        };
        let kinds = registry.all_entries().flat_map(|route| {
            let within = route.spec.within.map(|(resource, _)| resource);
            let about = route.spec.resource.map(|(resource, _)| resource);
            within.into_iter().chain(about)
        });
        let kinds = kinds.filter(Resource::has_audience);
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

    /// Returns the database connection for authenticating the caller again.
    #[must_use]
    pub fn db(&self) -> Conn<'_> {
        self.changes.db()
    }

    /// Replaces the caller, and with it the areas that the watcher may report.
    pub fn set_caller(&mut self, caller: Principal) {
        if caller.capabilities != self.caller.capabilities {
            self.areas = readable_areas(&self.registry, &caller);
        }
        self.caller = caller;
    }

    /// Returns the areas that have changed since the last message, for this caller.
    pub async fn next_news(&mut self) -> News {
        let (newest, marks) = match self.seen {
            Some(seen) => self.changes.marks_after(seen),
            None => (*self.newest.borrow_and_update(), Some(vec![None])),
        };
        self.seen = Some(newest);
        let late = marks.is_none();
        // A single lost mark makes the set of changes unknown.
        let changes: Option<HashSet<Change>> = marks.and_then(|marks| marks.into_iter().collect());
        let areas = match changes {
            Some(changes) => Some(self.areas_to_report(changes).await),
            None => None,
        };
        News {
            areas,
            point: self.changes.format_position(newest),
            late,
        }
    }

    /// Returns the areas and authors of the changes that the caller is notified of.
    async fn areas_to_report(&self, changes: HashSet<Change>) -> AuthorsByArea {
        let mut areas = AuthorsByArea::new();
        let mut looked_up = 0;
        for change in changes {
            let author = change.author.as_ref();
            let is_own = author.is_some_and(|author| self.is_own_change(author));
            let mut name = author.map(|author| self.name_author(author));
            // A resource is looked up only if its change adds an area or an author.
            let is_known = areas
                .get(&*change.area)
                .is_some_and(|names| is_own || names.contains(&name));
            if is_known || !self.is_notified_of(&change, &mut looked_up).await {
                continue;
            }
            if looked_up > LOOKED_UP {
                // Without a lookup it is unknown whether the caller may see this resource, so the
                // author is not named.
                name = None;
            }
            let names = areas.entry(change.area.into_owned()).or_default();
            if !is_own {
                names.insert(name);
            }
        }
        areas
    }

    fn is_own_change(&self, author: &Author) -> bool {
        author.member == self.caller.member.id && !author.by_agent
    }

    /// Returns the name of the author for the caller, as the subject of a sentence (Portuguese).
    fn name_author(&self, author: &Author) -> String {
        match author.by_agent {
            true if author.member == self.caller.member.id => "Um agente, em seu nome,".into(),
            true => format!("Um agente por {}", author.name),
            false => author.name.clone(),
        }
    }

    /// True if there are marks that the watcher has not read.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        *self.newest.borrow() > self.seen.unwrap_or_default()
    }

    /// Waits until there are marks that the watcher has not read.
    pub async fn wait_for_marks(&mut self) {
        let seen = self.seen.unwrap_or_default();
        // The sender is owned by `changes`, so the wait cannot fail.
        let _ = self.newest.wait_for(|newest| *newest > seen).await;
    }

    async fn is_notified_of(&self, change: &Change, looked_up: &mut usize) -> bool {
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
            let is_notified = resource.notifies_member(db, &self.caller.member, id).await;
            // If the lookup fails, the area decides: reloading a page once too often is better than
            // missing a change.
            if is_notified.unwrap_or(reads_area) {
                return true;
            }
        }
        false
    }
}

/// Returns the areas in which the caller can read something.
fn readable_areas(registry: &Registry, caller: &Principal) -> HashSet<&'static str> {
    let read = registry.operations.iter().filter(|operation| {
        let spec = &operation.spec;
        let is_read = !spec.is_recorded() && !spec.access.is_public();
        is_read && caller.authorize(spec.access).is_ok()
    });
    read.map(|operation| operation.area.name).collect()
}
