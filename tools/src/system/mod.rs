//! The state of the service.

mod area;
mod draining;
mod forget_expired;
mod get_health;
mod get_readiness;
mod test_write;

pub use area::AREA;
pub use draining::Draining;
pub use forget_expired::{DEVICES_KEPT, ENDED_JOBS, MAILS_KEPT, PUSHES_KEPT, WEBHOOK_LOG_KEPT};
pub use get_health::GetHealth;
pub use get_readiness::{GET_READINESS, storage_fault};
pub use test_write::TestWrite;
