//! The streams that notify open pages of changes.
//!
//! An open page listens to `/vivo`. The stream sends only the names of the areas that changed, and the
//! authors of the changes. The `Place` of a page lists the areas that the page shows. After a change,
//! the page requests itself again, with the rights of its member, and `shell.js` compares the new HTML
//! with the current HTML. The script morphs the page. While the member is typing, it shows a notice
//! instead, which names the author of the change and offers the update. The member's own changes are not
//! sent. Before each event, a stream reads its session again with one indexed query, and continues with
//! the current rights of the member.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use gateway::{Code, Error, News, Result, Watcher};
use identity::browser;
use serde_json::json;
use tokio::{sync::watch, time::Instant};

/// The maximum number of open streams per session.
const OF_SESSION: usize = 4;
/// The divisor of the service's connections that may be streams: at most one in four.
const SHARE: usize = 4;
/// The maximum duration of a stream. Browsers reconnect by themselves.
const LASTS: Duration = Duration::from_secs(60);
/// The minimum interval between two events of a stream. Changes within the interval are merged.
const PAUSE: Duration = Duration::from_millis(700);

/// The open streams.
pub struct Live(Arc<Shared>);

struct Shared {
    most: usize,
    lasts: Duration,
    /// The number of open streams of each session.
    open: Mutex<HashMap<String, usize>>,
    stop: watch::Sender<bool>,
}

impl Live {
    /// Creates the streams of a service with this many connections.
    #[must_use]
    pub fn new(connections: usize) -> Self {
        Self::with_duration(connections, LASTS)
    }

    /// Creates the streams of a service with this many connections. Each stream has at most this
    /// duration.
    #[must_use]
    pub fn with_duration(connections: usize, lasts: Duration) -> Self {
        Self(Arc::new(Shared {
            most: (connections / SHARE).max(1),
            lasts,
            open: Mutex::default(),
            stop: watch::Sender::new(false),
        }))
    }

    /// Ends all streams. The service calls this when it stops.
    pub fn end_streams(&self) {
        self.0.stop.send_replace(true);
    }

    /// Returns the number of open streams.
    #[must_use]
    pub fn count_streams(&self) -> usize {
        self.0.lock_open().values().sum()
    }

    /// Opens a stream for this session.
    ///
    /// Fails with 429 if the session or the service already has too many streams.
    pub(crate) fn open_stream(&self, session: String, watcher: Watcher) -> Result<Listening> {
        let mut open = self.0.lock_open();
        let mine = open.get(&session).copied().unwrap_or_default();
        if mine >= OF_SESSION || open.values().sum::<usize>() >= self.0.most {
            let error = Error::new(Code::RATE_LIMITED).because("Há páginas abertas demais.");
            return Err(error.with_retry_after(self.0.lasts.as_secs()));
        }
        open.insert(session.clone(), mine + 1);
        drop(open);
        Ok(Listening {
            until: Instant::now() + self.0.lasts,
            stop: self.0.stop.subscribe(),
            _place: Place {
                shared: self.0.clone(),
                session,
            },
            watcher,
            begun: false,
        })
    }
}

impl Shared {
    fn lock_open(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of one stream. Dropping the value frees the slot.
struct Place {
    shared: Arc<Shared>,
    session: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.shared.lock_open();
        if let Some(count) = open.get_mut(&self.session) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.session);
            }
        }
    }
}

/// One stream. It stores marks, not events, so a slow reader gets merged changes. If a reader lags too
/// far, its stream ends and the page requests itself again.
pub(crate) struct Listening {
    _place: Place,
    until: Instant,
    stop: watch::Receiver<bool>,
    watcher: Watcher,
    begun: bool,
}

impl Listening {
    /// Waits for the next event. `None` at the end of the stream.
    pub(crate) async fn next_event(mut self) -> Option<(String, Self)> {
        if self.begun && !self.wait_interval().await {
            return None;
        }
        loop {
            if self.begun {
                if !self.watcher.is_behind() && !self.wait_for_change().await {
                    return None;
                }
                if !self.reload_session().await {
                    return None;
                }
            }
            let News { areas, point, late } = self.watcher.next_news().await;
            let begins = !std::mem::replace(&mut self.begun, true);
            if late && !begins {
                return None;
            }
            match areas {
                Some(areas) if areas.is_empty() && !begins => {}
                areas => {
                    let names = areas.as_ref().map(|areas| areas.keys().collect::<Vec<_>>());
                    let data = json!({ "ate": point, "areas": names, "autores": areas });
                    return Some((format!("data: {data}\n\n"), self));
                }
            }
            if self.watcher.is_behind() && !self.wait_interval().await {
                return None;
            }
        }
    }

    /// Reads the session and the rights of its member again. Returns false if the session has ended or
    /// cannot be read. The stream then ends, the browser reconnects, and the new request may be refused.
    async fn reload_session(&mut self) -> bool {
        let caller = self.watcher.caller();
        match browser::reauthenticate(&self.watcher.db(), caller).await {
            Ok(caller) => {
                self.watcher.set_caller(caller);
                true
            }
            Err(_) => false,
        }
    }

    /// Waits for the next change. Returns false if the stream has ended.
    async fn wait_for_change(&mut self) -> bool {
        let has_changed = tokio::select! {
            _ = self.stop.wait_for(|stop| *stop) => false,
            () = tokio::time::sleep_until(self.until) => false,
            () = self.watcher.wait_for_marks() => true,
        };
        has_changed && self.wait_interval().await
    }

    /// Waits for the minimum interval. Returns false if the stream has ended.
    async fn wait_interval(&mut self) -> bool {
        let pause = Instant::now() + PAUSE;
        tokio::select! {
            _ = self.stop.wait_for(|stop| *stop) => false,
            () = tokio::time::sleep_until(pause.min(self.until)) => pause < self.until,
        }
    }
}
