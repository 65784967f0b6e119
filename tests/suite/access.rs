//! Identity, personal tokens, levels, the audit trail and the catalog.

use domain::{Capability, Level, Role, time::DAY};
use futures::future::join_all;
use serde_json::{Value, json};
use tools::{operations, pages};

use crate::support::{Client, TestApp};

const TOKENS: &str = "/api/access/tokens";

async fn create_token(client: &Client, body: Value) -> Value {
    client.post(TOKENS, body).await.expect(201).body
}

fn string_value(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_has_at_most_ten_active_tokens_even_if_twenty_are_requested_at_once() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Criador).await;
    let tries = (0..20).map(|n| session.post(TOKENS, json!({ "label": format!("t{n}") })));
    let answers = join_all(tries).await;
    let (made, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|a| a.status == 201);
    assert_eq!((made.len(), refused.len()), (10, 10));
    for answer in refused {
        answer.expect_refusal(429, "API_TOKEN_LIMIT");
    }
    let id = string_value(&made[0].body["metadata"]["id"]);
    session.delete(&format!("{TOKENS}/{id}")).await.expect(200);
    create_token(&session, json!({ "label": "in its place" })).await;
    let access = session.get("/api/access/me").await.expect(200).body;
    assert_eq!(access["token_count"], 10);
}

#[tokio::test]
async fn a_token_is_shown_once_and_carries_its_scopes_in_catalog_order() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Criador).await;
    let wanted = json!({ "label": "agente", "scopes": ["video", "rag"], "expiresInDays": 7 });
    let created = create_token(&session, wanted).await;
    let (secret, metadata) = (string_value(&created["token"]), &created["metadata"]);
    assert_eq!(secret.len(), "svc_live_".len() + 16 + 1 + 43);
    assert_eq!(string_value(&metadata["prefix"]), secret[..25]);
    assert_eq!(metadata["scopes"], json!(["rag", "video"]));
    assert_eq!(metadata["expires_at"], "2026-08-29T15:00:00.000Z");
    assert_eq!(metadata["status"], "active");

    let listed = session.get(TOKENS).await.expect(200);
    assert!(!listed.text.contains(&secret[26..]));
    assert_eq!(listed.body["tokens"][0], *metadata);

    let me = app.bearer(&secret).get("/api/me").await.expect(200).body;
    assert_eq!(me["caps"], json!(["rag", "video"]));
    let auth = json!({ "kind": "personal_token", "token_id": metadata["id"] });
    assert_eq!(me["auth"], auth);
    app.advance_clock(7 * DAY);
    app.bearer(secret)
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_EXPIRED");
}

#[tokio::test]
async fn invalid_labels_scopes_and_validity_periods_are_refused() {
    let app = TestApp::new().await;
    let session = app.as_member(Role::Criador).await;
    let post = |body| session.post(TOKENS, body);
    let refused = post(json!({ "label": "x", "scopes": ["approve", "rag", "vendas"] })).await;
    let refused = refused.expect_refusal(403, "SCOPE_NOT_GRANTED");
    assert_eq!(
        refused.body["details"]["scopes"],
        json!(["approve", "vendas"])
    );
    for (body, field) in [
        (json!({ "label": "x", "scopes": ["root"] }), "scopes.0"),
        (json!({ "label": "x", "scopes": ["Rag"] }), "scopes.0"),
        (json!({ "label": "x", "scopes": ["rag", "rag"] }), "scopes"),
        (json!({ "label": "x", "scopes": [] }), "scopes"),
        (json!({ "label": "" }), "label"),
        (json!({ "label": "x".repeat(81) }), "label"),
        (
            json!({ "label": "x", "expiresInDays": 91 }),
            "expiresInDays",
        ),
        (
            json!({ "label": "x", "expiresInDays": 1, "expires_in_days": 2 }),
            "expires_in_days",
        ),
        (
            json!({ "label": "x", "idempotency_key": "chave-123" }),
            "idempotency_key",
        ),
    ] {
        assert_eq!(post(body.clone()).await.invalid_fields(), [field], "{body}");
    }
    let same = json!({ "label": "x", "expiresInDays": 2, "expires_in_days": 2 });
    assert_eq!(
        create_token(&session, same).await["metadata"]["expires_at"],
        "2026-08-24T15:00:00.000Z"
    );
    let alias = json!({ "label": "x", "expires_in_days": 1 });
    assert_eq!(
        create_token(&session, alias).await["metadata"]["expires_at"],
        "2026-08-23T15:00:00.000Z"
    );

    let none = app.add_member_with(Role::Admin, Level::Nenhum, false).await;
    let none = app.session_client(&none).await;
    none.post(TOKENS, json!({ "label": "x" }))
        .await
        .expect_refusal(403, "API_ACCESS_DISABLED");
}

#[tokio::test]
async fn a_new_level_applies_at_once_and_nenhum_revokes_every_token() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let (token, _) = app.token_client_with(&member, Capability::ALL).await;
    let path = format!("/api/access/members/{}", member.id);
    let set = |level: &'static str| admin.patch(&path, json!({ "api_access_level": level }));
    let caps = |me: &Value| me["caps"].as_array().expect("a list").len();

    set("admin")
        .await
        .expect_refusal(409, "API_LEVEL_ABOVE_ROLE");
    let before = caps(&token.get("/api/me").await.expect(200).body);
    let lowered = set("leitor").await.expect(200).body;
    assert_eq!(lowered["member"]["effective_api_access_level"], "leitor");
    assert_eq!(lowered["member"]["token_count"], 1);
    let me = token.get("/api/me").await.expect(200).body;
    assert!(caps(&me) < before);
    assert_eq!(me["member"]["effective_access_level"], "leitor");
    assert_eq!(me["member"]["access_level"], "lider");

    let off = set("nenhum").await.expect(200).body;
    assert_eq!(off["member"]["token_count"], 0);
    assert_eq!(off["member"]["tokens"][0]["status"], "revoked");
    token
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
    app.session_client(&member)
        .await
        .get("/api/me")
        .await
        .expect(200);
    let unknown = json!({ "api_access_level": "leitor" });
    admin
        .patch("/api/access/members/x", unknown)
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn only_the_owner_or_an_admin_revokes_tokens() {
    let app = TestApp::new().await;
    let (owner, other) = (
        app.add_member(Role::Criador).await,
        app.as_member(Role::Admin).await,
    );
    let session = app.session_client(&owner).await;
    let (token, id) = app.token_client_with(&owner, Capability::ALL).await;
    other
        .delete(&format!("{TOKENS}/{id}"))
        .await
        .expect_refusal(404, "NOT_FOUND");
    token
        .delete(&format!("{TOKENS}/{id}"))
        .await
        .expect_refusal(403, "SESSION_REQUIRED");
    let first = session
        .delete(&format!("{TOKENS}/{id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(first["token"]["status"], "revoked");
    app.advance_clock(5_000);
    let again = session
        .delete(&format!("{TOKENS}/{id}"))
        .await
        .expect(200)
        .body;
    assert_eq!(again, first);
    token
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");

    let (token, id) = app.token_client_with(&owner, Capability::ALL).await;
    let path = format!("/api/access/members/{}/tokens/{id}", owner.id);
    session
        .delete(&path)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    other.delete(&path).await.expect(200);
    token
        .get("/api/me")
        .await
        .expect_refusal(401, "TOKEN_REVOKED");
}

#[tokio::test]
async fn the_admin_view_lists_levels_tokens_and_pages() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    for _ in 0..25 {
        let (_, id) = app.token_client_with(&member, Capability::ALL).await;
        let path = format!("/api/access/members/{}/tokens/{id}", member.id);
        admin.delete(&path).await.expect(200);
    }
    app.token_client(&member).await;
    let first = admin
        .get("/api/access/members?limit=1")
        .await
        .expect(200)
        .body;
    assert_eq!(
        first["levels"],
        json!(["nenhum", "leitor", "criador", "lider", "admin"])
    );
    let cursor = string_value(&first["next_cursor"]);
    let path = format!("/api/access/members?limit=1&cursor={cursor}");
    let second = admin.get(&path).await.expect(200).body;
    assert_eq!(second["next_cursor"], Value::Null);
    let both = [&first["members"][0], &second["members"][0]];
    let view = both
        .into_iter()
        .find(|m| m["id"] == member.id.as_str())
        .expect("a page lists the row");
    assert_eq!(view["token_count"], 1);
    assert_eq!(view["tokens"].as_array().expect("a list").len(), 20);
    assert_eq!(view["tokens"][0]["status"], "active");
    assert!(view.get("financeiro").is_none());
}

#[tokio::test]
async fn the_use_of_a_token_is_recorded_in_the_background() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let (token, _) = app.token_client_with(&member, Capability::ALL).await;
    app.advance_clock(1_000);
    token.get("/api/me").await.expect(200);
    let last_used =
        || async { session.get(TOKENS).await.body["tokens"][0]["last_used_at"].clone() };
    assert_eq!(last_used().await, Value::Null);
    app.app.write_all_reads().await;
    assert_eq!(last_used().await, "2026-08-22T15:00:01.000Z");
}

#[tokio::test]
async fn the_audit_trail_is_filtered_and_paged_newest_first() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let session = app.session_client(&member).await;
    let created = create_token(&session, json!({ "label": "a" })).await;
    app.advance_clock(1);
    session
        .get("/api/membros")
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    app.advance_clock(1);
    create_token(&session, json!({ "label": "b" })).await;

    let path = "/api/access/audit?limit=1&action=create_my_token";
    session
        .get(path)
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    let newest = admin.get(path).await.expect(200).body;
    let cursor = string_value(&newest["next_cursor"]);
    let older = admin
        .get(&format!("{path}&cursor={cursor}"))
        .await
        .expect(200)
        .body;
    assert_eq!(older["next_cursor"], Value::Null);
    let row = &older["audit"][0];
    assert_eq!(row["resource_id"], created["metadata"]["id"]);
    assert_eq!(
        (&row["outcome"], &row["status_code"]),
        (&json!("succeeded"), &json!(201))
    );
    assert!(newest["audit"][0]["occurred_at"].as_str() > row["occurred_at"].as_str());

    let actor = string_value(&row["actor_member_id"]);
    let denied = format!("/api/access/audit?outcome=denied&member_id={actor}");
    let denied = admin.get(&denied).await.expect(200).body;
    let actions: Vec<_> = denied["audit"].as_array().expect("a list").iter().collect();
    assert!(actions.iter().any(|row| row["action"] == "list_members"));
    assert!(actions.iter().all(|row| row["actor_member_id"] == *actor));
    let nobody = admin
        .get("/api/access/audit?member_id=nobody")
        .await
        .expect(200)
        .body;
    assert_eq!(nobody["audit"], json!([]));
    admin
        .get("/api/access/audit?cursor=x")
        .await
        .expect_refusal(400, "INVALID_INPUT");
}

#[tokio::test]
async fn the_catalog_lists_every_route_of_the_table() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let catalog = admin.get("/api/access/catalog").await.expect(200).body;
    let routes = catalog["rotas"].as_array().expect("a list");
    assert_eq!(catalog["total"], operations().count() + pages().count());
    assert_eq!(routes.len(), operations().count() + pages().count());
    let tools = operations().filter(|entry| entry.spec.tool).count();
    assert_eq!(catalog["com_ferramenta"], tools);
    assert_eq!(catalog["mcp_url"], "http://127.0.0.1:8080/api/mcp");
    let route = |id: &str| {
        routes
            .iter()
            .find(|r| r["operation_id"] == id)
            .expect("the route is listed")
    };
    let audit = route("listAuditEvents");
    assert_eq!(
        (&audit["permissao"], &audit["nivel_minimo"]),
        (&json!("team_admin"), &json!("admin"))
    );
    assert_eq!(audit["somente_sessao"], true);
    let mut query: Vec<_> = audit["query_params"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    query.sort_by_key(|name| name.as_str());
    assert_eq!(
        query,
        [
            "action",
            "ate",
            "cursor",
            "de",
            "door",
            "limit",
            "member_id",
            "outcome",
            "token_id"
        ]
    );
    let revoke = route("revokeMemberToken");
    assert_eq!(revoke["path_params"], json!(["memberId", "tokenId"]));
    assert_eq!(route("issueSession")["query_params"], json!(["grant_type"]));
    assert_eq!(route("issueSession")["contrato"], false);
    assert_eq!(route("getMe")["ferramenta_mcp"], "get_me");
}
