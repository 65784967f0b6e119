//! Tells open pages that something has changed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use gateway::{Changes, Code, Error, Marks, Result};
use tokio::{sync::watch, time::Instant};

/// Streams of one session.
const OF_SESSION: usize = 4;
/// Of the connections of the service, one in this many may be a stream.
const SHARE: usize = 4;
/// How long a stream lasts. Browsers connect again by themselves.
const LASTS: Duration = Duration::from_secs(60);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(700);
/// After how many milliseconds a browser connects again.
const AGAIN: &str = "retry: 1000\n";

/// The open streams, and what they watch.
pub struct Live(Arc<Shared>);

struct Shared {
    changes: Changes,
    most: usize,
    lasts: Duration,
    /// How many streams each session has.
    open: Mutex<HashMap<String, usize>>,
    stop: watch::Sender<bool>,
}

impl Live {
    /// For a service with this many connections.
    #[must_use]
    pub fn new(changes: Changes, connections: usize) -> Self {
        Self::lasting(changes, connections, LASTS)
    }

    /// The same with streams of another length.
    #[must_use]
    pub fn lasting(changes: Changes, connections: usize, lasts: Duration) -> Self {
        Self(Arc::new(Shared {
            changes,
            most: (connections / SHARE).max(1),
            lasts,
            open: Mutex::default(),
            stop: watch::Sender::new(false),
        }))
    }

    /// Ends all streams, because the service stops.
    pub fn stop(&self) {
        self.0.stop.send_replace(true);
    }

    /// A stream for this session.
    ///
    /// Refused (429) when the session, or all together, have too many.
    pub(crate) fn listen(&self, session: String) -> Result<Listening> {
        let mut open = self.0.open();
        let mine = open.get(&session).copied().unwrap_or_default();
        if mine >= OF_SESSION || open.values().sum::<usize>() >= self.0.most {
            let error = Error::new(Code::RATE_LIMITED).because("Há páginas abertas demais.");
            return Err(error.retry_after(self.0.lasts.as_secs()));
        }
        open.insert(session.clone(), mine + 1);
        drop(open);
        Ok(Listening {
            until: Instant::now() + self.0.lasts,
            stop: self.0.stop.subscribe(),
            place: Place {
                shared: self.0.clone(),
                session,
            },
            told: None,
            begun: false,
        })
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a stream. It is free again when dropped.
struct Place {
    shared: Arc<Shared>,
    session: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.shared.open();
        if let Some(count) = open.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.session);
            }
        }
    }
}

/// One stream.
pub(crate) struct Listening {
    place: Place,
    until: Instant,
    stop: watch::Receiver<bool>,
    /// The marks that were sent last.
    told: Option<Marks>,
    begun: bool,
}

impl Listening {
    /// The next event; `None` at the end of the stream.
    pub(crate) async fn next(mut self) -> Option<(String, Self)> {
        loop {
            let marks = self.place.shared.changes.marks().await;
            if let Some(marks) = marks
                && self.told != Some(marks)
            {
                self.told = Some(marks);
                return Some((self.event(marks), self));
            }
            let now = Instant::now();
            if now >= self.until {
                return None;
            }
            let pause = tokio::time::sleep(PAUSE.min(self.until - now));
            tokio::select! {
                _ = self.stop.wait_for(|stop| *stop) => return None,
                () = pause => {}
            }
        }
    }

    fn event(&mut self, Marks { events, projects }: Marks) -> String {
        let again = if self.begun { "" } else { AGAIN };
        self.begun = true;
        format!("{again}data: {{\"eventos\":\"{events:x}\",\"projetos\":\"{projects:x}\"}}\n\n")
    }
}
