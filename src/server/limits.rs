//! What a connection may take of the service, by default.

use std::time::Duration;

use super::rate::MinimumRate;

/// What a connection may take of the service.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Bytes of a request's head.
    pub head_bytes: usize,
    /// For the whole head of a request, from its first byte; for the first one from the connection.
    pub head: Duration,
    /// Between an answer and the next request.
    pub idle: Duration,
    /// How fast a body must come.
    pub body: MinimumRate,
    /// How fast an answer must be taken.
    pub answer: MinimumRate,
    /// Bytes of a body nobody asked for that are read so that the connection can go on.
    pub drain_bytes: u64,
    /// How long that may take.
    pub drain: Duration,
    /// Bytes that are discarded after the last answer, so that it arrives.
    pub linger_bytes: u64,
    /// How long that may take.
    pub linger: Duration,
    /// How long nothing may come meanwhile.
    pub linger_gap: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connections: 1024,
            head_bytes: 64 << 10,
            head: seconds(10),
            // Above the 60 seconds that reverse proxies keep a connection by default.
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
            // Whoever sends the longest form and only then reads still gets the answer.
            linger_bytes: 512 << 20,
            linger: seconds(30),
            linger_gap: seconds(5),
        }
    }
}
