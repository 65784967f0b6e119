//! The state of the service.

mod get_health;

pub use get_health::GetHealth;

use crate::registry::Area;

/// The area of these operations.
pub const AREA: Area = Area::new("system", "Estado do serviço.");
