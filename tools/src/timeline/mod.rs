//! The timeline: what people did before and after they bought, by the hash of their e-mail address.

mod get_lead_context;
mod get_personal_profile;
mod ingest_timeline_events;
mod judged;
mod keep_timeline;
mod pace;
mod person_view;
pub mod privacy;
mod receive_email_delivery_events;
mod ses;
mod synchronize;
mod synchronize_timeline;

pub use get_lead_context::GetLeadContext;
pub use get_personal_profile::GetPersonalProfile;
pub use ingest_timeline_events::IngestTimelineEvents;
pub use keep_timeline::Retention;
pub use pace::Pace;
pub use receive_email_delivery_events::ReceiveEmailDeliveryEvents;
pub use synchronize::Connectors;
pub use synchronize_timeline::SynchronizeTimeline;

use domain::Capability;
use gateway::{Area, Part, Pepper, SharedSecret, jobs::JobEntry};

/// The area of these operations.
pub const AREA: Area = Area::new(
    "timeline",
    "Jornada: visitas, entregas de e-mail e o contexto de cada pessoa.",
)
.parts(&[
    Part::of::<Pepper>("Pepper"),
    Part::of::<Pace>("Pace"),
    Part::of::<Retention>("Retention"),
    Part::of::<Connectors>("Connectors"),
]);

/// The jobs of this area.
pub const JOBS: &[JobEntry] = &[
    JobEntry::of::<keep_timeline::KeepTimeline>(),
    JobEntry::of::<synchronize::SynchronizeSources>(),
];

const HEADER: &str = "x-jornada-token";

/// Of those who send events.
pub const TIMELINE_SECRET: SharedSecret = SharedSecret {
    setting: "PAUTA_JORNADA_TOKEN",
    header: HEADER,
    or: Some(Capability::Config),
};

/// Of those who only read about a lead.
pub const LEAD_SECRET: SharedSecret = SharedSecret {
    setting: "PAUTA_JORNADA_LEAD_TOKEN",
    header: HEADER,
    or: None,
};
