//! Declares the area: its name, its description, its operations, pages and jobs.

use super::{
    Connectors, GetLeadContext, GetPersonalProfile, IngestTimelineEvents, Pace, Pepper,
    ReceiveEmailDeliveryEvents, Retention, SynchronizeTimeline,
};
use super::{keep_timeline::KeepTimeline, synchronize::SynchronizeSources};
use gateway::{Area, Entry, Part, jobs::JobEntry};

/// The declaration of this area.
pub static AREA: Area = Area::new(
    "timeline",
    "Jornada: visitas, entregas de e-mail e o contexto de cada pessoa.",
)
.required_parts(&[
    Part::of_type::<Pepper>("Pepper"),
    Part::of_type::<Pace>("Pace"),
    Part::of_type::<Retention>("Retention"),
    Part::of_type::<Connectors>("Connectors"),
])
.announces_nothing()
.operations(&[
    Entry::for_operation::<IngestTimelineEvents>(),
    Entry::for_operation::<GetLeadContext>(),
    Entry::for_operation::<GetPersonalProfile>(),
    Entry::for_operation::<ReceiveEmailDeliveryEvents>(),
    Entry::for_operation::<SynchronizeTimeline>(),
])
.jobs(&[
    JobEntry::for_job::<KeepTimeline>(),
    JobEntry::for_job::<SynchronizeSources>(),
]);
