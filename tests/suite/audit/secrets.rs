//! The audit trail and the log must not contain secrets.

use axum::http::Method;
use domain::sha256_hex;
use pauta::cli::log_filter;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use tools::operator::{self, NewAdmin};

use crate::support::{Log, TestApp, log_to};

/// Returns every text of every audit row.
async fn audit_texts(app: &TestApp) -> String {
    let db = app.app.gateway.services.db.reader();
    let sql =
        "SELECT coalesce(request_id, '') || ' ' || action || ' ' || coalesce(resource_type, '')
        || ' ' || coalesce(resource_id, '') || ' ' || coalesce(token_id, '') || ' ' || metadata AS t
        FROM audit_events";
    let rows = db
        .query_all_raw(Statement::from_string(db.get_database_backend(), sql))
        .await;
    let text = |row: &sea_orm::QueryResult| row.try_get::<String>("", "t").expect("text");
    rows.expect("the query runs")
        .iter()
        .map(text)
        .collect::<Vec<_>>()
        .join("\n")
}

const PASSWORD: &str = "cavalo correto bateria grampo";

const BODY: &str = "conteúdo-que-ninguém-registra";

const EMAIL: &str = "ana.lima@exemplo.com.br";

const KEY: &str = "chave-que-fica-em-segredo";

/// Uses every kind of secret in valid and invalid requests, over both interfaces; returns the
/// secrets.
async fn use_every_secret(app: &TestApp) -> Vec<String> {
    let admin = NewAdmin {
        name: "Ana Lima".into(),
        email: EMAIL.into(),
        financeiro: false,
        password: Some(PASSWORD.into()),
    };
    operator::create_admin(&app.app.gateway, admin)
        .await
        .expect("the first admin");
    let anonymous = app.anonymous().with_header("user-agent", "suite");
    let sign_in = "/auth/v1/token?grant_type=password";
    let wrong = json!({ "email": EMAIL, "password": format!("{PASSWORD}!") });
    anonymous.post(sign_in, wrong).await.expect(401);
    let right = json!({ "email": EMAIL, "password": PASSWORD });
    let session = anonymous.post(sign_in, right).await.expect(200).body;
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let (jwt, refresh) = (
        text(&session["access_token"]),
        text(&session["refresh_token"]),
    );
    let ana = app.bearer(jwt.clone()).with_header("user-agent", "suite");
    let refresh_path = "/auth/v1/token?grant_type=refresh_token";
    let renewed = anonymous
        .post(refresh_path, json!({ "refresh_token": refresh }))
        .await;
    let renewed = text(&renewed.expect(200).body["refresh_token"]);

    let made = ana
        .post("/api/access/tokens", json!({ "label": BODY }))
        .await
        .expect(201)
        .body;
    let token = text(&made["token"]);
    let agent = app.bearer(token.clone()).with_header("user-agent", "suite");
    let guest = json!({ "name": "Bia", "email": "bia@exemplo.com.br", "access_level": "criador" });
    let invited = ana.post("/api/membros", guest).await.expect(201).body;
    let link = text(&invited["convite_url"]);
    let id = invited["membro"]["id"].clone();
    let weak = json!({ "senha": "123456789012" });
    ana.post(&format!("/api/membros/{}/senha", text(&id)), weak)
        .await
        .expect(400);

    for client in [&ana, &agent] {
        let client = client.with_idempotency_key(KEY);
        let demand = json!({ "title": BODY, "channel": BODY, "description": BODY, "tipo": BODY });
        let created = client
            .post("/api/demanda", demand.clone())
            .await
            .expect(200)
            .body;
        let event = created["event_id"].clone();
        client
            .post("/api/demanda", json!({ "title": "x" }))
            .await
            .expect_refusal(409, "IDEMPOTENCY_KEY_REUSED");
        let path = format!("/api/eventos/{}", text(&event));
        client.get(&path).await.expect(200);
        client
            .get(&format!("/api/eventos?q={KEY}"))
            .await
            .expect(200);
        client
            .get(&format!("/api/eventos?{KEY}={KEY}"))
            .await
            .expect(400);
        client
            .post(&format!("/api/demanda?token={token}"), demand)
            .await
            .expect(400);
        // Sends bodies with each kind of syntax error.
        for body in [
            format!("{{\"title\": \"{BODY}\""),
            format!("{{\"title\": 1, \"{BODY}\": \"{token}\"}}"),
            format!("\"{BODY}\""),
            format!("{{\"title\": \"{BODY}\u{0}\"}}"),
        ] {
            client
                .send(Method::POST, "/api/demanda", Some(body.into()))
                .await
                .expect(400);
        }
        // Sends secrets in place of an id.
        for wrong in [EMAIL, BODY, &token[..60], PASSWORD, KEY] {
            let draft = json!({ "event_id": wrong, "expected_revision": 1, "caption": BODY });
            client.post("/api/draft", draft.clone()).await.expect(404);
            assert!(client.call_tool("save_draft", draft).await.is_error);
            let patch = json!({ "expected_revision": 1, "title": BODY });
            let path: String = form_urlencoded::byte_serialize(wrong.as_bytes()).collect();
            client
                .patch(&format!("/api/eventos/{}", path.replace('+', "%20")), patch)
                .await
                .expect(404);
        }
        let draft = json!({ "event_id": event, "expected_revision": 9, "caption": BODY });
        client.post("/api/draft", draft.clone()).await.expect(409);
        assert!(client.call_tool("save_draft", draft).await.is_error);
        let arguments = json!({ "key": "k", "value": BODY, "idempotency_key": KEY });
        let call = json!({ "name": "publish_config_version", "arguments": arguments });
        client.send_modern_rpc("tools/call", call).await.expect(200);
        client
            .send_rpc(
                "tools/call",
                json!({ "name": BODY, "arguments": { BODY: BODY } }),
            )
            .await;
        client
            .post(
                "/api/mcp",
                json!({ "jsonrpc": "2.0", "id": BODY, "method": BODY }),
            )
            .await;
        client
            .send(Method::POST, "/api/mcp", Some(format!("{{{BODY}").into()))
            .await
            .expect(400);
    }
    // Sends invalid credentials.
    app.bearer(format!("{token}x"))
        .get("/api/me")
        .await
        .expect(401);
    app.bearer(format!("{jwt}x"))
        .get("/api/me")
        .await
        .expect(401);
    let invite = link.split_once('#').expect("a fragment").1.to_owned();
    let invite = invite.rsplit('=').next().expect("a token").to_owned();
    let spent = json!({ "token": invite, "password": PASSWORD });
    anonymous
        .post("/auth/v1/verify", spent.clone())
        .await
        .expect(200);
    anonymous.post("/auth/v1/verify", spent).await.expect(401);
    ana.post("/auth/v1/logout", json!({})).await;
    app.app.write_all_reads().await;

    let mut secrets: Vec<String> = [
        PASSWORD,
        BODY,
        EMAIL,
        KEY,
        "@exemplo.com.br",
        "123456789012",
    ]
    .map(Into::into)
    .into();
    // The signature of the JWT, the secret half of the token, and the prefix of the token that was
    // sent in place of an id.
    secrets.extend([
        refresh,
        renewed,
        invite,
        token[..60].to_owned(),
        sha256_hex(token.as_bytes()),
    ]);
    secrets.extend(
        [token.rsplit('.').next(), jwt.rsplit('.').next()].map(|s| s.expect("a part").into()),
    );
    secrets.push(token[30..60].to_owned());
    secrets
}

#[tokio::test]
async fn neither_the_audit_trail_nor_the_log_contains_a_secret_a_body_or_an_address() {
    let log = Log::default();
    // `trace` is the most verbose log level.
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log_filter("trace"))
        .with_writer(log.clone())
        .finish();
    let app = TestApp::new().await;
    let guard = log_to(subscriber);
    let secrets = use_every_secret(&app).await;
    drop(guard);
    let (log, trail) = (log.captured_text(), audit_texts(&app).await);
    assert!(log.lines().count() > 50, "{log}");
    assert!(trail.lines().count() > 50, "{trail}");
    for secret in secrets {
        for (place, text) in [("log", &log), ("audit trail", &trail)] {
            let line = text.lines().find(|line| line.contains(&secret));
            assert_eq!(line, None, "the {place} contains {secret}");
        }
    }
}
