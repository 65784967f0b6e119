//! A migration that consists of SQL only.

use sea_orm_migration::{prelude::*, sea_orm::DbBackend};

/// The statements for both databases, followed by those for one of them.
///
/// `{bytewise}` in `up` becomes the collation with which PostgreSQL compares bytes, as SQLite does.
pub(crate) struct Plain {
    pub name: &'static str,
    pub up: &'static str,
    pub up_on_sqlite: &'static str,
    pub up_on_postgres: &'static str,
    pub down: &'static str,
}

impl Plain {
    pub(crate) const EMPTY: Self = Self {
        name: "",
        up: "",
        up_on_sqlite: "",
        up_on_postgres: "",
        down: "",
    };
}

impl MigrationName for Plain {
    fn name(&self) -> &str {
        self.name
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Plain {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (bytewise, only_here) = match manager.get_database_backend() {
            DbBackend::Postgres => ("COLLATE \"C\"", self.up_on_postgres),
            _ => ("", self.up_on_sqlite),
        };
        let statements = self.up.replace("{bytewise}", bytewise) + only_here;
        let db = manager.get_connection();
        db.execute_unprepared(&statements).await.map(drop)
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let db = manager.get_connection();
        db.execute_unprepared(self.down).await.map(drop)
    }
}
