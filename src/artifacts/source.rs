use gateway::Registry;

use super::examples::Examples;

/// What the documents are rendered from.
pub(super) struct Source<'a> {
    pub registry: &'a Registry,
    /// Without a trailing slash.
    pub url: &'a str,
    pub examples: &'a Examples,
}
