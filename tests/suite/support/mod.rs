//! A service for each test, and clients for its principals.

mod backup;
mod client;
mod database;
pub mod examples;
mod guests;
mod listener;
mod log;
mod meter;
pub mod openai;
pub mod plans;
mod published;
mod random;
mod rows;
mod s3;
mod server;
mod small_disk;
mod steps;
mod tasks;
mod video;
mod wire;

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::Router;
use domain::{
    Capabilities, Capability, Level, MemberId, Role, TokenId, TokenSecret, UserId, time::DAY,
};
use gateway::{Area, Entry, Gateway, Registry};
use identity::Passwords;
use pauta::{
    app::{self, App},
    config::{Config, Sources},
};
use ports::{Clock, IdentityProvider};
use store::{
    Tx, accounts,
    members::{self, Member},
    tokens::{self, Token},
};
use tools::{operations, operator, pages};

pub use backup::back_up;
pub use client::{Answer, Client, Tool, encode_form, split_request_id};
use database::Database;
pub use guests::guest_secret;
pub use listener::{Listener, short_limits};
pub use log::{Log, log_to};
pub use meter::{Bystander, MB, Meter};
pub use published::published_name;
pub use random::Random;
use s3::S3Server;
pub use s3::{BUCKET as S3_BUCKET, KEY_ID as S3_KEY_ID, SECRET as S3_SECRET};
pub use server::{Given, Server, exchange_request, http_request};
pub use small_disk::rerun_on_small_disk;
pub use steps::{ACCEPTS_STREAM, OpenCall, assert_steps};
pub use video::{video_file, video_file_of};
pub use wire::{Reply, Wire, request_head, run_blocking};

/// The time at which a test starts: Saturday, 22 August 2026, 12:00 in Brasilia.
pub const NOON: i64 = 1_787_410_800_000;

/// The password hash of members without a password. It matches no known password.
const NO_PASSWORD: &str = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$\
                           AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// The master secret of every service under test.
pub const SECRET: &str = "a secret that only the tests know, long enough";

/// A clock that moves only when a test sets it.
pub struct TestClock {
    now: AtomicI64,
    reads: AtomicUsize,
}

impl TestClock {
    fn starting_at(now: i64) -> Arc<Self> {
        Arc::new(Self {
            now: AtomicI64::new(now),
            reads: AtomicUsize::new(0),
        })
    }
}

impl Clock for TestClock {
    fn now(&self) -> i64 {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.now.load(Ordering::SeqCst)
    }
}

/// A service with its own database.
pub struct TestApp {
    pub app: App,
    pub router: Router,
    clock: Arc<TestClock>,
    database: Arc<Database>,
    settings: Settings,
    s3: Option<Arc<S3Server>>,
}

/// Settings by the names of their environment variables. They are added to the settings of every
/// test.
pub type Settings = Vec<(&'static str, String)>;

/// A registry with these operations and pages, all in one area.
pub fn build_registry<'o, 'p>(
    operations: impl IntoIterator<Item = &'o Entry>,
    pages: impl IntoIterator<Item = &'p Entry>,
) -> Registry {
    static AREA: Area = Area::new("system", "");
    Registry::default().with_area(&AREA, operations, pages)
}

impl TestApp {
    pub async fn new() -> Self {
        Self::with_settings([]).await
    }

    /// A service on SQLite, even if the other tests use PostgreSQL.
    pub async fn on_sqlite() -> Self {
        let database = Arc::new(Database::new_sqlite().await);
        let clock = TestClock::starting_at(NOON);
        Self::with_database(database, clock, vec![], None).await
    }

    /// A service over a database that is created by statements, one text for each backend, without
    /// migrations.
    pub async fn from_dump(sqlite: &str, postgres: &str) -> Self {
        let database = Arc::new(Database::from_dump(sqlite, postgres).await);
        Self::with_database(database, TestClock::starting_at(NOON), vec![], None).await
    }

    /// A service with additional settings.
    pub async fn with_settings(settings: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self::build(settings.into_iter().collect(), None).await
    }

    /// A service with these pages instead of the usual ones.
    pub async fn with_pages(pages: impl IntoIterator<Item = &Entry>) -> Self {
        Self::new().await.change_gateway(|gateway| Gateway {
            registry: Arc::new(build_registry(operations(), pages)),
            ..gateway
        })
    }

    /// A service that stores its media in a bucket of an S3 server.
    pub async fn with_s3() -> Self {
        let database = Arc::new(Database::new().await);
        let server = S3Server::start(database.directory.path()).await;
        let settings = vec![
            ("PAUTA_STORAGE", format!("s3://{}/midias", s3::BUCKET)),
            ("PAUTA_S3_ENDPOINT", server.endpoint.clone()),
            ("PAUTA_S3_ACCESS_KEY_ID", s3::KEY_ID.to_owned()),
            ("PAUTA_S3_SECRET_ACCESS_KEY", s3::SECRET.to_owned()),
        ];
        let clock = TestClock::starting_at(NOON);
        let app = Self::with_database(database, clock, settings, None).await;
        Self {
            s3: Some(Arc::new(server)),
            ..app
        }
    }

    /// The S3 server, if the service stores its media there.
    pub fn s3_server(&self) -> Option<&S3Server> {
        self.s3.as_deref()
    }

    /// A service with this identity provider.
    pub async fn with_identity(identity: Arc<dyn IdentityProvider>) -> Self {
        Self::build(vec![], Some(identity)).await
    }

    /// A service with these operations instead of the usual ones, and with this timeout for each.
    pub async fn with_table(table: &[Entry], timeout: Duration) -> Self {
        Self::with_registry(build_registry(table, pages()), timeout).await
    }

    /// A service with this registry and this timeout for operations.
    pub async fn with_registry(registry: Registry, timeout: Duration) -> Self {
        Self::new().await.change_gateway(|gateway| Gateway {
            registry: Arc::new(registry),
            timeout,
            ..gateway
        })
    }

    /// The same service with this value added to `Parts`.
    pub fn with_part<T: Send + Sync + 'static>(self, part: T) -> Self {
        self.change_gateway(|mut gateway| {
            let parts = std::mem::take(&mut gateway.services.parts);
            gateway.services.parts = parts.with(part);
            gateway
        })
    }

    /// The number of times the clock was read.
    pub fn clock_reads(&self) -> usize {
        self.clock.reads.load(Ordering::SeqCst)
    }

    /// Drops the router and returns the gateway.
    pub fn into_gateway(self) -> Gateway {
        drop(self.router);
        Arc::into_inner(self.app.gateway).expect("no other reference to the gateway")
    }

    fn change_gateway(mut self, change: impl FnOnce(Gateway) -> Gateway) -> Self {
        self.router = Router::new();
        let gateway = Arc::into_inner(self.app.gateway).expect("no other reference to the gateway");
        let app = App {
            gateway: Arc::new(change(gateway)),
            ..self.app
        };
        Self {
            router: build_router(&app, &self.database),
            app,
            ..self
        }
    }

    async fn build(settings: Settings, identity: Option<Arc<dyn IdentityProvider>>) -> Self {
        let database = Arc::new(Database::new().await);
        let clock = TestClock::starting_at(NOON);
        Self::with_database(database, clock, settings, identity).await
    }

    /// Another instance of the service over the same database and clock.
    pub async fn second_instance(&self) -> Self {
        self.second_instance_with(self.settings.clone()).await
    }

    /// Another instance over the same database and clock, with these settings.
    pub async fn second_instance_with(&self, settings: Settings) -> Self {
        let (database, clock) = (self.database.clone(), self.clock.clone());
        Self::with_database(database, clock, settings, None).await
    }

    async fn with_database(
        database: Arc<Database>,
        clock: Arc<TestClock>,
        settings: Settings,
        identity: Option<Arc<dyn IdentityProvider>>,
    ) -> Self {
        pauta::providers::install_tls_provider();
        let given = [
            ("PAUTA_DATABASE_URL", database.url.clone()),
            ("PAUTA_SECRET", SECRET.into()),
            (
                "PAUTA_STORAGE",
                storage_folder(&database).display().to_string(),
            ),
        ];
        let config = Config::read(&Sources::from_pairs(
            given.into_iter().chain(settings.clone()),
        ))
        .expect("a valid configuration");
        let db = app::open_database(&config)
            .await
            .expect("the database opens");
        let public = config.public_url.clone();
        let url = public.unwrap_or_else(|| "http://127.0.0.1:8080".to_owned());
        let app = match identity {
            None => app::assemble(&config, db, url, clock.clone()).await,
            Some(identity) => {
                let passwords = Passwords::default();
                app::assemble_with(&config, db, url, clock.clone(), identity, passwords).await
            }
        };
        let app = app.expect("the service assembles");
        Self {
            router: build_router(&app, &database),
            app,
            clock,
            database,
            settings,
            s3: None,
        }
    }

    /// The URL of the service's database.
    pub fn database_url(&self) -> &str {
        &self.database.url
    }

    /// The number of files in the storage, complete or not.
    pub fn stored_file_count(&self) -> usize {
        match &self.s3 {
            Some(server) => server.stored_object_count(),
            None => count_files(&storage_folder(&self.database)),
        }
    }

    pub fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Moves the clock forward.
    pub fn advance_clock(&self, millis: i64) {
        self.clock.now.fetch_add(millis, Ordering::SeqCst);
    }

    /// Adds a member with an account. The API access level is the one that matches the role.
    pub async fn add_member(&self, role: Role) -> Member {
        self.add_member_with(role, role.level(), false).await
    }

    pub async fn add_member_with(&self, role: Role, level: Level, financeiro: bool) -> Member {
        let id = MemberId::new(self.now());
        let member = Member {
            user_id: UserId::new(self.now()),
            name: format!("Pessoa {}", &id.as_str()[30..]),
            email: format!("{id}@equipe.test"),
            role,
            api_access_level: level,
            financeiro,
            active: true,
            cleanup_pending: false,
            sessions_valid_after: 0,
            created_at: self.now(),
            id,
        };
        let tx = self.begin().await;
        members::insert(&tx.conn(), &member)
            .await
            .expect("the member is new");
        let (db, id) = (tx.conn(), &member.user_id);
        accounts::create_account_if_absent(&db, id, self.now())
            .await
            .expect("an account");
        accounts::set_password(&db, id, Some(NO_PASSWORD), self.now())
            .await
            .expect("a password");
        tx.commit().await.expect("commits");
        member
    }

    /// Begins a write transaction.
    pub async fn begin(&self) -> Tx {
        let db = &self.app.gateway.services.db;
        db.begin().await.expect("a transaction")
    }

    /// A client without a credential.
    pub fn anonymous(&self) -> Client {
        Client::new(self.router.clone(), None)
    }

    /// A client with this bearer credential.
    pub fn bearer(&self, credential: impl Into<String>) -> Client {
        Client::new(self.router.clone(), Some(credential.into()))
    }

    /// Adds a member with this role; returns a client in a session of theirs.
    pub async fn as_member(&self, role: Role) -> Client {
        let member = self.add_member(role).await;
        self.session_client(&member).await
    }

    /// A client in a new session of this member.
    pub async fn session_client(&self, member: &Member) -> Client {
        let gateway = &self.app.gateway;
        let caller = operator::principal_by_email(gateway, &member.email)
            .await
            .expect("a member");
        let session = operator::open_session(gateway, &caller)
            .await
            .expect("a session");
        self.bearer(session)
    }

    /// The name and value of the session cookie of a browser in which this member has signed in.
    pub async fn session_cookie(&self, member: &Member) -> (String, String) {
        let session = self.session_client(member).await;
        let services = &self.app.gateway.services;
        let cookie = identity::browser::cookie_for_session_token(services, session.credential())
            .expect("a cookie");
        let pair = cookie.split(';').next().unwrap_or_default();
        let (name, value) = pair.split_once('=').expect("a cookie");
        (name.into(), value.into())
    }

    /// A client that sends requests like a browser in which this member has signed in, from a page
    /// of this service.
    pub async fn browser_client(&self, member: &Member) -> Client {
        let (name, value) = self.session_cookie(member).await;
        self.anonymous()
            .with_header("cookie", format!("{name}={value}"))
            .with_header("sec-fetch-site", "same-origin")
    }

    /// A client with a personal token of this member that has every scope.
    pub async fn token_client(&self, member: &Member) -> Client {
        self.token_client_with(member, Capability::ALL).await.0
    }

    /// A client with a personal token of this member that has these scopes, and the id of the
    /// token.
    pub async fn token_client_with(
        &self,
        member: &Member,
        scopes: &[Capability],
    ) -> (Client, String) {
        let secret = TokenSecret::generate();
        let token = Token {
            id: TokenId::new(self.now()),
            member_id: member.id.clone(),
            label: "teste".into(),
            prefix: secret.prefix().to_owned(),
            secret_sha256: secret.digest(),
            scopes: scopes.iter().copied().collect::<Capabilities>(),
            created_at: self.now(),
            expires_at: self.now() + 30 * DAY,
            last_used_at: None,
            revoked_at: None,
        };
        let tx = self.begin().await;
        tokens::insert(&tx.conn(), &token)
            .await
            .expect("the token is new");
        tx.commit().await.expect("commits");
        (self.bearer(secret.reveal()), token.id.into())
    }
}

/// Builds the router of a service. The router keeps a reference to the database, so that the database
/// exists as long as any client.
fn build_router(app: &App, database: &Arc<Database>) -> Router {
    pauta::router(app).layer(axum::Extension(database.clone()))
}

fn storage_folder(database: &database::Database) -> PathBuf {
    database.directory.path().join("media")
}

/// Returns the number in this environment variable, or `usual` if the variable is not set. Tests use it
/// for the amount of their work.
pub fn count_from<T: FromStr>(name: &str, usual: T) -> T {
    let asked = std::env::var(name).ok();
    asked.and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// The number of writes that competing clients make: `PAUTA_TEST_WRITES`, or 320.
pub fn write_count() -> usize {
    count_from("PAUTA_TEST_WRITES", 320)
}

/// The number of files in a folder and its subfolders.
pub fn count_files(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    // Leaves out the lock files of incomplete uploads.
    let paths = paths.filter(|path| path.file_name().is_none_or(|name| name != "lock"));
    paths
        .map(|path| if path.is_dir() { count_files(&path) } else { 1 })
        .sum()
}
