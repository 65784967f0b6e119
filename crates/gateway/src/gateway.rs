//! The gateway: the operation table, its services, and authentication.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;

use super::{
    Attempt, Counted, Door, Error, Metrics, MissingPart, Origin, Principal, Refused, Registry,
    Result, Services, attempt_row, detached::Detached, jobs::Host,
};

/// Authenticates callers.
#[async_trait]
pub trait Authenticator: Send + Sync {
    /// Authenticates the credential of `Authorization: Bearer`.
    ///
    /// Fails with 401 if it is absent, unknown, expired, revoked or not valid for this interface,
    /// and with 403 if the person of the session is not an active member.
    async fn authenticate(
        &self,
        services: &Services,
        bearer: Option<&str>,
        door: Door,
    ) -> Result<Principal, Refused>;

    /// Authenticates the signed link of an upload ([`crate::Access::UploadLink`]).
    ///
    /// Fails with 401 if the signature is wrong, the link has expired, or the credential that
    /// requested it is no longer valid.
    async fn authenticate_upload(
        &self,
        services: &Services,
        id: &str,
        signature: &str,
    ) -> Result<Principal, Refused>;

    /// Authenticates the link of a guest ([`crate::Access::Guest`]) by its secret and, if it
    /// has a code, by the proof that the guest gave the code.
    ///
    /// Fails with 401 if the link is unknown or has ended, or if the member who made it may no
    /// longer decide.
    async fn authenticate_guest(
        &self,
        services: &Services,
        secret: &str,
        proof: Option<&str>,
    ) -> Result<Principal, Refused>;
}

/// The operation registry and its services, shared by all interfaces.
pub struct Gateway {
    pub registry: Arc<Registry>,
    pub services: Services,
    pub authenticator: Arc<dyn Authenticator>,
    pub metrics: Metrics,
    /// The timeout of an operation that calls no external service.
    pub timeout: Duration,
    /// Calls to external services in progress, including those whose callers have disconnected.
    pub detached: Detached,
}

impl Gateway {
    /// Creates the gateway from the registry and its services.
    ///
    /// Fails if a part that an area requires is missing.
    pub fn new(
        registry: Arc<Registry>,
        services: Services,
        authenticator: Arc<dyn Authenticator>,
    ) -> Result<Arc<Self>, MissingPart> {
        for area in registry.all_entries().map(|operation| operation.area) {
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
    /// Fails with 401 if it is absent, unknown, expired or revoked, and with 403 if the person of
    /// the session is not an active member. `record_refused_credential` creates the error for the caller.
    pub async fn authenticate(
        &self,
        bearer: Option<&str>,
        door: Door,
    ) -> Result<Principal, Refused> {
        self.authenticator
            .authenticate(&self.services, bearer, door)
            .await
    }

    /// Counts a refused credential and, if its owner is known, audits the refusal. Returns the
    /// error for the caller.
    pub fn record_refused_credential(
        &self,
        refused: Refused,
        attempt: Attempt<'_>,
        origin: &Origin,
    ) -> Error {
        let Refused {
            error,
            known,
            is_absent,
        } = refused;
        if error.status() < 500 {
            self.metrics.count_refused_credential();
            if !is_absent {
                let refusals = &self.services.refusals;
                refusals.count_refusal(
                    "credencial recusada",
                    error.code,
                    origin.address,
                    self.now(),
                );
            }
        }
        if let Some(known) = known {
            let row = attempt_row(attempt, origin, self.now());
            self.services
                .reads
                .record_denial(&known, &error, row, origin);
        }
        error
    }

    /// Waits for calls to external services that are still in progress.
    pub async fn wait_for_detached_calls(&self) {
        self.detached.wait_for_calls().await;
    }

    /// Renders the response of `/metrics`. If the rows of a kind cannot be counted, for example
    /// while the database is unavailable, their last known counts are rendered.
    pub async fn render_metrics(&self) -> String {
        match store::jobs::count_by_state(&self.services.db.reader()).await {
            Ok(counts) => self.metrics.set_job_counts(counts),
            Err(error) => log_failed_count("jobs", &error.0),
        }
        let counted = self.registry.areas.iter().filter_map(|area| area.counted);
        for Counted { name, by_state } in counted {
            match by_state(&self.services.db).await {
                Ok(counts) => self.metrics.set_work_counts(name, counts),
                Err(error) => log_failed_count(name, &error),
            }
        }
        self.metrics.render_text()
    }

    /// Returns the current time of the service's clock.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.services.clock.now()
    }
}

fn log_failed_count(kind: &str, error: &Error) {
    tracing::warn!(
        kind,
        error = error.text_with_causes(),
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

    fn area_of_job(&self, job: &str) -> Option<&'static str> {
        let mut areas = self.registry.areas.iter();
        let area = areas.find(|area| area.jobs.iter().any(|known| known.name == job));
        area.map(|area| area.name)
    }
}
