//! Versioned configuration of the team.

mod get_config;
mod hints;
mod list_config_history;
mod publish_config_version;

pub use get_config::GetConfig;
pub use list_config_history::ListConfigHistory;
pub use publish_config_version::PublishConfigVersion;

use gateway::{Area, Resource};

const CONFIG: Resource = Resource::new("config");

/// The area of these operations.
pub const AREA: Area = Area::new("config", "Configuração versionada e seu histórico.");
