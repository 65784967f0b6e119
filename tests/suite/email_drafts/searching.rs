//! In a long draft, a sentence can be found and replaced without reading the rest.

use domain::Role;
use serde_json::{Value, json};

use crate::support::{Client, TestApp};

/// Creates a draft of 300 kB that contains these texts; returns its token.
async fn create_long_draft(lead: &Client, texts: &[&str]) -> Value {
    let filling = "<td>ação</td>".repeat(12_000);
    let html = texts
        .iter()
        .fold(filling.clone(), |html, text| html + text + &filling);
    let draft = json!({ "html": html, "metadata": {}, "expected_updated_at": null });
    let put = lead.put("/api/email-drafts/longo", draft).await.expect(200);
    put.body["draft"]["updated_at"].clone()
}

#[tokio::test]
async fn a_sentence_is_found_in_one_call_and_replaced_in_another() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let updated_at = create_long_draft(&lead, &["<p>Só até SEXTA</p>"]).await;
    let asked = json!({ "templateId": "longo", "busca": "só até sexta" });
    let found = lead.call_tool("get_email_draft", asked).await;
    assert!(!found.is_error, "{}", found.text);
    let found = found.structured;
    assert_eq!(
        (&found["draft"]["html"], &found["ocorrencias"]["total"]),
        (&Value::Null, &json!(1))
    );
    let piece = &found["ocorrencias"]["trechos"][0];
    assert_eq!(piece["de"], 12_000 * 13 + 3);
    let around = piece["trecho"].as_str().expect("text");
    assert!(around.contains("<p>Só até SEXTA</p>") && around.chars().count() == 12 + 160);
    let change = json!({
        "templateId": "longo", "procurar": "Só até SEXTA", "trocar_por": "Só hoje",
        "expected_updated_at": updated_at,
    });
    let changed = lead.call_tool("replace_in_email_draft", change).await;
    assert_eq!(changed.structured["substituicoes"], 1, "{}", changed.text);

    let none = json!({ "templateId": "longo", "busca": "não está" });
    let none = lead.call_tool("get_email_draft", none).await.structured;
    assert_eq!(
        none["ocorrencias"],
        json!({ "total": 0, "trechos": [], "next_cursor": null })
    );
    let both = lead.get("/api/email-drafts/longo?busca=a&de=0").await;
    assert_eq!(both.invalid_fields(), ["busca"]);
}

#[tokio::test]
async fn occurrences_are_listed_if_the_text_is_missing_or_not_unique() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let updated_at = create_long_draft(&lead, &["<p>Só hoje</p>", "<b>Só hoje</b>"]).await;
    let change = |text: &str| json!({ "procurar": text, "trocar_por": "x", "expected_updated_at": updated_at });
    let path = "/api/email-drafts/longo/substituir";
    let twice = lead
        .post(path, change("Só hoje"))
        .await
        .expect_refusal(409, "TEXT_NOT_UNIQUE");
    let details = &twice.body["details"];
    assert_eq!(details["total"], 2);
    assert_eq!(details["trechos"][0]["de"], 12_000 * 13 + 3);
    assert!(
        details["trechos"][1]["trecho"]
            .as_str()
            .expect("text")
            .contains("<b>Só hoje</b>")
    );
    let absent = lead
        .post(path, change("SÓ HOJE"))
        .await
        .expect_refusal(409, "TEXT_NOT_FOUND");
    let details = &absent.body["details"];
    assert_eq!(details["total"], 0);
    assert!(
        details["trechos"][0]["trecho"]
            .as_str()
            .expect("text")
            .contains("<p>Só hoje</p>")
    );
    let absent = lead
        .post(path, change("nada disso"))
        .await
        .expect_refusal(409, "TEXT_NOT_FOUND");
    assert_eq!(absent.body["details"]["trechos"], json!([]));
}
