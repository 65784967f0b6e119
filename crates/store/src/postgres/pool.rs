//! The sessions of this process, which callers share.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use sea_orm::{ConnAcquireErr, DbErr};
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};

use super::{
    availability::{Availability, CONNECTIONS},
    connection::Connection,
};
use crate::{
    pool::{Count, Counted, PoolUse},
    sqlite::CONNECTION_TIMEOUT,
};

/// A session that was not used for this long is closed.
const LONGEST_IDLE: Duration = Duration::from_secs(10 * 60);
/// A session is closed after this time, because the memory of its server process grows.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// The timeout of opening a session, with its TLS handshake and authentication.
const OPENING: Duration = Duration::from_secs(10);
/// How long an abandoned statement may run before its session is closed.
const RECOVERING: Duration = Duration::from_secs(5);
/// How long closing the pool waits for the server to end a session.
const CLOSING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Pool {
    server: Availability,
    permits: Arc<Semaphore>,
    /// The idle sessions; the most recently used one is last.
    idle: Mutex<Vec<Session>>,
    open: Count,
    is_closed: AtomicBool,
}

#[derive(Debug)]
struct Session {
    connection: Connection,
    /// The index of the server to which the session is connected.
    server: usize,
    /// When the session was last returned to the pool.
    used: Instant,
    _open: Counted,
}

/// A session in use. When it is dropped, its open transaction is rolled back, and the session is
/// returned to the pool.
#[derive(Debug)]
pub(super) struct Pooled {
    /// `None` only after the session was returned.
    session: Option<Session>,
    pool: Arc<Pool>,
    permit: Option<OwnedSemaphorePermit>,
    is_reusable: bool,
}

impl Pool {
    pub fn new(server: Availability) -> Self {
        Self {
            server,
            permits: Arc::new(Semaphore::new(CONNECTIONS)),
            idle: Mutex::default(),
            open: Count::default(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Takes an idle session or opens one. Waits while the maximum number of sessions is in use.
    pub async fn acquire(self: &Arc<Self>) -> Result<Pooled, DbErr> {
        let permit = if let Ok(permit) = self.permits.clone().try_acquire_owned() {
            permit
        } else {
            let permit = self.permits.clone().acquire_owned();
            let waited = tokio::time::timeout(CONNECTION_TIMEOUT, permit).await;
            let waited = waited.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))?;
            waited.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))?
        };
        let session = match self.take_idle() {
            Some(session) => session,
            None => self.open_session().await?,
        };
        Ok(Pooled {
            session: Some(session),
            pool: self.clone(),
            permit: Some(permit),
            is_reusable: true,
        })
    }

    async fn open_session(&self) -> Result<Session, DbErr> {
        let open = self.open.enter();
        let (connection, server) = self.server.open_session(OPENING).await?;
        Ok(Session {
            connection,
            server,
            used: Instant::now(),
            _open: open,
        })
    }

    /// Takes the most recently used idle session. Drops sessions that the server has closed, sessions of
    /// a server that is no longer in use, and sessions idle for so long that a firewall may have dropped
    /// the connection.
    fn take_idle(&self) -> Option<Session> {
        loop {
            let mut session = self.lock_idle().pop()?;
            let is_old = session.used.elapsed() > LONGEST_IDLE;
            let is_current = session.server == self.server.current_server();
            if !is_old && is_current && !session.connection.has_ended() {
                return Some(session);
            }
        }
    }

    fn put_back(&self, mut session: Session) {
        let now = Instant::now();
        let age = now.duration_since(session.connection.opened);
        if self.is_closed.load(Ordering::Relaxed) || age > LONGEST {
            return;
        }
        session.used = now;
        let mut idle = self.lock_idle();
        idle.push(session);
        let is_too_old = |one: &Session| now.duration_since(one.used) > LONGEST_IDLE;
        if idle.first().is_some_and(is_too_old) {
            idle.retain(|one| !is_too_old(one));
        }
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of open, used and awaited sessions.
    pub fn pool_use(&self) -> PoolUse {
        let open = self.open.get();
        let in_use = open.saturating_sub(self.lock_idle().len());
        PoolUse {
            open,
            in_use,
            // A caller that needs a session but does not hold one is waiting.
            waiting: self.server.caller_count().saturating_sub(in_use),
        }
    }

    /// Closes all sessions: idle sessions at once, and sessions in use when they are returned.
    pub async fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.permits.close();
        let idle = std::mem::take(&mut *self.lock_idle());
        for session in idle {
            // The server may be unreachable, so the wait is limited.
            let _ = tokio::time::timeout(CLOSING, session.connection.close()).await;
        }
    }
}

impl Pooled {
    /// When this is dropped, the session is closed instead of returned to the pool.
    pub fn set_not_reusable(&mut self) {
        self.is_reusable = false;
    }
}

impl Deref for Pooled {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        let session = self.session.as_ref().expect("the session is in use");
        &session.connection
    }
}

impl DerefMut for Pooled {
    fn deref_mut(&mut self) -> &mut Connection {
        let session = self.session.as_mut().expect("the session is in use");
        &mut session.connection
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        let Some(mut session) = self.session.take() else {
            return;
        };
        session.connection.discard_queued();
        if !self.is_reusable || session.connection.is_broken() {
            return;
        }
        if session.connection.is_idle() {
            self.pool.put_back(session);
            return;
        }
        // Without a Tokio runtime no task can recover the session. So the session is closed, and the
        // server rolls back the transaction.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let (pool, permit) = (self.pool.clone(), self.permit.take());
        runtime.spawn(async move {
            let recovered = session.connection.recover();
            // If the abandoned statement runs longer than `RECOVERING`, the session is closed, so that
            // another caller gets the permit.
            let recovered = tokio::time::timeout(RECOVERING, recovered).await;
            if matches!(recovered, Ok(Ok(()))) && session.connection.is_idle() {
                pool.put_back(session);
            }
            drop(permit);
        });
    }
}
