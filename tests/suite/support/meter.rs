//! What a server takes while something is done to it: its memory, and how long others wait.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::Server;

/// Measures until it is read.
pub struct Meter {
    process: u32,
    over: Arc<AtomicBool>,
    bystander: thread::JoinHandle<Vec<Duration>>,
}

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// The most memory that the process ever had, in MB.
    pub memory: u64,
    /// What 99 of 100 requests for `/api/health` took at most.
    pub p99: Duration,
    pub requests: usize,
}

impl Meter {
    pub fn start(server: &Server) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (address, stop) = (server.address.clone(), over.clone());
        let bystander = thread::spawn(move || {
            let mut taken = vec![];
            while !stop.load(Ordering::Relaxed) {
                let begun = Instant::now();
                healthy(&address);
                taken.push(begun.elapsed());
                thread::sleep(Duration::from_millis(5));
            }
            taken
        });
        Self {
            process: server.id(),
            over,
            bystander,
        }
    }

    pub fn read(self) -> Measured {
        self.over.store(true, Ordering::Relaxed);
        let mut taken = self.bystander.join().expect("the service stays healthy");
        taken.sort();
        let status = fs::read_to_string(format!("/proc/{}/status", self.process));
        let status = status.expect("it still runs");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.expect("a line").trim().trim_end_matches(" kB");
        Measured {
            memory: peak.parse::<u64>().expect("a number") / 1000,
            p99: taken[(taken.len() * 99).div_ceil(100) - 1],
            requests: taken.len(),
        }
    }
}

fn healthy(address: &str) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
