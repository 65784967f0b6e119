//! The log of a test's thread.

use std::{
    io,
    sync::{Arc, Mutex, OnceLock},
};

use tracing::{Dispatch, subscriber::DefaultGuard};
use tracing_subscriber::fmt::MakeWriter;

/// Everything that is logged on this thread.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn text(&self) -> String {
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

/// Directs the log of this thread to the subscriber.
pub fn log_to(subscriber: impl tracing::Subscriber + Send + Sync) -> DefaultGuard {
    // With a single subscriber in the process, tracing caches whether a line is logged for the
    // first thread that reaches it, and the threads of other tests have no subscriber.
    static KNOWN: OnceLock<[Dispatch; 2]> = OnceLock::new();
    KNOWN.get_or_init(|| [(); 2].map(|()| Dispatch::new(tracing_subscriber::registry())));
    tracing::subscriber::set_default(subscriber)
}
