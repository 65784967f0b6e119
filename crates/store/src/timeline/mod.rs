//! Visits to the sites, in sessions that a person may be known of, and deliveries of e-mails.

mod deliveries;
mod events;
mod partitions;

pub use deliveries::{Delivery, save as save_deliveries};
pub use events::{NewEvent, Recorded, record};
pub use partitions::{FAR_AHEAD, prepare as prepare_partitions};
