//! Denials in the audit trail: credentials that are no longer valid, and tools that a member may
//! not use.

use std::convert::Infallible;

use axum::{
    body::{Body, Bytes},
    http::Method,
};
use domain::{
    Capability, Role,
    time::{DAY, MINUTE},
};
use futures::stream;
use serde_json::{Value, json};

use super::audit_rows;
use crate::support::{Client, TestApp};

/// Returns the fields that describe the denial in an audit row.
fn denial_fields(row: &Value) -> Value {
    let metadata = &row["metadata"];
    json!([
        row["auth_method"],
        row["outcome"],
        row["status_code"],
        metadata["code"],
        metadata["door"],
        metadata["tool"],
        metadata["count"],
    ])
}

async fn denial_rows(app: &TestApp, admin: &Client, action: &str) -> Vec<Value> {
    app.app.write_all_reads().await;
    audit_rows(admin, action).await
}

#[tokio::test]
async fn calls_with_a_revoked_token_share_one_row_per_operation_interface_and_minute() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let admin = app.session_client(&member).await;
    let (token, id) = app.token_client_with(&member, Capability::ALL).await;
    let path = format!("/api/access/tokens/{id}");
    admin.delete(&path).await.expect(200);
    let before = app.count_rows("audit_events").await;
    let writer = app.app.gateway.services.db.begin().await.expect("begins");
    for _ in 0..50 {
        token.get("/api/config/log").await.expect(401);
        token.post("/api/demanda", json!({})).await.expect(401);
    }
    let call = |name: &str| {
        let params = json!({ "name": name, "arguments": { "title": "x" } });
        let token = token.clone();
        async move { token.send_rpc("tools/call", params).await.expect(401) }
    };
    call("create_demand").await;
    call("create_demand").await;
    // Calls an operation that is not a tool, calls an unknown tool, and sends requests that call no
    // tool. All of them are recorded for the endpoint `post_mcp`.
    call("list_my_tokens").await;
    call("nada").await;
    token.send_rpc("tools/list", json!({})).await.expect(401);
    token.get("/api/mcp").await.expect(401);
    token.post("/api/mcp", json!(["x"])).await.expect(401);
    // These refusals do not wait for the write connection, although another transaction holds it.
    // The refusal of an unknown refresh token does not wait either.
    crate::sign_in::refresh_session(&app, &json!("nada"))
        .await
        .expect(401);
    drop(writer);
    assert_eq!(app.count_rows("audit_events").await, before);
    app.advance_clock(MINUTE);
    token.get("/api/config/log").await.expect(401);

    let config = denial_rows(&app, &admin, "list_config_history").await;
    let line = |door: &str, tool: Option<&str>, count: u32| {
        let (method, code) = ("personal_token", "TOKEN_REVOKED");
        json!([method, "denied", 401, code, door, tool, count])
    };
    assert_eq!(
        config.iter().map(denial_fields).collect::<Vec<_>>(),
        [line("rest", None, 1), line("rest", None, 50)]
    );
    assert_eq!(config[0]["token_id"], id);
    assert_eq!(config[0]["actor_member_id"], member.id.as_str());
    assert_eq!(config[0]["capability"], "config");
    let demand = denial_rows(&app, &admin, "create_demand").await;
    let demand: Vec<_> = demand.iter().map(denial_fields).collect();
    assert_eq!(demand.len(), 2);
    assert!(demand.contains(&line("rest", None, 50)));
    assert!(demand.contains(&line("mcp", Some("create_demand"), 2)));
    let endpoint = denial_rows(&app, &admin, "post_mcp").await;
    let endpoint: Vec<_> = endpoint.iter().map(denial_fields).collect();
    assert_eq!(endpoint, [line("mcp", None, 5)]);
    assert!(audit_rows(&admin, "list_my_tokens").await.is_empty());
}

#[tokio::test]
async fn the_use_of_an_invalid_but_known_credential_is_recorded_with_its_member() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let leaver = app.add_member(Role::Lider).await;
    let (session, (token, token_id)) = (
        app.session_client(&leaver).await,
        app.token_client_with(&leaver, Capability::ALL).await,
    );
    let other = app.add_member(Role::Lider).await;
    let signed_out = app.session_client(&other).await;
    signed_out
        .post("/auth/v1/logout", json!({}))
        .await
        .expect(200);
    let path = format!("/api/membros/{}", leaver.id);
    admin.delete(&path).await.expect(200);
    session
        .get("/api/tarefas")
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
    let params = json!({ "name": "list_my_tasks", "arguments": {} });
    session.send_rpc("tools/call", params).await.expect(403);
    token
        .get("/api/tarefas")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    signed_out
        .get("/api/tarefas")
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let (expired, _) = app.token_client_with(&other, Capability::ALL).await;
    let stale = app.session_client(&other).await;
    app.advance_clock(31 * DAY);
    expired
        .get("/api/tarefas")
        .await
        .expect_refusal(401, "TOKEN_EXPIRED");
    stale
        .get("/api/tarefas")
        .await
        .expect_refusal(401, "TOKEN_EXPIRED");
    // No member is known for these credentials.
    app.anonymous().get("/api/tarefas").await.expect(401);
    let guessed = format!("{}x", token.credential());
    app.bearer(guessed).get("/api/tarefas").await.expect(401);
    let secret = domain::TokenSecret::generate();
    app.bearer(secret.reveal())
        .get("/api/tarefas")
        .await
        .expect(401);

    let admin = app.as_member(Role::Admin).await;
    let rows = denial_rows(&app, &admin, "list_my_tasks").await;
    let mut told: Vec<_> = rows
        .iter()
        .map(|row| {
            let metadata = &row["metadata"];
            let line = [
                &row["actor_member_id"],
                &row["token_id"],
                &row["auth_method"],
                &metadata["code"],
                &metadata["door"],
            ];
            line.map(|v| v.as_str().unwrap_or("-").to_owned()).join(" ")
        })
        .collect();
    told.sort_unstable();
    let expired = rows.iter().find(|row| {
        row["auth_method"] == "personal_token" && row["metadata"]["code"] == "TOKEN_EXPIRED"
    });
    let expired_id = expired.expect("a row")["token_id"].as_str().expect("an id");
    let mut expected = [
        format!("{} - session NOT_A_MEMBER mcp", leaver.id),
        format!("{} - session NOT_A_MEMBER rest", leaver.id),
        format!("{} {token_id} personal_token TOKEN_REVOKED rest", leaver.id),
        format!("{} - session UNAUTHENTICATED rest", other.id),
        format!("{} - session TOKEN_EXPIRED rest", other.id),
        format!(
            "{} {expired_id} personal_token TOKEN_EXPIRED rest",
            other.id
        ),
    ];
    expected.sort_unstable();
    assert_eq!(told, expected);
    assert!(rows.iter().all(|row| row["outcome"] == "denied"));
}

#[tokio::test]
async fn the_use_of_a_refresh_token_of_an_ended_session_is_recorded() {
    let (app, admin, bia) = crate::sign_in::team_with_bia().await;
    let session = crate::sign_in::sign_in(&app, "bia@equipe.test", crate::sign_in::PASSWORD).await;
    let session = session.expect(200).body;
    let client = crate::sign_in::session_client(&app, &session);
    client.post("/auth/v1/logout", json!({})).await.expect(200);
    for _ in 0..3 {
        crate::sign_in::refresh_session(&app, &session["refresh_token"])
            .await
            .expect(401);
    }
    crate::sign_in::refresh_session(&app, &json!("nada"))
        .await
        .expect(401);
    let rows = denial_rows(&app, &admin, "issue_session").await;
    let line = json!(["session", "denied", 401, "UNAUTHENTICATED", "rest", null, 3]);
    assert_eq!(rows.iter().map(denial_fields).collect::<Vec<_>>(), [line]);
    assert_eq!(rows[0]["actor_member_id"], bia["id"]);
}

#[tokio::test]
async fn a_call_of_a_withheld_tool_is_recorded_like_a_call_of_its_route() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let (author, _) = app.token_client_with(&member, Capability::ALL).await;
    for (tool, path) in [
        ("create_demand", "/api/demanda"),
        ("publish_config_version", "/api/config"),
    ] {
        author.post(path, json!({})).await.expect(403);
        app.advance_clock(1);
        let withheld = author.call_tool(tool, json!({})).await;
        assert_eq!(withheld.rpc_error, Some(-32602));
        let mut rows = audit_rows(&admin, tool).await;
        assert_eq!(rows.len(), 2, "{tool}");
        let (rest, mcp) = (rows.remove(1), rows.remove(0));
        assert_eq!(mcp["metadata"]["door"], "mcp");
        assert_eq!(mcp["metadata"]["tool"], tool);
        for field in [
            "actor_member_id",
            "token_id",
            "auth_method",
            "capability",
            "outcome",
        ] {
            assert_eq!(rest[field], mcp[field], "{tool}: {field}");
        }
        assert_eq!(rest["status_code"], mcp["status_code"]);
        assert_eq!(mcp["outcome"], "denied");
        assert_eq!(rest["metadata"]["code"], mcp["metadata"]["code"]);
        assert_eq!(
            rest["metadata"]["capability"],
            mcp["metadata"]["capability"]
        );
    }
    // A read that the caller may not make is a denial as well.
    author.call_tool("list_pending_approvals", json!({})).await;
    assert_eq!(audit_rows(&admin, "list_pending_approvals").await.len(), 1);

    // A call that is too long to be read is a denial too. It gets the same response as a call of an
    // unknown tool.
    for bytes in [2_000_000, 30_000_000] {
        let call = async |tool: &str| {
            let text = "x".repeat(bytes);
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{"x":"{text}"}}}}}}"#
            );
            let chunks = message.into_bytes();
            let chunks: Vec<_> = chunks.chunks(50_000).map(Bytes::copy_from_slice).collect();
            let chunks = stream::iter(chunks.into_iter().map(Ok::<_, Infallible>));
            let body = Body::from_stream(chunks);
            let answer = author.send(Method::POST, "/api/mcp", Some(body)).await;
            answer.expect(413).body["details"].clone()
        };
        assert_eq!(call("list_launches").await, call("nada").await);
    }
    let long = audit_rows(&admin, "list_launches").await;
    assert_eq!(long.len(), 2, "{long:?}");

    // Calls of tools outside of the client's `toolsets`, of operations that are not tools, and of
    // unknown names are not denials.
    let before = app.count_rows("audit_events").await;
    let narrowed = author.with_mcp_query("toolsets=config");
    narrowed.call_tool("list_my_tasks", json!({})).await;
    author.call_tool("list_my_tokens", json!({})).await;
    author.call_tool("nada", json!({})).await;
    assert_eq!(app.count_rows("audit_events").await, before);
}
