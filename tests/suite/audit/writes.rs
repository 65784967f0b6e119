//! Writes, refused writes and denials: each of them has one audit row.

use std::time::Duration;

use domain::{Capability, Role, sha256_hex};
use gateway::{Access, Context, Entry, Error, Operation, Result, Spec, Verb};
use schemars::JsonSchema;
use sea_orm::ConnectionTrait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::audit_rows;
use crate::support::TestApp;

const NO_EVENT: &str = "0198c0de-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_write_leaves_one_row_with_interface_client_and_hash_of_its_key() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Lider).await;
    let (agent, token_id) = app.token_client_with(&member, Capability::ALL).await;
    let agent = agent
        .with_header("user-agent", "curl/8.0")
        .with_header("x-request-id", "pedido-1");
    let session = app.session_client(&member).await;

    let keyed = agent.with_idempotency_key("chave-0001");
    let id = keyed.create_demand(json!({})).await;
    keyed.create_demand(json!({})).await;
    let mut row = audit_rows(&admin, "create_demand").await;
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
            "actor_name": member.name,
            "actor_user_id": member.user_id,
            "token_id": token_id,
            "token_name": "teste",
            "auth_method": "personal_token",
            "capability": "tasks_assign",
            "action": "create_demand",
            "resource_type": "event",
            "resource_id": id,
            "resource_name": "Festa junina",
            "changes": [],
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
    session
        .send_modern_rpc("tools/call", call)
        .await
        .expect(200);
    let rows = audit_rows(&admin, "save_draft").await;
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
    let id = admin.create_demand(json!({})).await;
    let draft = |id: &str, revision: i64| json!({ "event_id": id, "expected_revision": revision });
    admin
        .post("/api/draft", draft(&id, 9))
        .await
        .expect_refusal(409, "STALE_REVISION");
    app.advance_clock(1);
    admin
        .post("/api/draft", draft(NO_EVENT, 1))
        .await
        .expect_refusal(404, "NOT_FOUND");
    app.advance_clock(1);
    admin
        .post("/api/draft", json!({}))
        .await
        .expect_refusal(400, "INVALID_INPUT");
    app.advance_clock(1);
    assert!(admin.call_tool("save_draft", draft(&id, 9)).await.is_error);
    let told: Vec<_> = audit_rows(&admin, "save_draft")
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
async fn a_denial_has_a_row_only_if_its_credential_is_known() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.add_member(Role::Criador).await;
    let author = app.session_client(&member).await;
    let token = app.token_client(&member).await;
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
        let rows = audit_rows(&admin, action).await;
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
    let before = app.count_rows("audit_events").await;
    let anonymous = app.anonymous();
    anonymous.post("/api/demanda", json!({})).await.expect(401);
    app.bearer("svc_live_x.y")
        .get("/api/eventos")
        .await
        .expect(401);
    anonymous.post("/api/mcp", json!({})).await.expect(401);
    // A read that finds nothing, or whose input is invalid, is not a denial.
    author.get("/api/eventos/x").await.expect(404);
    author.get("/api/eventos?limit=0").await.expect(400);
    assert_eq!(app.count_rows("audit_events").await, before);
}

#[tokio::test]
async fn the_row_of_a_generation_names_the_event_and_the_image_unless_it_was_refused() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let event = admin.create_demand(json!({})).await;
    let art = json!({ "prompt": "Capa", "event_id": event, "size": "256x256" });
    let made = admin.post("/api/art", art).await.expect(200).body;
    app.advance_clock(1);
    let art = json!({ "prompt": "Capa", "event_id": event, "size": "1x1" });
    let refused = admin.post("/api/art", art).await;
    refused.expect_refusal(400, "INVALID_INPUT");
    let rows = audit_rows(&admin, "generate_art").await.into_iter();
    let told: Vec<_> = rows
        .map(|row| {
            let about = &row["metadata"]["event_id"];
            json!([
                row["outcome"],
                row["resource_type"],
                row["resource_id"],
                about
            ])
        })
        .collect();
    let expected = [
        json!(["failed", "media", null, null]),
        json!(["succeeded", "media", made["id"], event]),
    ];
    assert_eq!(told, expected);
}

/// Tem um efeito, e leva embora a tabela da auditoria.
#[derive(Debug, Deserialize, JsonSchema)]
struct TakeAuditAway {}

impl Operation for TakeAuditAway {
    const SPEC: Spec = Spec::new("take_audit_away", "Levar", Verb::Post, "/api/levar")
        .access(Access::AnyMember)
        .outside()
        .unkeyed();
    type Output = ();

    async fn run(self, ctx: &Context<'_>) -> Result<()> {
        let tx = ctx.begin().await?;
        let moved = "ALTER TABLE audit_events RENAME TO away";
        let ran = tx.conn().execute_unprepared(moved).await;
        ran.map_err(Error::internal)?;
        Ok(tx.commit().await?)
    }
}

#[tokio::test]
async fn a_call_whose_outcome_could_not_be_stored_answers_outcome_unknown() {
    let app = TestApp::with_table(
        &[Entry::for_operation::<TakeAuditAway>()],
        Duration::from_secs(30),
    )
    .await;
    let lead = app.as_member(Role::Lider).await;
    let answer = lead.post("/api/levar", json!({})).await;
    answer.expect_refusal(409, "OUTCOME_UNKNOWN");
}
