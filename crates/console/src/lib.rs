//! The web console: pages in Portuguese for the members of the team.
//!
//! The console is a projection of the operation table, like MCP and REST. Pages read and write only by
//! calling operations through the gateway (`Context::call`), with the rights of the member. They never
//! use the store. A form is sent to its own page, or to `action`, which calls the operation that the
//! form names.
//!
//! The pages are entries of the table too, listed in `Registry::console`: they have the guard, timeout
//! and metrics of every route, but are not part of the published interface. A page itself has no rules
//! and no audit rows. The operations that it calls are audited, with `door` `console`.
//!
//! A form has an idempotency key, and `expected_revision` if its operation takes one. So a double click,
//! the back button or a second person cannot repeat or overwrite a change, even without a script.
//!
//! Pages are written in Rust (`maud`): the forms of the catalog are generated from schemas, so HTML
//! is built by functions. htmx fetches links and forms and morphs the page, so that text that is
//! being typed stays. Everything else is in plain JavaScript (`assets/js`). Reading, deciding and
//! drafting work without a script. There is no build step. The policy allows scripts, styles and
//! forms of this service only; nothing is inline.

mod action;
mod actions;
mod agenda;
mod agent_changes;
mod approvals;
mod apps;
mod area;
mod assets;
mod away;
mod bell;
mod carried_warnings;
mod catalog;
mod channels;
mod csv;
mod diff;
mod done;
mod emails;
mod figures;
mod files;
mod finding;
mod forgotten_password;
mod forms;
mod guest;
mod install_links;
mod installed;
mod library;
mod linked;
mod links;
mod live;
mod marked;
mod network_mark;
mod notifications;
mod people;
mod picture;
mod piece;
mod places;
mod privacy;
mod privacy_notice;
mod projects;
mod publishing;
mod refused;
mod samples;
mod sealed_cookie;
mod shell;
mod sign_in;
mod snooze;
mod stream;
mod teammates;
mod text;
mod today;
mod view;
mod waiting;

pub use apps::{AppView, VIEWS as APP_VIEWS, draw_fragment};
pub use area::{AREA, CROSS_SITE_FORM, Table};
pub use assets::{ICON_PNG, ICON_SVG};
pub use away::{Sent, answer_expired_session, answer_outage};
pub use done::worded_operations;
pub use forms::{is_worded_field, worded_refusals};
pub use guest::answer_guest_refusal;
pub use install_links::{cursor_link, vscode_link, vscode_web_link};
pub use live::Live;
pub use privacy_notice::{Contact, PrivacyNotice, Recipient, Stored};
pub use refused::{Refused, answer_refusal};
pub use samples::{Calls, Sample, Samples};

use std::sync::Arc;

use gateway::{Entry, Registry};

use places::Places;

/// Returns the table entries of all pages.
pub fn page_entries() -> impl Iterator<Item = &'static Entry> {
    let areas = [
        COMMON,
        today::PAGES,
        agenda::PAGES,
        piece::PAGES,
        approvals::PAGES,
        projects::PAGES,
        emails::PAGES,
        publishing::PAGES,
        figures::PAGES,
        library::PAGES,
        people::PAGES,
        catalog::PAGES,
        finding::PAGES,
        notifications::PAGES,
        installed::PAGES,
        guest::PAGES,
    ];
    areas.into_iter().flatten()
}

/// The groups of the navigation.
const PLACES: Places = &[
    (
        "Editorial",
        &[
            today::PLACES,
            agenda::PLACES,
            approvals::PLACES,
            projects::PLACES,
            emails::PLACES,
        ],
    ),
    ("Publicação", &[publishing::PLACES]),
    ("Resultados", &[figures::PLACES]),
    ("Conteúdo de apoio", &[library::PLACES]),
    ("Equipe e agentes", &[people::PLACES, catalog::PLACES]),
];

/// Builds the table of operations and pages, the part of the service that the pages need.
#[must_use]
pub fn build_table(registry: Arc<Registry>, samples: Arc<dyn Samples>) -> Table {
    Table {
        registry,
        samples,
        places: PLACES,
    }
}

/// The pages that every other page needs.
const COMMON: &[Entry] = &[
    action::ACTION,
    sign_in::SIGN_IN_PAGE,
    sign_in::SIGN_IN,
    sign_in::SIGN_OUT,
    forgotten_password::PAGE,
    forgotten_password::ASK,
    privacy::PAGE,
    assets::ASSET,
    stream::STREAM,
];
