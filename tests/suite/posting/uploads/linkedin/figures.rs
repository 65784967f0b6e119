//! LinkedIn does not report figures for the posts of members, so their readings contain only the visits
//! by the link of the post.

use domain::{time::HOUR, variant::VariantContent};
use serde_json::json;

use super::{LinkedInStage, LinkedInWorld, ready};

const TOKEN: &str = "segredo-de-quem-envia";

#[tokio::test]
async fn a_post_is_listed_with_its_clicks_and_without_unreported_figures() {
    let world = LinkedInWorld::default();
    let stage = LinkedInStage::with_settings(world, [("PAUTA_JORNADA_TOKEN", TOKEN)]).await;
    let content = VariantContent {
        caption: Some("Leia: {link}".into()),
        link: Some("https://padaria.exemplo.test/receita".into()),
        ..VariantContent::default()
    };
    let piece = ready(&stage, &[], content).await;
    stage.pass_minutes(3).await;
    let site = stage.app.anonymous().with_header("x-jornada-token", TOKEN);
    let detail = json!({ "utm_source": "linkedin", "utm_content": format!("post-{piece}") });
    let event =
        json!({ "evento": "visitou_pagina", "sessao": "ana", "id": "1", "detalhe": detail });
    let sent = site
        .post("/api/jornada/eventos", json!({ "eventos": [event] }))
        .await;
    sent.expect(200);
    stage.app.advance_clock(HOUR);
    stage.pass_minutes(6).await;
    let results = stage.lead.get("/api/resultados").await.expect(200).body;
    let reading = &results["resultados"][0]["leituras"][0];
    assert_eq!(reading["cliques"], 1, "{results}");
    assert!(
        reading["lida_em"].is_string() && reading.get("alcance").is_none(),
        "{results}"
    );
}
