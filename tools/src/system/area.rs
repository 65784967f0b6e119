//! Declares the area: its name, its description, its operations, pages and jobs.

use super::forget_expired::ForgetExpired;
use super::{Draining, GET_READINESS, GetHealth, TestWrite};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new("system", "Estado do serviço.")
    .parts(&[
        Part::of::<TestWrite>("TestWrite"),
        Part::of::<Draining>("Draining"),
    ])
    .operations(&[Entry::of::<GetHealth>()])
    .pages(&[GET_READINESS])
    .jobs(&[JobEntry::of::<ForgetExpired>()]);
