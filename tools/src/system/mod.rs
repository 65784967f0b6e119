//! The state of the service.

mod get_health;
mod get_readiness;

pub use get_health::GetHealth;
pub use get_readiness::{GET_READINESS, TestWrite};

use gateway::Area;

/// The area of these operations.
pub const AREA: Area = Area::new("system", "Estado do serviço.");
