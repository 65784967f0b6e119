//! PgBouncer in transaction mode between the service and its server.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use domain::Role;
use futures::future::join_all;
use serde_json::json;
use store::{Db, announcements};
use tempfile::TempDir;

use super::{free_port, give_away, unprivileged};
use crate::support::TestApp;

/// A timeout that no test reaches, on any machine.
const FOREVER: Duration = Duration::from_secs(30);
/// The number of sessions that PgBouncer opens with the server.
const SESSIONS: usize = 4;

/// A running PgBouncer.
struct Pooler {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl Pooler {
    /// Starts PgBouncer in front of the database server with this URL.
    async fn start(server: &reqwest::Url) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (port, file) = (free_port(), folder.path().join("pgbouncer.ini"));
        let settings = format!(
            "[databases]\n* = host={} port={} user={} password={}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = transaction\ndefault_pool_size = {SESSIONS}\n\
             max_client_conn = 200\n",
            server.host_str().expect("a host"),
            server.port().unwrap_or(5432),
            server.username(),
            server.password().unwrap_or_default(),
        );
        fs::write(&file, settings).expect("writes");
        give_away(folder.path());
        let program = Path::new("pgbouncer");
        let process = unprivileged(program)
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("pgbouncer is installed; .ci/install does it");
        let pooler = Self {
            process,
            port,
            _folder: folder,
        };
        let begun = Instant::now();
        while tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_err()
        {
            assert!(begun.elapsed() < FOREVER, "pgbouncer does not listen");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        pooler
    }

    /// Returns the URL by which the database is reached through PgBouncer.
    fn url(&self, direct: &reqwest::Url) -> String {
        let mut url = direct.clone();
        url.set_host(Some("127.0.0.1")).expect("a host");
        url.set_port(Some(self.port)).expect("a port");
        url.query_pairs_mut().append_pair("pgbouncer", "true");
        url.into()
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_share_pgbouncer_sessions_and_notifications_use_the_direct_address() {
    let direct = TestApp::new().await;
    let url = reqwest::Url::parse(direct.database_url()).expect("a URL");
    if url.scheme() != "postgres" {
        return;
    }
    let pooler = Pooler::start(&url).await;
    let settings = vec![
        ("PAUTA_DATABASE_URL", pooler.url(&url)),
        ("PAUTA_DATABASE_DIRECT_URL", url.to_string()),
    ];
    let app = direct.second_instance_with(settings).await;
    let db = &app.app.gateway.services.db;
    let mut heard = announcements::listen(db, "teste").await.expect("listens");
    let heard = heard.as_mut().expect("a subscription");
    let lead = app.as_member(Role::Lider).await;
    for round in 0..10 {
        // Makes more concurrent calls than PgBouncer has sessions. Each call writes in several round
        // trips.
        let calls = (0..8 * SESSIONS).map(|number| {
            let lead = lead.with_idempotency_key(&format!("rodada-{round}-peca-{number}"));
            async move {
                let input = json!({ "title": format!("Peça {round}, {number}") });
                let made = lead.post("/api/demanda", input.clone()).await;
                let again = lead.post("/api/demanda", input).await;
                assert_eq!(made.expect(200).body, again.expect(200).body);
                lead.get("/api/eventos?limit=5").await.expect(200);
            }
        });
        join_all(calls).await;
    }
    let made = i64::try_from(10 * 8 * SESSIONS).expect("a small number");
    assert_eq!(direct.count_rows("events").await, made);

    // A notification that is sent through PgBouncer arrives at the session that is connected directly to
    // the server.
    let tx = db.begin().await.expect("begins");
    announcements::announce(&tx.conn(), "teste", "olá")
        .await
        .expect("announces");
    tx.commit().await.expect("commits");
    let text = tokio::time::timeout(FOREVER, heard.next())
        .await
        .expect("in time");
    assert_eq!(text.expect("hears").as_deref(), Some("olá"));
    app.anonymous().get("/readyz").await.expect(200);
}

#[tokio::test]
async fn an_address_of_pgbouncer_needs_the_direct_address_of_the_server() {
    for (url, direct) in [
        ("postgres://ana@127.0.0.1:1/pauta?pgbouncer=true", None),
        (
            "postgres://ana@127.0.0.1:1/pauta?pgbouncer=true",
            Some("postgres://ana@127.0.0.1:2/pauta?pgbouncer=true"),
        ),
    ] {
        let error = Db::open_with_direct(url, direct)
            .await
            .expect_err("is refused");
        assert!(
            error.to_string().contains("PAUTA_DATABASE_DIRECT_URL"),
            "{error}"
        );
    }
}
