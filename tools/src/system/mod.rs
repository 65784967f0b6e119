//! The state of the service.

mod get_health;

pub use get_health::GetHealth;
