//! Posts that a person published by hand, with their links.

use domain::{Capability, Level, Role};
use serde_json::json;

use super::{STATUSES, create_event_with_status, event_history};
use crate::support::TestApp;

const LINK: &str = "https://www.instagram.com/p/C9aCuscuz/";

#[tokio::test]
async fn the_link_of_an_approved_event_publishes_it() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let path = format!("/api/eventos/{id}/post");
    let input = json!({ "expected_revision": revision, "post_url": format!(" {LINK}\n") });

    let keyed = lead.with_idempotency_key("publicado-a-mao-0001");
    let answer = keyed.post(&path, input.clone()).await.expect(200).body;
    assert_eq!(
        answer,
        json!({ "ok": true, "status": "publicado", "api_revision": revision + 1, "post_url": LINK })
    );
    // The same form, sent twice, is one call. The same key with another input is refused.
    let again = keyed.post(&path, input.clone()).await.expect(200).body;
    assert_eq!(again, answer);
    let mut other = input.clone();
    other["post_url"] = "https://x.com/1".into();
    keyed.post(&path, other).await.expect(409);
    // With another key, the revision is stale.
    let second = lead.with_idempotency_key("publicado-a-mao-0002");
    let refused = second.post(&path, input).await;
    refused.expect_refusal(409, "STALE_REVISION");

    let event = lead.load_event(&id).await;
    assert_eq!(
        (&event["status"], &event["post_url"]),
        (&json!("publicado"), &json!(LINK))
    );
    let line = event_history(&lead, &id).await.remove(0);
    assert_eq!(line["action"], "record_post");
    assert_eq!(
        line["changes"],
        json!({
            "status": { "before": "aprovado", "after": "publicado" },
            "post_url": { "before": null, "after": LINK },
        })
    );
}

#[tokio::test]
async fn the_link_of_a_published_event_is_corrected_and_the_same_link_changes_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "publicado").await;
    assert_eq!(lead.load_event(&id).await["post_url"], json!(null));
    let path = format!("/api/eventos/{id}/post");
    let record = async |revision: i64, link: &str| {
        let input = json!({ "expected_revision": revision, "post_url": link });
        lead.post(&path, input).await.expect(200).body["api_revision"].clone()
    };
    assert_eq!(record(revision, "https://x.com/1").await, revision + 1);
    assert_eq!(record(revision + 1, LINK).await, revision + 2);
    assert_eq!(record(revision + 2, LINK).await, revision + 2);
    assert_eq!(lead.load_event(&id).await["post_url"], LINK);
    let listed = lead.get("/api/eventos?status=publicado").await.expect(200);
    assert_eq!(listed.body["eventos"][0]["post_url"], LINK);
}

#[tokio::test]
async fn only_an_approved_or_published_event_gets_a_link() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for status in STATUSES {
        let (id, revision) = create_event_with_status(&lead, status).await;
        let input = json!({ "expected_revision": revision, "post_url": LINK });
        let answer = lead.post(&format!("/api/eventos/{id}/post"), input).await;
        if matches!(status, "aprovado" | "publicado") {
            answer.expect(200);
        } else {
            let refused = answer.expect_refusal(409, "NOT_APPROVED");
            assert_eq!(refused.body["details"]["status"], status);
            assert_eq!(lead.load_event(&id).await["status"], status);
        }
    }
}

#[tokio::test]
async fn a_wrong_link_is_refused_with_a_sentence_and_changes_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let long = format!("https://x.com/{}", "a".repeat(1_987));
    for wrong in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(document.cookie)//https://",
        "data:text/html;base64,x",
        "http://instagram.com/p/1",
        "instagram.com/p/1",
        "https://instagram.com@loja.exemplo/",
        "https://localhost/p",
        "https://10.0.0.1/p",
        "sem link",
        " ",
        "",
        &long,
    ] {
        let input = json!({ "expected_revision": revision, "post_url": wrong });
        let answer = lead.post(&format!("/api/eventos/{id}/post"), input).await;
        assert_eq!(
            answer.invalid_fields(),
            ["post_url"],
            "{wrong}: {}",
            answer.text
        );
    }
    for odd in [json!(null), json!(1), json!([LINK])] {
        let input = json!({ "expected_revision": revision, "post_url": odd });
        let answer = lead.post(&format!("/api/eventos/{id}/post"), input).await;
        answer.expect(400);
    }
    assert_eq!(lead.load_event(&id).await["api_revision"], revision);
    // A link of exactly the maximum length is accepted.
    let input = json!({ "expected_revision": revision, "post_url": &long[..2_000] });
    let answer = lead.post(&format!("/api/eventos/{id}/post"), input).await;
    answer.expect(200);
}

#[tokio::test]
async fn only_a_member_who_may_publish_and_see_the_event_records_its_post() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let path = format!("/api/eventos/{id}/post");
    let input = json!({ "expected_revision": revision, "post_url": LINK });

    app.anonymous().post(&path, input.clone()).await.expect(401);
    let author = app.as_member(Role::Criador).await;
    let refused = author.post(&path, input.clone()).await;
    refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let (reader, _) = app
        .token_client_with(&member, &[Capability::TasksView])
        .await;
    let refused = reader.post(&path, input.clone()).await;
    refused.expect_refusal(403, "CAPABILITY_REQUIRED");
    let least = app.add_member_with(Role::Lider, Level::Leitor, false).await;
    app.token_client(&least)
        .await
        .post(&path, input.clone())
        .await
        .expect(403);
    let unknown = "/api/eventos/0198c0de-0000-7000-8000-000000000000/post";
    lead.post(unknown, input.clone()).await.expect(404);
    assert_eq!(lead.load_event(&id).await["status"], "aprovado");

    let (publisher, _) = app.token_client_with(&member, &[Capability::Publish]).await;
    publisher.post(&path, input).await.expect(200);
}

#[tokio::test]
async fn one_of_two_simultaneous_records_of_a_post_is_refused_as_stale() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, revision) = create_event_with_status(&lead, "aprovado").await;
    let path = format!("/api/eventos/{id}/post");
    let record = |link: &str| {
        let input = json!({ "expected_revision": revision, "post_url": link });
        lead.post(&path, input)
    };
    let (one, other) = tokio::join!(record("https://x.com/1"), record("https://x.com/2"));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(lead.load_event(&id).await["api_revision"], revision + 1);
}
