//! What an attack costs: the memory of the server process, and how long others wait meanwhile.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use super::{
    Server,
    wire::{Wire, head},
};

/// Bytes.
pub const MB: u64 = 1_000_000;

impl Server {
    /// The most memory that the process has had so far, in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.status("VmHWM:") * 1024
    }

    pub fn threads(&self) -> u64 {
        self.status("Threads:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id()));
        let status = status.expect("it runs");
        let value = status.lines().find_map(|line| line.strip_prefix(name));
        let number = value.and_then(|value| value.split_whitespace().next()?.parse().ok());
        number.expect("a number")
    }
}

/// Somebody who asks `/api/health` again and again, half of the time on a new connection.
pub struct Bystander {
    address: SocketAddr,
    kept: Option<Wire>,
    waits: Vec<Duration>,
}

impl Bystander {
    pub fn of(server: &Server) -> Self {
        Self {
            address: server.address.parse().expect("an address"),
            kept: None,
            waits: vec![],
        }
    }

    /// Asks this many times.
    pub fn ask(&mut self, times: usize) {
        for n in 0..times {
            let begun = Instant::now();
            let mut kept = self.kept.take().filter(|_| n % 2 == 1);
            loop {
                assert!(begun.elapsed() < Duration::from_secs(60), "no answer");
                // A connection that was idle may have been ended.
                let mut wire = kept.take().unwrap_or_else(|| Wire::open(self.address));
                let sent = wire.try_send(head("GET", "/api/health", ""));
                let reply = sent.ok().and_then(|()| wire.try_reply());
                if reply.is_some_and(|reply| reply.status == 200) {
                    self.kept = Some(wire);
                    break;
                }
            }
            self.waits.push(begun.elapsed());
        }
    }

    /// The wait that 99 of 100 did not exceed, of those since the last time this was asked.
    pub fn p99(&mut self) -> Duration {
        let mut waits = std::mem::take(&mut self.waits);
        waits.sort_unstable();
        waits[waits.len() * 99 / 100]
    }
}
