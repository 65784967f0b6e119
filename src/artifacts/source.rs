use gateway::{OutputForm, Registry, Spec};

use super::examples::Examples;

/// The inputs of rendering.
pub(super) struct Source<'a> {
    pub registry: &'a Registry,
    /// The public URL, without a trailing slash.
    pub url: &'a str,
    /// The URL of the hosted issuer; `None` with the embedded identity provider.
    pub issuer: Option<&'a str>,
    pub examples: &'a Examples,
}

impl Source<'_> {
    /// The routes of the registry that return a document.
    pub(super) fn document_routes(&self) -> impl Iterator<Item = &Spec> {
        let specs = self.registry.pages.iter().map(|page| &page.spec);
        specs.filter(|spec| matches!(spec.output, OutputForm::Document(_)) && !spec.extension)
    }
}
