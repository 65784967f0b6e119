//! The gateway area of the pages, and the parts of the service that the pages need.

use std::sync::Arc;

use crate::{live::Live, places::Places, privacy_notice::PrivacyNotice, samples::Samples};
use domain::GuestRight;
use gateway::{Access, Area, Code, Part, Registry, Spec, Verb};
use identity::{EntryCode, FirstAccess};

/// The gateway area of the pages.
pub static AREA: Area = Area::new("console", "Páginas do console web.")
    .codes(&[CROSS_SITE_FORM])
    .required_parts(&[
        Part::of_type::<Table>("Table"),
        Part::of_type::<Live>("Live"),
        Part::of_type::<EntryCode>("EntryCode"),
        Part::of_type::<FirstAccess>("FirstAccess"),
        Part::of_type::<PrivacyNotice>("PrivacyNotice"),
    ]);

/// The error code for a form that another site sent.
pub const CROSS_SITE_FORM: Code = Code::new(
    "CROSS_SITE_FORM",
    403,
    "O formulário não veio de uma página desta Pauta.",
)
.with_next_step("Abra a página de novo e envie outra vez.");

/// The table in which pages look up operations and other pages.
pub struct Table {
    pub(crate) registry: Arc<Registry>,
    /// The groups of the navigation.
    pub(crate) places: Places,
    /// The published examples of the operations.
    pub(crate) samples: Arc<dyn Samples>,
}

/// Returns the spec of a page for a signed-in member.
pub(crate) const fn page_spec(name: &'static str, title: &'static str, path: &'static str) -> Spec {
    Spec::new(name, title, Verb::Get, path)
        .access(Access::Browser)
        .console()
}

/// Returns the spec of a page that receives a form of a signed-in member.
pub(crate) const fn receiver_spec(
    name: &'static str,
    title: &'static str,
    path: &'static str,
) -> Spec {
    Spec::new(name, title, Verb::Post, path)
        .access(Access::Browser)
        .console()
}

/// Returns the spec of a page that needs no session.
pub(crate) const fn public_spec(
    name: &'static str,
    title: &'static str,
    verb: Verb,
    path: &'static str,
) -> Spec {
    Spec::new(name, title, verb, path)
        .access(Access::Public)
        .console()
}

/// Returns the spec of a page behind a guest's link.
pub(crate) const fn guest_spec(
    name: &'static str,
    title: &'static str,
    verb: Verb,
    path: &'static str,
    right: Option<GuestRight>,
) -> Spec {
    Spec::new(name, title, verb, path)
        .access(Access::Guest(right))
        .console()
}
