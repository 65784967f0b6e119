//! Sales data as stores and platforms report it.
//!
//! Each kind of row has one function `save`, which all writers use: imports, connectors and
//! operations. `save` also updates derived data in the same transaction.
//!
//! `save` reads the rows of a batch, merges each report in Rust (`Purchase::merge_report`), and
//! writes what changed. Reports have no instant of their own, so the order of the states decides
//! which report wins, not the order of arrival. On PostgreSQL these writers exclude each other by
//! an advisory lock.

mod ad_spend;
mod cancellations;
mod change;
mod crm;
mod dispatches;
mod purchases;
mod sources;
mod subscriptions;

pub use ad_spend::save as save_ad_spend;
pub use cancellations::{Cancellation, save as save_cancellation};
pub use crm::save as save_crm_stages;
pub use dispatches::save as save_dispatches;
pub use purchases::{list_of_person as purchases_of, save as save_purchases};
pub use sources::{
    Source, end_lease as release_source, lease_source as claim_source, list_sources as sources,
    record_progress as advance_source, record_run as save_source,
};
pub use subscriptions::{list_of_person as subscriptions_of, save as save_subscriptions};
