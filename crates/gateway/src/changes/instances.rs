//! Sends the marks to the other instances through PostgreSQL notifications.
//!
//! Instances notify each other by `NOTIFY` after the commit, several marks at once. Transactions
//! that notify commit one after another: with a `NOTIFY` in its own transaction, every write would
//! wait for the others. A process that dies between a commit and its announcement leaves the pages
//! of other instances as they are until the next change.

use std::{
    collections::HashSet,
    sync::{Arc, Weak},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use store::announcements::{LONGEST, announce, listen};

use super::{Change, Changes, Shared};
use crate::Result;

/// The notification channel of the marks.
const CHANNEL: &str = "pauta_changes";
/// Maximum number of unsent marks. Beyond it, they are reduced to one mark per area.
const WAITING: usize = 64;
/// Pause between two announcements. Changes marked in between are announced together.
const PAUSE: Duration = Duration::from_millis(50);
/// Pause while the database is unavailable: the first and the longest.
const AWAY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// One announcement.
#[derive(Serialize, Deserialize)]
struct Announced<C> {
    /// Identifies the run of the announcing instance.
    run: u64,
    changes: C,
}

impl Changes {
    /// Queues a change for the other instances.
    ///
    /// The notification is not part of the write's own transaction, because PostgreSQL commits
    /// notifying transactions one after another.
    pub(super) fn send(&self, change: Change) {
        if self.0.db.is_embedded() {
            return;
        }
        let mut state = self.state();
        state.unsent.insert(change);
        if state.unsent.len() > WAITING {
            state.unsent = state.unsent.drain().map(Change::widened).collect();
        }
        if !state.sends {
            state.sends = true;
            tokio::spawn(send_all(Arc::downgrade(&self.0)));
        }
    }

    /// Starts listening to the other instances.
    pub(crate) fn hear(&self) {
        let mut state = self.state();
        if !state.listens && !self.0.db.is_embedded() {
            state.listens = true;
            tokio::spawn(hear_all(Arc::downgrade(&self.0)));
        }
    }

    /// Announces the unsent changes before the process ends.
    pub async fn announced(&self) {
        let unsent = std::mem::take(&mut self.state().unsent);
        if !unsent.is_empty()
            && let Err(error) = self.announce(&unsent).await
        {
            tracing::warn!(
                error = error.with_causes(),
                "as mudanças não foram anunciadas às outras instâncias"
            );
        }
    }

    /// Takes the unsent changes. Returns `None`, which ends the task, if there are none.
    fn take(&self) -> Option<HashSet<Change>> {
        let mut state = self.state();
        state.sends = !state.unsent.is_empty();
        state.sends.then(|| std::mem::take(&mut state.unsent))
    }

    async fn announce(&self, changes: &HashSet<Change>) -> Result<()> {
        let text = |changes| {
            let run = self.0.run;
            serde_json::to_string(&Announced { run, changes })
        };
        let mut said = text(changes.iter().cloned().collect::<Vec<_>>())?;
        if said.len() > LONGEST {
            let areas: HashSet<Change> = changes.iter().cloned().map(Change::widened).collect();
            said = text(areas.into_iter().collect())?;
        }
        Ok(announce(&self.db(), CHANNEL, &said).await?)
    }

    fn heard(&self, text: &str) {
        match serde_json::from_str::<Announced<Vec<Change>>>(text) {
            Ok(announced) if announced.run == self.0.run => {}
            Ok(announced) => announced
                .changes
                .into_iter()
                .for_each(|change| self.keep(Some(change))),
            // A newer version sent a format that this one cannot read.
            Err(_) => self.keep(None),
        }
    }
}

async fn send_all(shared: Weak<Shared>) {
    while let Some(changes) = shared.upgrade().map(Changes) {
        let Some(unsent) = changes.take() else { return };
        if let Err(error) = changes.announce(&unsent).await {
            tracing::warn!(
                error = error.with_causes(),
                "as mudanças não foram anunciadas às outras instâncias"
            );
            changes.state().unsent.extend(unsent);
            drop(changes);
            tokio::time::sleep(AWAY.0).await;
            continue;
        }
        drop(changes);
        tokio::time::sleep(PAUSE).await;
    }
}

async fn hear_all(shared: Weak<Shared>) {
    let mut pause = AWAY.0;
    while let Some(db) = shared.upgrade().map(|shared| shared.db.clone()) {
        match listen(&db, CHANNEL).await {
            Ok(None) => return,
            Ok(Some(mut announced)) => {
                pause = AWAY.0;
                // Other instances may have announced changes before listening began.
                let mut heard: Option<String> = None;
                loop {
                    let Some(changes) = shared.upgrade().map(Changes) else {
                        return;
                    };
                    match heard {
                        Some(text) => changes.heard(text.as_str()),
                        None => changes.keep(None),
                    }
                    drop(changes);
                    heard = match announced.next().await {
                        Ok(text) => text,
                        Err(_) => break,
                    };
                }
            }
            Err(error) => tracing::warn!(
                error = error.0.with_causes(),
                "as mudanças de outras instâncias não são ouvidas"
            ),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(AWAY.1);
    }
}
