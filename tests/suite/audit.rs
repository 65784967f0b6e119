//! What the audit trail and the logs tell, and what they never tell.

use axum::http::Method;
use pauta::cli::log_filter;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use tools::{
    domain::{Capability, Role, sha256_hex, time::MINUTE},
    operator::{self, NewAdmin},
};

use crate::support::{Client, Log, TestApp, log_to};

const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

/// The audit rows of an action, newest first.
async fn rows(admin: &Client, action: &str) -> Vec<Value> {
    let path = format!("/api/access/audit?action={action}&limit=200");
    admin.get(&path).await.expect(200).body["audit"]
        .as_array()
        .expect("a list")
        .clone()
}

#[tokio::test]
async fn a_write_leaves_one_row_with_door_client_and_hash_of_its_key() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Lider).await;
    let (agent, token_id) = app.token_with(&member, Capability::ALL).await;
    let agent = agent
        .with_header("user-agent", "curl/8.0")
        .with_header("x-request-id", "pedido-1");
    let session = app.session(&member).await;

    let keyed = agent.with_key("chave-0001");
    let id = keyed.demand(json!({})).await;
    keyed.demand(json!({})).await;
    let mut row = rows(&admin, "create_demand").await;
    assert_eq!(row.len(), 1, "the repeated call had no effect: {row:?}");
    let mut row = row.remove(0);
    assert!(row["id"].is_string());
    row.as_object_mut().expect("an object").remove("id");
    assert_eq!(
        row,
        json!({
            "occurred_at": "2026-08-22T15:00:00.000Z",
            "request_id": "pedido-1",
            "actor_member_id": member.id,
            "actor_user_id": member.user_id,
            "token_id": token_id,
            "auth_method": "personal_token",
            "capability": "tasks_assign",
            "action": "create_demand",
            "resource_type": "event",
            "resource_id": id,
            "outcome": "succeeded",
            "status_code": 200,
            "metadata": {
                "door": "rest",
                "client": "curl/8.0",
                "idempotency_key_sha256": sha256_hex(b"chave-0001"),
            },
        })
    );

    let arguments =
        json!({ "event_id": id, "expected_revision": 1, "idempotency_key": "chave-0002" });
    let call = json!({ "name": "save_draft", "arguments": arguments });
    session.modern_rpc("tools/call", call).await.expect(200);
    let rows = rows(&admin, "save_draft").await;
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["auth_method"], &rows[0]["token_id"]),
        (&json!("session"), &Value::Null)
    );
    assert_eq!(
        (&rows[0]["resource_id"], &rows[0]["capability"]),
        (&json!(id), &json!("draft_save"))
    );
    assert_eq!(
        rows[0]["metadata"],
        json!({
            "door": "mcp",
            "client": "suite 1",
            "tool": "save_draft",
            "idempotency_key_sha256": sha256_hex(b"chave-0002"),
        })
    );
}

#[tokio::test]
async fn a_refused_write_leaves_one_row_with_its_code() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let id = admin.demand(json!({})).await;
    let draft = |id: &str, revision: i64| json!({ "event_id": id, "expected_revision": revision });
    admin
        .post("/api/draft", draft(&id, 9))
        .await
        .refused(409, "STALE_REVISION");
    app.pass(1);
    admin
        .post("/api/draft", draft(NO_EVENT, 1))
        .await
        .refused(404, "NOT_FOUND");
    app.pass(1);
    admin
        .post("/api/draft", json!({}))
        .await
        .refused(400, "INVALID_INPUT");
    app.pass(1);
    assert!(admin.call("save_draft", draft(&id, 9)).await.is_error);
    let told: Vec<_> = rows(&admin, "save_draft")
        .await
        .into_iter()
        .map(|row| {
            json!([
                row["outcome"],
                row["status_code"],
                row["metadata"]["code"],
                row["metadata"]["door"],
                row["resource_id"]
            ])
        })
        .collect();
    assert_eq!(
        told,
        [
            json!(["failed", 409, "STALE_REVISION", "mcp", id]),
            json!(["failed", 400, "INVALID_INPUT", "rest", null]),
            json!(["failed", 404, "NOT_FOUND", "rest", NO_EVENT]),
            json!(["failed", 409, "STALE_REVISION", "rest", id]),
        ]
    );
}

#[tokio::test]
async fn every_denial_of_a_known_credential_is_a_row_and_no_anonymous_one_is() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Criador).await;
    let author = app.session(&member).await;
    let token = app.token(&member).await;
    let denials = [
        (
            "create_demand",
            author.post("/api/demanda", json!({})).await,
            "tasks_assign",
        ),
        (
            "list_pending_approvals",
            author.get("/api/aprovacoes").await,
            "approve",
        ),
        (
            "list_config_history",
            author.get("/api/config/log").await,
            "config",
        ),
        ("list_my_tokens", token.get("/api/access/tokens").await, ""),
    ];
    for (action, answer, capability) in denials {
        assert_eq!(answer.status, 403);
        let rows = rows(&admin, action).await;
        assert_eq!(rows.len(), 1, "{action}");
        assert_eq!(
            (&rows[0]["outcome"], &rows[0]["status_code"]),
            (&json!("denied"), &json!(403))
        );
        assert_eq!(rows[0]["actor_member_id"], member.id.as_str());
        assert_eq!(
            rows[0]["metadata"]["capability"]
                .as_str()
                .unwrap_or_default(),
            capability
        );
    }
    let before = app.count("audit_events").await;
    let anonymous = app.anonymous();
    anonymous.post("/api/demanda", json!({})).await.expect(401);
    app.bearer("svc_live_x.y")
        .get("/api/eventos")
        .await
        .expect(401);
    anonymous.post("/api/mcp", json!({})).await.expect(401);
    // A read that finds nothing or is asked wrongly denies no right.
    author.get("/api/eventos/x").await.expect(404);
    author.get("/api/eventos?limit=0").await.expect(400);
    assert_eq!(app.count("audit_events").await, before);
}

#[tokio::test]
async fn reads_are_one_row_per_credential_operation_door_and_minute() {
    let app = TestApp::new().await;
    let member = app.member(Role::Admin).await;
    let (session, token) = (app.session(&member).await, app.token(&member).await);
    // 12:00:00 begins a minute.
    for _ in 0..5 {
        session.get("/api/eventos").await.expect(200);
    }
    token.get("/api/eventos").await.expect(200);
    for _ in 0..3 {
        session.call("list_events", json!({})).await;
    }
    session.get("/api/tarefas").await.expect(200);
    app.pass(MINUTE - 1);
    session.get("/api/eventos").await.expect(200);
    app.pass(1);
    session.get("/api/eventos").await.expect(200);
    assert_eq!(
        app.count("audit_events").await,
        0,
        "reads are written in the background"
    );

    // The minute that is over is written, the one that runs is not.
    let services = &app.app.gateway.services;
    services
        .reads
        .flush(&services.db, app.now(), false)
        .await
        .expect("writes");
    assert_eq!(
        app.count("audit_events WHERE action = 'list_events'").await,
        3
    );
    app.app.settle().await;
    app.app.settle().await;
    let told: Vec<_> = rows(&session, "list_events")
        .await
        .into_iter()
        .map(|row| {
            assert_eq!(
                (&row["outcome"], &row["status_code"]),
                (&json!("allowed"), &json!(200))
            );
            let at = row["occurred_at"].as_str().expect("text")[11..16].to_owned();
            let metadata = &row["metadata"];
            (
                at,
                row["auth_method"].clone(),
                metadata["door"].clone(),
                metadata["count"].clone(),
            )
        })
        .collect();
    let line = |at: &str, method: &str, door: &str, count: u32| {
        (at.to_owned(), json!(method), json!(door), json!(count))
    };
    assert_eq!(told.len(), 4, "{told:?}");
    for expected in [
        line("15:00", "session", "rest", 6),
        line("15:00", "personal_token", "rest", 1),
        line("15:00", "session", "mcp", 3),
        line("15:01", "session", "rest", 1),
    ] {
        assert!(told.contains(&expected), "{expected:?} in {told:?}");
    }
    assert_eq!(rows(&session, "list_my_tasks").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_read_of_many_at_once_goes_uncounted() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..200 {
        let admin = admin.clone();
        tasks.spawn(async move { admin.get("/api/tarefas").await.status });
    }
    assert!(
        tasks
            .join_all()
            .await
            .into_iter()
            .all(|status| status == 200)
    );
    app.app.settle().await;
    let rows = rows(&admin, "list_my_tasks").await;
    assert_eq!(
        (rows.len(), &rows[0]["metadata"]["count"]),
        (1, &json!(200))
    );
}

/// Every text of every audit row.
async fn trail(app: &TestApp) -> String {
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

/// Goes through all that carries a secret, well and badly, at both doors.
async fn scenario(app: &TestApp) -> Vec<String> {
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
        let client = client.with_key(KEY);
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
            .refused(409, "IDEMPOTENCY_KEY_REUSED");
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
        // Bodies that break in every way.
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
        // Secrets where an id belongs.
        for wrong in [EMAIL, BODY, &token[..60], PASSWORD, KEY] {
            let draft = json!({ "event_id": wrong, "expected_revision": 1, "caption": BODY });
            client.post("/api/draft", draft.clone()).await.expect(404);
            assert!(client.call("save_draft", draft).await.is_error);
            let patch = json!({ "expected_revision": 1, "title": BODY });
            let path: String = form_urlencoded::byte_serialize(wrong.as_bytes()).collect();
            client
                .patch(&format!("/api/eventos/{}", path.replace('+', "%20")), patch)
                .await
                .expect(404);
        }
        let draft = json!({ "event_id": event, "expected_revision": 9, "caption": BODY });
        client.post("/api/draft", draft.clone()).await.expect(409);
        assert!(client.call("save_draft", draft).await.is_error);
        let arguments = json!({ "key": "k", "value": BODY, "idempotency_key": KEY });
        let call = json!({ "name": "publish_config_version", "arguments": arguments });
        client.modern_rpc("tools/call", call).await.expect(200);
        client
            .rpc(
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
    // Credentials that do not hold.
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
    app.app.settle().await;

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
    // Of a JWT the signature, of a token its secret half, and of both the beginnings that were
    // pasted in wrong places.
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
async fn neither_the_audit_trail_nor_the_log_tells_a_secret_a_body_or_an_address() {
    let log = Log::default();
    // Even where an operator asks for everything.
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log_filter("trace"))
        .with_writer(log.clone())
        .finish();
    let app = TestApp::new().await;
    let guard = log_to(subscriber);
    let secrets = scenario(&app).await;
    drop(guard);
    let (log, trail) = (log.text(), trail(&app).await);
    assert!(log.lines().count() > 50, "{log}");
    assert!(trail.lines().count() > 50, "{trail}");
    for secret in secrets {
        for (place, text) in [("log", &log), ("audit trail", &trail)] {
            let line = text.lines().find(|line| line.contains(&secret));
            assert_eq!(line, None, "the {place} tells {secret}");
        }
    }
}

#[tokio::test]
async fn each_request_is_one_line_of_the_log_with_its_id_and_without_its_query() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(log_filter("info,pauta=debug"))
        .with_writer(log.clone())
        .finish();
    let app = TestApp::new().await;
    let lead = app
        .as_member(Role::Lider)
        .await
        .with_header("x-request-id", "pedido-7");
    let guard = log_to(subscriber);
    lead.get("/api/eventos?q=festa").await.expect(200);
    lead.get("/nada").await.expect(404);
    let id = lead.demand(json!({})).await;
    for path in [&*id, "ana@exemplo.com.br", "%0a", "svc_live_x"] {
        lead.get(&format!("/api/eventos/{path}")).await;
    }
    lead.get("/ana@exemplo.com.br/x").await.expect(404);
    lead.get(&format!("/nada/{}", "x".repeat(33)))
        .await
        .expect(404);
    drop(guard);
    let lines: Vec<Value> = log
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line["path"].as_str().expect("text"), &line["status"]))
        .collect();
    assert_eq!(
        told,
        [
            ("/api/eventos", &json!(200)),
            ("/nada", &json!(404)),
            ("/api/demanda", &json!(200)),
            (&*format!("/api/eventos/{id}"), &json!(200)),
            ("/api/eventos/{eventId}", &json!(404)),
            ("/api/eventos/{eventId}", &json!(404)),
            ("/api/eventos/{eventId}", &json!(404)),
            ("/*/x", &json!(404)),
            ("/nada/*", &json!(404)),
        ]
    );
    for line in &lines {
        assert_eq!(
            (&line["message"], &line["level"]),
            (&json!("request"), &json!("DEBUG"))
        );
        assert_eq!(line["request_id"], "pedido-7");
        assert!(line["elapsed_us"].is_u64());
    }
}
