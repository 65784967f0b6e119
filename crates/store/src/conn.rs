//! Connections that run queries.

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, ExecResult, ProxyExecResult, QueryResult, Statement, Value,
};
use tracing::Instrument;

use domain::Error;

use crate::{
    db::{Backend, Db},
    many::{ROWS, bind_rows},
    postgres::{Postgres, Transaction},
    row::Row,
    sqlite::{Cell, Found, InOrder, Participant, Sqlite, Typed},
    statement_span::{self, System},
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
    /// Returns a connection for queries outside a transaction. On SQLite the connection cannot write.
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
                return Err(Error::internal("o banco de dados só permite leitura").into());
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
    Pool(&'a Postgres),
    Transaction(&'a Tx, &'a Transaction),
}

impl Conn<'_> {
    /// Runs SQL and returns the number of changed rows.
    pub(crate) async fn run(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<u64, DbErr> {
        let values: Vec<Value> = values.into_iter().collect();
        self.execute(sql, &values).await
    }

    /// Runs SQL whose result nobody needs. In a transaction of PostgreSQL the statement is sent with the
    /// next statement or with the commit, which then also returns its error.
    pub(crate) async fn run_later(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<(), DbErr> {
        let values: Vec<Value> = values.into_iter().collect();
        match self.resolve_backend() {
            On::Transaction(tx, open) => tx.run_on_server(Box::pin(open.queue(sql, &values))).await,
            _ => self.execute(sql, &values).await.map(drop),
        }
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
        let rows = self.fetch(sql, values.into_iter().collect(), 1).await?;
        Ok(rows.into_iter().next())
    }

    pub(crate) async fn fetch_all(
        &self,
        sql: &str,
        values: impl IntoIterator<Item = Value>,
    ) -> Result<Vec<Row>, DbErr> {
        tracing::trace!(target: QUERIES, sql);
        let values = values.into_iter().collect();
        self.fetch(sql, values, usize::MAX).await
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
                Backend::Postgres(server) => On::Pool(server),
            },
            Conn::Tx(tx) => match &tx.open {
                Open::Sqlite(open) => On::Sqlite(tx, open),
                Open::Postgres(open) => On::Transaction(tx, open),
            },
        }
    }

    /// Runs a query. On SQLite it returns at most `most` rows.
    async fn fetch(&self, sql: &str, values: Vec<Value>, most: usize) -> Result<Vec<Row>, DbErr> {
        match self.resolve_backend() {
            // These futures are boxed, so that the futures of operations, which contain them, stay
            // small.
            On::Pool(server) => {
                let span = statement_span::open_read_span(System::Postgres);
                Box::pin(server.fetch(sql, &values).instrument(span)).await
            }
            On::Transaction(tx, open) => tx.run_on_server(Box::pin(open.fetch(sql, &values))).await,
            On::Readers(_) | On::Sqlite(..) => self.fetch_on_sqlite(sql, values, most).await,
        }
    }

    /// Runs a statement and returns the number of changed rows.
    async fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, DbErr> {
        match self.resolve_backend() {
            On::Readers(_) => Err(read_only_error()),
            On::Sqlite(tx, open) => {
                tx.run_on_sqlite(open, |participant| participant.execute(sql, values))
                    .await
            }
            On::Pool(server) => {
                let span = statement_span::open_write_span(System::Postgres);
                Box::pin(server.execute(sql, values).instrument(span)).await
            }
            On::Transaction(tx, open) => {
                tx.run_on_server(Box::pin(open.execute(sql, values))).await
            }
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
            On::Readers(file) => {
                let _span = statement_span::open_read_span(System::Sqlite);
                file.fetch(sql, values, most).await
            }
            On::Sqlite(tx, open) => {
                let fetch = |participant: &mut Participant| participant.fetch(sql, &values, most);
                tx.run_on_sqlite(open, fetch).await
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
        let (sql, values) = into_sql_and_values(statement);
        let changed = self.execute(&sql, &values).await?;
        Ok(ProxyExecResult::new(0, changed).into())
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let changed = match self.resolve_backend() {
            On::Pool(server) => Box::pin(server.run_script(sql)).await?,
            On::Transaction(tx, open) => tx.run_on_server(Box::pin(open.run_script(sql))).await?,
            On::Readers(_) => return Err(read_only_error()),
            On::Sqlite(tx, open) => {
                tx.run_on_sqlite(open, |participant| participant.execute_all(sql))
                    .await?;
                0
            }
        };
        Ok(ProxyExecResult::new(0, changed).into())
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let (sql, values) = into_sql_and_values(statement);
        let rows = self.fetch(&sql, values, 1).await?;
        Ok(rows.into_iter().next().map(Row::into_query_result))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let (sql, values) = into_sql_and_values(statement);
        let rows = self.fetch(&sql, values, usize::MAX).await?;
        Ok(rows.into_iter().map(Row::into_query_result).collect())
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
