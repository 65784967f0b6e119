//! Reads and changes the rows of a service's database.

use sea_orm::{ConnectionTrait, DbBackend, QueryResult, Statement};

use super::TestApp;

impl TestApp {
    /// Counts rows. `from` is a table with an optional condition, such as `events WHERE title =
    /// 'x'`.
    pub async fn count_rows(&self, from: &str) -> i64 {
        let rows = self
            .query_rows(format!("SELECT count(*) AS n FROM {from}"))
            .await;
        rows[0].try_get("", "n").expect("a number")
    }

    /// The rows of a table as texts, without the columns in `but`. Their order is undefined.
    pub async fn table_texts(&self, table: &str, but: &[&str]) -> Vec<String> {
        let columns = if self.backend() == DbBackend::Postgres {
            format!(
                "SELECT column_name AS name FROM information_schema.columns \
                 WHERE table_schema = 'public' AND table_name = '{table}'"
            )
        } else {
            format!("SELECT name FROM pragma_table_info('{table}')")
        };
        let columns = self.query_rows(columns).await;
        let names = columns
            .iter()
            .map(|row| row.try_get::<String>("", "name").expect("a name"));
        let mut names: Vec<String> = names.filter(|name| !but.contains(&name.as_str())).collect();
        assert!(!names.is_empty(), "{table}");
        names.sort();
        let told = names
            .iter()
            .map(|name| format!("'{name}=', CAST(\"{name}\" AS TEXT)"));
        let row = told.collect::<Vec<_>>().join(", '; ', ");
        let rows = self.query_rows(format!("SELECT concat({row}) AS told FROM {table}"));
        let rows = rows.await;
        let text = |row: &QueryResult| row.try_get("", "told").expect("text");
        rows.iter().map(text).collect()
    }

    /// Whether a row of any table contains this text.
    pub async fn contains_text(&self, text: &str) -> bool {
        self.contains_text_outside("", text).await
    }

    /// Whether a row of any table except `excepted` contains the text.
    pub async fn contains_text_outside(&self, excepted: &str, text: &str) -> bool {
        let postgres = self.backend() == DbBackend::Postgres;
        let tables = if postgres {
            "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
        } else {
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        };
        let tables = self.query_rows(tables.into()).await;
        assert!(tables.len() > 5);
        for table in tables {
            let table: String = table.try_get("", "name").expect("a name");
            if table == excepted {
                continue;
            }
            let row = if postgres {
                "t::text".to_owned()
            } else {
                let columns = format!("SELECT name FROM pragma_table_info('{table}')");
                let columns = self.query_rows(columns).await;
                let name = |row: &QueryResult| row.try_get::<String>("", "name").expect("a name");
                let columns: Vec<_> = columns.iter().map(name).collect();
                format!("concat({})", columns.join(", "))
            };
            let found = format!("\"{table}\" t WHERE {row} LIKE '%{text}%'");
            if self.count_rows(&found).await > 0 {
                return true;
            }
        }
        false
    }

    /// Executes a statement in its own transaction.
    pub async fn execute_statement(&self, sql: &str, values: impl IntoIterator<Item = String>) {
        let values = values.into_iter().map(Into::into);
        let statement = Statement::from_sql_and_values(self.backend(), sql, values);
        let services = &self.app.gateway.services;
        let tx = services.db.begin().await.expect("begins");
        let ran = tx.conn().execute_raw(statement).await;
        ran.expect("the statement runs");
        tx.commit().await.expect("commits");
    }

    /// Runs a query.
    pub async fn query_rows(&self, sql: String) -> Vec<QueryResult> {
        let db = self.app.gateway.services.db.reader();
        let rows = db.query_all_raw(Statement::from_string(self.backend(), sql));
        rows.await.expect("the query runs")
    }

    pub fn backend(&self) -> DbBackend {
        self.app.gateway.services.db.reader().get_database_backend()
    }
}
