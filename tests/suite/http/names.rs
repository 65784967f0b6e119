//! Names of fields and parameters: only known ones, each given once.

use domain::Role;
use serde_json::json;

use super::post_text;
use crate::support::TestApp;

#[tokio::test]
async fn a_repeated_name_is_refused_anywhere() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    for (body, name) in [
        (r#"{"title":"A","title":"A"}"#, "title"),
        (r#"{"title":"A","\u0074itle":"B"}"#, "title"),
        (r#"{"title":"A","estranho":1,"estranho":2}"#, "estranho"),
    ] {
        assert_eq!(
            post_text(&lead, "/api/demanda", body)
                .await
                .invalid_fields(),
            [name],
            "{body}"
        );
    }
    for (query, name) in [
        ("limit=1&limit=1", "limit"),
        ("limit=1&%6cimit=2", "limit"),
        ("q=a&limit=1&q=b", "q"),
        ("x=1&x=2", "x"),
    ] {
        let answer = lead.get(&format!("/api/eventos?{query}")).await;
        assert_eq!(answer.invalid_fields(), [name], "{query}");
    }
    let path = format!("/api/eventos/{id}");
    assert_eq!(
        lead.get(&format!("{path}?eventId={id}"))
            .await
            .invalid_fields(),
        ["eventId"]
    );
    let both = json!({ "eventId": id, "expected_revision": 1, "title": "B" });
    assert_eq!(lead.patch(&path, both).await.invalid_fields(), ["eventId"]);
    assert_eq!(lead.load_event(&id).await["api_revision"], 1);
    assert_eq!(app.count_rows("events").await, 1);
}

#[tokio::test]
async fn the_refusal_of_an_unknown_parameter_names_it() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for (path, name) in [
        ("/api/eventos?estranho=1", "estranho"),
        ("/api/eventos?Limit=1", "Limit"),
        ("/api/eventos?limit%00=1", "limit"),
        ("/api/eventos?=1", ""),
        ("/api/tarefas?status=aprovado", "status"),
    ] {
        assert_eq!(lead.get(path).await.invalid_fields(), [name], "{path}");
    }
    // A write accepts no query parameters, not even those with names of its body fields.
    for name in ["estranho", "title", "idempotency_key", "access_token"] {
        let path = format!("/api/demanda?{name}=segredo-do-cliente");
        let answer = lead.post(&path, json!({ "title": "A" })).await;
        assert_eq!(answer.invalid_fields(), [name]);
        assert!(!answer.text.contains("segredo"), "{}", answer.text);
    }
    assert_eq!(app.count_rows("events").await, 0);
}
