//! Connections that run queries.

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    ProxyExecResult, QueryResult, Statement, Value,
};

use domain::Error;

use crate::{
    availability::Availability,
    db::{Backend, Db},
    many::{ROWS, bind_rows},
    row::{Row, SqliteRow},
    sqlite::{Cell, Found, InOrder, Participant, Sqlite, Typed},
    tx::{Open, SqliteTx, Tx},
};

/// The tracing target of SQL statements. Their values are not traced.
const QUERIES: &str = "store::queries";

/// A connection for queries: one of the readers, or an open transaction.
#[derive(Clone, Copy, Debug)]
pub enum Conn<'a> {
    Reader(&'a Db),
    Tx(&'a Tx),
}

impl Db {
    /// A connection for queries outside a transaction. On SQLite it cannot write.
    #[must_use]
    pub fn reader(&self) -> Conn<'_> {
        Conn::Reader(self)
    }

    /// Returns an error if the database rejects writes. On SQLite this is tested by a write that
    /// changes nothing.
    pub async fn require_writable(&self) -> crate::Result<()> {
        let tx = self.begin().await?;
        let conn = tx.conn();
        if self.backend() == DbBackend::Postgres {
            let row = conn.fetch_one("SHOW transaction_read_only", []).await?;
            let row = row.ok_or_else(|| Error::internal("SHOW returned no row"))?;
            if row.try_get::<String>("", "transaction_read_only")? != "off" {
                return Err(Error::internal("the database is read-only").into());
            }
            return Ok(());
        }
        conn.run("UPDATE team SET turn = turn WHERE id = 1", [])
            .await?;
        tx.commit().await
    }
}

impl Tx {
    #[must_use]
    pub fn conn(&self) -> Conn<'_> {
        Conn::Tx(self)
    }
}

/// A [`Conn`], resolved to the connection of its database.
enum On<'a> {
    Readers(&'a Sqlite),
    Sqlite(&'a Tx, &'a SqliteTx),
    Pool(&'a DatabaseConnection, &'a Availability),
    Transaction(&'a Tx, &'a DatabaseTransaction, &'a Availability),
}

impl Conn<'_> {
    /// Runs constant SQL and returns the number of changed rows.
    pub(crate) async fn run(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<u64, DbErr> {
        if self.is_sqlite() {
            let values: Vec<Value> = values.into_iter().collect();
            return self.execute_on_sqlite(sql, &values).await;
        }
        let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, values);
        Ok(self.execute_raw(statement).await?.rows_affected())
    }

    /// Inserts rows. `head` is `INTO t (a, b)`; `tail` is the SQL after the rows. Returns the
    /// number of rows inserted or changed. An error breaks the transaction.
    pub(crate) async fn insert<const N: usize>(
        &self,
        (head, tail): (&str, &str),
        rows: &[[Cell<'_>; N]],
    ) -> Result<u64, DbErr> {
        let written = match self.resolve_backend() {
            On::Readers(_) => return Err(read_only_error()),
            On::Sqlite(tx, open) => {
                let insert = |one: &mut Participant| one.insert((head, tail), rows);
                let written = tx.run_on_sqlite(open, insert).await;
                // SQLite keeps the rows inserted before the error, so the transaction must not be
                // committed.
                written.inspect_err(|_| tx.mark_broken())? as u64
            }
            On::Pool(..) | On::Transaction(..) => {
                let mut written = 0;
                for batch in rows.chunks(ROWS) {
                    let (rows, values) = bind_rows(batch.iter().map(|row| row.map(Value::from)));
                    let sql = format!("INSERT {head} VALUES {rows} {tail}");
                    written += self.run(&sql, values).await?;
                }
                written
            }
        };
        Ok(written)
    }

    pub(crate) async fn fetch_one(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Option<Row>, DbErr> {
        tracing::trace!(target: QUERIES, sql);
        if self.is_sqlite() {
            let values = values.into_iter().collect();
            let mut rows = self.fetch_on_sqlite(sql, values, 1).await?;
            return Ok(rows.pop().map(Row::Sqlite));
        }
        let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, values);
        Ok(self.query_one_raw(statement).await?.map(Row::Postgres))
    }

    pub(crate) async fn fetch_all(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Vec<Row>, DbErr> {
        tracing::trace!(target: QUERIES, sql);
        if self.is_sqlite() {
            let values = values.into_iter().collect();
            let rows = self.fetch_on_sqlite(sql, values, usize::MAX).await?;
            return Ok(rows.into_iter().map(Row::Sqlite).collect());
        }
        let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, values);
        let rows = self.query_all_raw(statement).await?;
        Ok(rows.into_iter().map(Row::Postgres).collect())
    }

    /// Runs a query on SQLite and deserializes its rows.
    pub(crate) async fn fetch_deserialized<T: InOrder>(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Vec<T>, DbErr> {
        tracing::trace!(target: QUERIES, sql);
        let rows = self
            .fetch_on_sqlite::<Typed<T>>(sql, values, usize::MAX)
            .await?;
        Ok(rows.into_iter().map(|Typed(row)| row).collect())
    }

    pub(crate) fn is_sqlite(&self) -> bool {
        self.get_database_backend() == DbBackend::Sqlite
    }

    fn resolve_backend(&self) -> On<'_> {
        match self {
            Conn::Reader(db) => match &db.0 {
                Backend::Sqlite(file) => On::Readers(file),
                Backend::Postgres { pool, server } => On::Pool(pool, server),
            },
            Conn::Tx(tx) => match &tx.open {
                Open::Sqlite(open) => On::Sqlite(tx, open),
                Open::Postgres {
                    transaction,
                    server,
                    ..
                } => On::Transaction(tx, transaction, server),
            },
        }
    }

    /// Runs a query on SQLite; returns at most `most` rows.
    async fn fetch_on_sqlite<F: Found>(
        &self,
        sql: &str,
        values: Vec<Value>,
        most: usize,
    ) -> Result<Vec<F>, DbErr> {
        match self.resolve_backend() {
            On::Readers(file) => file.fetch(sql, values, most).await,
            On::Sqlite(tx, open) => {
                let fetch = |participant: &mut Participant| participant.fetch(sql, &values, most);
                tx.run_on_sqlite(open, fetch).await
            }
            On::Pool(..) | On::Transaction(..) => Err(not_sqlite_error()),
        }
    }

    /// Runs a statement on SQLite and returns the number of changed rows.
    async fn execute_on_sqlite(&self, sql: &str, values: &[Value]) -> Result<u64, DbErr> {
        match self.resolve_backend() {
            On::Readers(_) => Err(read_only_error()),
            On::Sqlite(tx, open) => {
                tx.run_on_sqlite(open, |participant| participant.execute(sql, values))
                    .await
            }
            On::Pool(..) | On::Transaction(..) => Err(not_sqlite_error()),
        }
    }
}

#[async_trait]
impl ConnectionTrait for Conn<'_> {
    fn get_database_backend(&self) -> DbBackend {
        match self.resolve_backend() {
            On::Readers(_) | On::Sqlite(..) => DbBackend::Sqlite,
            On::Pool(..) | On::Transaction(..) => DbBackend::Postgres,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self.resolve_backend() {
            On::Pool(pool, server) => {
                let _wanted = server.count_caller();
                pool.execute_raw(statement).await
            }
            On::Transaction(tx, open, server) => {
                tx.run_on_server(server, open.execute_raw(statement)).await
            }
            On::Readers(_) | On::Sqlite(..) => {
                let (sql, values) = into_sql_and_values(statement);
                let changed = self.execute_on_sqlite(&sql, &values).await?;
                Ok(ProxyExecResult::new(0, changed).into())
            }
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self.resolve_backend() {
            On::Pool(pool, server) => {
                let _wanted = server.count_caller();
                pool.execute_unprepared(sql).await
            }
            On::Transaction(tx, open, server) => {
                tx.run_on_server(server, open.execute_unprepared(sql)).await
            }
            On::Readers(_) => Err(read_only_error()),
            On::Sqlite(tx, open) => {
                tx.run_on_sqlite(open, |participant| participant.execute_all(sql))
                    .await?;
                Ok(ProxyExecResult::default().into())
            }
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self.resolve_backend() {
            On::Pool(pool, server) => {
                let _wanted = server.count_caller();
                // A read can be repeated, so it is retried if its connection was lost.
                server.retry(|| pool.query_one_raw(statement.clone())).await
            }
            On::Transaction(tx, open, server) => {
                tx.run_on_server(server, open.query_one_raw(statement))
                    .await
            }
            On::Readers(_) | On::Sqlite(..) => {
                let (sql, values) = into_sql_and_values(statement);
                let mut rows = self.fetch_on_sqlite(&sql, values, 1).await?;
                Ok(rows.pop().map(SqliteRow::into_query_result))
            }
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self.resolve_backend() {
            On::Pool(pool, server) => {
                let _wanted = server.count_caller();
                // A read can be repeated, so it is retried if its connection was lost.
                server.retry(|| pool.query_all_raw(statement.clone())).await
            }
            On::Transaction(tx, open, server) => {
                tx.run_on_server(server, open.query_all_raw(statement))
                    .await
            }
            On::Readers(_) | On::Sqlite(..) => {
                let (sql, values) = into_sql_and_values(statement);
                let rows = self.fetch_on_sqlite(&sql, values, usize::MAX).await?;
                Ok(rows.into_iter().map(SqliteRow::into_query_result).collect())
            }
        }
    }
}

fn into_sql_and_values(statement: Statement) -> (String, Vec<Value>) {
    let values = statement.values.map(|values| values.0);
    (statement.sql, values.unwrap_or_default())
}

fn read_only_error() -> DbErr {
    DbErr::Custom("a write was run on a reader, which cannot write".into())
}

fn not_sqlite_error() -> DbErr {
    DbErr::Custom("a query for SQLite was run on PostgreSQL".into())
}
