//! The gateway: the table, the services behind it, and who is let in.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use super::{
    Attempt, Error, Meters, Origin, Principal, Refused, Registry, Result, Services, attempted,
    detached::Detached,
};

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
    pub detached: Detached,
}

impl Gateway {
    /// The gateway over a table and its services.
    #[must_use]
    pub fn new(
        registry: Arc<Registry>,
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
            let row = attempted(attempt, origin, self.now());
            self.services.reads.denied(&known, &error, row, origin.door);
        }
        error
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
