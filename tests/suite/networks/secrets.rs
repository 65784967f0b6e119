//! No token, secret, password or state appears in a table, a log, an answer or an audit row.

use domain::time::{DAY, HOUR};
use pauta::cli::log_filter;
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::json;

use super::{
    Call, Fault, NETWORKS, Stage, double::CLIENT_SECRET, request_callback, start_connecting,
};
use crate::support::{Log, SECRET, TestApp, log_to};

const PASSWORD: &str = "senha-da-plataforma-93ac";
const USERNAME: &str = "redacao-usuario@plataforma.test";

/// All values of all tables as one text.
async fn dump_database(app: &TestApp) -> String {
    let db = app.app.gateway.services.db.reader();
    let all = async |sql: String| {
        let statement = Statement::from_string(db.get_database_backend(), sql);
        db.query_all_raw(statement).await.expect("the query runs")
    };
    let postgres = db.get_database_backend() == DbBackend::Postgres;
    let tables = if postgres {
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
    } else {
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT LIKE 'knowledge_index%' AND name NOT LIKE 'event_index%'
         AND name NOT LIKE 'search_index%'"
    };
    let mut text = String::new();
    for row in all(tables.into()).await {
        let table: String = row.try_get("", "name").expect("a name");
        let rows = if postgres {
            format!("SELECT CAST(row_to_json(t) AS TEXT) AS line FROM \"{table}\" t")
        } else {
            let info = all(format!("SELECT name FROM pragma_table_info('{table}')")).await;
            let columns = info.iter().map(|row| {
                let name: String = row.try_get("", "name").expect("a name");
                format!("coalesce(CAST(\"{name}\" AS TEXT), '')")
            });
            let line = columns.collect::<Vec<_>>().join(" || ' ' || ");
            format!("SELECT {line} AS line FROM \"{table}\"")
        };
        for row in all(rows).await {
            text += &row.try_get::<String>("", "line").expect("text");
            text.push('\n');
        }
    }
    text
}

#[tokio::test]
async fn no_secret_is_shown_anywhere() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log_filter("pauta=trace,tools=trace,gateway=trace,trace"))
        .with_writer(log.clone())
        .finish();
    let logging = log_to(subscriber);
    let stage = Stage::with_more_settings([("PAUTA_NETWORK_TIMEOUT", "1".into())]).await;
    stage.networks.approve_application();
    let mut told = vec![];
    let mut hidden = vec![
        CLIENT_SECRET.to_owned(),
        PASSWORD.into(),
        USERNAME.into(),
        SECRET.into(),
    ];
    for network in NETWORKS {
        let started = start_connecting(&stage.admin, network).await;
        let path = stage.networks.authorize(&started.url).await;
        let query = path.split_once('?').expect("a query").1;
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        let state = pairs.find(|(name, _)| name == "state").expect("a state").1;
        hidden.push(state.into_owned());
        hidden.push(started.cookie.split_once('=').expect("a pair").1.to_owned());
        told.push(
            request_callback(&stage.app, &path, &started.cookie)
                .await
                .expect(200)
                .text,
        );
        told.push(
            request_callback(&stage.app, &path, &started.cookie)
                .await
                .expect(400)
                .text,
        );
        let call = if network == "instagram" {
            Call::Longer
        } else {
            Call::Exchange
        };
        stage.networks.fail_next(call, Fault::Lost);
        told.push(stage.connect_account(network).await.expect(500).text);
    }
    let password = json!({ "usuario": USERNAME, "senha": PASSWORD });
    let path = "/api/plataformas/hotmart/senha";
    told.push(
        stage
            .admin
            .put(path, password.clone())
            .await
            .expect(200)
            .text,
    );
    told.push(
        stage
            .admin
            .put(path, json!({ "senha": [PASSWORD] }))
            .await
            .expect(400)
            .text,
    );
    told.push(
        stage
            .admin
            .with_idempotency_key(&format!("chave-{PASSWORD}"))
            .put(path, password)
            .await
            .expect(400)
            .text,
    );
    let read = stage.admin.get(path).await.expect(200);
    assert_eq!(read.headers["cache-control"], "no-store");
    assert_eq!(read.body["senha"], PASSWORD);
    stage.app.advance_clock(45 * DAY);
    stage.networks.fail_next(Call::Renew, Fault::Silent);
    stage.connections().renew_due().await.expect("renews");
    stage.app.advance_clock(HOUR);
    stage.connections().renew_due().await.expect("renews");
    let session = stage.app.session_client(&stage.member).await;
    for network in NETWORKS {
        told.push(
            session
                .get(&format!("/oauth/{network}/status"))
                .await
                .expect(200)
                .text,
        );
    }
    for path in ["/oauth/_accounts", "/api/access/audit?limit=200"] {
        told.push(session.get(path).await.expect(200).text);
    }
    let gone = session
        .post("/oauth/shortvideo/disconnect", json!({}))
        .await;
    told.push(gone.expect(200).text);
    drop(logging);
    hidden.extend(stage.networks.issued_secrets());
    let tables = dump_database(&stage.app).await;
    let log = log.captured_text();
    assert!(
        tables.contains("hotmart") && log.contains("provider_request"),
        "the tables and the log were not scanned"
    );
    assert!(hidden.len() > 20);
    for secret in hidden {
        assert!(!tables.contains(&secret), "{secret} is in a table");
        assert!(!log.contains(&secret), "{secret} is in the log");
        assert!(
            told.iter().all(|text| !text.contains(&secret)),
            "an answer contains {secret}"
        );
    }
}
