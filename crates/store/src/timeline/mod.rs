//! Visits to the sites, grouped into sessions that may be linked to a person, and e-mail
//! deliveries.

mod deliveries;
mod events;
mod links;
mod partitions;
mod person;
mod retention;

pub use deliveries::{Delivery, save as save_deliveries};
pub use events::{NewEvent, record_events};
pub use links::{count_link_visits, has_events_since};
pub use partitions::{MONTHS_AHEAD, create_missing as prepare_partitions};
pub use person::{
    DeliveryCount, Order, Visit, find_touch, list_poll_answers, list_visits, load_delivery_counts,
};
pub use retention::delete_old_data;
