//! The clicks of a post: the site visits that came by the link in the post.

use domain::{
    Format,
    time::{HOUR, MINUTE},
    variant::VariantContent,
};
use serde_json::{Value, json};
use tools::timeline::privacy;

use super::{Stage, captioned};
use crate::publishing::jpeg_image;

const TOKEN: &str = "segredo-de-quem-envia";
const ANA: &str = "ana@exemplo.com.br";

/// Creates a stage that accepts visits from the site.
async fn stage_with_site() -> Stage {
    Stage::with_more_settings([("PAUTA_JORNADA_TOKEN", TOKEN.to_owned())]).await
}

/// Publishes a post for the feed; returns the id of its piece.
async fn publish(stage: &Stage, content: VariantContent) -> String {
    let files = [jpeg_image(320, 320, 1)];
    let (piece, _) = stage
        .create_approved("pão", &files, &[(Format::Feed, content)])
        .await;
    stage.pass_minutes(62).await;
    assert_eq!(stage.status(&piece).await, "publicado");
    piece
}

/// Publishes a post whose caption has a link; returns the id of its piece.
async fn publish_link(stage: &Stage) -> String {
    let content = VariantContent {
        link: Some("https://padaria.exemplo.test/loja".into()),
        ..captioned("Na loja: {link}")
    };
    publish(stage, content).await
}

/// Reports a visit in a session.
async fn report_visit(stage: &Stage, (session, id): (&str, &str), source: &str, content: &str) {
    let client = stage.app.anonymous().with_header("x-jornada-token", TOKEN);
    let detail = json!({ "utm_source": source, "utm_medium": "social", "utm_content": content });
    let event =
        json!({ "evento": "visitou_pagina", "sessao": session, "id": id, "detalhe": detail });
    let sent = client
        .post("/api/jornada/eventos", json!({ "eventos": [event] }))
        .await;
    assert_eq!(sent.expect(200).body["gravados"], 1);
}

/// Lets an hour pass, and returns the clicks in the first reading of the piece.
async fn read_clicks(stage: &Stage, piece: &str) -> Value {
    stage.app.advance_clock(HOUR);
    stage.pass_minutes(6).await;
    let path = format!("/api/resultados?event_id={piece}");
    let all = stage.lead.get(&path).await.expect(200).body["resultados"].clone();
    let reading = &all[0]["leituras"][0];
    assert_eq!(reading["idade"], "1h", "{all}");
    assert!(reading["lida_em"].is_string(), "{all}");
    reading.get("cliques").cloned().unwrap_or_default()
}

#[tokio::test]
async fn visits_by_the_link_of_a_post_are_counted_as_its_clicks() {
    let stage = stage_with_site().await;
    let piece = publish_link(&stage).await;
    let content = format!("feed-{piece}");
    stage.app.advance_clock(MINUTE);
    report_visit(&stage, ("ana", "1"), "instagram", &content).await;
    report_visit(&stage, ("ana", "2"), "instagram", &content).await;
    report_visit(&stage, ("bia", "1"), "instagram", &content).await;
    // Visits by a link of the same piece on another network, and by a link of another piece, do not
    // count.
    report_visit(&stage, ("caio", "1"), "linkedin", &content).await;
    report_visit(&stage, ("davi", "1"), "instagram", "feed-outra").await;
    report_visit(&stage, ("eva", "1"), "instagram", &format!("reel-{piece}")).await;
    assert_eq!(read_clicks(&stage, &piece).await, 2);
    let sorted = stage
        .lead
        .get("/api/resultados?ordem=cliques")
        .await
        .expect(200)
        .body;
    assert_eq!(sorted["resultados"][0]["event_id"], piece.as_str());
    let tool = stage
        .lead
        .call_tool("list_results", json!({ "ordem": "cliques" }))
        .await;
    assert!(
        !tool.is_error && tool.text.contains("cliques"),
        "{}",
        tool.text
    );
}

#[tokio::test]
async fn the_visit_of_an_erased_person_still_counts() {
    let stage = stage_with_site().await;
    let piece = publish_link(&stage).await;
    let content = format!("feed-{piece}");
    stage.app.advance_clock(MINUTE);
    report_visit(&stage, ("ana", "1"), "instagram", &content).await;
    report_visit(&stage, ("bia", "1"), "instagram", &content).await;
    let client = stage.app.anonymous().with_header("x-jornada-token", TOKEN);
    let named = json!({ "evento": "identificou", "sessao": "ana", "id": "2", "email": ANA });
    let sent = client
        .post("/api/jornada/eventos", json!({ "eventos": [named] }))
        .await;
    assert_eq!(sent.expect(200).body["gravados"], 1);
    let erased = privacy::erase_person(&stage.app.app.gateway, ANA).await;
    let erased = erased.expect("the person is erased");
    assert_eq!(erased["timeline_events"], 2);
    assert_eq!(read_clicks(&stage, &piece).await, 2);
}

#[tokio::test]
async fn clicks_that_cannot_be_counted_are_unavailable_instead_of_zero() {
    // The site reports visits, but none by this link: the clicks are 0.
    let stage = stage_with_site().await;
    let piece = publish_link(&stage).await;
    report_visit(&stage, ("ana", "1"), "boletim", "feed-outra").await;
    assert_eq!(read_clicks(&stage, &piece).await, 0);
    // The site reports no visits at all: the clicks are not available.
    let silent = Stage::new().await;
    let piece = publish_link(&silent).await;
    assert_eq!(read_clicks(&silent, &piece).await, Value::Null);
    // The post has no link, so its clicks are not available.
    let piece = publish(&stage, captioned("sem link")).await;
    report_visit(&stage, ("bia", "1"), "boletim", "feed-outra").await;
    assert_eq!(read_clicks(&stage, &piece).await, Value::Null);
}
