//! The console as an installed app: the manifest, the service worker and the page without a connection.
//!
//! Decided here:
//!
//! - The service worker stores the files of `/estatico/`, whose names have a hash of their content, and
//!   the page that says that there is no connection. It stores nothing that a member sees.
//! - It answers those files, and shows that page when a page of the console cannot be fetched. It leaves
//!   alone everything else: forms, the API, links of guests, sign-in, uploads, downloads and streams.
//! - Its own text names the files of the release. So a browser that looks for a new service worker, as it
//!   does with each page that it opens, has the new files at once and removes the old ones.
//! - Nothing is written without a connection. A form is not sent then, and keeps its text.
//! - The scope is the base path of the public address, which is where the script is served, so no header
//!   `Service-Worker-Allowed` is needed.

mod manifest;
mod offline;
mod worker;

use gateway::Entry;

pub(crate) const PAGES: &[Entry] = &[manifest::MANIFEST, worker::WORKER, offline::OFFLINE];
