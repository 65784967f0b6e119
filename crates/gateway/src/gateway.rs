//! The gateway: the table of operations, the services they use, and authentication.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use super::{
    Attempt, Counted, Door, Error, Metrics, MissingPart, Origin, Principal, Refused, Registry,
    Result, Services, attempted, detached::Detached, jobs::Host,
};

/// Authenticates callers.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Authenticates the credential of `Authorization: Bearer`.
    ///
    /// Refused (401) when it is absent, unknown, expired, revoked or not for this interface; 403
    /// when the person of the session is not an active member.
    async fn authenticate(
        &self,
        services: &Services,
        bearer: Option<&str>,
        door: Door,
    ) -> Result<Principal, Refused>;
}

/// The registry and the services it uses, shared by all projections.
pub struct Gateway {
    pub registry: Arc<Registry>,
    pub services: Services,
    pub authenticator: Arc<dyn Authenticator>,
    pub metrics: Metrics,
    /// The timeout of a local operation.
    pub timeout: Duration,
    /// Outside writes in progress, including those whose callers have disconnected.
    pub detached: Detached,
}

impl Gateway {
    /// Creates the gateway from a table and its services.
    ///
    /// Refused when a part is missing that an area of the table requires.
    pub fn new(
        registry: Arc<Registry>,
        services: Services,
        authenticator: Arc<dyn Authenticator>,
    ) -> Result<Arc<Self>, MissingPart> {
        for area in registry.all().map(|operation| operation.area) {
            if let Some(part) = area.parts.iter().find(|part| !part.is_in(&services.parts)) {
                return Err(MissingPart {
                    area: area.name,
                    part: part.name,
                });
            }
        }
        Ok(Arc::new(Self {
            registry,
            services,
            authenticator,
            metrics: Metrics::default(),
            timeout: Duration::from_secs(30),
            detached: Detached::default(),
        }))
    }

    /// Authenticates the credential of `Authorization: Bearer`.
    ///
    /// Refused (401) when it is absent, unknown, expired or revoked; 403 when the person of the
    /// session is not an active member. `turn_away` makes the error for the caller.
    pub async fn authenticate(
        &self,
        bearer: Option<&str>,
        door: Door,
    ) -> Result<Principal, Refused> {
        self.authenticator
            .authenticate(&self.services, bearer, door)
            .await
    }

    /// Counts a refused credential and, if its owner is known, audits the denial. Returns the error
    /// for the caller.
    pub fn turn_away(&self, refused: Refused, attempt: Attempt<'_>, origin: &Origin) -> Error {
        let Refused {
            error,
            known,
            is_absent,
        } = refused;
        if error.status() < 500 {
            self.metrics.turned_away();
            if !is_absent {
                let refusals = &self.services.refusals;
                refusals.note(
                    "credencial recusada",
                    error.code,
                    origin.address,
                    self.now(),
                );
            }
        }
        if let Some(known) = known {
            let row = attempted(attempt, origin, self.now());
            self.services.reads.denied(&known, &error, row, origin);
        }
        error
    }

    /// Waits for outside writes that are still in progress.
    pub async fn finish(&self) {
        self.detached.finish().await;
    }

    /// The text of `/metrics`. A kind of row that cannot be counted now, for example while the
    /// database is unavailable, keeps its last known counts.
    pub async fn metrics(&self) -> String {
        match store::jobs::count_by_state(&self.services.db.reader()).await {
            Ok(counts) => self.metrics.jobs(counts),
            Err(error) => not_counted("jobs", &error.0),
        }
        let counted = self.registry.areas.iter().filter_map(|area| area.counted);
        for Counted { name, by_state } in counted {
            match by_state(&self.services.db).await {
                Ok(counts) => self.metrics.work(name, counts),
                Err(error) => not_counted(name, &error),
            }
        }
        self.metrics.text()
    }

    /// The current time of the clock.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.services.clock.now()
    }
}

fn not_counted(kind: &str, error: &Error) {
    tracing::warn!(
        kind,
        error = error.with_causes(),
        "a contagem de /metrics falhou; os números dela são os últimos conhecidos"
    );
}

impl Host for Gateway {
    fn services(&self) -> &Services {
        &self.services
    }

    fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    fn area_of(&self, job: &str) -> Option<&'static str> {
        let mut areas = self.registry.areas.iter();
        let area = areas.find(|area| area.jobs.iter().any(|known| known.name == job));
        area.map(|area| area.name)
    }
}
