//! The table: every area, with its operations, pages and jobs, in catalog order.
//!
//! Only what is listed here exists in the router, OpenAPI, the catalog and MCP.

use crate::{
    access, artifacts, calendar_feeds, config, conversation, email_drafts, finding, guests,
    knowledge, launches, mail, mcp, media, members, notifications, platforms, projects, publishing,
    push, sales, skills, subscriptions, system, timeline, video, webhooks, workflow,
};
use gateway::{Area, Code, Entry, Registry, jobs::JobEntry};
use identity::{authorization, operations as auth};

/// All areas, in catalog order.
pub static AREAS: &[&Area] = &[
    &system::AREA,
    &auth::AREA,
    &authorization::AREA,
    &artifacts::AREA,
    &mcp::AREA,
    &access::AREA,
    &workflow::AREA,
    &conversation::AREA,
    &notifications::AREA,
    &push::AREA,
    &mail::AREA,
    &webhooks::AREA,
    &media::AREA,
    &guests::AREA,
    &calendar_feeds::AREA,
    &config::AREA,
    &email_drafts::AREA,
    &members::AREA,
    &skills::AREA,
    &knowledge::AREA,
    &projects::AREA,
    &finding::AREA,
    &publishing::AREA,
    &platforms::AREA,
    &video::AREA,
    &timeline::AREA,
    &launches::AREA,
    &sales::AREA,
    &subscriptions::AREA,
];

/// Iterates over all operations, in catalog order.
pub fn operations() -> impl Iterator<Item = &'static Entry> {
    AREAS.iter().flat_map(|area| area.operations)
}

/// Iterates over all routes that are served only over HTTP.
pub fn pages() -> impl Iterator<Item = &'static Entry> {
    AREAS.iter().flat_map(|area| area.pages)
}

/// Iterates over all jobs.
pub fn jobs() -> impl Iterator<Item = &'static JobEntry> {
    AREAS.iter().flat_map(|area| area.jobs)
}

/// Iterates over all error codes: the common codes, then the codes of the areas.
pub fn error_codes() -> impl Iterator<Item = Code> {
    let own = AREAS.iter().flat_map(|area| area.codes);
    Code::COMMON.iter().chain(own).copied()
}

/// Builds the registry of all areas.
#[must_use]
pub fn registry() -> Registry {
    Registry::new(AREAS.iter().copied())
}

/// Builds the registry for a hosted issuer. It omits the area `/auth/v1`, which belongs to the embedded
/// identity.
#[must_use]
pub fn hosted_registry() -> Registry {
    let embedded = auth::AREA.name;
    Registry::new(AREAS.iter().copied().filter(|area| area.name != embedded))
}
