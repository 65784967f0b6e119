//! The gateway: defines what an operation is, and is the only way to run one.

mod access;
mod announcement;
mod answer;
mod area;
mod audit;
mod call;
mod changes;
mod context;
mod departure;
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
mod measures;
mod metrics;
mod offload;
mod operation;
mod origin;
mod page;
mod parts;
mod pepper;
mod principal;
mod progress;
mod queue;
mod quotas;
mod quote;
mod read_log;
mod receiving;
mod refusal_log;
mod registry;
mod render;
mod request_head;
mod resource;
mod schema;
mod services;
mod shared_secrets;
mod spec;
mod static_document;
mod strict;
mod synonyms;
mod trace_parent;
pub mod traces;
mod watcher;

pub use self::gateway::{Authenticator, Gateway};
pub use access::{Access, SharedSecret};
pub use announcement::{Announcement, Made};
pub use answer::{Answer, Body, Headers, Outgoing, Rendered};
pub use area::{Area, Counted};
pub use audit::{
    Attempt, AuditRow, CHANGES as AUDITED_CHANGES, Outcome, actorless_row, attempt_row, audit_row,
};
pub use call::{Confirm, FittingPage, Reader, sign_in_hint};
pub use changes::Changes;
pub use context::Context;
pub use domain::{Code, Error, ErrorBody, Fault, Result};
pub use entry::Entry;
pub use faults::to_printable;
pub use form::{
    CallInput, CheckSignature, ErrorForm, FileContent, FileField, FileType, Held, Input, InputForm,
    OutputForm, Received, ReceivedFile, StoredFile, WebhookDelivery,
};
pub use idempotency::ANSWERS_KEPT;
pub use input::{SMALL_INPUT, coerce, is_large};
pub use keyring::{RingKey, is_key_id, key_id};
pub use keys::Keys;
pub use measures::Measure;
pub use metrics::Metrics;
pub use offload::offload;
pub use operation::Operation;
pub use origin::{Door, Origin};
pub use page::{Content, Document, Documents, Page, Reply};
pub use parts::{MissingPart, Part, Parts};
pub use pepper::Pepper;
pub use principal::{
    Credential, GUEST_CODE_REQUIRED, GUEST_RIGHT_REQUIRED, Known, Principal, Refused,
};
pub use progress::{Progress, ProgressListener, Step};
pub use queue::Queue;
pub use quotas::{QuotaLimits, Quotas};
pub use quote::append_quoted;
pub use receiving::FileReceiver;
pub use refusal_log::RefusalLog;
pub use registry::{Registered, Registry};
pub use render::empty_storage_error;
pub use request_head::{Encoding, RequestHead};
pub use resource::Resource;
pub use schema::{DESCRIBED_BY, EXACTLY_ONE, remove_nul_rule};
pub use services::Services;
pub use shared_secrets::SharedSecrets;
pub use spec::{BODY_LIMIT, Effect, Execution, Link, Spec, Verb};
pub use static_document::StaticDocument;
pub use strict::{Parsed, not_json_error, parse_object, parse_value, too_many_values_error};
pub use synonyms::intended_field;
pub use trace_parent::TraceParent;
pub use watcher::{AuthorsByArea, News, Watcher};
