//! Runs the effect of a write with its idempotency key.

use serde_json::Value;

use super::Call;
use crate::{
    Answer, Code, Error, Execution, Result,
    idempotency::{Keyed, Reserved},
};

impl Call<'_> {
    /// Commits the effect, its history, the audit row, the rows of the outbox and the stored answer in
    /// one transaction.
    pub(super) async fn run_local_write(
        &self,
        input: Value,
        keyed: Option<Keyed>,
    ) -> Result<Answer> {
        let tx = self.gateway.services.db.begin().await?;
        let ctx = self.context(Some(&tx));
        let announcing = self.collect_announcements(&input);
        if let Some(keyed) = &keyed
            && let Reserved::Replay(answer) =
                keyed.reserve(&tx.conn(), Execution::Local, ctx.now).await?
        {
            let answer = self.replay(input, answer, &ctx).await?;
            // This call wrote nothing, but the call that wrote the stored answer may be in the same
            // group commit and not be committed yet. So this commit is awaited.
            tx.commit().await?;
            return Ok(answer);
        }
        let answer = self
            .run_catching_panics_and_timeouts((self.operation.run)(input, &ctx))
            .await?;
        if let Some(keyed) = &keyed {
            keyed.store_answer(&tx.conn(), &answer).await?;
        }
        self.note_success(&ctx, &tx.conn(), &answer, keyed.as_ref())
            .await?;
        let announced = self
            .write_announcements(&tx.conn(), &ctx, &announcing, &answer)
            .await?;
        tx.commit().await?;
        if announced {
            self.wake_outbox_readers();
        }
        Ok(answer)
    }

    /// Commits the leased reservation before the effect and stores the answer after it.
    pub(super) async fn run_outside_write(
        &self,
        input: Value,
        keyed: Option<Keyed>,
    ) -> Result<Answer> {
        let db = &self.gateway.services.db;
        let ctx = self.context(None);
        if let Some(keyed) = &keyed {
            let tx = db.begin().await?;
            match keyed
                .reserve(&tx.conn(), Execution::Outside, ctx.now)
                .await?
            {
                Reserved::Fresh => tx.commit().await?,
                Reserved::Replay(answer) => {
                    // The reads below take another connection. Callers that each hold one
                    // connection and wait for another would deadlock the pool.
                    tx.commit().await?;
                    return self.replay(input, answer, &ctx).await;
                }
            }
        }
        let announcing = self.collect_announcements(&input);
        let ran = self
            .run_catching_panics_and_timeouts((self.operation.run)(input, &ctx))
            .await;
        // After a panic, a timeout, or an internal or database error, the effect may have happened.
        let unknown = matches!(
            &ran,
            Err(error) if matches!(
                error.code,
                Code::OUTCOME_UNKNOWN
                    | Code::PROVIDER_TIMEOUT
                    | Code::INTERNAL
                    | Code::UNAVAILABLE
                    | Code::STORAGE_UNAVAILABLE
            )
        );
        if let (Err(_), false, Some(caller)) = (&ran, unknown, self.caller) {
            self.return_pictures(caller, ctx.now).await;
        }
        // An anonymous or refused call without a key writes nothing, so it does not occupy the
        // database writer.
        if keyed.is_none() && (ran.is_err() || self.caller.is_none()) {
            return ran;
        }
        let stored: Result<()> = async {
            let mut announced = false;
            let tx = db.begin().await?;
            if let Some(keyed) = &keyed {
                match &ran {
                    Ok(answer) if answer.status != 207 => {
                        keyed.store_answer(&tx.conn(), answer).await?;
                    }
                    _ if unknown => keyed.abandon(&tx.conn(), ctx.now).await?,
                    _ => keyed.delete_reservation(&tx.conn()).await?,
                }
            }
            if let Ok(answer) = &ran {
                self.note_success(&ctx, &tx.conn(), answer, keyed.as_ref())
                    .await?;
                announced = self
                    .write_announcements(&tx.conn(), &ctx, &announcing, answer)
                    .await?;
            }
            tx.commit().await?;
            if announced {
                self.wake_outbox_readers();
            }
            Ok(())
        }
        .await;
        match stored {
            // The effect has happened. `OUTCOME_UNKNOWN` keeps the caller from repeating the call.
            Err(error) if ran.is_ok() => Err(Error::new(Code::OUTCOME_UNKNOWN).caused_by(error)),
            // The effect may have happened, so the caller gets the error of the operation, not of
            // the write. After the lease of the key has ended, repeated calls fail with
            // `OUTCOME_UNKNOWN`.
            Err(error) if unknown => {
                tracing::warn!(
                    error = error.text_with_causes(),
                    "o desfecho desconhecido de uma chave não foi gravado"
                );
                ran
            }
            Err(error) => Err(error),
            Ok(()) => ran,
        }
    }
}
