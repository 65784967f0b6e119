//! The state of the service.

mod forget_expired;
mod get_health;
mod get_readiness;
mod test_write;

pub use get_health::GetHealth;
pub use get_readiness::GET_READINESS;
pub use test_write::TestWrite;

use gateway::{Area, Part, jobs::JobEntry};

/// The area of these operations.
pub const AREA: Area =
    Area::new("system", "Estado do serviço.").parts(&[Part::of::<TestWrite>("TestWrite")]);

/// The jobs of this area.
pub const JOBS: &[JobEntry] = &[JobEntry::of::<forget_expired::ForgetExpired>()];
