//! Counts the work that waits for the viewer, for the numbers beside the navigation.

use serde::Deserialize;

/// The answer of `count_waiting`.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Waiting {
    /// Refused events that are assigned to the viewer.
    #[serde(rename = "recusados")]
    pub refused: i64,
    /// Events that the viewer may decide on.
    #[serde(rename = "a_aprovar")]
    pub in_approval: i64,
    /// Open events whose date has passed.
    #[serde(rename = "atrasados")]
    pub late: i64,
    /// Unread notifications.
    #[serde(rename = "notificacoes")]
    pub unread: i64,
}
