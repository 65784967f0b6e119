//! A migration that consists of SQL only.

/// The statements for both databases, followed by those for one of them.
///
/// `{bytewise}` in `up` becomes the collation with which PostgreSQL compares bytes, as SQLite does, and
/// `{clustered}` after a table keeps its rows in the order of their key, where the database can.
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

    /// What one of the databases runs.
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
