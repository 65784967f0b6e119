//! Selects the spans and fields that are exported, and the names of their attributes.

use std::fmt::Debug;

use gateway::traces::{Attribute, PROVIDER_REQUEST, TracedSpan};
use reqwest::Url;
use tracing::{
    Metadata,
    field::{Field, Visit},
};

/// A kind of span that is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Call,
    Job,
    Provider,
    Statements,
}

impl Kind {
    pub(super) fn of(metadata: &Metadata<'_>) -> Option<Self> {
        if !metadata.is_span() {
            return None;
        }
        let target = metadata.target();
        let is_of = |crate_name| target.split("::").next() == Some(crate_name);
        match metadata.name() {
            "call" if is_of("gateway") => Some(Self::Call),
            "job" if is_of("gateway") => Some(Self::Job),
            PROVIDER_REQUEST if is_of("pauta") => Some(Self::Provider),
            "database" if target == store::STATEMENTS => Some(Self::Statements),
            _ => None,
        }
    }

    /// Returns the attribute name of a field; `None` if the field is not exported.
    fn attribute(self, field: &str) -> Option<&'static str> {
        Some(match (self, field) {
            (Self::Call, "operation") => OPERATION,
            (Self::Call, "door") => "pauta.door",
            (Self::Call, "request_id") => "pauta.request_id",
            (Self::Call, "member") => "pauta.member",
            (Self::Call, "agent") => "pauta.agent",
            (Self::Job, "job") => JOB,
            (Self::Job, "id") => "pauta.job.id",
            (Self::Job, "attempt") => "pauta.job.attempt",
            (Self::Provider, "host" | "issuer") => HOST,
            (Self::Provider, "network") => NETWORK,
            (Self::Statements, "system") => "db.system.name",
            (Self::Statements, "group") => GROUP,
            (Self::Statements, "statements") => "pauta.statements",
            (Self::Statements, "outcome") => "pauta.outcome",
            _ => return None,
        })
    }

    /// Builds the name of a span from its attributes.
    pub(super) fn name(self, attributes: &[(&'static str, Attribute)]) -> String {
        let text = |name| {
            attributes.iter().find_map(|(key, value)| match value {
                Attribute::Text(text) if *key == name => Some(text.as_str()),
                _ => None,
            })
        };
        match self {
            Self::Call => text(OPERATION).unwrap_or("call").to_owned(),
            Self::Job => format!("job {}", text(JOB).unwrap_or_default()),
            Self::Provider => {
                let provider = text(HOST).or_else(|| text(NETWORK)).unwrap_or_default();
                format!("provider {provider}")
            }
            Self::Statements => format!("database {}", text(GROUP).unwrap_or_default()),
        }
    }
}

const OPERATION: &str = "pauta.operation";
const JOB: &str = "pauta.job";
const HOST: &str = "server.address";
const NETWORK: &str = "pauta.network";
const GROUP: &str = "pauta.group";

/// Copies the exported fields of a span.
pub(super) struct Fields<'s> {
    pub kind: Kind,
    pub traced: &'s mut TracedSpan,
}

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let Some(name) = self.kind.attribute(field.name()) else {
            return;
        };
        let text = match Url::parse(value) {
            // The path and the query of an address are not exported.
            Ok(url) if name == HOST => url.host_str().unwrap_or_default().to_owned(),
            _ => value.to_owned(),
        };
        self.traced.set(name, Attribute::Text(text));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        if let Some(name) = self.kind.attribute(field.name()) {
            self.traced.set(name, Attribute::Number(value));
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.record_i64(field, i64::try_from(value).unwrap_or(i64::MAX));
    }

    /// Values of other types are not exported.
    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}
