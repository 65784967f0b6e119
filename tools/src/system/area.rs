//! Declares the area: its name, its description, its operations, pages and jobs.

use super::forget_expired::ForgetExpired;
use super::{Draining, GET_READINESS, GetHealth, TestWrite};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new("system", "Estado do serviço.")
    .required_parts(&[
        Part::of_type::<TestWrite>("TestWrite"),
        Part::of_type::<Draining>("Draining"),
    ])
    .operations(&[Entry::for_operation::<GetHealth>()])
    .pages(&[GET_READINESS])
    .jobs(&[JobEntry::for_job::<ForgetExpired>()]);
