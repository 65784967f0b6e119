//! The tool registry: what an operation is, and the one door through which it runs.

mod area;
mod audit;
mod call;
mod context;
mod door;
mod entry;
mod error;
mod faults;
mod idempotency;
mod input;
mod meters;
mod offload;
mod operation;
mod principal;
mod raw;
mod schema;
mod spec;
mod strict;

pub use area::Area;
pub use audit::{Attempt, AuditRow, Outcome};
pub use context::{Context, Door, Origin, Services};
pub use door::{Answer, Gateway};
pub use entry::{Entry, Registered, Registry};
pub use error::{Code, Error, ErrorBody, Fault, Result};
pub(crate) use idempotency::Keyed;
pub use input::{Input, coerce};
pub use meters::Meters;
pub use offload::offload;
pub use operation::Operation;
pub use principal::{Credential, Known, Principal, Refused};
pub use raw::{ErrorForm, RawKind, RawParameter, RawRoute};
pub(crate) use schema::NULLABLE;
pub use schema::without_nul_rule;
pub use spec::{Access, BODY_LIMIT, Effect, Kind, Link, Spec, Verb};
pub use strict::{Parsed, not_json, parse};
