//! PostgreSQL: sessions that speak its protocol without a driver library.
//!
//! A caller owns a session while it uses the session, and itself waits on the socket, so that no
//! statement passes through another task. A transaction begins with its first statement, in the same
//! round trip. A statement whose result nobody needs is queued (`Transaction::queue`), and is sent with
//! the next statement or with the commit.

mod availability;
mod connection;
mod described;
mod options;
mod pool;
mod servers;
mod socket;
mod startup;
#[cfg(test)]
mod tests;
mod tls;
mod transaction;
mod values;
mod wire;

use std::sync::Arc;

use sea_orm::{DbErr, RuntimeErr, Value};

use availability::Availability;
use pool::{Pool, Pooled};
pub(crate) use transaction::Transaction;

use crate::{
    pool::{Counted, PoolUse},
    row::Row,
};

/// The error if the address goes to PgBouncer and no direct address of the server is configured.
const NO_DIRECT_ADDRESS: &str = "com pgbouncer=true em PAUTA_DATABASE_URL, defina \
    PAUTA_DATABASE_DIRECT_URL com o endereço do servidor sem o PgBouncer: os avisos entre \
    instâncias (LISTEN) não passam por ele";

/// A server with a pool of sessions.
#[derive(Clone, Debug)]
pub(crate) struct Postgres {
    pool: Arc<Pool>,
    server: Availability,
    /// The pool for `LISTEN`, which does not go through PgBouncer. Without PgBouncer it is the pool
    /// above.
    listening: (Arc<Pool>, Availability),
}

impl Postgres {
    /// Connects once, so that an unusable server is found at startup. `direct` is the address of the
    /// server without PgBouncer.
    pub async fn open(url: &str, direct: Option<&str>) -> Result<Self, DbErr> {
        let server = Availability::parse(url)?;
        let direct = direct.map(Availability::parse).transpose()?;
        if server.options().is_pooled
            && direct
                .as_ref()
                .is_none_or(|direct| direct.options().is_pooled)
        {
            return Err(DbErr::Conn(RuntimeErr::Internal(NO_DIRECT_ADDRESS.into())));
        }
        server.connect_once().await?;
        let pool = Arc::new(Pool::new(server.clone()));
        let listening = match direct {
            Some(direct) => {
                direct.connect_once().await?;
                (Arc::new(Pool::new(direct.clone())), direct)
            }
            None => (pool.clone(), server.clone()),
        };
        Ok(Self {
            pool,
            server,
            listening,
        })
    }

    /// Runs a query outside a transaction. Repeats the query if its session was lost.
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
            _wanted: self.listening.1.count_caller(),
            listening: self.listening.clone(),
            listen: format!("LISTEN \"{}\"", channel.replace('"', "\"\"")),
            session: None,
        };
        listener.connect().await?;
        Ok(listener)
    }

    /// Returns the address and database name of the server, without the credentials.
    pub fn location(&self) -> String {
        self.server.options().location()
    }

    /// Returns the number of open, used and awaited sessions.
    pub fn pool_use(&self) -> PoolUse {
        self.pool.pool_use()
    }

    pub async fn close(&self) {
        self.pool.close().await;
        self.listening.0.close().await;
    }
}

/// A session that listens to one channel.
#[derive(Debug)]
pub(crate) struct Listener {
    listening: (Arc<Pool>, Availability),
    /// The `LISTEN` statement.
    listen: String,
    session: Option<Pooled>,
    /// Counts the session as in use.
    _wanted: Counted,
}

impl Listener {
    /// Waits for the next text. If the session was lost, subscribes again and returns `None`: texts may
    /// have been missed.
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
        let (pool, server) = &self.listening;
        let connected = server.retry(|| async {
            let mut session = pool.acquire().await?;
            // The next user of the session would receive the notifications.
            session.set_not_reusable();
            session.queue(&self.listen, &[], false)?;
            session.exchange().await?;
            Ok(session)
        });
        self.session = Some(connected.await?);
        Ok(())
    }
}
