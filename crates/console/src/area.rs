//! The area of the pages, and what they need.

use std::sync::Arc;

use crate::{live::Live, places::Places, samples::Samples};
use gateway::{Access, Area, Code, Part, Registry, Spec, Verb};
use identity::{EntryCode, FirstAccess};

/// The area of the pages.
pub static AREA: Area = Area::new("console", "Páginas do console web.")
    .codes(&[CROSS_SITE_FORM])
    .parts(&[
        Part::of::<Table>("Table"),
        Part::of::<Live>("Live"),
        Part::of::<EntryCode>("EntryCode"),
        Part::of::<FirstAccess>("FirstAccess"),
    ]);

/// A form that was sent from another site.
pub const CROSS_SITE_FORM: Code = Code::new(
    "CROSS_SITE_FORM",
    403,
    "O formulário não veio de uma página desta Pauta.",
)
.next("Abra a página de novo e envie outra vez.");

/// The whole table, which the pages show and call.
pub struct Table {
    pub(crate) registry: Arc<Registry>,
    /// The navigation, in groups.
    pub(crate) places: Places,
    /// The examples of operations.
    pub(crate) samples: Arc<dyn Samples>,
}

/// A page that a signed-in member opens.
pub(crate) const fn page(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Get, path)
        .access(Access::Browser)
        .console()
}

/// A page that answers a form of a signed-in member.
pub(crate) const fn receiver(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Post, path)
        .access(Access::Browser)
        .console()
}

/// A page for anyone.
pub(crate) const fn public(
    name: &'static str,
    title: &'static str,
    verb: Verb,
    path: &'static str,
) -> Spec {
    Spec::new(name, title, verb, path)
        .access(Access::Public)
        .console()
}
