//! A migrated database per test, copied from one that is made once per process.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

use sea_orm::{ConnectionTrait, Database as Connect};
use store::Db;
use tokio::sync::OnceCell;

static COUNT: AtomicU32 = AtomicU32::new(0);

/// Deleted when its test ends.
pub struct Database {
    pub url: String,
    /// The folder of media, and with SQLite of the database.
    pub directory: tempfile::TempDir,
}

impl Database {
    pub async fn new() -> Self {
        match std::env::var("PAUTA_TEST_DATABASE_URL") {
            Ok(server) => Self::postgres(&server).await,
            Err(_) => Self::sqlite().await,
        }
    }

    /// An embedded database, whatever the other tests use.
    pub async fn sqlite() -> Self {
        static TEMPLATE: OnceCell<(tempfile::TempDir, PathBuf)> = OnceCell::const_new();
        let (_, template) = TEMPLATE
            .get_or_init(|| async {
                let directory = tempfile::tempdir().expect("a temporary directory");
                let path = directory.path().join("template.db");
                let db = Db::open(&format!("sqlite://{}", path.display()))
                    .await
                    .expect("opens");
                db.migrate().await.expect("migrates");
                db.close().await.expect("closes");
                (directory, path)
            })
            .await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("pauta.db");
        std::fs::copy(template, &path).expect("copies");
        Self {
            url: format!("sqlite://{}", path.display()),
            directory,
        }
    }

    async fn postgres(server: &str) -> Self {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let named = |name: &str| {
            let (base, _) = server.rsplit_once('/').expect("a URL with a database name");
            format!("{base}/{name}")
        };
        let run = |sql: String| async move {
            let admin = Connect::connect(server).await.expect("the server answers");
            admin
                .execute_unprepared(&sql)
                .await
                .expect("the statement runs");
            admin.close().await.expect("closes");
        };
        let template = TEMPLATE
            .get_or_init(|| async {
                let name = format!("pauta_template_{}", std::process::id());
                run(format!("CREATE DATABASE {name}")).await;
                let db = Db::open(&named(&name)).await.expect("opens");
                db.migrate().await.expect("migrates");
                db.close().await.expect("closes");
                name
            })
            .await;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pauta_test_{}_{count}", std::process::id());
        run(format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        Self {
            url: named(&name),
            directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }
}
