//! PostgreSQL: sessions that speak its protocol without a driver library.
//!
//! A caller owns a session while it uses it and waits on its socket itself, so that no statement
//! passes through another task. A transaction begins with its first statement, in the same round
//! trip. A statement whose result nobody needs is queued (`Transaction::queue`), and is sent with
//! the next one or with the commit.

mod availability;
mod connection;
mod described;
mod options;
mod pool;
mod socket;
mod startup;
#[cfg(test)]
mod tests;
mod tls;
mod transaction;
mod values;
mod wire;

use std::sync::Arc;

use sea_orm::{DbErr, Value};

use availability::Availability;
use pool::{Pool, Pooled};
pub(crate) use transaction::Transaction;

use crate::{
    pool::{Counted, PoolUse},
    row::Row,
};

/// A server with a pool of sessions.
#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    pool: Arc<Pool>,
    server: Availability,
}

impl Postgres {
    /// Connects once, so that a server that cannot be used is known at the start.
    pub async fn open(url: &str) -> Result<Self, DbErr> {
        let server = Availability::parse(url)?;
        server.connect_once().await?;
        let pool = Arc::new(Pool::new(server.clone()));
        Ok(Self { pool, server })
    }

    /// Runs a query outside a transaction. It is run again if its session was lost.
    pub async fn fetch(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, DbErr> {
        let _wanted = self.server.count_caller();
        let fetched = self.server.retry(|| async {
            let mut session = self.pool.acquire().await?;
            session.queue(sql, values, true)?;
            Ok(session.exchange().await?)
        });
        Ok(fetched.await?.rows)
    }

    /// Runs a statement outside a transaction and returns the number of changed rows.
    pub async fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, DbErr> {
        let _wanted = self.server.count_caller();
        let executed = self.server.run_while_available(async {
            let mut session = self.pool.acquire().await?;
            session.queue(sql, values, false)?;
            Ok(session.exchange().await?)
        });
        Ok(executed.await?.changed)
    }

    /// Runs statements without values outside a transaction.
    pub async fn run_script(&self, sql: &str) -> Result<u64, DbErr> {
        let _wanted = self.server.count_caller();
        let ran = self.server.run_while_available(async {
            let mut session = self.pool.acquire().await?;
            Ok(session.run_script(sql).await?)
        });
        Ok(ran.await?.changed)
    }

    pub fn begin(&self) -> Transaction {
        Transaction::new(self.pool.clone(), self.server.clone())
    }

    /// Subscribes to a channel.
    pub async fn listen(&self, channel: &str) -> Result<Listener, DbErr> {
        let mut listener = Listener {
            _wanted: self.server.count_caller(),
            postgres: self.clone(),
            listen: format!("LISTEN \"{}\"", channel.replace('"', "\"\"")),
            session: None,
        };
        listener.connect().await?;
        Ok(listener)
    }

    /// The address and database name of the server, without the credentials.
    pub fn location(&self) -> String {
        self.server.options().location()
    }

    /// The number of open, used and awaited sessions.
    pub fn pool_use(&self) -> PoolUse {
        self.pool.pool_use()
    }

    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// A session that listens to one channel.
#[derive(Debug)]
pub(crate) struct Listener {
    postgres: Postgres,
    /// The statement that subscribes.
    listen: String,
    session: Option<Pooled>,
    /// Counts the session as in use.
    _wanted: Counted,
}

impl Listener {
    /// Waits for the next text. Returns `None` after it has subscribed again because the session
    /// was lost: texts may have been missed.
    pub async fn next(&mut self) -> Result<Option<String>, DbErr> {
        if let Some(session) = &mut self.session {
            let received = session.receive_notification().await;
            if let Ok(text) = received {
                return Ok(Some(text));
            }
            self.session = None;
        }
        self.connect().await?;
        Ok(None)
    }

    async fn connect(&mut self) -> Result<(), DbErr> {
        let Postgres { pool, server } = &self.postgres;
        let connected = server.retry(|| async {
            let mut session = pool.acquire().await?;
            // Another user of the session would receive the notifications.
            session.set_not_reusable();
            session.queue(&self.listen, &[], false)?;
            session.exchange().await?;
            Ok(session)
        });
        self.session = Some(connected.await?);
        Ok(())
    }
}
