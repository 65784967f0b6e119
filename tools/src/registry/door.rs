//! The one door: authenticate → session-only → capability → validate → idempotency → run → audit.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::FutureExt;
use serde_json::Value;

use super::{
    AuditRow, Code, Context, Error, Input, Kind, Meters, Origin, Outcome, Principal, Registered,
    Registry, Result, Services,
    idempotency::{Keyed, Reserved},
    input,
};
use crate::{domain::sha256_hex, identity, store};

/// An answer, serialised once.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// JSON text.
    pub body: String,
    /// Whether it was given before, to the same key.
    pub replayed: bool,
}

/// The registry and the services behind it: what both projections call.
pub struct Gateway {
    pub registry: Registry,
    pub services: Services,
    pub meters: Meters,
    /// How long an operation may run.
    pub patience: Duration,
}

impl Gateway {
    /// Judges what was presented in `Authorization: Bearer`.
    ///
    /// Refused (401) when it is absent, unknown, expired or revoked; 403 when the session's
    /// person is no active member.
    pub async fn authenticate(&self, bearer: Option<&str>) -> Result<Principal> {
        let judged = identity::authenticate(&self.services, bearer).await;
        if judged.is_err() {
            self.meters.turned_away();
        }
        judged
    }

    /// Runs an operation for a caller.
    ///
    /// `input` is awaited only after the caller has passed the guard, so that nobody without the
    /// right learns anything about the body.
    pub async fn invoke(
        &self,
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
        };
        let mut resource_id = None;
        let begun = Instant::now();
        let outcome = call.guarded(input, &mut resource_id).await;
        let status = outcome
            .as_ref()
            .map_or_else(Error::status, |answer| answer.status);
        self.meters
            .called(operation.spec.name, origin.door, status, begun.elapsed());
        if let Err(error) = &outcome {
            call.note_refusal(error, resource_id).await;
        }
        outcome
    }

    /// The instant that the clock shows.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.services.clock.now()
    }
}

struct Call<'a> {
    gateway: &'a Gateway,
    operation: &'a Registered,
    caller: Option<&'a Principal>,
    origin: &'a Origin,
}

impl Call<'_> {
    async fn guarded(
        &self,
        input: impl Future<Output = Result<Input>> + Send,
        resource_id: &mut Option<String>,
    ) -> Result<Answer> {
        let spec = &self.operation.spec;
        match self.caller {
            Some(caller) => caller.authorize(spec.access)?,
            None if spec.access.is_public() => {}
            None => return Err(Error::new(Code::Unauthenticated)),
        }
        let mut input = Value::Object(input.await?);
        input::integers(&mut input);
        input::validate(&self.operation.validator, &input)?;
        let Value::Object(mut input) = input else {
            unreachable!("it was built as an object")
        };
        *resource_id = spec
            .resource
            .and_then(|(_, field)| input.get(field)?.as_str())
            .map(|id| id.chars().take(64).collect());
        let keyed = Keyed::take(spec, self.caller, &mut input, &self.gateway.services.keys)?;
        let input = Value::Object(input);
        if !spec.is_write() {
            return self.read(input, resource_id.as_deref()).await;
        }
        match spec.kind {
            Kind::Local => self.local(input, keyed, resource_id).await,
            Kind::Outside => self.outside(input, keyed, resource_id).await,
        }
    }

    fn context<'c>(&'c self, tx: Option<&'c store::Tx>) -> Context<'c> {
        let now = self.gateway.services.clock.now();
        Context::new(&self.gateway.services, self.origin, now, self.caller, tx)
    }

    async fn read(&self, input: Value, resource_id: Option<&str>) -> Result<Answer> {
        let ctx = self.context(None);
        let answer = self.run(input, &ctx).await?;
        if let Some(caller) = self.caller {
            let spec = &self.operation.spec;
            if spec.audited {
                let mut row = AuditRow::of(spec, caller, self.origin, ctx.now);
                row.resource_id = resource_id.map(Into::into);
                self.write_row(row.ended(Outcome::Allowed, answer.status))
                    .await?;
            } else {
                self.gateway.services.reads.note(spec, caller, &ctx);
            }
        }
        Ok(answer)
    }

    /// Effect, history, audit and kept answer in one transaction.
    async fn local(
        &self,
        input: Value,
        keyed: Option<Keyed>,
        resource_id: &mut Option<String>,
    ) -> Result<Answer> {
        let tx = self.gateway.services.db.begin().await?;
        let ctx = self.context(Some(&tx));
        if let Some(keyed) = &keyed
            && let Reserved::Replay(answer) =
                keyed.reserve(&tx.conn(), Kind::Local, ctx.now).await?
        {
            (self.operation.still_visible)(input, &ctx).await?;
            return Ok(answer);
        }
        let answer = self.run(input, &ctx).await?;
        if let Some(keyed) = &keyed {
            keyed.keep(&tx.conn(), &answer).await?;
        }
        self.note_success(&ctx, &tx.conn(), &answer, keyed.as_ref(), resource_id)
            .await?;
        drop(ctx);
        tx.commit().await?;
        Ok(answer)
    }

    /// A leased reservation commits before the effect; the answer is kept after it.
    async fn outside(
        &self,
        input: Value,
        keyed: Option<Keyed>,
        resource_id: &mut Option<String>,
    ) -> Result<Answer> {
        let db = &self.gateway.services.db;
        let ctx = self.context(None);
        if let Some(keyed) = &keyed {
            let tx = db.begin().await?;
            match keyed.reserve(&tx.conn(), Kind::Outside, ctx.now).await? {
                Reserved::Fresh => tx.commit().await?,
                Reserved::Replay(answer) => {
                    (self.operation.still_visible)(input, &ctx).await?;
                    return Ok(answer);
                }
            }
        }
        let ran = self.run(input, &ctx).await;
        // A panic, a timeout or a fault of ours may have come after the effect.
        let unknown = matches!(
            &ran,
            Err(error) if matches!(error.code, Code::OutcomeUnknown | Code::Internal)
        );
        let tx = db.begin().await?;
        if let Some(keyed) = &keyed {
            match &ran {
                Ok(answer) if answer.status != 207 => keyed.keep(&tx.conn(), answer).await?,
                _ if unknown => keyed.abandon(&tx.conn(), ctx.now).await?,
                _ => keyed.release(&tx.conn()).await?,
            }
        }
        if let Ok(answer) = &ran {
            self.note_success(&ctx, &tx.conn(), answer, keyed.as_ref(), resource_id)
                .await?;
        }
        tx.commit().await?;
        ran
    }

    /// The operation itself, its panics and its slowness contained.
    async fn run(&self, input: Value, ctx: &Context<'_>) -> Result<Answer> {
        let run = AssertUnwindSafe((self.operation.run)(input, ctx)).catch_unwind();
        match tokio::time::timeout(self.gateway.patience, run).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(Error::internal(format!(
                    "panic: {}",
                    text.unwrap_or_default()
                )))
            }
            Err(_) => Err(Error::internal("the operation ran out of time")
                .because("A operação passou do tempo máximo.")),
        }
    }

    async fn note_success(
        &self,
        ctx: &Context<'_>,
        db: &store::Conn<'_>,
        answer: &Answer,
        keyed: Option<&Keyed>,
        resource_id: &mut Option<String>,
    ) -> Result<()> {
        let Some(caller) = self.caller else {
            return Ok(());
        };
        let mut row = AuditRow::of(&self.operation.spec, caller, self.origin, ctx.now);
        let touched = ctx
            .touched
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take();
        row.resource_id = touched.or_else(|| resource_id.take());
        if let Some(keyed) = keyed {
            let hash = sha256_hex(keyed.key.as_str().as_bytes());
            row.metadata
                .insert("idempotency_key_sha256".into(), hash.into());
        }
        store::audit::insert(db, row.ended(Outcome::Succeeded, answer.status)).await
    }

    /// Refused writes and every denial of a known credential; anonymous refusals are not rows.
    async fn note_refusal(&self, error: &Error, resource_id: Option<String>) {
        let spec = &self.operation.spec;
        if error.code == Code::Internal {
            tracing::error!(
                operation = spec.name,
                request_id = self.origin.request_id,
                error = std::error::Error::source(error).map(tracing::field::display),
                "the operation failed"
            );
        }
        let Some(caller) = self.caller else { return };
        if !spec.is_write() && error.status() != 403 {
            return;
        }
        let mut row = AuditRow::of(spec, caller, self.origin, self.gateway.now()).refused(error);
        row.resource_id = resource_id;
        if let Some(capability) = error
            .body()
            .details
            .as_ref()
            .and_then(|d| d.get("capability"))
        {
            row.metadata.insert("capability".into(), capability.clone());
        }
        if let Err(error) = self.write_row(row).await {
            tracing::error!(%error, source = ?std::error::Error::source(&error), "an audit row was lost");
        }
    }

    async fn write_row(&self, row: AuditRow) -> Result<()> {
        let tx = self.gateway.services.db.begin().await?;
        store::audit::insert(&tx.conn(), row).await?;
        Ok(tx.commit().await?)
    }
}

impl Gateway {
    /// The gateway over a table and its services.
    #[must_use]
    pub fn new(registry: Registry, services: Services) -> Arc<Self> {
        Arc::new(Self {
            registry,
            services,
            meters: Meters::default(),
            patience: Duration::from_secs(30),
        })
    }
}
