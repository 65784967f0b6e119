//! A transaction of PostgreSQL.

use std::{io, sync::Arc};

use sea_orm::{DbErr, Value};
use tokio::sync::Mutex;

use super::{
    availability::Availability,
    connection::Done,
    pool::{Pool, Pooled},
};
use crate::{driver::DriverError, pool::Counted, row::Row, sqlite::broken_transaction_error};

/// The maximum length of queued statements, in bytes. Longer statements are sent at once.
const MOST_QUEUED: usize = 256 << 10;

/// A transaction, which begins with its first statement. It is rolled back if it is dropped without
/// a commit.
#[derive(Debug)]
pub(crate) struct Transaction {
    pool: Arc<Pool>,
    server: Availability,
    /// `None` before the first statement.
    session: Mutex<Option<Pooled>>,
    /// Counts the session of the transaction as in use.
    _wanted: Counted,
}

impl Transaction {
    pub(super) fn new(pool: Arc<Pool>, server: Availability) -> Self {
        Self {
            _wanted: server.count_caller(),
            pool,
            server,
            session: Mutex::default(),
        }
    }

    pub async fn fetch(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, DbErr> {
        Ok(self.run(sql, values, true).await?.rows)
    }

    /// Runs a statement and returns the number of changed rows.
    pub async fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, DbErr> {
        Ok(self.run(sql, values, false).await?.changed)
    }

    /// Sends the statement with the next statement or with the commit, which then also returns its
    /// error.
    pub async fn queue(&self, sql: &str, values: &[Value]) -> Result<(), DbErr> {
        if let Some(session) = &mut *self.session.lock().await
            && session.queued_length() < MOST_QUEUED
        {
            return Ok(session.queue(sql, values, false)?);
        }
        self.execute(sql, values).await.map(drop)
    }

    /// Runs statements without values.
    pub async fn run_script(&self, sql: &str) -> Result<u64, DbErr> {
        let mut session = self.session.lock().await;
        let open = match &mut *session {
            Some(open) => open,
            None => session.insert(self.begin().await?),
        };
        let ran = async { Ok(open.run_script(sql).await?) };
        let ran = self.server.run_while_available(ran);
        Ok(ran.await?.changed)
    }

    /// Sends `BEGIN` alone, and returns the session with the open transaction.
    async fn begin(&self) -> Result<Pooled, DbErr> {
        let begun = self.server.retry(|| async {
            let mut session = self.pool.acquire().await?;
            session.queue("BEGIN", &[], false)?;
            session.exchange().await?;
            Ok(session)
        });
        begun.await
    }

    async fn run(&self, sql: &str, values: &[Value], has_rows: bool) -> Result<Done, DbErr> {
        let mut session = self.session.lock().await;
        if let Some(session) = &mut *session {
            session.queue(sql, values, has_rows)?;
            let done = async { Ok(session.exchange().await?) };
            return self.server.run_while_available(done).await;
        }
        // The transaction has no effect yet. If its session is lost, the transaction begins again in
        // another session.
        let begun = self.server.retry(|| async {
            let mut session = self.pool.acquire().await?;
            session.queue("BEGIN", &[], false)?;
            session.queue(sql, values, has_rows)?;
            let done = session.exchange().await?;
            Ok((session, done))
        });
        let (begun, done) = begun.await?;
        *session = Some(begun);
        Ok(done)
    }

    /// Commits the transaction. After `Ok` the changes are durable.
    pub async fn commit(self) -> Result<(), DbErr> {
        // Without a session, the transaction has run no statement.
        let Some(mut session) = self.session.into_inner() else {
            return Ok(());
        };
        session.queue("COMMIT", &[], false)?;
        let committed = async { Ok(session.exchange().await?) };
        let committed = self.server.run_while_available(committed).await;
        // A server that ends the session after an error, as in a PANIC, may have committed.
        if committed.is_err() && !session.is_answered() {
            return Err(
                DriverError::from(io::Error::from(io::ErrorKind::ConnectionAborted)).into(),
            );
        }
        let done = committed?;
        if done.is_rolled_back {
            return Err(broken_transaction_error());
        }
        Ok(())
    }
}
