//! The values that an operation can use while it runs.

use std::sync::OnceLock;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{
    Answer, CallInput, Code, Door, Error, Input, Origin, Principal, RequestHead, Result, Services,
    Spec, StoredFile, departure::Departure, quotas::reserve_pictures,
};
use domain::{Capability, time::Millis};
use store::{Conn, Tx};

/// Calls an operation by its name.
pub(super) trait Operations: Send + Sync {
    fn call<'a>(
        &'a self,
        operation: &'a str,
        caller: Option<&'a Principal>,
        origin: Origin,
        input: CallInput,
    ) -> BoxFuture<'a, Result<Answer>>;
}

/// One call: its caller, time and transaction.
pub struct Context<'a> {
    pub(super) operations: &'a dyn Operations,
    pub services: &'a Services,
    /// The spec of the operation or page.
    pub spec: &'a Spec,
    pub origin: &'a Origin,
    /// The time of the call, constant for its whole run.
    pub now: Millis,
    pub(super) caller: Option<&'a Principal>,
    pub(super) tx: Option<&'a Tx>,
    /// The capability that the input requires.
    pub(super) needed: &'a OnceLock<Capability>,
    /// The changed fields for the audit row of this call.
    pub(super) changes: &'a OnceLock<Map<String, Value>>,
    /// Generated images and videos that this call has reserved.
    pub(super) pictures: &'a OnceLock<i64>,
    pub(super) file: Option<&'a StoredFile>,
    pub(super) departure: &'a Departure,
}

impl<'a> Context<'a> {
    /// Returns the caller. Every operation that is not public has a caller.
    pub fn caller(&self) -> Result<&'a Principal> {
        self.caller
            .ok_or_else(|| Error::internal("a public operation asked for its caller"))
    }

    /// Returns the caller, if there is one.
    #[must_use]
    pub fn caller_if_any(&self) -> Option<&'a Principal> {
        self.caller
    }

    /// Returns the file of this call. Pass it on as [`CallInput::Forwarded`].
    pub fn file(&self) -> Result<&'a StoredFile> {
        self.file
            .ok_or_else(|| Error::internal("a page asked for a file that its call does not have"))
    }

    /// Returns the value that was read from the file of this call ([`super::Received::content`]).
    pub fn file_content<T: 'static>(&self) -> Result<&'a T> {
        let content = self.file.and_then(|file| file.content.as_ref());
        content
            .and_then(|content| content.downcast_ref())
            .ok_or_else(|| Error::internal("the file of this call has no content of this type"))
    }

    /// Returns the gateway's transaction in a local write, otherwise a reader connection.
    #[must_use]
    pub fn db(&self) -> Conn<'a> {
        match self.tx {
            Some(tx) => tx.conn(),
            None => self.services.db.reader(),
        }
    }

    /// Calls an operation, or another page of the web console, for the caller of a page. The call
    /// passes through the gateway like a call over any other interface. A call from a page outside
    /// the console keeps the interface of that page.
    ///
    /// Fails with 404 if the registry has no operation with this name.
    pub async fn call(&self, operation: &str, input: impl Into<CallInput>) -> Result<Answer> {
        let origin = Origin {
            door: if self.spec.is_console() {
                Door::Console
            } else {
                self.origin.door
            },
            request_id: self.origin.request_id.clone(),
            trace: self.origin.trace.clone(),
            client: self.origin.client.clone(),
            address: self.origin.address,
            secret: None,
            head: RequestHead::default(),
            progress: self.origin.progress.clone(),
        };
        let call = self
            .operations
            .call(operation, self.caller, origin, input.into());
        call.await
    }

    /// Calls an operation and returns its answer as JSON.
    pub async fn read(&self, operation: &str, input: Value) -> Result<Value> {
        let input: Input = match input {
            Value::Object(fields) => fields,
            _ => Input::new(),
        };
        let answer = self.call(operation, input).await?;
        Ok(serde_json::from_str(&answer.body.into_json_text()?)?)
    }

    /// Records in the audit row the fields that this operation changes, with their values before
    /// and after. Only values from a fixed list belong there, such as a role. If an operation calls
    /// this method twice, the second call is ignored.
    pub fn note_changes<const N: usize>(&self, changes: [(&str, Value, Value); N]) {
        let changes = changes
            .into_iter()
            .filter(|(_, before, after)| before != after)
            .map(|(field, before, after)| {
                let change = json!({ "before": before, "after": after });
                (field.to_owned(), change)
            });
        // A second call is ignored, because it would describe the same effect again.
        let _ = self.changes.set(changes.collect());
    }

    /// Reserves images or videos to generate from the daily budget of the caller's token or agent.
    /// An operation calls this once, before it generates them. The gateway gives them back to the
    /// budget if the operation fails without having generated any.
    ///
    /// Fails with 429 and the seconds until midnight if the budget does not allow as many.
    pub async fn reserve_pictures(&self, count: usize) -> Result<()> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let caller = self.caller()?;
        match self.tx {
            Some(tx) => reserve_pictures(&tx.conn(), caller, count, self.now).await?,
            None => {
                let tx = self.begin().await?;
                reserve_pictures(&tx.conn(), caller, count, self.now).await?;
                tx.commit().await?;
                let _ = self.pictures.set(count);
            }
        }
        Ok(())
    }

    /// Reports the progress of the call: `done` of `total`, and a description for the user
    /// (Portuguese). `message` is called only if a client listens.
    pub fn report_progress(&self, done: u64, total: Option<u64>, message: impl FnOnce() -> String) {
        self.origin.progress.report(done, total, message);
    }

    /// Runs work that has no effect and costs nothing, such as a download, and stops it when the
    /// caller of a [`Spec::stoppable`] operation disconnects. If the work was stopped, the
    /// operation must return the error.
    pub async fn until_caller_leaves<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        match self.spec.stoppable {
            true => self.departure.stop_on_departure(work).await,
            false => work.await,
        }
    }

    /// Logs the refusal of a person's or a program's credential, at most once a minute per network.
    pub fn note_refusal(&self, what: &'static str, code: Code) {
        let refusals = &self.services.refusals;
        refusals.count_refusal(what, code, self.origin.address, self.now);
    }

    /// Begins a transaction, for operations that commit in steps.
    pub async fn begin(&self) -> Result<Tx> {
        Ok(self.services.db.begin().await?)
    }
}
