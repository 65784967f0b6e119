//! Counts the work that waits for the viewer, for the numbers beside the navigation.

use serde::Deserialize;

/// The answer of `count_waiting`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Waiting {
    /// The number of refused events that are assigned to the viewer, and of late open events: their
    /// date, or the hour of one of their channels, has passed.
    #[serde(rename = "recusados_ou_atrasados")]
    pub refused_or_late: i64,
    /// The number of events that the viewer may decide.
    #[serde(rename = "a_aprovar")]
    pub in_approval: i64,
    /// The number of unread notifications.
    #[serde(rename = "notificacoes")]
    pub unread: i64,
}
