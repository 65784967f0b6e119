//! The one door: authenticate → session-only → capability → validate → idempotency → run → audit.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use tokio_util::task::TaskTracker;

use super::{
    Attempt, Error, Merged, Meters, Origin, Principal, Refused, Registered, Registry, Rendered,
    Result, Services, call::Call,
};

/// An answer, serialised once.
pub struct Answer {
    pub status: u16,
    pub body: Body,
    /// The answer without what the request brought, where that is shorter.
    pub short: Option<String>,
    /// Whether it was given before, to the same key.
    pub replayed: bool,
    /// The id of what the effect made or changed, where the answer tells it.
    pub(crate) affected: Option<String>,
}

/// What an answer says.
pub enum Body {
    /// JSON text.
    Json(String),
    Page(Rendered),
}

impl Body {
    /// The JSON text of an operation's answer.
    pub fn json(self) -> Result<String> {
        match self {
            Self::Json(text) => Ok(text),
            Self::Page(_) => Err(Error::internal("a page has no JSON text")),
        }
    }
}

impl Answer {
    pub(crate) fn of(status: u16, body: Body) -> Self {
        Self {
            status,
            body,
            short: None,
            replayed: false,
            affected: None,
        }
    }
}

/// Judges what callers present.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Judges what was presented in `Authorization: Bearer`.
    ///
    /// Refused (401) when it is absent, unknown, expired or revoked; 403 when the session's
    /// person is no active member.
    async fn authenticate(
        &self,
        services: &Services,
        bearer: Option<&str>,
    ) -> Result<Principal, Refused>;
}

/// The registry and the services behind it: what both projections call.
pub struct Gateway {
    pub registry: Arc<Registry>,
    pub services: Services,
    pub authenticator: Arc<dyn Authenticator>,
    pub meters: Meters,
    /// How long an operation may run.
    pub patience: Duration,
    /// Outside writes in progress, whose callers may have gone.
    pub at_work: TaskTracker,
}

impl Gateway {
    /// The gateway over a table and its services.
    #[must_use]
    pub fn new(
        registry: Registry,
        services: Services,
        authenticator: Arc<dyn Authenticator>,
    ) -> Arc<Self> {
        Arc::new(Self {
            registry: Arc::new(registry),
            services,
            authenticator,
            meters: Meters::default(),
            patience: Duration::from_secs(30),
            at_work: TaskTracker::new(),
        })
    }

    /// Judges what was presented in `Authorization: Bearer`.
    ///
    /// Refused (401) when it is absent, unknown, expired or revoked; 403 when the session's
    /// person is no active member. What to answer then, `turn_away` says.
    pub async fn authenticate(&self, bearer: Option<&str>) -> Result<Principal, Refused> {
        self.authenticator
            .authenticate(&self.services, bearer)
            .await
    }

    /// Counts a refused bearer and, where it is known whose it was, notes the denial in the audit
    /// trail; the answer is what to tell the caller.
    pub fn turn_away(&self, refused: Refused, attempt: Attempt<'_>, origin: &Origin) -> Error {
        let Refused { error, known } = refused;
        if error.status() < 500 {
            self.meters.turned_away();
        }
        if let Some(known) = known {
            let reads = &self.services.reads;
            reads.denied(&known, &error, attempt, origin, self.now());
        }
        error
    }

    /// Runs an operation for a caller.
    ///
    /// `input` is awaited only after the caller has passed the guard, so that nobody without the
    /// right learns anything about the body. Whoever stops waiting for the answer stops a read or
    /// a local write; an outside write goes on, so that its key has the answer.
    pub async fn invoke(
        self: &Arc<Self>,
        operation: &Registered,
        caller: Option<&Principal>,
        origin: &Origin,
        input: impl Future<Output = Result<impl Into<Merged>>> + Send,
    ) -> Result<Answer> {
        let call = Call {
            gateway: self,
            operation,
            caller,
            origin,
            begun: Instant::now(),
            needed: OnceLock::new(),
        };
        let mut resource_id = None;
        let mut held = None;
        let outcome = match call.admit(input, &mut resource_id, &mut held).await {
            Ok(admitted) => call.complete(admitted, resource_id).await,
            Err(refused) => call.end(Err(refused), resource_id).await,
        };
        if let Some(held) = held {
            held.release(&self.services).await;
        }
        outcome
    }

    /// Waits for outside writes that are still in progress.
    pub async fn finish(&self) {
        self.at_work.close();
        self.at_work.wait().await;
    }

    /// The instant that the clock shows.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.services.clock.now()
    }
}
