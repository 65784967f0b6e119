//! The gateway: what an operation is, and the only way to run one.

mod access;
mod answer;
mod area;
mod asked;
mod audit;
mod call;
mod context;
mod detached;
mod entry;
mod faults;
mod form;
mod gateway;
mod idempotency;
mod input;
pub mod jobs;
mod keyring;
mod keys;
mod metrics;
mod offload;
mod operation;
mod origin;
mod page;
mod parts;
mod principal;
mod queue;
mod quote;
mod read_log;
mod registry;
mod render;
mod resource;
mod schema;
mod services;
mod spec;
mod strict;

pub use self::gateway::{Authenticator, Gateway};
pub use access::Access;
pub use answer::{Answer, Body, Headers, Outgoing, Rendered};
pub use area::Area;
pub use asked::{Asked, Encoding};
pub use audit::{Attempt, AuditRow, Outcome, actorless, attempted, row as audit_row};
pub use call::sign_in_at;
pub use context::Context;
pub use domain::{Code, Error, ErrorBody, Fault, Result};
pub use entry::Entry;
pub use form::{
    CheckSignature, Delivery, ErrorForm, FileField, FileType, Held, Input, InputForm, Merged,
    OutputForm, Received, ReceivedFile,
};
pub use input::coerce;
pub use keyring::{RingKey, is_key_id, key_id};
pub use keys::Keys;
pub use metrics::Metrics;
pub use offload::offload;
pub use operation::Operation;
pub use origin::{Door, Origin};
pub use page::{Content, Document, Documents, Page, Reply};
pub use parts::{MissingPart, Part, Parts};
pub use principal::{Credential, Known, Principal, Refused};
pub use queue::Queue;
pub use quote::quote;
pub use registry::{Registered, Registry};
pub use resource::Resource;
pub use schema::{DESCRIBED_BY, without_nul_rule};
pub use services::Services;
pub use spec::{BODY_LIMIT, Effect, Kind, Link, Spec, Verb};
pub use strict::{Parsed, not_json, parse};
