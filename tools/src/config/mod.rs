//! Versioned configuration of the team.

mod area;
mod get_config;
mod hints;
mod known_keys;
mod list_config_history;
mod publish_config_version;

pub use area::AREA;
pub use get_config::GetConfig;
pub use list_config_history::ListConfigHistory;
pub use publish_config_version::PublishConfigVersion;

use gateway::Resource;

const CONFIG: Resource = Resource::new("config");
