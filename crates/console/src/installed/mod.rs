//! The console as an installed app: the manifest, the service worker and the page without a connection.
//!
//! Decided here:
//!
//! - The service worker stores the files of `/estatico/`, whose names contain a hash of their content,
//!   and the page that says that there is no connection. It stores no page of a member.
//! - The worker serves the stored files, and shows the stored page when a page of the console cannot be
//!   fetched. It does not handle other requests: forms, the API, links of guests, sign-in, uploads,
//!   downloads and streams.
//! - The script of the worker names the files of the release. With each page that it opens, a browser
//!   checks for a new script, so it loads the new files at once and removes the old files.
//! - Without a connection nothing is written: a form is not sent, and keeps its text.
//! - The scope of the worker is the base path of the public address. The script is served from this
//!   path, so the header `Service-Worker-Allowed` is not needed.

mod manifest;
mod offline;
mod worker;

use gateway::Entry;

pub(crate) const PAGES: &[Entry] = &[manifest::MANIFEST, worker::WORKER, offline::OFFLINE];
