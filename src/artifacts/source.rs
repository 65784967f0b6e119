use gateway::{OutputForm, Registry, Spec};

use super::examples::Examples;

/// What the documents are rendered from.
pub(super) struct Source<'a> {
    pub registry: &'a Registry,
    /// Without a trailing slash.
    pub url: &'a str,
    /// The hosted issuer that sessions come from; `None` with the embedded identity.
    pub issuer: Option<&'a str>,
    pub examples: &'a Examples,
}

impl Source<'_> {
    /// The rows of the table that are documents of their own.
    pub(super) fn documents(&self) -> impl Iterator<Item = &Spec> {
        let specs = self.registry.pages.iter().map(|page| &page.spec);
        specs.filter(|spec| matches!(spec.output, OutputForm::Document(_)) && !spec.extension)
    }
}
