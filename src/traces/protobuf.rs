//! The message `ExportTraceServiceRequest` of OTLP 1.x, in protobuf, and the part of its answer that
//! is read.
//!
//! <https://github.com/open-telemetry/opentelemetry-proto>: `trace/v1/trace.proto`,
//! `common/v1/common.proto`, `collector/trace/v1/trace_service.proto`.

use gateway::traces::Attribute;

use super::{attributes::Kind, queued::EndedSpan};

/// The values of `Span.SpanKind`.
const INTERNAL: u64 = 1;
const SERVER: u64 = 2;
const CLIENT: u64 = 3;
/// The value `Status.StatusCode.STATUS_CODE_ERROR`.
const ERROR: u64 = 2;
/// The bit of `Span.flags` for a sampled trace.
const SAMPLED: u32 = 1;
/// The bit of `Span.flags` that says that the bit [`REMOTE`] is valid.
const REMOTE_KNOWN: u32 = 0x100;
/// The bit of `Span.flags` for a parent span of another process.
const REMOTE: u32 = 0x200;

/// A protobuf message under construction.
#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn fixed64(&mut self, field: u64, value: u64) {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn fixed32(&mut self, field: u64, value: u32) {
        self.varint(field << 3 | 5);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, value: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    fn message(&mut self, field: u64, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    fn attribute(&mut self, field: u64, name: &str, value: &Attribute) {
        self.message(field, |pair| {
            pair.bytes(1, name.as_bytes());
            pair.message(2, |any| match value {
                Attribute::Text(text) => any.bytes(1, text.as_bytes()),
                Attribute::Number(number) => any.number(3, number.cast_unsigned()),
            });
        });
    }

    fn span(&mut self, span: &EndedSpan) {
        let EndedSpan {
            kind,
            traced,
            end_unix_nanos,
        } = span;
        self.bytes(1, &traced.ids.trace_id.to_be_bytes());
        self.bytes(2, &traced.ids.span_id.to_be_bytes());
        if let Some(parent) = traced.parent_id {
            self.bytes(4, &parent.to_be_bytes());
        }
        self.bytes(5, kind.name(&traced.attributes).as_bytes());
        let is_within = traced.parent_id.is_some() && !traced.has_remote_parent;
        self.number(
            6,
            match kind {
                Kind::Call if is_within => INTERNAL,
                Kind::Call => SERVER,
                Kind::Job => INTERNAL,
                Kind::Provider | Kind::Statements => CLIENT,
            },
        );
        self.fixed64(7, traced.begin.unix_nanos);
        self.fixed64(8, *end_unix_nanos);
        for (name, value) in &traced.attributes {
            self.attribute(9, name, value);
        }
        if traced.is_error {
            self.message(15, |status| status.number(3, ERROR));
        }
        let remote = match traced.has_remote_parent {
            true => REMOTE,
            false => 0,
        };
        self.fixed32(16, SAMPLED | REMOTE_KNOWN | remote);
    }
}

/// Returns the request that exports these spans.
pub(super) fn export_request(resource: &[(String, String)], spans: &[EndedSpan]) -> Vec<u8> {
    let mut request = Message::default();
    request.message(1, |of_resource| {
        of_resource.message(1, |described| {
            for (name, value) in resource {
                described.attribute(1, name, &Attribute::Text(value.clone()));
            }
        });
        of_resource.message(2, |of_scope| {
            of_scope.message(1, |scope| {
                scope.bytes(1, b"pauta");
                scope.bytes(2, env!("CARGO_PKG_VERSION").as_bytes());
            });
            for span in spans {
                of_scope.message(2, |message| message.span(span));
            }
        });
    });
    request.0
}

/// Returns the number of spans that the receiver refused, from
/// `ExportTraceServiceResponse.partial_success`. A response with other content counts as no refusal.
pub(super) fn rejected_spans(answer: &[u8]) -> u64 {
    let partial = find_field(answer, 1).and_then(|value| match value {
        Value::Bytes(bytes) => Some(bytes),
        Value::Number(_) => None,
    });
    match partial.and_then(|partial| find_field(partial, 1)) {
        Some(Value::Number(rejected)) => rejected,
        _ => 0,
    }
}

enum Value<'m> {
    Number(u64),
    Bytes(&'m [u8]),
}

/// Finds the last value of a field that is a number or bytes.
fn find_field(mut message: &[u8], wanted: u64) -> Option<Value<'_>> {
    let mut found = None;
    while !message.is_empty() {
        let tag = read_varint(&mut message)?;
        let value = match tag & 7 {
            0 => Some(Value::Number(read_varint(&mut message)?)),
            2 => {
                let length = usize::try_from(read_varint(&mut message)?).ok()?;
                Some(Value::Bytes(message.split_off(..length)?))
            }
            1 => message.split_off(..8).map(|_| None)?,
            5 => message.split_off(..4).map(|_| None)?,
            _ => return None,
        };
        if tag >> 3 == wanted {
            found = value;
        }
    }
    found
}

fn read_varint(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *message.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_spans_are_read_from_the_answer_and_other_answers_refuse_none() {
        // partial_success { rejected_spans: 300, error_message: "no" }
        let answer = [0x0a, 7, 0x08, 0xac, 0x02, 0x12, 2, b'n', b'o'];
        assert_eq!(rejected_spans(&answer), 300);
        for other in [
            &b""[..],
            b"{}",
            b"<html>",
            &answer[..4],
            &[
                0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
            ],
            &[0x08, 5],
        ] {
            assert_eq!(rejected_spans(other), 0, "{other:?}");
        }
    }
}
