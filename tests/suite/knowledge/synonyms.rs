//! Synonyms from the built-in table, and synonyms that the team configures.

use domain::{Level, Role};
use serde_json::{Value, json};

use super::{add_document, search_sources};
use crate::support::{Answer, Client, TestApp};

const KEY: &str = "conhecimento.sinonimos";

async fn publish_synonyms(client: &Client, words: Value) -> Answer {
    let entry = json!({ "key": KEY, "value": words });
    client.post("/api/config", entry).await
}

#[tokio::test]
async fn a_typed_word_ranks_before_a_related_one() {
    let app = TestApp::new().await;
    add_document(
        &app,
        "aves.md",
        &[],
        "# Aves\n\nAs aves assam até 74 graus, e descansam.",
    )
    .await;
    add_document(
        &app,
        "frango.md",
        &[],
        "# Frango\n\nO frango assa até 74 graus, e descansa.",
    )
    .await;
    add_document(
        &app,
        "outro.md",
        &[],
        "# Vinho\n\nO vinho tinto se serve fresco.",
    )
    .await;
    let reader = app.as_member(Role::Criador).await;
    assert_eq!(
        search_sources(&reader, "frango").await,
        ["frango.md", "aves.md"]
    );
    assert_eq!(
        search_sources(&reader, "aves").await,
        ["aves.md", "frango.md"]
    );
    assert_eq!(search_sources(&reader, "chester").await, ["aves.md"]);
    assert_eq!(
        search_sources(&reader, "\"frango\"").await,
        ["frango.md"],
        "a quoted word must match literally"
    );
    assert!(search_sources(&reader, "xilofone").await.is_empty());
}

#[tokio::test]
async fn a_team_configures_its_own_synonyms() {
    let app = TestApp::new().await;
    add_document(
        &app,
        "chapa.md",
        &[],
        "# Chapa\n\nA chapa se limpa ainda morna.",
    )
    .await;
    let admin = app.as_member(Role::Admin).await;
    let reader = app.as_member(Role::Criador).await;
    assert!(search_sources(&reader, "bertha").await.is_empty());
    publish_synonyms(&admin, json!({ "Bertha": ["chapa"] }))
        .await
        .expect(200);
    assert_eq!(search_sources(&reader, "bertha").await, ["chapa.md"]);
    assert!(search_sources(&reader, "xilofone").await.is_empty());
    publish_synonyms(&admin, Value::Null).await.expect(200);
    assert!(search_sources(&reader, "bertha").await.is_empty());
}

#[tokio::test]
async fn synonyms_that_a_search_cannot_use_are_refused_by_field() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let many: serde_json::Map<String, Value> = (0..201)
        .map(|n| (format!("palavra{n}"), json!(["x1"])))
        .collect();
    for (words, fields) in [
        (json!([]), vec!["value"]),
        (json!(many), vec!["value"]),
        (json!({ "frango": "ave" }), vec!["value.frango"]),
        (json!({ "frango": [] }), vec!["value.frango"]),
        (
            json!({ "frango": ["ave", 1, "de", "a".repeat(61)] }),
            vec!["value.frango.1", "value.frango.2", "value.frango.3"],
        ),
        (
            json!({ "duas palavras": ["ave"] }),
            vec!["value.duas palavras"],
        ),
        (
            json!({ "de": ["ave"], "": ["ave"] }),
            vec!["value.", "value.de"],
        ),
    ] {
        assert_eq!(
            publish_synonyms(&admin, words.clone())
                .await
                .invalid_fields(),
            fields,
            "{words}"
        );
    }
    let member = app
        .add_member_with(Role::Criador, Level::Leitor, false)
        .await;
    let member = app.session_client(&member).await;
    publish_synonyms(&member, json!({ "a1": ["b1"] }))
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    publish_synonyms(&admin, json!({ "frango": ["ave caipira"] }))
        .await
        .expect(200);
}
