//! One call through the gateway: quota → session-only → capability → validate → (confirm) →
//! idempotency → run → audit.
//!
//! `Gateway::invoke` is the only way to run an operation; the function pointer of an entry is
//! private to this crate. The steps have this order for a reason:
//!
//! - The input is a future that is awaited only after the access check. A caller without the right
//!   learns nothing about the body, not even that it is malformed.
//! - All field errors are reported at once, as `{field, rule, message}`.
//! - A *local* write runs in a transaction that the gateway owns. Key reservation, effect, history,
//!   audit row, outbox rows and stored answer commit together, so a crash leaves all or nothing.
//!   Simultaneous callers with one key queue on the row of the key.
//! - An *outside* operation commits a leased reservation first and stores the answer afterwards. If
//!   the outcome is lost or cannot be stored, the caller gets `OUTCOME_UNKNOWN`, and the gateway
//!   never runs the call again.
//! - A panic or a timeout of an operation becomes `INTERNAL`, and its transaction rolls back.

mod admission;
mod announcing;
mod notes;
mod reader;
mod span;
mod writes;

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, OnceLock},
    time::Instant,
};

use futures::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::{
    Access, Answer, CallInput, Code, Context, Error, Execution, Gateway, Held, Origin, Outcome,
    Principal, Registered, Result, SharedSecret, SharedSecrets, StoredFile,
    context::Operations,
    departure::Departure,
    idempotency::Keyed,
    metrics::{self, CallOutcome},
    traces,
};
use domain::Capability;
use reader::with_limit;
use span::open_span;

pub use reader::{Confirm, FittingPage, Reader, sign_in_hint};

/// The timeout of outside operations, as a multiple of the timeout of local ones. The product is
/// less than the lease of a key.
const OUTSIDE: u32 = 8;

struct Call<'a> {
    gateway: &'a Arc<Gateway>,
    operation: &'a Registered,
    caller: Option<&'a Principal>,
    origin: &'a Origin,
    begun: Instant,
    /// The capability that the input requires, if the operation has several.
    needed: OnceLock<Capability>,
    /// The changed fields for the audit row, set by the operation (`Context::note_changes`).
    changes: OnceLock<Map<String, Value>>,
    /// The id of the resource that the input names.
    about: OnceLock<String>,
    /// The id of the resource that contains the resource of the call.
    within: OnceLock<String>,
    /// Generated images and videos that the operation has reserved.
    pictures: OnceLock<i64>,
    file: OnceLock<StoredFile>,
    /// A resource that the input holds until the call ends.
    held: OnceLock<Box<dyn Held>>,
    departure: Departure,
    reader: Reader<'a>,
}

/// A call that has passed the access check and validation.
struct Admitted {
    input: Value,
    keyed: Option<Keyed>,
}

impl Gateway {
    /// Runs an operation for a caller.
    ///
    /// Awaits `input` only after the access check, so a caller without access learns nothing about
    /// the body. Dropping the future cancels a read or a local write. An outside write continues,
    /// so that its key gets an answer (`departure.rs`).
    pub async fn invoke(
        self: &Arc<Self>,
        operation: &Registered,
        caller: Option<&Principal>,
        origin: &Origin,
        input: impl Future<Output = Result<impl Into<CallInput>>> + Send,
    ) -> Result<Answer> {
        self.invoke_for_reader(operation, caller, origin, input, Reader::default())
            .await
    }

    /// Runs an operation for a caller that limits the size of the answer or requires confirmation.
    /// If a list is longer than the caller accepts, runs the operation again with the `limit` that
    /// fits, because only the operation can compute the cursor of the shorter page. Both runs are
    /// one call with one audit row.
    pub async fn invoke_for_reader(
        self: &Arc<Self>,
        operation: &Registered,
        caller: Option<&Principal>,
        origin: &Origin,
        input: impl Future<Output = Result<impl Into<CallInput>>> + Send,
        reader: Reader<'_>,
    ) -> Result<Answer> {
        let call = Call::new(self, operation, caller, origin, reader);
        let span = open_span(operation, caller, origin);
        call.run_within_quota(input).instrument(span).await
    }
}

impl Operations for Arc<Gateway> {
    fn call<'a>(
        &'a self,
        operation: &'a str,
        caller: Option<&'a Principal>,
        origin: Origin,
        input: CallInput,
    ) -> BoxFuture<'a, Result<Answer>> {
        let found = self.registry.find_callable(operation);
        Box::pin(async move {
            let operation = found.ok_or_else(|| Error::not_found("operação"))?;
            let input = std::future::ready(Ok(input));
            // No quota is checked here: only the call of the page counts, not the calls that the
            // page makes.
            let call = Call::new(self, operation, caller, &origin, Reader::default());
            let span = open_span(operation, caller, &origin);
            call.run(input).instrument(span).await
        })
    }
}

impl<'a> Call<'a> {
    fn new(
        gateway: &'a Arc<Gateway>,
        operation: &'a Registered,
        caller: Option<&'a Principal>,
        origin: &'a Origin,
        reader: Reader<'a>,
    ) -> Self {
        Self {
            gateway,
            operation,
            caller,
            origin,
            begun: Instant::now(),
            needed: OnceLock::new(),
            changes: OnceLock::new(),
            about: OnceLock::new(),
            within: OnceLock::new(),
            pictures: OnceLock::new(),
            file: OnceLock::new(),
            held: OnceLock::new(),
            departure: Departure::default(),
            reader,
        }
    }
}

impl Call<'_> {
    /// Runs the call if its caller is within the quotas.
    async fn run_within_quota(
        self,
        input: impl Future<Output = Result<impl Into<CallInput>>> + Send,
    ) -> Result<Answer> {
        let services = &self.gateway.services;
        if let Some(caller) = self.caller {
            let now = self.gateway.now();
            let admitted = services.quotas.admit_call(caller, &services.db, now).await;
            if let Err(refused) = admitted {
                self.note_over_quota(caller, &refused, now);
                return self.count_outcome(Err(refused));
            }
        }
        self.run(input).await
    }

    async fn run(
        self,
        input: impl Future<Output = Result<impl Into<CallInput>>> + Send,
    ) -> Result<Answer> {
        let outcome = match self.admit(input).await {
            Ok(admitted) => self.run_admitted(admitted).await,
            Err(refused) => self.record_outcome(Err(refused)).await,
        };
        let outcome = outcome.map_err(|refused| self.with_read_hint(refused));
        if let Some(held) = self.held.into_inner() {
            held.release(&self.gateway.services).await;
        }
        outcome
    }

    /// Checks access and validates the input.
    async fn admit(
        &self,
        input: impl Future<Output = Result<impl Into<CallInput>>> + Send,
    ) -> Result<Admitted> {
        let spec = &self.operation.spec;
        match self.caller {
            _ if let Access::SharedSecret(secret) = spec.access => self.require_secret(secret)?,
            Some(caller) => caller
                .authorize(spec.access)
                .map_err(|refused| self.with_sign_in_hint(refused))?,
            None if spec.access.is_public() => {}
            None => return Err(Error::new(Code::UNAUTHENTICATED)),
        }
        let judged = self.read_input(input).await;
        let admitted = judged.map_err(|refused| match spec.faulty_as {
            Some(code) if refused.status() == 400 => Error::new(code),
            _ => refused,
        })?;
        if let Some(confirm) = self.reader.confirm {
            confirm(&admitted.input)?;
        }
        Ok(admitted)
    }

    /// Refuses (401) a call without the secret, unless the caller is a member with the capability.
    fn require_secret(&self, rule: SharedSecret) -> Result<()> {
        let secrets = self.gateway.services.parts.find::<SharedSecrets>();
        let given = self.origin.secret.as_deref();
        if secrets.is_some_and(|secrets| secrets.matches(rule.setting, given)) {
            return Ok(());
        }
        match (self.caller, rule.or) {
            (Some(caller), Some(capability)) if caller.has_capability(capability) => Ok(()),
            _ => {
                let code = Code::UNAUTHENTICATED;
                self.context(None)
                    .note_refusal("segredo de integração recusado", code);
                Err(Error::new(code))
            }
        }
    }

    /// Adds a sign-in hint to a `SESSION_REQUIRED` error if a hosted issuer creates the sessions.
    fn with_sign_in_hint(&self, refused: Error) -> Error {
        match self.gateway.services.identity.issuer() {
            Some(issuer) if refused.code == Code::SESSION_REQUIRED => {
                refused.with_detail("next", sign_in_hint(issuer).into())
            }
            _ => refused,
        }
    }

    /// Runs the effect of an admitted call. An outside write of a member gets its own task.
    async fn run_admitted(&self, admitted: Admitted) -> Result<Answer> {
        match self.caller {
            // A call without a credential ends when its client disconnects, so anonymous clients
            // cannot leave work running.
            Some(caller) if self.is_outside_write() => self.run_detached(caller, admitted).await,
            _ => self.run_effect(admitted).await,
        }
    }

    /// Runs the effect on its own task, which continues if the caller disconnects: the provider is
    /// paid for its work, so the result must be stored.
    async fn run_detached(&self, caller: &Principal, admitted: Admitted) -> Result<Answer> {
        let (gateway, caller, origin) = (self.gateway.clone(), caller.clone(), self.origin.clone());
        let (operation, begun) = (self.operation.spec.name, self.begun);
        let (about, file) = (self.about.clone(), self.file.clone());
        let left = CancellationToken::new();
        let departure = Departure::new(left.clone());
        let work = async move {
            let operation = gateway.registry.find(operation);
            let operation = operation.expect("the registry has the operation");
            let reader = Reader::default();
            let call = Call {
                begun,
                about,
                file,
                departure,
                ..Call::new(&gateway, operation, Some(&caller), &origin, reader)
            };
            Ok(call.run_effect(admitted).await)
        };
        // This future is dropped when the caller disconnects. The guard then cancels `left`.
        let _present = left.drop_guard();
        let gauge = self.gateway.metrics.detached_gauge();
        match self.gateway.detached.run(gauge, work).await {
            Ok(outcome) => outcome,
            Err(refused) => self.record_outcome(Err(refused)).await,
        }
    }

    fn is_outside_write(&self) -> bool {
        self.operation.spec.is_recorded() && self.operation.spec.execution == Execution::Outside
    }

    async fn run_effect(&self, Admitted { input, keyed }: Admitted) -> Result<Answer> {
        let spec = &self.operation.spec;
        if !spec.is_recorded() {
            let outcome = self.run_read(input).await;
            return self.record_outcome(outcome).await;
        }
        if let Some(id) = self.container_id(&input) {
            let _ = self.within.set(id);
        }
        let outcome = match spec.execution {
            Execution::Local => self.run_local_write(input, keyed).await,
            Execution::Outside => self.run_outside_write(input, keyed).await,
        };
        self.mark_change(&outcome);
        self.record_outcome(outcome).await
    }

    /// Counts the call and audits a refusal.
    async fn record_outcome(&self, outcome: Result<Answer>) -> Result<Answer> {
        let outcome = self.count_outcome(outcome);
        if let Err(error) = &outcome {
            self.note_refusal(error).await;
        }
        outcome
    }

    fn count_outcome(&self, outcome: Result<Answer>) -> Result<Answer> {
        let (status, code) = match &outcome {
            Ok(answer) => (answer.status, metrics::NO_CODE),
            Err(error) => (error.status(), error.code.as_str()),
        };
        traces::note_answer(status, code);
        self.gateway.metrics.record_call(CallOutcome {
            operation: self.operation.spec.name,
            door: self.origin.door,
            status,
            code,
            took: self.begun.elapsed(),
            trace: traces::recorded_trace(),
        });
        outcome
    }

    fn context<'c>(&'c self, tx: Option<&'c store::Tx>) -> Context<'c> {
        Context {
            operations: self.gateway,
            services: &self.gateway.services,
            spec: &self.operation.spec,
            origin: self.origin,
            now: self.gateway.now(),
            caller: self.caller,
            tx,
            needed: &self.needed,
            changes: &self.changes,
            pictures: &self.pictures,
            file: self.file.get(),
            departure: &self.departure,
        }
    }

    /// Adds to a `STALE_REVISION` error the operation that reads the current revision, unless the
    /// error already has a next step.
    fn with_read_hint(&self, refused: Error) -> Error {
        match self.operation.spec.read_by {
            Some(operation) if refused.code == Code::STALE_REVISION && !refused.has_next_step() => {
                refused.with_detail(
                    "next",
                    format!(
                        "Releia com `{operation}`, reavalie a mudança e tente de novo com a revisão atual."
                    )
                    .into(),
                )
            }
            _ => refused,
        }
    }

    async fn run_read(&self, input: Value) -> Result<Answer> {
        let ctx = self.context(None);
        let run = |input| self.run_catching_panics_and_timeouts((self.operation.run)(input, &ctx));
        let answer = match self.reader.page {
            None => run(input).await?,
            Some(page) => {
                let answer = run(input.clone()).await?;
                match page(&answer) {
                    Some(rows) => run(with_limit(input, rows)).await?,
                    None => answer,
                }
            }
        };
        if let Some(caller) = self.caller {
            let spec = &self.operation.spec;
            if spec.audited {
                let mut row = self.to_audit_row(caller, ctx.now);
                row.resource_id = self.about.get().cloned();
                self.write_row(row.with_outcome(Outcome::Allowed, answer.status))
                    .await?;
            } else if !spec.is_console() {
                let reads = &self.gateway.services.reads;
                let row = || self.to_audit_row(caller, ctx.now);
                reads.record_read(spec.name, caller, self.origin, ctx.now, row);
            }
        }
        Ok(answer)
    }

    /// Returns the stored answer if the caller may still see the resources of the call.
    async fn replay(&self, input: Value, kept: Answer, ctx: &Context<'_>) -> Result<Answer> {
        let member = &ctx.caller()?.member;
        for (resource, field) in self.operation.spec.named_resources() {
            if let Some(id) = input.get(field).and_then(Value::as_str) {
                resource.require_visible(ctx.db(), member, id).await?;
            }
        }
        self.run_catching_panics_and_timeouts((self.operation.replay)(input, kept, ctx))
            .await
    }

    /// Runs an operation and turns a panic or a timeout into an error.
    async fn run_catching_panics_and_timeouts(
        &self,
        work: impl Future<Output = Result<Answer>>,
    ) -> Result<Answer> {
        let run = AssertUnwindSafe(work).catch_unwind();
        let timeout = match self.operation.spec.execution {
            Execution::Local => self.gateway.timeout,
            Execution::Outside => self.gateway.timeout * OUTSIDE,
        };
        match tokio::time::timeout(timeout, run).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => {
                let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                Err(Error::internal(format!(
                    "panic: {}",
                    text.unwrap_or_default()
                )))
            }
            Err(_) => Err(Error::internal("a operação passou do tempo máximo")
                .because("A operação passou do tempo máximo.")),
        }
    }
}
