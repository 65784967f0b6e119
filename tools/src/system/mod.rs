//! The state of the service.

mod get_health;

pub use get_health::GetHealth;

use gateway::Area;

/// The area of these operations.
pub const AREA: Area = Area::new("system", "Estado do serviço.");
