//! The timeline: what people did before and after they bought, by the hash of their e-mail address.
//!
//! The secret of another service is an access of the spec (`Access::SharedSecret`): the gateway
//! compares it before it reads the input. A signed message is an input form: its signature is
//! checked before anything else is parsed.
//!
//! Decided here:
//!
//! - An identification counts for its whole session. Of several the last one holds, so that a
//!   mistyped address is corrected by the next one.
//! - The limit of a day for `ocorreu_em` includes the day itself. An absent value of an event may
//!   be null.
//! - Requests to `eventos` with the shared secret write no audit rows; they have no actor, and
//!   there are many.

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

/// The secret of senders of events.
pub const TIMELINE_SECRET: SharedSecret = SharedSecret {
    setting: "PAUTA_JORNADA_TOKEN",
    header: HEADER,
    or: Some(Capability::Config),
};

/// The secret of callers that only read about a lead.
pub const LEAD_SECRET: SharedSecret = SharedSecret {
    setting: "PAUTA_JORNADA_LEAD_TOKEN",
    header: HEADER,
    or: None,
};
