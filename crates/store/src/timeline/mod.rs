//! Visits to the sites, in sessions that a person may be known of, and deliveries of e-mails.

mod deliveries;
mod events;
mod partitions;
mod person;
mod retention;

pub use deliveries::{Delivery, save as save_deliveries};
pub use events::{NewEvent, record};
pub use partitions::{MONTHS_AHEAD, prepare as prepare_partitions};
pub use person::{DeliveryCount, Order, Visit, delivery_counts, polls, touch, visits};
pub use retention::forget_before;
