//! The state of the service.

mod forget_expired;
mod get_health;

pub use get_health::GetHealth;

use gateway::{Area, jobs::JobEntry};

/// The area of these operations.
pub const AREA: Area = Area::new("system", "Estado do serviço.").jobs(JOBS);

const JOBS: &[JobEntry] = &[JobEntry::of::<forget_expired::ForgetExpired>()];
