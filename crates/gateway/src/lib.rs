//! The tool registry: what an operation is, and the one door through which it runs.

mod access;
mod area;
mod audit;
mod call;
mod context;
mod door;
mod entry;
mod faults;
mod form;
mod idempotency;
mod input;
mod keys;
mod meters;
mod offload;
mod operation;
mod page;
mod parts;
mod principal;
mod schema;
mod spec;
mod strict;

pub use access::Access;
pub use area::Area;
pub use audit::{Attempt, AuditRow, Outcome, actorless, row as audit_row};
pub use context::{Context, Door, Origin, Services};
pub use domain::{Code, Error, ErrorBody, Fault, Result};
pub use door::{Answer, Authenticator, Body, Gateway};
pub use entry::{Entry, Registered, Registry};
pub use form::{
    CheckSignature, Delivery, ErrorForm, FileField, FileType, Held, InputForm, Merged, OutputForm,
    Received, ReceivedFile,
};
pub use input::{Input, coerce};
pub use keys::Keys;
pub use meters::Meters;
pub use offload::offload;
pub use operation::Operation;
pub use page::{Asked, Content, Document, Documents, Encoding, Outgoing, Page, Rendered, Reply};
pub use parts::Parts;
pub use principal::{Credential, Known, Principal, Refused};
pub use schema::without_nul_rule;
pub use spec::{BODY_LIMIT, Effect, Kind, Link, Spec, Verb};
pub use strict::{Parsed, not_json, parse};
