//! Tells open pages that something has changed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{StreamExt, stream};
use gateway::{
    Changes, Code, Content, Context, Credential, Entry, Error, Marks, OutputForm, Page, Principal,
    Reply, Result, Spec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{sync::watch, time::Instant};

use crate::area::page;

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
    fn listen(&self, session: String) -> Result<Listening> {
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
struct Listening {
    place: Place,
    until: Instant,
    stop: watch::Receiver<bool>,
    /// The marks that were sent last.
    told: Option<Marks>,
    begun: bool,
}

impl Listening {
    /// The next event; `None` when the stream is over.
    async fn next(mut self) -> Option<(String, Self)> {
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

/// The stream of changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Stream {}

const ROUTE: Spec = page("console_live", "Mudanças ao vivo", "/vivo")
    .sends(OutputForm::EventStream)
    .fails(&[429]);

pub(crate) const LIVE: Entry = Entry::page::<Stream>(
    ROUTE,
    "Avisa as páginas abertas quando algo muda, por eventos do servidor.",
);

impl Page for Stream {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let live = ctx.services.parts.get::<Live>();
        let listening = live.listen(session(ctx.caller()?))?;
        let events = stream::unfold(listening, Listening::next);
        let events = events.map(|text| Ok(text.into())).boxed();
        // Proxies must not wait for more before they pass an event on.
        Ok(Reply::new(Content::Stream(events)).header("x-accel-buffering", "no"))
    }
}

/// Names a session: its family, or with a hosted issuer its member.
fn session(caller: &Principal) -> String {
    match &caller.credential {
        Credential::Session {
            family_id: Some(family),
        } => family.to_string(),
        _ => caller.member.id.to_string(),
    }
}
