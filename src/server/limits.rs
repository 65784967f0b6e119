//! Limits of connections, with their defaults.

use std::time::Duration;

use super::rate::MinimumRate;

/// Limits of connections.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Simultaneous connections.
    pub connections: usize,
    /// Bytes of the head of a request.
    pub head_bytes: usize,
    /// The timeout of the head of a request, from its first byte; for the first request, from the
    /// connection.
    pub head: Duration,
    /// The timeout between a response and the next request.
    pub idle: Duration,
    /// The minimum rate of a request body.
    pub body: MinimumRate,
    /// The minimum rate at which a client reads a response.
    pub answer: MinimumRate,
    /// Bytes of an unread body that are drained so that the connection can continue.
    pub drain_bytes: u64,
    /// The timeout of draining.
    pub drain: Duration,
    /// Bytes that are discarded after the last response.
    pub linger_bytes: u64,
    /// The timeout of discarding.
    pub linger: Duration,
    /// How long a client may send nothing before discarding ends.
    pub linger_gap: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connections: 1024,
            head_bytes: 64 << 10,
            head: seconds(10),
            // Longer than the 60 seconds for which reverse proxies keep a connection by default.
            idle: seconds(75),
            body: MinimumRate {
                bytes_per_second: 1000,
                grace: seconds(10),
                gap: seconds(10),
            },
            answer: MinimumRate {
                bytes_per_second: 1000,
                grace: seconds(30),
                gap: seconds(30),
            },
            drain_bytes: 64_000,
            drain: seconds(1),
            // A client that sends the longest form before it reads anything still gets the
            // response.
            linger_bytes: 512 << 20,
            linger: seconds(30),
            linger_gap: seconds(5),
        }
    }
}
