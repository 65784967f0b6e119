//! A session: statements are queued, sent together, and answered in order.
//!
//! Each statement is prepared once per session, together with its first execution, so that no
//! statement needs a round trip of its own. Parameters and columns are in binary format. Queued
//! statements are sent with a single `Sync`: after an error the server skips the rest, including a
//! `COMMIT`.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, OnceLock},
    time::Instant,
};

use sea_orm::Value;

use super::{
    described::{Described, MALFORMED, server_error},
    options::Options,
    servers::{Server, Target},
    startup,
    values::{parameter_type, write_parameter},
    wire::{Message, Wire},
};
use crate::{driver::DriverError, row::Row};

/// The maximum number of prepared statements of a session. Beyond it, the least recently used statement
/// is closed.
const PREPARED: usize = 128;

/// A prepared statement.
#[derive(Debug)]
struct Statement {
    name: String,
    parameters: Vec<u32>,
    /// Set by the reply to the first execution.
    columns: OnceLock<Described>,
}

/// A cached statement, and when it was last used.
#[derive(Debug)]
struct Cached {
    statement: Arc<Statement>,
    used: u64,
}

/// A statement whose reply is awaited.
#[derive(Debug)]
struct Queued {
    statement: Arc<Statement>,
    /// The key of the statement in the cache, if this is its first execution.
    prepares: Option<Box<str>>,
    /// True if the rows of the statement are read, false if they are skipped.
    has_rows: bool,
}

/// The result of the last statement that was sent.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub rows: Vec<Row>,
    /// The number of changed rows.
    pub changed: u64,
    /// Whether the statement rolled back, as `COMMIT` does in a failed transaction.
    pub is_rolled_back: bool,
}

/// A session of the server.
#[derive(Debug)]
pub(super) struct Connection {
    wire: Wire,
    statements: HashMap<Box<str>, Cached>,
    queued: VecDeque<Queued>,
    /// True while replies to sent messages are awaited.
    is_awaiting: bool,
    is_broken: bool,
    /// The state of the transaction: `I` none, `T` open, `E` failed.
    state: u8,
    /// The number of executions so far.
    executions: u64,
    named: u64,
    notifications: VecDeque<String>,
    /// True if statements are prepared once and have names. Behind PgBouncer the next transaction may
    /// run in another session of the server, which does not know the statements of this one.
    keeps_statements: bool,
    pub opened: Instant,
}

impl Connection {
    /// Opens a session, which the server may refuse because of its state.
    pub async fn open(options: &Options, server: &Server) -> Result<Self, DriverError> {
        let (wire, state) = startup::connect(options, server).await?;
        if !options.target.accepts(state) {
            return Err(read_only_error());
        }
        let mut session = Self {
            wire,
            statements: HashMap::new(),
            queued: VecDeque::new(),
            is_awaiting: false,
            is_broken: false,
            state: b'I',
            executions: 0,
            named: 0,
            notifications: VecDeque::new(),
            keeps_statements: !options.is_pooled,
            opened: Instant::now(),
        };
        // PgBouncer does not forward what the server reports about its state.
        if options.is_pooled && options.target != Target::Any {
            session.require_writable().await?;
        }
        Ok(session)
    }

    async fn require_writable(&mut self) -> Result<(), DriverError> {
        self.queue("SHOW transaction_read_only", &[], true)?;
        let done = self.exchange().await?;
        let row = done.rows.first().ok_or(MALFORMED)?;
        match row
            .try_get::<String>("", "transaction_read_only")
            .as_deref()
        {
            Ok("off") => Ok(()),
            _ => Err(read_only_error()),
        }
    }

    /// Returns whether another caller can use the session: no transaction is open, and no reply is
    /// awaited.
    pub fn is_idle(&self) -> bool {
        !self.is_broken && !self.is_awaiting && self.queued.is_empty() && self.state == b'I'
    }

    /// Returns whether the server has answered all sent messages.
    pub fn is_answered(&self) -> bool {
        !self.is_awaiting
    }

    /// Returns whether the session cannot be used any more.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Returns whether the server has ended the session, as far as the received bytes show.
    pub fn has_ended(&mut self) -> bool {
        self.wire.has_ended()
    }

    /// Returns the length of the queued statements in bytes.
    pub fn queued_length(&self) -> usize {
        self.wire.output_length()
    }

    /// Adds a statement to the queue. Skips the rows of its result unless `has_rows` is true.
    pub fn queue(
        &mut self,
        sql: &str,
        values: &[Value],
        has_rows: bool,
    ) -> Result<(), DriverError> {
        self.require_answered()?;
        let start = self.wire.output_length();
        let queued = self.put_statement(sql, values, has_rows);
        if let Err(error) = queued {
            // Removes the messages of the statement that are already written.
            self.wire.truncate_output(start);
            return Err(error);
        }
        Ok(())
    }

    fn put_statement(
        &mut self,
        sql: &str,
        values: &[Value],
        has_rows: bool,
    ) -> Result<(), DriverError> {
        if sql.contains('\0') {
            return Err(DriverError::Value("a statement contains a NUL".into()));
        }
        let kinds = values.iter().map(parameter_type);
        let kinds = kinds.collect::<Result<Vec<_>, _>>()?;
        let count = u16::try_from(values.len())
            .map_err(|_| DriverError::Value("a statement has too many parameters".into()))?;
        let mut parameters = vec![];
        for value in values {
            write_parameter(&mut parameters, value)?;
        }
        self.executions += 1;
        let cached = match self.keeps_statements {
            true => self.statements.get_mut(sql),
            false => None,
        };
        // The same text with parameters of other types is another statement.
        let cached = cached.filter(|cached| cached.statement.parameters == kinds);
        let (statement, prepares) = if let Some(cached) = cached {
            cached.used = self.executions;
            (cached.statement.clone(), None)
        } else {
            (self.prepare(sql, kinds), Some(sql.into()))
        };
        let name = statement.name.as_bytes();
        self.wire.put(b'B', |output| {
            // The unnamed portal, the statement, and the binary format for all parameters.
            output.push(0);
            output.extend_from_slice(name);
            output.extend([0, 0, 1, 0, 1]);
            output.extend(count.to_be_bytes());
            output.extend_from_slice(&parameters);
            // The binary format for all columns.
            output.extend([0, 1, 0, 1]);
        });
        // The unnamed portal, without a limit of rows.
        self.wire.put(b'E', |output| output.extend([0; 5]));
        self.queued.push_back(Queued {
            statement,
            prepares,
            has_rows,
        });
        Ok(())
    }

    /// Adds the messages that prepare and describe a statement. The statement gets a name only if the
    /// session keeps its statements.
    fn prepare(&mut self, sql: &str, parameters: Vec<u32>) -> Arc<Statement> {
        if self.statements.len() >= PREPARED {
            self.close_oldest_statement();
        }
        let mut name = String::new();
        if self.keeps_statements {
            self.named += 1;
            name = format!("s{}", self.named);
        }
        self.wire.put(b'P', |output| {
            put_text(output, &name);
            put_text(output, sql);
            let count = u16::try_from(parameters.len()).unwrap_or(u16::MAX);
            output.extend(count.to_be_bytes());
            output.extend(parameters.iter().flat_map(|kind| kind.to_be_bytes()));
        });
        self.wire.put(b'D', |output| {
            output.push(b'S');
            put_text(output, &name);
        });
        let statement = Arc::new(Statement {
            name,
            parameters,
            columns: OnceLock::new(),
        });
        if !self.keeps_statements {
            return statement;
        }
        let cached = Cached {
            statement: statement.clone(),
            used: self.executions,
        };
        if let Some(replaced) = self.statements.insert(sql.into(), cached) {
            self.put_close(&replaced.statement.name);
        }
        statement
    }

    fn close_oldest_statement(&mut self) {
        let oldest = self.statements.iter().min_by_key(|(_, cached)| cached.used);
        let Some(sql) = oldest.map(|(sql, _)| sql.clone()) else {
            return;
        };
        if let Some(cached) = self.statements.remove(&sql) {
            self.put_close(&cached.statement.name);
        }
    }

    fn put_close(&mut self, name: &str) {
        self.wire.put(b'C', |output| {
            output.push(b'S');
            put_text(output, name);
        });
    }

    /// Removes the statements that are queued but not sent.
    pub fn discard_queued(&mut self) {
        if self.is_awaiting {
            return;
        }
        self.wire.truncate_output(0);
        self.forget_unprepared();
    }

    /// Sends the queued statements. Returns the result of the last statement, or the first error; the
    /// statements after an error did not run.
    pub async fn exchange(&mut self) -> Result<Done, DriverError> {
        self.require_answered()?;
        self.wire.put(b'S', |_| {});
        self.is_awaiting = true;
        self.read_replies().await
    }

    /// Fails if the caller of an earlier statement was cancelled before its reply came.
    fn require_answered(&self) -> Result<(), DriverError> {
        match self.is_awaiting {
            true => Err(DriverError::Abandoned),
            false => Ok(()),
        }
    }

    /// Runs several statements without values.
    pub async fn run_script(&mut self, sql: &str) -> Result<Done, DriverError> {
        if sql.contains('\0') {
            return Err(DriverError::Value("a statement contains a NUL".into()));
        }
        self.require_answered()?;
        if !self.queued.is_empty() {
            self.exchange().await?;
        }
        self.wire.put(b'Q', |output| put_text(output, sql));
        self.is_awaiting = true;
        self.read_replies().await
    }

    /// Rolls back an open transaction, after the replies that are still awaited.
    pub async fn recover(&mut self) -> Result<(), DriverError> {
        if self.is_awaiting {
            // The error of an abandoned statement has no reader.
            let _ = self.read_replies().await;
        }
        if self.is_broken {
            return Err(DriverError::Protocol("the session is broken"));
        }
        if self.state != b'I' {
            self.queue("ROLLBACK", &[], false)?;
            self.exchange().await?;
        }
        Ok(())
    }

    /// Waits for the next notification of a channel that this session listens to.
    pub async fn receive_notification(&mut self) -> Result<String, DriverError> {
        loop {
            if let Some(text) = self.notifications.pop_front() {
                return Ok(text);
            }
            let message = self.wire.receive().await;
            let message = message.inspect_err(|_| self.is_broken = true)?;
            match message.kind {
                b'A' => self.keep_notification(&message)?,
                b'E' => {
                    self.is_broken = true;
                    return Err(server_error(self.wire.body(&message)));
                }
                _ => {}
            }
        }
    }

    /// Ends the session, and waits until the server has ended it.
    pub async fn close(mut self) {
        self.wire.put(b'X', |_| {});
        self.wire.finish().await;
    }

    /// Reads until the server is ready for the next statements.
    async fn read_replies(&mut self) -> Result<Done, DriverError> {
        let mut done = Done::default();
        let mut failure = None;
        loop {
            let message = match self.wire.receive().await {
                Ok(message) => message,
                Err(error) => {
                    self.is_broken = true;
                    // An error that the server sent before it closed the session explains why.
                    return Err(failure.unwrap_or(error));
                }
            };
            match message.kind {
                b'Z' => {
                    self.state = self.wire.body(&message).first().copied().unwrap_or(b'E');
                    self.is_awaiting = false;
                    self.forget_unprepared();
                    return failure.map_or(Ok(done), Err);
                }
                b'E' => {
                    let error = server_error(self.wire.body(&message));
                    self.is_broken |= ends_session(&error);
                    failure.get_or_insert(error);
                }
                _ => match self.read_reply(&message, &mut done) {
                    // After a protocol error, the start of the next message is unknown.
                    Err(error @ DriverError::Protocol(_)) => {
                        self.is_broken = true;
                        return Err(failure.unwrap_or(error));
                    }
                    Err(error) => failure = failure.or(Some(error)),
                    Ok(()) => {}
                },
            }
        }
    }

    fn read_reply(&mut self, message: &Message, done: &mut Done) -> Result<(), DriverError> {
        let body = self.wire.body(message);
        let current = self.queued.front_mut();
        match message.kind {
            // The statement is prepared.
            b'1' => {
                if let Some(current) = current {
                    current.prepares = None;
                }
            }
            b'T' => {
                if let Some(current) = current {
                    let _ = current.statement.columns.set(Described::parse(body)?);
                }
            }
            b'D' => {
                if let Some(current) = current
                    && current.has_rows
                {
                    let described = current.statement.columns.get();
                    let described = described.ok_or(MALFORMED)?;
                    done.rows.push(described.read_row(body)?);
                }
            }
            // A statement has ended; its tag ends with the number of rows.
            b'C' => {
                let tag = body.strip_suffix(&[0]).unwrap_or(body);
                let tag = str::from_utf8(tag).unwrap_or_default();
                let number = tag.rsplit(' ').next().unwrap_or_default();
                done.changed = number.parse().unwrap_or(0);
                done.is_rolled_back = tag == "ROLLBACK";
                self.queued.pop_front();
            }
            // The statement was empty.
            b'I' => {
                self.queued.pop_front();
            }
            b'A' => self.keep_notification(message)?,
            // Confirmations, descriptions of parameters, notices and changed settings.
            b'2' | b'3' | b't' | b'n' | b'N' | b'S' => {}
            _ => return Err(DriverError::Protocol("an unexpected message")),
        }
        Ok(())
    }

    /// Removes the statements from the cache that the server did not prepare.
    fn forget_unprepared(&mut self) {
        for queued in self.queued.drain(..) {
            if let Some(sql) = queued.prepares {
                self.statements.remove(&sql);
            }
        }
    }

    fn keep_notification(&mut self, message: &Message) -> Result<(), DriverError> {
        // The body contains the process id (4 bytes), the channel and the text. The texts end with a
        // NUL.
        let body = self.wire.body(message).get(4..).ok_or(MALFORMED)?;
        let text = body.split(|byte| *byte == 0).nth(1).ok_or(MALFORMED)?;
        let text = String::from_utf8_lossy(text).into_owned();
        self.notifications.push_back(text);
        Ok(())
    }
}

fn put_text(output: &mut Vec<u8>, text: &str) {
    output.extend_from_slice(text.as_bytes());
    output.push(0);
}

/// Returns whether the session should not be used again after this error: a prepared statement can no
/// longer run, because a table has changed or the statement was closed, or the server accepts no writes.
fn ends_session(error: &DriverError) -> bool {
    matches!(error, DriverError::Server { code, .. }
        if ["0A000", "26000", READ_ONLY].contains(&code.as_str()))
}

/// The SQLSTATE of a write to a read-only server.
pub(super) const READ_ONLY: &str = "25006";

fn read_only_error() -> DriverError {
    DriverError::Server {
        code: READ_ONLY.into(),
        message: "the server accepts no writes".into(),
    }
}
