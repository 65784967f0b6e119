//! The rules of the channels. A variant whose own content breaks a rule is refused at once. A rule that
//! the content of the piece breaks is enforced when the piece is submitted.

use serde_json::json;

use super::{Team, put_variants, submit_piece};

#[tokio::test]
async fn a_caption_of_a_variant_is_accepted_up_to_the_limit() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    for (channel, fits) in [
        ("x", "á".repeat(280)),
        ("bluesky", "é".repeat(300)),
        ("threads", "🍞".repeat(125)),
        ("linkedin", "a".repeat(3_000)),
    ] {
        let over = json!([{ "canal": channel, "legenda": format!("{fits}b") }]);
        let refused = put_variants(&team.writer, &id, 2, over).await.expect(400);
        let fault = &refused.body["details"]["fields"][0];
        assert_eq!(fault["field"], "variantes.0.legenda", "{channel}");
        assert_eq!(fault["rule"], "maxLength", "{channel}");
    }
    let stated = json!([
        { "canal": "bluesky", "legenda": "é".repeat(300) },
        { "canal": "linkedin", "legenda": "a".repeat(3_000) },
        { "canal": "threads", "legenda": "🍞".repeat(125) },
        { "canal": "x", "legenda": "á".repeat(280) },
    ]);
    put_variants(&team.writer, &id, 2, stated).await.expect(200);
}

#[tokio::test]
async fn a_refusal_names_the_network_the_rule_and_the_limit() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let over = json!([{ "canal": "x", "legenda": "Pão quente. ".repeat(30) }]);
    let refused = put_variants(&team.writer, &id, 2, over).await.expect(400);
    let fault = &refused.body["details"]["fields"][0];
    let message = fault["message"].as_str().expect("a message");
    assert!(
        message.starts_with("X (post): tem 360 caracteres e o limite é 280: corte 80"),
        "{message}"
    );
}

#[tokio::test]
async fn a_piece_that_breaks_a_rule_is_not_submitted() {
    let team = Team::new().await;
    let long = "a".repeat(281);
    let id = team.create_piece(&long).await;
    let answer = put_variants(&team.writer, &id, 2, json!([{ "canal": "x" }]))
        .await
        .expect(200)
        .body;
    assert_eq!(answer["problemas"][0]["campo"], "legenda");
    assert_eq!(answer["problemas"][0]["valor"], "280");
    let refused = submit_piece(&team.writer, &id, 3).await.expect(409);
    assert_eq!(refused.body["code"], "CHANNEL_RULES");
    assert_eq!(refused.body["details"]["problemas"], answer["problemas"]);
    // The refusal did not change the piece. With a shorter caption in the variant, the piece can be
    // submitted.
    let mended = json!([{ "canal": "x", "legenda": "Curta" }]);
    put_variants(&team.writer, &id, 3, mended).await.expect(200);
    submit_piece(&team.writer, &id, 4).await.expect(200);
}

#[tokio::test]
async fn a_caption_that_is_sent_with_an_approval_is_checked() {
    let team = Team::new().await;
    let id = team.create_piece("Curta").await;
    put_variants(&team.writer, &id, 2, json!([{ "canal": "x" }]))
        .await
        .expect(200);
    submit_piece(&team.writer, &id, 3).await.expect(200);
    let decision = json!({ "event_id": id, "action": "aprovar", "expected_revision": 4,
        "caption": "a".repeat(281) });
    let refused = team.lead.post("/api/aprovar", decision).await.expect(409);
    assert_eq!(refused.body["code"], "CHANNEL_RULES");
    let decision = json!({ "event_id": id, "action": "aprovar", "expected_revision": 4 });
    team.lead.post("/api/aprovar", decision).await.expect(200);
}

#[tokio::test]
async fn a_piece_without_variants_is_submitted_as_before() {
    let team = Team::new().await;
    let id = team.create_piece(&"a".repeat(5_000)).await;
    submit_piece(&team.writer, &id, 2).await.expect(200);
}

#[tokio::test]
async fn automatic_publication_is_refused_for_content_that_the_adapters_cannot_send() {
    let team = Team::new().await;
    let id = team.create_piece("Pão quente").await;
    let automatic = |mut variant: serde_json::Value| {
        variant["publicacao"] = "automatica".into();
        json!([variant])
    };
    for (variant, field, rule) in [
        (json!({ "canal": "threads" }), "publicacao", "channel"),
        (
            json!({ "canal": "boletim interno" }),
            "publicacao",
            "channel",
        ),
        (json!({ "canal": "youtube" }), "titulo", "required"),
        (
            json!({ "canal": "linkedin", "playlist": "PL1" }),
            "playlist",
            "not",
        ),
        (
            json!({ "canal": "youtube", "titulo": "Pão", "sem_comentarios": true }),
            "sem_comentarios",
            "not",
        ),
        (json!({ "canal": "tiktok" }), "privacidade", "required"),
        (
            json!({ "canal": "instagram", "colaboradores": ["ana"] }),
            "colaboradores",
            "not",
        ),
    ] {
        let refused = put_variants(&team.writer, &id, 2, automatic(variant))
            .await
            .expect(400);
        let fault = &refused.body["details"]["fields"][0];
        assert_eq!(fault["field"], format!("variantes.0.{field}"), "{fault}");
        assert_eq!(fault["rule"], rule, "{fault}");
    }
    let stated = json!({ "canal": "linkedin", "privacidade": "CONNECTIONS" });
    put_variants(&team.writer, &id, 2, automatic(stated))
        .await
        .expect(200);
    let stated =
        json!({ "canal": "youtube", "formato": "short", "titulo": "Pão", "tags": ["pão"] });
    put_variants(&team.writer, &id, 3, automatic(stated))
        .await
        .expect(200);
    let stated = json!({ "canal": "tiktok", "privacidade": "SELF_ONLY", "sem_comentarios": true });
    put_variants(&team.writer, &id, 4, automatic(stated))
        .await
        .expect(200);
}
