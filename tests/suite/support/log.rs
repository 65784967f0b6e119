//! Captures the log of a test's thread.

use std::{
    io,
    sync::{Arc, Mutex, OnceLock},
};

use tracing::{Dispatch, subscriber::DefaultGuard};
use tracing_subscriber::fmt::MakeWriter;

/// A log writer that keeps everything in memory.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn captured_text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("text")
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Sends the log of this thread to the subscriber until the guard is dropped.
pub fn log_to(subscriber: impl tracing::Subscriber + Send + Sync) -> DefaultGuard {
    // With a single subscriber in the process, tracing caches whether an event is enabled for the
    // first thread that reaches it. In other tests, that thread has no subscriber and would disable
    // the event. Two more dispatchers prevent this cache.
    static KNOWN: OnceLock<[Dispatch; 2]> = OnceLock::new();
    KNOWN.get_or_init(|| [(); 2].map(|()| Dispatch::new(tracing_subscriber::registry())));
    tracing::subscriber::set_default(subscriber)
}
