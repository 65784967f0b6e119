//! The timeline: the visits, e-mail deliveries and purchases of people. The hash of the e-mail
//! address identifies a person.
//!
//! The shared secret of another service is a kind of access in the spec (`Access::SharedSecret`): the
//! gateway compares it before it reads the input. A signed message is an input form: its signature
//! is checked before the input is parsed.
//!
//! Decided here:
//!
//! - An identification applies to its whole session. The last identification replaces earlier ones, so
//!   that it corrects a mistyped address.
//! - `ocorreu_em` may differ from the current time by at most one day. A null field of an event counts
//!   as absent.
//! - Requests to `eventos` with the shared secret write no audit rows, because they have no actor and
//!   are frequent.

mod area;
mod event_rules;
mod get_lead_context;
mod get_personal_profile;
mod ingest_timeline_events;
mod keep_timeline;
mod pace;
mod person_view;
pub mod privacy;
mod receive_email_delivery_events;
mod ses;
mod site_text;
mod synchronize;
mod synchronize_timeline;

pub use area::AREA;
pub use get_lead_context::GetLeadContext;
pub use get_personal_profile::GetPersonalProfile;
pub use ingest_timeline_events::IngestTimelineEvents;
pub use keep_timeline::Retention;
pub use pace::Pace;
pub use receive_email_delivery_events::ReceiveEmailDeliveryEvents;
pub use synchronize::Connectors;
pub use synchronize_timeline::SynchronizeTimeline;

use domain::Capability;
use gateway::{Pepper, SharedSecret};

const HEADER: &str = "x-jornada-token";

/// The secret of the services that send events.
pub const TIMELINE_SECRET: SharedSecret = SharedSecret {
    setting: "PAUTA_JORNADA_TOKEN",
    header: HEADER,
    or: Some(Capability::Config),
};

/// The secret of the services that only read the context of a lead.
pub const LEAD_SECRET: SharedSecret = SharedSecret {
    setting: "PAUTA_JORNADA_LEAD_TOKEN",
    header: HEADER,
    or: None,
};
