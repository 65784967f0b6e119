//! The one door: authenticate → session-only → capability → validate → idempotency → run → audit.

use std::{
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use super::{
    Attempt, Error, Input, Meters, Origin, Principal, Refused, Registered, Registry, Result,
    Services, call::Call, jobs::Detached,
};
use async_trait::async_trait;

/// An answer, serialised once.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// JSON text.
    pub body: String,
    /// The answer without what the request brought, where that is shorter.
    pub short: Option<String>,
    /// Whether it was given before, to the same key.
    pub replayed: bool,
    /// The id of what the effect made or changed, where the answer tells it.
    pub(crate) affected: Option<String>,
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
    pub registry: Registry,
    pub services: Services,
    pub authenticator: Arc<dyn Authenticator>,
    pub meters: Meters,
    /// How long an operation may run.
    pub patience: Duration,
    /// Outside writes in progress, whose callers may have gone.
    pub detached: Detached,
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
            registry,
            services,
            authenticator,
            meters: Meters::default(),
            patience: Duration::from_secs(30),
            detached: Detached::default(),
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
        input: impl Future<Output = Result<Input>> + Send,
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
        match call.admit(input, &mut resource_id).await {
            Ok(admitted) => call.complete(admitted, resource_id).await,
            Err(refused) => call.end(Err(refused), resource_id).await,
        }
    }

    /// Waits for outside writes that are still in progress.
    pub async fn finish(&self) {
        self.detached.finish().await;
    }

    /// The text of `/metrics`; while the database is away, its jobs are those of the last time.
    pub async fn metrics(&self) -> String {
        if let Ok(counts) = store::jobs::counts(&self.services.db.reader()).await {
            self.meters.jobs(counts);
        }
        self.meters.text()
    }

    /// The instant that the clock shows.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.services.clock.now()
    }
}
