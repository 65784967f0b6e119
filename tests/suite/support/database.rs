//! A migrated database per test, copied from a template that is created once per process.

use std::sync::{
    LazyLock,
    atomic::{AtomicU32, Ordering},
    mpsc,
};

use sea_orm::ConnectionTrait;
use store::Db;
use tokio::sync::OnceCell;

static COUNT: AtomicU32 = AtomicU32::new(0);

/// A test's database, deleted after the test: the databases of all tests would fill 12 GB.
pub struct Database {
    pub url: String,
    /// The folder for media files and, with SQLite, the database file.
    pub directory: tempfile::TempDir,
    /// With PostgreSQL, the URL of the server and the name of the database.
    on_server: Option<(String, String)>,
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some((server, name)) = self.on_server.take() {
            delete_later(server, name);
        }
    }
}

/// Deletes a database on another thread, because waiting for the deletion can deadlock: the server
/// waits for all of its processes, and one of them may be in a handshake with this test.
///
/// Databases whose deletion is pending when the process ends are not deleted.
fn delete_later(server: String, name: String) {
    static DELETIONS: LazyLock<mpsc::Sender<(String, String)>> = LazyLock::new(|| {
        let (sender, deletions) = mpsc::channel();
        std::thread::spawn(move || delete_databases(&deletions));
        sender
    });
    // A database that is not deleted takes up space, but does not affect other tests.
    let _ = DELETIONS.send((server, name));
}

fn delete_databases(deletions: &mpsc::Receiver<(String, String)>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    for (server, name) in deletions {
        let deleted = runtime.block_on(async {
            let db = Db::open(&server).await?;
            let delete = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
            db.reader().execute_unprepared(&delete).await?;
            db.close().await
        });
        if let Err(error) = deleted {
            eprintln!("{name} was not deleted: {error}");
        }
    }
}

impl Database {
    pub async fn new() -> Self {
        match std::env::var("PAUTA_TEST_DATABASE_URL") {
            Ok(server) => Self::new_postgres(&server).await,
            Err(_) => Self::new_sqlite().await,
        }
    }

    /// A SQLite database, even if the other tests use PostgreSQL.
    pub async fn new_sqlite() -> Self {
        // The template is kept in memory, because nothing deletes the files of a `static`.
        static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
        let template = TEMPLATE
            .get_or_init(|| async {
                let directory = tempfile::tempdir().expect("a temporary directory");
                let path = directory.path().join("template.db");
                let db = Db::open(&format!("sqlite://{}", path.display()))
                    .await
                    .expect("opens");
                db.migrate().await.expect("migrates");
                db.close().await.expect("closes");
                std::fs::read(path).expect("reads")
            })
            .await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("pauta.db");
        std::fs::write(&path, template).expect("writes");
        Self {
            url: format!("sqlite://{}", path.display()),
            directory,
            on_server: None,
        }
    }

    async fn new_postgres(server: &str) -> Self {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let template = TEMPLATE
            .get_or_init(|| async {
                let name = format!("pauta_template_{}", std::process::id());
                execute(server, &format!("CREATE DATABASE {name}")).await;
                let db = Db::open(&database_url(server, &name)).await.expect("opens");
                db.migrate().await.expect("migrates");
                db.close().await.expect("closes");
                name
            })
            .await;
        Self::postgres_from_template(server, template).await
    }

    async fn postgres_from_template(server: &str, template: &str) -> Self {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pauta_test_{}_{count}", std::process::id());
        // `FILE_COPY` takes one fifth of the time of the default strategy, which writes the whole
        // template to the write-ahead log.
        let create = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY");
        execute(server, &create).await;
        Self {
            url: database_url(server, &name),
            directory: tempfile::tempdir().expect("a temporary directory"),
            on_server: Some((server.to_owned(), name)),
        }
    }

    /// Creates a database with these statements, without migrations.
    pub async fn from_dump(sqlite: &str, postgres: &str) -> Self {
        match std::env::var("PAUTA_TEST_DATABASE_URL") {
            Ok(server) => {
                let database = Self::postgres_from_template(&server, "template0").await;
                execute(&database.url, postgres).await;
                database
            }
            Err(_) => {
                let directory = tempfile::tempdir().expect("a temporary directory");
                let path = directory.path().join("pauta.db");
                let db = rusqlite::Connection::open(&path).expect("opens");
                db.execute_batch(sqlite).expect("the statements run");
                Self {
                    url: format!("sqlite://{}", path.display()),
                    directory,
                    on_server: None,
                }
            }
        }
    }
}

fn database_url(server: &str, database: &str) -> String {
    let (base, _) = server.rsplit_once('/').expect("a URL with a database name");
    format!("{base}/{database}")
}

async fn execute(url: &str, sql: &str) {
    let db = Db::open(url).await.expect("the server answers");
    db.reader()
        .execute_unprepared(sql)
        .await
        .expect("the statement runs");
    db.close().await.expect("closes");
}
