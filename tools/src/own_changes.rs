//! What the calls that wrote rows of the outbox have changed in their pieces.

use std::collections::HashMap;

use domain::{EventId, Revision, time::Millis};
use gateway::Result;
use store::{
    Conn,
    history::{self, FieldChanges},
    outbox::OutboxEntry,
};

use crate::visibility::EVENT;

/// The changes of the rows of a batch.
pub(crate) struct OwnChanges(HashMap<(EventId, Revision), (Millis, FieldChanges)>);

impl OwnChanges {
    /// Reads the changes of these rows in one query.
    pub async fn load(db: &Conn<'_>, entries: &[OutboxEntry]) -> Result<Self> {
        let of_pieces = entries.iter().filter(|one| one.resource_kind == EVENT.kind);
        let revisions = of_pieces.filter_map(|entry| {
            let revision = entry.revision?;
            Some((EventId::from(entry.resource_id.as_str()), revision))
        });
        let revisions = revisions.collect();
        Ok(Self(history::load_changes_at(db, &revisions).await?))
    }

    /// What the row's own call has changed in the piece; `None` if it found its change already made.
    pub fn of(&self, entry: &OutboxEntry) -> Option<&FieldChanges> {
        let key = (EventId::from(entry.resource_id.as_str()), entry.revision?);
        let (at, changes) = self.0.get(&key)?;
        (*at == entry.occurred_at).then_some(changes)
    }
}
