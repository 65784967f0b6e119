//! Measures the cost of an attack: the memory of the server process, and the response times for
//! another client.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    Server,
    wire::{Wire, request_head},
};

/// One megabyte in bytes.
pub const MB: u64 = 1_000_000;

impl Server {
    /// The peak memory of the server process, in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.status_value("VmHWM:") * 1024
    }

    pub fn thread_count(&self) -> u64 {
        self.status_value("Threads:")
    }

    fn status_value(&self, name: &str) -> u64 {
        read_status(self.process_id(), name)
    }
}

/// The processor time that all threads of a process have used, in user space and in the kernel.
fn read_cpu_time(process: u32) -> Duration {
    /// Linux reports hundredths of a second here, independently of the kernel's own tick.
    const TICK: Duration = Duration::from_millis(10);
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("the process runs");
    // The name of the program is in parentheses and may contain any character.
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    let ticks = fields.split(' ').skip(11).take(2);
    let ticks: u32 = ticks
        .map(|ticks| ticks.parse::<u32>().expect("a number of ticks"))
        .sum();
    TICK * ticks
}

/// A number from `/proc/<process>/status`.
fn read_status(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.expect("the process runs");
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    let number = value.and_then(|value| value.split_whitespace().next()?.parse().ok());
    number.expect("a number")
}

/// A client that requests `/api/health` repeatedly, each second time on a new connection.
pub struct Bystander {
    address: SocketAddr,
    kept: Option<Wire>,
    waits: Vec<Duration>,
}

impl Bystander {
    pub fn for_server(server: &Server) -> Self {
        Self {
            address: server.address.parse().expect("an address"),
            kept: None,
            waits: vec![],
        }
    }

    /// Sends this many requests and records their response times.
    pub fn send_requests(&mut self, times: usize) {
        for n in 0..times {
            let begun = Instant::now();
            let mut kept = self.kept.take().filter(|_| n % 2 == 1);
            loop {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "the service did not answer in time"
                );
                // The server may have closed the idle connection, so a new one is opened if sending
                // fails.
                let mut wire = kept.take().unwrap_or_else(|| Wire::open(self.address));
                let sent = wire.try_send(request_head("GET", "/api/health", ""));
                let reply = sent.ok().and_then(|()| wire.try_read_reply());
                if reply.is_some_and(|reply| reply.status == 200) {
                    self.kept = Some(wire);
                    break;
                }
            }
            self.waits.push(begun.elapsed());
        }
    }

    /// Returns the 99th percentile of the recorded response times, and clears them.
    pub fn take_p99(&mut self) -> Duration {
        let mut waits = std::mem::take(&mut self.waits);
        waits.sort_unstable();
        waits[waits.len() * 99 / 100]
    }
}

/// Requests `/api/health` in a thread, until `finish_measuring` is called.
pub struct Meter {
    process: u32,
    over: Arc<AtomicBool>,
    bystander: thread::JoinHandle<Vec<Duration>>,
}

/// The measured costs: the server's memory, and the processor time while another client waits.
#[derive(Debug)]
pub struct Measured {
    /// The peak memory of the process, in MB.
    pub memory: u64,
    /// The 99th percentile of the processor time that the server used while a client waited for
    /// `/api/health`. Unlike a response time, it does not depend on other load on the machine.
    pub p99: Duration,
    pub requests: usize,
}

impl Meter {
    pub fn start(server: &Server) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let (process, address, stop) = (server.process_id(), server.address.clone(), over.clone());
        let bystander = thread::spawn(move || {
            let mut taken = vec![];
            while !stop.load(Ordering::Relaxed) {
                let before = read_cpu_time(process);
                assert_healthy(&address);
                taken.push(read_cpu_time(process) - before);
                thread::sleep(Duration::from_millis(5));
            }
            taken
        });
        Self {
            process,
            over,
            bystander,
        }
    }

    pub fn finish_measuring(self) -> Measured {
        self.over.store(true, Ordering::Relaxed);
        let mut taken = self.bystander.join().expect("the service stays healthy");
        taken.sort();
        Measured {
            memory: read_status(self.process, "VmHWM:") * 1024 / MB,
            p99: taken[(taken.len() * 99).div_ceil(100) - 1],
            requests: taken.len(),
        }
    }
}

fn assert_healthy(address: &str) {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let request = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).expect("the server reads");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("the server answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
