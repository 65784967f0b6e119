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
.parts(&[
    Part::of::<Pepper>("Pepper"),
    Part::of::<Pace>("Pace"),
    Part::of::<Retention>("Retention"),
    Part::of::<Connectors>("Connectors"),
])
.operations(&[
    Entry::of::<IngestTimelineEvents>(),
    Entry::of::<GetLeadContext>(),
    Entry::of::<GetPersonalProfile>(),
    Entry::of::<ReceiveEmailDeliveryEvents>(),
    Entry::of::<SynchronizeTimeline>(),
])
.jobs(&[
    JobEntry::of::<KeepTimeline>(),
    JobEntry::of::<SynchronizeSources>(),
]);
