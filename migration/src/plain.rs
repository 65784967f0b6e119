//! Migrations that consist of SQL only.

/// A migration: the statements for both databases, followed by those for one of them.
///
/// In `up`, `{bytewise}` is replaced by the collation that makes PostgreSQL compare bytes, as
/// SQLite does. `{clustered}` after a table makes the database store its rows in key order, if
/// supported.
#[derive(Debug)]
pub struct Plain {
    pub name: &'static str,
    pub up: &'static str,
    pub up_on_sqlite: &'static str,
    pub up_on_postgres: &'static str,
}

impl Plain {
    pub(crate) const EMPTY: Self = Self {
        name: "",
        up: "",
        up_on_sqlite: "",
        up_on_postgres: "",
    };

    /// Returns the SQL of the migration for PostgreSQL or, if `postgres` is false, for SQLite.
    #[must_use]
    pub fn statements(&self, postgres: bool) -> String {
        let (bytewise, clustered, only_here) = if postgres {
            ("COLLATE \"C\"", "", self.up_on_postgres)
        } else {
            ("", "WITHOUT ROWID", self.up_on_sqlite)
        };
        let up = self.up.replace("{bytewise}", bytewise);
        up.replace("{clustered}", clustered) + only_here
    }
}
