//! What the operator watches, in the Prometheus text format.

use std::time::Duration;

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};

use super::Door;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    operation: &'static str,
    door: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Timed {
    operation: &'static str,
}

/// Seconds, from a read of one row to an outside call.
const BUCKETS: [f64; 9] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0];

/// Counters of calls by operation, door and status, their durations, and refused credentials.
pub struct Meters {
    registry: Registry,
    calls: Family<Call, Counter>,
    seconds: Family<Timed, Histogram>,
    refused_credentials: Counter,
}

impl Default for Meters {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("pauta");
        let calls = Family::default();
        let seconds = Family::new_with_constructor((|| Histogram::new(BUCKETS)) as fn() -> _);
        let refused_credentials = Counter::default();
        registry.register("calls", "Calls of operations", calls.clone());
        registry.register("call_seconds", "Duration of calls", seconds.clone());
        registry.register(
            "refused_credentials",
            "Requests without a valid credential",
            refused_credentials.clone(),
        );
        Self {
            registry,
            calls,
            seconds,
            refused_credentials,
        }
    }
}

impl Meters {
    pub(super) fn called(&self, operation: &'static str, door: Door, status: u16, took: Duration) {
        let call = Call {
            operation,
            door: door.as_str(),
            status,
        };
        self.calls.get_or_create(&call).inc();
        self.seconds
            .get_or_create(&Timed { operation })
            .observe(took.as_secs_f64());
    }

    pub(super) fn turned_away(&self) {
        self.refused_credentials.inc();
    }

    /// The text of `/metrics`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a String cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_operation_door_and_status() {
        let meters = Meters::default();
        meters.called("get_me", Door::Mcp, 200, Duration::from_millis(2));
        meters.turned_away();
        let text = meters.text();
        assert!(
            text.contains(r#"pauta_calls_total{operation="get_me",door="mcp",status="200"} 1"#)
        );
        assert!(text.contains("pauta_refused_credentials_total 1"));
        assert!(text.contains(r#"pauta_call_seconds_count{operation="get_me"} 1"#));
    }
}
