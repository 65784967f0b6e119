//! What was changed, for those who look at it.
//!
//! The gateway marks every committed write, and the worker every job that ended, with the area and the
//! resources that it was about. The newest marks are kept in memory, numbered. A watcher reads those that
//! came after the last one that it knows, and is told the names of areas only.
//!
//! So an operation notifies open pages without a line of its own. The resources of a mark are those
//! that the audit row names.
//!
//! A page carries the number at which it was rendered, and its stream begins there, so that nothing
//! between the two is missed. A number of another instance or one that is too old is not known, and
//! the page reloads once. A stream holds no events, so a slow reader costs nothing.

mod instances;

use std::{
    borrow::Cow,
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use store::{Conn, Db};

/// Marks that are kept. A watcher who is further behind has missed some.
const KEPT: usize = 512;
/// Resources that one mark names. A change of more is one of the whole area.
const NAMED: usize = 16;

/// A committed change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) area: Cow<'static, str>,
    /// The kind of the resources, and their ids; `None` where the whole area may have changed.
    pub(crate) resources: Option<(Cow<'static, str>, Vec<String>)>,
}

impl Change {
    pub(crate) fn of_area(area: &'static str) -> Self {
        Self {
            area: area.into(),
            resources: None,
        }
    }

    pub(crate) fn of(area: &'static str, kind: &'static str, ids: Vec<String>) -> Self {
        let named = (1..=NAMED).contains(&ids.len());
        Self {
            area: area.into(),
            resources: named.then(|| (kind.into(), ids)),
        }
    }

    /// The same, of the whole area.
    fn widened(self) -> Self {
        Self {
            resources: None,
            ..self
        }
    }
}

/// The marks of an instance.
#[derive(Clone)]
pub struct Changes(Arc<Shared>);

struct Shared {
    db: Db,
    /// Distinguishes this run of this instance from all others.
    run: u64,
    state: Mutex<State>,
    /// The number of the newest mark.
    newest: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// The oldest first; `None` where marks of other instances were missed.
    kept: VecDeque<Option<Change>>,
    /// What the other instances have not been told.
    unsent: HashSet<Change>,
    /// Whether a task is telling them.
    sends: bool,
    /// Whether a task listens to them.
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

    /// Marks a change in an area that no call and no job made: a command of the operator.
    pub fn mark_area(&self, area: &'static str) {
        self.mark(Change::of_area(area));
    }

    /// Marks a committed change, here and at the other instances.
    pub(crate) fn mark(&self, change: Change) {
        self.send(change.clone());
        self.keep(Some(change));
    }

    /// The point in time of everything marked so far, as `since` reads it.
    #[must_use]
    pub fn now(&self) -> String {
        self.point(*self.0.newest.borrow())
    }

    pub(crate) fn point(&self, number: u64) -> String {
        format!("{:x}-{number:x}", self.0.run)
    }

    /// The number of a point in time; `None` where it is not one of this run.
    pub(crate) fn number(&self, point: &str) -> Option<u64> {
        let (run, number) = point.split_once('-')?;
        let number = u64::from_str_radix(number, 16).ok()?;
        let is_ours = u64::from_str_radix(run, 16).ok()? == self.0.run;
        (is_ours && number <= *self.0.newest.borrow()).then_some(number)
    }

    fn keep(&self, change: Option<Change>) {
        let mut state = self.state();
        if state.kept.len() == KEPT {
            state.kept.pop_front();
        }
        state.kept.push_back(change);
        // While the state is locked, so that number and marks agree.
        self.0.newest.send_modify(|newest| *newest += 1);
    }

    /// The marks after a number, and the number of the newest. No marks are given where the oldest of them
    /// is not kept any more.
    pub(crate) fn after(&self, number: u64) -> (u64, Option<Vec<Option<Change>>>) {
        let state = self.state();
        let newest = *self.0.newest.borrow();
        let missing = usize::try_from(newest - number).unwrap_or(usize::MAX);
        let from = state.kept.len().checked_sub(missing);
        (
            newest,
            from.map(|from| state.kept.range(from..).cloned().collect()),
        )
    }

    /// Follows the number of the newest mark.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.newest.subscribe()
    }

    pub(crate) fn db(&self) -> Conn<'_> {
        self.0.db.reader()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
