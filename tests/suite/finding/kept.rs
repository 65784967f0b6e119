//! The search index follows changes and deletions of the stored texts.

use domain::Role;
use serde_json::json;

use super::{put_draft, run_jobs, search, search_titles};
use crate::support::TestApp;

#[tokio::test]
async fn changed_texts_are_found_at_once_and_earlier_texts_no_longer() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Admin).await;
    let event = lead.create_demand(json!({ "title": "Broa" })).await;
    let project = lead.post("/api/projects", json!({ "name": "Feira" })).await;
    let project = project.expect(201).body["project"]["id"].clone();
    let project = project.as_str().expect("an id");
    let token = put_draft(&lead, "carta", "<p>Fubá</p>", json!({ "assunto": "Milho" })).await;
    run_jobs(&app).await;
    for q in ["broa", "feira", "fuba", "milho", "carta"] {
        assert_eq!(search_titles(&lead, q).await.len(), 1, "{q}");
    }
    let draft = json!({ "event_id": event, "expected_revision": 1, "caption": "Sequilho" });
    lead.post("/api/draft", draft).await.expect(200);
    let rename = json!({
        "type": "project.rename", "payload": { "title": "Mercado" }, "expected_revision": 1,
    });
    let path = format!("/api/projects/{project}/operations");
    lead.post(&path, rename).await.expect(200);
    let put = json!({ "html": "<p>Polvilho</p>", "expected_updated_at": token });
    let put = lead.put("/api/email-drafts/carta", put).await.expect(200);
    let token = put.body["draft"]["updated_at"].clone();
    for _ in 0..2 {
        for (q, expected) in [
            ("broa", 1),
            ("sequilhos", 1),
            ("feira", 0),
            ("mercado", 1),
            ("fuba", 0),
            ("polvilho", 1),
            ("milho", 1),
        ] {
            assert_eq!(search_titles(&lead, q).await.len(), expected, "{q}");
        }
        run_jobs(&app).await;
    }
    let gone = format!(
        "/api/email-drafts/carta?expected_updated_at={}",
        token.as_str().expect("a token")
    );
    lead.delete(&gone).await.expect(200);
    assert_eq!(search_titles(&lead, "polvilho").await, [""; 0]);
    put_draft(&lead, "carta", "<p>Canela</p>", json!({})).await;
    for _ in 0..2 {
        assert_eq!(search_titles(&lead, "canela").await, ["carta"]);
        assert_eq!(search_titles(&lead, "polvilho").await, [""; 0]);
        run_jobs(&app).await;
    }
    assert_eq!(
        app.count_rows("search_index").await,
        app.count_rows("search_texts").await
    );
}

#[tokio::test]
async fn a_project_whose_texts_do_not_change_is_not_indexed_again() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Admin).await;
    let project = lead.post("/api/projects", json!({ "name": "Feira" })).await;
    let project = project.expect(201).body["project"]["id"].clone();
    run_jobs(&app).await;
    let archive = json!({ "type": "project.archive", "payload": {}, "expected_revision": 1 });
    let path = format!(
        "/api/projects/{}/operations",
        project.as_str().expect("an id")
    );
    lead.post(&path, archive).await.expect(200);
    assert_eq!(app.count_rows("search_texts WHERE pending").await, 0);
    assert_eq!(search_titles(&lead, "feira").await, ["Feira"]);
}

#[tokio::test]
async fn the_alternative_text_on_a_piece_finds_its_medium() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let event = lead.create_demand(json!({ "title": "Peça" })).await;
    let cards =
        json!({ "event_id": event, "cards": [{ "text": "Primeiro" }, { "text": "Segundo" }] });
    let made = lead.post("/api/carousel", cards).await.expect(200).body;
    let medium = &made["cards"][0]["id"];
    let revision = lead.load_event(&event).await["api_revision"].clone();
    let alt = json!({
        "expected_revision": revision,
        "alt": [{ "media_id": medium, "alt": "Uma tigela de açaí" }],
    });
    let path = format!("/api/eventos/{event}/media");
    lead.patch(&path, alt).await.expect(200);
    for _ in 0..2 {
        let found = search(&lead, "acai tig").await;
        assert_eq!(found[0]["resultados"][0]["id"], *medium, "{found}");
        assert_eq!(
            found[0]["resultados"][0]["pagina"],
            format!("/eventos/{event}")
        );
        let found = search(&lead, "segundo").await;
        assert_eq!(found[0]["tipo"], "midia");
        run_jobs(&app).await;
    }
    let revision = lead.load_event(&event).await["api_revision"].clone();
    let alt = json!({
        "expected_revision": revision, "alt": [{ "media_id": medium, "alt": "Um prato" }],
    });
    lead.patch(&path, alt).await.expect(200);
    assert_eq!(search(&lead, "acai").await, json!([]));
    assert_eq!(search(&lead, "prato").await[0]["tipo"], "midia");
}
