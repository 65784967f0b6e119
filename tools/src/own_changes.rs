//! The field changes that belong to each outbox row, read from the history of the pieces.

use std::collections::HashMap;

use domain::{EventId, Revision, time::Millis};
use gateway::Result;
use store::{
    Conn,
    history::{self, FieldChanges},
    outbox::OutboxEntry,
};

use crate::visibility::EVENT;

/// The field changes of a batch of outbox rows, by piece and revision.
pub(crate) struct OwnChanges(HashMap<(EventId, Revision), (Millis, FieldChanges)>);

impl OwnChanges {
    /// Loads the field changes that belong to these outbox rows, in one query.
    pub async fn load(db: &Conn<'_>, entries: &[OutboxEntry]) -> Result<Self> {
        let of_pieces = entries.iter().filter(|one| one.resource_kind == EVENT.kind);
        let revisions = of_pieces.filter_map(|entry| {
            let revision = entry.revision?;
            Some((EventId::from(entry.resource_id.as_str()), revision))
        });
        let revisions = revisions.collect();
        Ok(Self(history::load_changes_at(db, &revisions).await?))
    }

    /// Returns the field changes that one call stored together with this outbox row. Returns `None` if
    /// the call changed no field, because the piece already had the sent values.
    pub fn find_changes(&self, entry: &OutboxEntry) -> Option<&FieldChanges> {
        let key = (EventId::from(entry.resource_id.as_str()), entry.revision?);
        let (at, changes) = self.0.get(&key)?;
        (*at == entry.occurred_at).then_some(changes)
    }
}
