//! What an operation answers.

/// An answer, serialised once.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// JSON text.
    pub body: String,
    /// The answer without what the request brought, where that is shorter.
    pub short: Option<String>,
    /// Whether it was given before, to the same key.
    pub replayed: bool,
    /// The id of what the effect made or changed, where the answer tells it.
    pub(crate) affected: Option<String>,
}
