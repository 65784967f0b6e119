//! Migrations of the database schema.
//!
//! `Db::migrate` applies all pending migrations in one transaction and records them in
//! `seaql_migrations`. A database with a migration that this version does not know is rejected.
//!
//! With the embedded database `pauta serve` migrates by itself. With PostgreSQL it refuses to start
//! until `pauta migrate` has run, so that several instances do not migrate at once.

use std::collections::HashSet;

use migration::{MIGRATIONS, Migration};
use sea_orm::{ConnectionTrait, DbBackend, DbErr};

use crate::{Conn, Db};

/// The applied migrations, with their time in seconds since the epoch.
const TABLE: &str = "
CREATE TABLE IF NOT EXISTS seaql_migrations
    (version VARCHAR NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)";

/// Serialises concurrent migrations of the same database.
const LINE_UP: &str = "SELECT pg_advisory_xact_lock(72616366)";

impl Db {
    /// Returns the number of pending migrations.
    ///
    /// Returns an error if a later version has migrated the database.
    pub async fn pending_migrations(&self) -> Result<usize, DbErr> {
        Ok(load_pending(&self.reader()).await?.len())
    }

    /// Applies all pending migrations in one transaction. Returns their number.
    pub async fn migrate(&self) -> Result<usize, DbErr> {
        if load_pending(&self.reader()).await?.is_empty() {
            return Ok(0);
        }
        let tx = self.open_transaction();
        let db = tx.conn();
        let postgres = db.get_database_backend() == DbBackend::Postgres;
        if postgres {
            db.execute_unprepared(LINE_UP).await?;
        }
        db.execute_unprepared(TABLE).await?;
        let now = if postgres {
            "CAST(extract(epoch FROM now()) AS BIGINT)"
        } else {
            "unixepoch()"
        };
        let note = format!("INSERT INTO seaql_migrations (version, applied_at) VALUES ($1, {now})");
        let pending = load_pending(&db).await?;
        for migration in &pending {
            db.execute_unprepared(&migration.statements(postgres))
                .await?;
            db.run(&note, [migration.name.into()]).await?;
        }
        tx.commit_on_database().await?;
        Ok(pending.len())
    }
}

async fn load_pending(db: &Conn<'_>) -> Result<Vec<&'static Migration>, DbErr> {
    let applied = load_applied(db).await?;
    let known = |version: &&String| MIGRATIONS.iter().any(|known| known.name == **version);
    if let Some(later) = applied.iter().find(|version| !known(version)) {
        return Err(DbErr::Custom(format!(
            "o banco de dados já passou pela migração {later}, que esta versão do Pauta não \
             conhece; use a versão mais nova"
        )));
    }
    let pending = MIGRATIONS.iter().copied();
    Ok(pending
        .filter(|migration| !applied.contains(migration.name))
        .collect())
}

async fn load_applied(db: &Conn<'_>) -> Result<HashSet<String>, DbErr> {
    let find = if db.get_database_backend() == DbBackend::Postgres {
        "SELECT 1 AS found WHERE to_regclass('seaql_migrations') IS NOT NULL"
    } else {
        "SELECT 1 AS found FROM sqlite_schema WHERE name = 'seaql_migrations'"
    };
    if db.fetch_one(find, []).await?.is_none() {
        return Ok(HashSet::new());
    }
    let rows = db
        .fetch_all("SELECT version FROM seaql_migrations", [])
        .await?;
    rows.iter().map(|row| row.try_get("", "version")).collect()
}
