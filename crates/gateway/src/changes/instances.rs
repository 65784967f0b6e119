//! Sends change marks to the other instances through PostgreSQL notifications.
//!
//! An instance sends `NOTIFY` after the commit, with several marks at once. PostgreSQL commits
//! transactions with a `NOTIFY` one after another: if every write sent one in its own transaction,
//! writes would wait for each other. If a process dies between a commit and its notification, pages
//! of other instances stay outdated until the next change.

use std::{
    collections::HashSet,
    sync::{Arc, Weak},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use store::announcements::{LONGEST, announce, listen};

use super::{Change, Changes, Shared};
use crate::Result;

/// The PostgreSQL notification channel of the marks.
const CHANNEL: &str = "pauta_changes";
/// Maximum number of unsent marks. Beyond it, they are merged into one mark per area.
const WAITING: usize = 64;
/// Pause between two notifications. Changes in between are sent together.
const PAUSE: Duration = Duration::from_millis(50);
/// Retry delay while the database is unavailable: the first and the longest.
const AWAY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The payload of one notification.
#[derive(Serialize, Deserialize)]
struct Announced<C> {
    /// Identifies the run of the sending instance.
    run: u64,
    changes: C,
}

impl Changes {
    /// Queues a change for the other instances.
    ///
    /// The notification is sent after the write's own transaction, because PostgreSQL commits
    /// transactions with a `NOTIFY` one after another.
    pub(super) fn queue_for_sending(&self, change: Change) {
        if self.0.db.is_embedded() {
            return;
        }
        let mut state = self.lock_state();
        state.unsent.insert(change);
        if state.unsent.len() > WAITING {
            state.unsent = state.unsent.drain().map(Change::widen_to_area).collect();
        }
        if !state.sends {
            state.sends = true;
            tokio::spawn(send_queued(Arc::downgrade(&self.0)));
        }
    }

    /// Starts to receive the changes of other instances.
    pub(crate) fn start_listening(&self) {
        let mut state = self.lock_state();
        if !state.listens && !self.0.db.is_embedded() {
            state.listens = true;
            tokio::spawn(listen_to_others(Arc::downgrade(&self.0)));
        }
    }

    /// Sends the queued changes before the process ends.
    pub async fn send_remaining(&self) {
        let unsent = std::mem::take(&mut self.lock_state().unsent);
        if !unsent.is_empty()
            && let Err(error) = self.announce_changes(&unsent).await
        {
            tracing::warn!(
                error = error.text_with_causes(),
                "as mudanças não foram anunciadas às outras instâncias"
            );
        }
    }

    /// Takes the queued changes. If there are none, returns `None`, and the sending task ends.
    fn take_unsent(&self) -> Option<HashSet<Change>> {
        let mut state = self.lock_state();
        state.sends = !state.unsent.is_empty();
        state.sends.then(|| std::mem::take(&mut state.unsent))
    }

    async fn announce_changes(&self, changes: &HashSet<Change>) -> Result<()> {
        let text = |changes| {
            let run = self.0.run;
            serde_json::to_string(&Announced { run, changes })
        };
        let mut said = text(changes.iter().cloned().collect::<Vec<_>>())?;
        if said.len() > LONGEST {
            let areas: HashSet<Change> =
                changes.iter().cloned().map(Change::widen_to_area).collect();
            said = text(areas.into_iter().collect())?;
        }
        Ok(announce(&self.db(), CHANNEL, &said).await?)
    }

    fn receive_marks(&self, text: &str) {
        match serde_json::from_str::<Announced<Vec<Change>>>(text) {
            Ok(announced) if announced.run == self.0.run => {}
            Ok(announced) => announced
                .changes
                .into_iter()
                .for_each(|change| self.push_mark(Some(change))),
            // The sender is a newer version whose format this one cannot parse.
            Err(_) => self.push_mark(None),
        }
    }
}

async fn send_queued(shared: Weak<Shared>) {
    while let Some(changes) = shared.upgrade().map(Changes) {
        let Some(unsent) = changes.take_unsent() else {
            return;
        };
        if let Err(error) = changes.announce_changes(&unsent).await {
            tracing::warn!(
                error = error.text_with_causes(),
                "as mudanças não foram anunciadas às outras instâncias"
            );
            changes.lock_state().unsent.extend(unsent);
            drop(changes);
            tokio::time::sleep(AWAY.0).await;
            continue;
        }
        drop(changes);
        tokio::time::sleep(PAUSE).await;
    }
}

async fn listen_to_others(shared: Weak<Shared>) {
    let mut pause = AWAY.0;
    while let Some(db) = shared.upgrade().map(|shared| shared.db.clone()) {
        match listen(&db, CHANNEL).await {
            Ok(None) => return,
            Ok(Some(mut announced)) => {
                pause = AWAY.0;
                // Other instances may have sent changes before this one was listening.
                let mut heard: Option<String> = None;
                loop {
                    let Some(changes) = shared.upgrade().map(Changes) else {
                        return;
                    };
                    match heard {
                        Some(text) => changes.receive_marks(text.as_str()),
                        None => changes.push_mark(None),
                    }
                    drop(changes);
                    heard = match announced.next().await {
                        Ok(text) => text,
                        Err(_) => break,
                    };
                }
            }
            Err(error) => tracing::warn!(
                error = error.0.text_with_causes(),
                "as mudanças de outras instâncias não são ouvidas"
            ),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(AWAY.1);
    }
}
