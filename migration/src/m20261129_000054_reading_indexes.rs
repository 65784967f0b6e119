//! Indexes for lists: the writes of agents in the audit trail, the variants with an hour of their own,
//! the variants of a channel, and the open publications of variants by state.

use crate::plain::Plain;

pub(crate) const MIGRATION: Plain = Plain {
    name: "m20261129_000054_reading_indexes",
    up: UP,
    ..Plain::EMPTY
};

/// Queries must repeat the conditions of the partial indexes verbatim. Otherwise the planner does not use
/// these indexes.
const UP: &str = "
CREATE INDEX audit_events_agents ON audit_events (occurred_at, id)
    WHERE token_id IS NOT NULL AND outcome = 'succeeded' AND auth_method <> 'guest';
CREATE INDEX event_variants_due ON event_variants (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX event_variants_channel ON event_variants (channel);
CREATE INDEX publications_open_state ON publications (state, event_id)
    WHERE open = 1 AND variant_id IS NOT NULL;
";
