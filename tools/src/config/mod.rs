//! Versioned configuration of the team.

mod get_config;
mod list_config_history;
mod publish_config_version;

pub use get_config::GetConfig;
pub use list_config_history::ListConfigHistory;
pub use publish_config_version::PublishConfigVersion;

/// The area of these operations.
pub const AREA: gateway::Area =
    gateway::Area::new("config", "Configuração versionada e seu histórico.");
