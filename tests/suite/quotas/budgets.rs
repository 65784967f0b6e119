//! Daily budgets, set by admins for tokens and agents.

use domain::{Capability, Role};
use futures::future::join_all;
use serde_json::{Value, json};
use store::members::Member;

use crate::support::{Client, NOON, TestApp};

/// Seconds from noon in Brasília until midnight.
const UNTIL_MIDNIGHT: u64 = 12 * 3_600;

/// A member's token, and an admin who sets its limits.
struct Stage {
    app: TestApp,
    admin: Member,
    token: Client,
    path: String,
}

impl Stage {
    async fn start() -> Self {
        let app = TestApp::new().await;
        let admin = app.add_member(Role::Admin).await;
        let member = app.add_member(Role::Lider).await;
        let (token, id) = app.token_client_with(&member, Capability::ALL).await;
        let path = format!("/api/access/members/{}/tokens/{id}/limites", member.id);
        Self {
            app,
            admin,
            token,
            path,
        }
    }

    /// A new session of the admin, because a test may have moved the clock.
    async fn admin(&self) -> Client {
        self.app.session_client(&self.admin).await
    }

    async fn set_limits(&self, limits: Value) -> Value {
        let admin = self.admin().await;
        admin.put(&self.path, limits).await.expect(200).body["token"].clone()
    }

    /// Returns the token's entry in the list of tokens.
    async fn load_shown_use(&self) -> Value {
        self.app.app.share_counted_calls().await;
        let members = self
            .admin()
            .await
            .get("/api/access/members")
            .await
            .expect(200);
        let mut members = members.body["members"].as_array().expect("a list").iter();
        let member = members.find(|member| member["tokens"][0].is_object());
        member.expect("a member with a token")["tokens"][0]["uso_hoje"].clone()
    }

    async fn draw(&self) -> crate::support::Answer {
        let art = json!({ "prompt": "Um prato de peixe" });
        self.token.post("/api/art", art).await
    }
}

#[tokio::test]
async fn a_token_beyond_the_calls_of_its_day_is_refused_until_midnight_in_brasilia() {
    let stage = Stage::start().await;
    let view = stage.set_limits(json!({ "chamadas_por_dia": 2 })).await;
    assert_eq!(
        view["uso_hoje"],
        json!({ "chamadas": 0, "chamadas_por_dia": 2, "imagens": 0, "imagens_por_dia": null })
    );
    stage.token.get("/api/eventos").await.expect(200);
    assert!(
        !stage
            .token
            .call_tool("list_events", json!({}))
            .await
            .is_error
    );
    let refused = stage.token.get("/api/eventos").await;
    assert_eq!(refused.headers["retry-after"], UNTIL_MIDNIGHT.to_string());
    let refused = refused.expect_refusal(429, "RATE_LIMITED");
    assert_eq!(refused.body["details"]["limit"], 2);
    let tool = stage.token.call_tool("list_events", json!({})).await;
    assert!(
        tool.is_error && tool.text.contains("2 chamadas por dia"),
        "{tool:?}"
    );
    assert_eq!(
        stage.load_shown_use().await["chamadas"],
        2,
        "refused calls must not count"
    );
    stage
        .app
        .advance_clock(i64::try_from(UNTIL_MIDNIGHT).expect("small") * 1_000);
    stage.token.get("/api/eventos").await.expect(200);
    assert_eq!(stage.load_shown_use().await["chamadas"], 1);
    let days = stage.app.count_rows("credential_use").await;
    assert_eq!(days, 2, "the day before must be kept");
}

#[tokio::test]
async fn a_changed_budget_applies_to_a_token_in_use_on_every_instance() {
    let stage = Stage::start().await;
    let other = stage.app.second_instance().await;
    let there = stage.token.at_instance(&other);
    for client in [&stage.token, &there] {
        client.get("/api/eventos").await.expect(200);
    }
    stage.set_limits(json!({ "chamadas_por_dia": 2 })).await;
    // Runs two rounds, because the first instance reads the counts of the second one only in the second
    // round.
    for app in [&stage.app, &other, &stage.app, &other] {
        app.app.share_counted_calls().await;
    }
    for client in [&stage.token, &there] {
        client
            .get("/api/eventos")
            .await
            .expect_refusal(429, "RATE_LIMITED");
    }
    stage.set_limits(json!({})).await;
    for app in [&stage.app, &other] {
        app.app.share_counted_calls().await;
    }
    for client in [&stage.token, &there] {
        client.get("/api/eventos").await.expect(200);
    }
    assert_eq!(stage.app.count_rows("credential_budgets").await, 0);
}

#[tokio::test]
async fn calls_before_midnight_count_for_their_day() {
    let stage = Stage::start().await;
    stage.token.get("/api/eventos").await.expect(200);
    stage
        .app
        .advance_clock(i64::try_from(UNTIL_MIDNIGHT).expect("small") * 1_000);
    stage.token.get("/api/eventos").await.expect(200);
    stage.app.app.share_counted_calls().await;
    for day in ["2026-08-22", "2026-08-23"] {
        let counted = format!("credential_use WHERE day = '{day}' AND calls = 1");
        assert_eq!(stage.app.count_rows(&counted).await, 1, "{day}");
    }
    assert_eq!(
        NOON % 86_400_000,
        15 * 3_600_000,
        "noon in Brasília is 15:00 UTC"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_calls_generate_no_more_pictures_than_the_budget_allows() {
    let stage = Stage::start().await;
    stage.set_limits(json!({ "imagens_por_dia": 3 })).await;
    let drawn = join_all((0..8).map(|_| stage.draw())).await;
    let made = drawn.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(made, 3, "{drawn:?}");
    for refused in drawn.into_iter().filter(|answer| answer.status != 200) {
        let refused = refused.expect_refusal(429, "RATE_LIMITED");
        assert!(
            refused.text.contains("3 imagens e vídeos por dia"),
            "{}",
            refused.text
        );
    }
    assert_eq!(stage.load_shown_use().await["imagens"], 3);
}

#[tokio::test]
async fn a_carousel_counts_its_cards_and_a_replay_counts_nothing() {
    let stage = Stage::start().await;
    stage.set_limits(json!({ "imagens_por_dia": 4 })).await;
    let carousel = |cards: usize| {
        let cards = vec![json!({ "text": "Um card" }); cards];
        json!({ "cards": cards, "style": "vibrante" })
    };
    let keyed = stage.token.with_idempotency_key("carrossel-de-hoje-1");
    for _ in 0..2 {
        keyed.post("/api/carousel", carousel(3)).await.expect(200);
    }
    assert_eq!(stage.load_shown_use().await["imagens"], 3);
    let refused = stage.token.post("/api/carousel", carousel(2)).await;
    refused.expect_refusal(429, "RATE_LIMITED");
    stage
        .token
        .post("/api/carousel", carousel(1))
        .await
        .expect(200);
    // The budget belongs to the token, so the person's own session has none.
    stage
        .admin()
        .await
        .post("/api/carousel", carousel(2))
        .await
        .expect(200);
    assert_eq!(stage.load_shown_use().await["imagens"], 4);
}

#[tokio::test]
async fn only_an_admin_in_a_session_sets_limits_of_tokens_that_exist() {
    let stage = Stage::start().await;
    let limits = || json!({ "chamadas_por_dia": 9 });
    stage
        .token
        .put(&stage.path, limits())
        .await
        .expect_refusal(403, "SESSION_REQUIRED");
    let lider = stage.app.as_member(Role::Lider).await;
    lider
        .put(&stage.path, limits())
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    let elsewhere = stage.path.replace("/members/", "/members/0");
    stage
        .admin()
        .await
        .put(&elsewhere, limits())
        .await
        .expect_refusal(404, "NOT_FOUND");
    for wrong in [json!(-1), json!(10_000_001), json!("dez"), json!(1.5)] {
        let refused = stage
            .admin()
            .await
            .put(&stage.path, json!({ "chamadas_por_dia": wrong }))
            .await;
        assert_eq!(refused.invalid_fields(), ["chamadas_por_dia"], "{wrong}");
    }
    assert_eq!(stage.app.count_rows("credential_budgets").await, 0);
    stage.set_limits(limits()).await;
    let noted =
        "audit_events WHERE action = 'set_token_limits' AND metadata LIKE '%chamadas_por_dia%'";
    assert_eq!(stage.app.count_rows(noted).await, 1);
}
