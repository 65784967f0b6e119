//! Limits of connections, and their defaults.

use std::time::Duration;

use super::rate::MinimumRate;

/// Limits of connections.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Simultaneous connections.
    pub connections: usize,
    /// Maximum bytes of a request head.
    pub head_bytes: usize,
    /// The timeout of a request head, counted from its first byte; for the first request, from the
    /// start of the connection.
    pub head: Duration,
    /// The keep-alive timeout between a response and the next request.
    pub idle: Duration,
    /// The minimum rate of a request body.
    pub body: MinimumRate,
    /// The minimum rate at which a client reads a response.
    pub answer: MinimumRate,
    /// How long a shutdown waits for one more request. On a new connection, the time is counted from the
    /// shutdown; on an idle connection, from the moment when responses begin to close their connections.
    pub last_request: Duration,
    /// Maximum bytes of an unread body that are drained to keep the connection.
    pub drain_bytes: u64,
    /// The timeout of draining.
    pub drain: Duration,
    /// Maximum bytes that are discarded after the last response.
    pub linger_bytes: u64,
    /// The timeout of discarding input.
    pub linger: Duration,
    /// The maximum pause between two reads while input is discarded.
    pub linger_gap: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connections: 1024,
            head_bytes: 64 << 10,
            head: seconds(10),
            // This is longer than the 60 seconds for which reverse proxies keep a connection open
            // by default.
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
            last_request: seconds(1),
            drain_bytes: 64_000,
            drain: seconds(1),
            // This covers the longest form, so that a client that sends the whole form before it
            // reads still gets the response.
            linger_bytes: 512 << 20,
            linger: seconds(30),
            linger_gap: seconds(5),
        }
    }
}
