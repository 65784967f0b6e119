//! Notifies watchers of committed changes.
//!
//! The gateway adds a mark for every committed write, and the worker for every finished job, with
//! the area, the affected resources and the author. The newest marks are kept in memory and
//! numbered. A watcher reads the marks after the last number that it has read, and sends only the
//! names of areas and authors to its client.
//!
//! Operations need no further code to notify open pages. The resources of a mark are those that the
//! audit row names.
//!
//! A page contains the mark number at which it was rendered, and its stream starts at that number,
//! so that no change is missed. If the number is too old or from another instance, the page reloads
//! once. The channel stores marks, not events, so a slow subscriber needs no additional memory.

mod instances;

use std::{
    borrow::Cow,
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::MemberId;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use store::{Conn, Db};

use crate::{Principal, Resource};

/// Number of marks kept in memory. A watcher that lags further behind misses marks.
const KEPT: usize = 512;
/// Maximum number of resources that one change names. A change of more resources counts as a change
/// of the whole area.
const NAMED: usize = 16;

/// A committed change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) area: Cow<'static, str>,
    /// The kind and the ids of the changed resources; `None` if anything in the area may have
    /// changed.
    pub(crate) resources: Option<(Cow<'static, str>, Vec<String>)>,
    /// `None` if the service itself made the change, or if the author is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) author: Option<Author>,
}

/// The member who made a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Author {
    pub(crate) member: MemberId,
    pub(crate) name: String,
    /// True if an agent or a token made the change for the member.
    pub(crate) by_agent: bool,
}

impl Author {
    pub(crate) fn from_caller(caller: &Principal) -> Self {
        Self {
            member: caller.member.id.clone(),
            name: caller.member.name.clone(),
            by_agent: !caller.is_session(),
        }
    }
}

impl Change {
    pub(crate) fn of_area(area: &'static str) -> Self {
        Self {
            area: area.into(),
            resources: None,
            author: None,
        }
    }

    pub(crate) fn of_resources(area: &'static str, kind: &'static str, ids: Vec<String>) -> Self {
        let named = (1..=NAMED).contains(&ids.len());
        Self {
            area: area.into(),
            resources: named.then(|| (kind.into(), ids)),
            author: None,
        }
    }

    pub(crate) fn with_author(self, author: Option<Author>) -> Self {
        Self { author, ..self }
    }

    /// Extends the change to the whole area and removes its author.
    fn widen_to_area(self) -> Self {
        Self {
            resources: None,
            author: None,
            ..self
        }
    }
}

/// The change marks of an instance.
#[derive(Clone)]
pub struct Changes(Arc<Shared>);

struct Shared {
    db: Db,
    /// A random number that distinguishes this run of the process from all other runs and instances.
    run: u64,
    state: Mutex<State>,
    /// The number of the newest mark.
    newest: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// The newest marks, in the order in which they were added. `None` means that marks of other
    /// instances were lost, so that anything may have changed.
    kept: VecDeque<Option<Change>>,
    /// Changes not yet sent to the other instances.
    unsent: HashSet<Change>,
    /// True while a task sends changes to the other instances.
    sends: bool,
    /// True while a task listens to the other instances.
    listens: bool,
}

impl Changes {
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self(Arc::new(Shared {
            db,
            run: getrandom::u64().unwrap_or_default(),
            state: Mutex::default(),
            newest: watch::Sender::new(0),
        }))
    }

    /// Adds a mark for a change that was not made by a call or a job, such as a change by an
    /// operator's command.
    pub fn mark_area(&self, area: &'static str) {
        self.mark_change(Change::of_area(area));
    }

    /// Adds a mark for a change of these resources that was not made by a call or a job.
    pub fn mark_resources(&self, area: &'static str, resource: Resource, ids: Vec<String>) {
        self.mark_change(Change::of_resources(area, resource.kind, ids));
    }

    /// Adds a mark for a committed change, on this instance and on the other instances.
    pub(crate) fn mark_change(&self, change: Change) {
        self.queue_for_sending(change.clone());
        self.push_mark(Some(change));
    }

    /// Returns the current position in the marks, in the format of the parameter `since`.
    #[must_use]
    pub fn current_position(&self) -> String {
        self.format_position(*self.0.newest.borrow())
    }

    pub(crate) fn format_position(&self, number: u64) -> String {
        format!("{:x}-{number:x}", self.0.run)
    }

    /// Parses a position into a mark number; `None` if the position is not from this run.
    pub(crate) fn parse_position(&self, point: &str) -> Option<u64> {
        let (run, number) = point.split_once('-')?;
        let number = u64::from_str_radix(number, 16).ok()?;
        let is_ours = u64::from_str_radix(run, 16).ok()? == self.0.run;
        (is_ours && number <= *self.0.newest.borrow()).then_some(number)
    }

    fn push_mark(&self, change: Option<Change>) {
        let mut state = self.lock_state();
        if state.kept.len() == KEPT {
            state.kept.pop_front();
        }
        state.kept.push_back(change);
        // The state is still locked, so that the number and the list of marks stay consistent.
        self.0.newest.send_modify(|newest| *newest += 1);
    }

    /// Returns the newest mark number and the marks after `number`; `None` instead of the marks if
    /// some of them are no longer in memory.
    pub(crate) fn marks_after(&self, number: u64) -> (u64, Option<Vec<Option<Change>>>) {
        let state = self.lock_state();
        let newest = *self.0.newest.borrow();
        let missing = usize::try_from(newest - number).unwrap_or(usize::MAX);
        let from = state.kept.len().checked_sub(missing);
        (
            newest,
            from.map(|from| state.kept.range(from..).cloned().collect()),
        )
    }

    /// Subscribes to the number of the newest mark.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.newest.subscribe()
    }

    pub(crate) fn db(&self) -> Conn<'_> {
        self.0.db.reader()
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
