//! Corrections of carousels whose backgrounds a provider drew.

use serde_json::{Value, json};

use super::{
    carousel::{COLORS, background_response, card_index},
    double::{ImagesApi, base64_response, error_response, image_file},
    load_pixels, service_with_images_api,
};
use crate::support::{Answer, Client, TestApp, openai::cut_in_half};

/// Creates a piece with three cards: two with backgrounds of the provider, and one with the
/// background of the style.
async fn create_carousel(api: &ImagesApi, lead: &Client) -> (String, Vec<Value>) {
    api.set_handler(|asked| std::future::ready(background_response(&asked)));
    let id = lead.create_demand(json!({})).await;
    let cards = json!([
        { "text": "Um", "prompt": "fundo 0" }, { "text": "Dois", "prompt": "fundo 1" }, { "text": "Três" },
    ]);
    let asked = json!({ "event_id": id, "cards": cards, "style": "minimalista" });
    let made = lead.post("/api/carousel", asked).await.expect(200).body;
    (id, made["cards"].as_array().expect("cards").clone())
}

async fn correct_carousel(client: &Client, id: &str, revision: i64, cards: &Value) -> Answer {
    let body = json!({ "expected_revision": revision, "cards": cards });
    client
        .patch(&format!("/api/eventos/{id}/carousel"), body)
        .await
}

/// Returns the index of the colour that most of the card has.
async fn dominant_color(app: &TestApp, card: &Value) -> usize {
    let pixels = load_pixels(app, card).await;
    let near = |color: &[u8; 3]| {
        let near = |p: &&image::Rgb<u8>| p.0.iter().zip(color).all(|(a, b)| a.abs_diff(*b) < 60);
        pixels.pixels().filter(near).count()
    };
    (0..COLORS.len())
        .max_by_key(|at| near(&COLORS[*at]))
        .expect("colours")
}

#[tokio::test]
async fn a_new_text_requests_no_new_background() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let (id, cards) = create_carousel(&api, &lead).await;
    assert_eq!(api.accepted_requests().len(), 2);
    let listed = lead.get("/api/media").await.expect(200).body;
    let listed = listed["media"].as_array().expect("media");
    assert_eq!(listed.len(), 3, "backgrounds must not be listed");
    let made = listed.iter().find(|medium| medium["id"] == cards[0]["id"]);
    let source = &made.expect("listed")["source"];
    assert_eq!(
        (&source["prompt"], &source["gerador"]),
        (&json!("fundo 0"), &json!("openai")),
        "the source must contain the prompt as it was sent"
    );

    // A new text, a moved card, a copy and another style keep the backgrounds.
    let asked = json!([
        { "media_id": cards[1]["id"] },
        { "media_id": cards[0]["id"], "text": "Um!", "prompt": "fundo 0" },
        { "copy_of": cards[0]["id"], "text": "Um?" },
        { "media_id": cards[2]["id"] },
    ]);
    let done = correct_carousel(&lead, &id, 2, &asked)
        .await
        .expect(200)
        .body;
    assert_eq!(api.accepted_requests().len(), 2);
    assert_eq!(done["gerador"], "local");
    for (at, expected) in [(0, 1), (1, 0), (2, 0)] {
        assert_eq!(
            dominant_color(&app, &done["cards"][at]).await,
            expected,
            "card {at}"
        );
    }
    // A correction of a correction is drawn over the same background.
    let ids = |at: usize| done["cards"][at]["id"].clone();
    let asked = json!([
        { "media_id": ids(0) }, { "media_id": ids(1), "text": "Enfim" },
        { "media_id": ids(2), "prompt": "fundo 4" }, { "media_id": ids(3) },
    ]);
    let done = correct_carousel(&lead, &id, 3, &asked)
        .await
        .expect(200)
        .body;
    assert_eq!(
        api.accepted_requests().len(),
        3,
        "only the new prompt may be requested"
    );
    assert_eq!(done["desenhados"].as_array().map(Vec::len), Some(2));
    assert_eq!(done["gerador"], "openai");
    assert_eq!(dominant_color(&app, &done["cards"][1]).await, 0);
    assert_eq!(dominant_color(&app, &done["cards"][2]).await, 4);
    // An empty prompt restores the background of the style.
    let ids = |at: usize| done["cards"][at]["id"].clone();
    let asked = json!([
        { "media_id": ids(0) }, { "media_id": ids(1), "prompt": "" }, { "media_id": ids(2) },
        { "media_id": ids(3) },
    ]);
    correct_carousel(&lead, &id, 4, &asked).await.expect(200);
    assert_eq!(api.accepted_requests().len(), 3);
    let listed = lead
        .get(&format!("/api/media?event_id={id}"))
        .await
        .expect(200)
        .body;
    let media = listed["media"].as_array().expect("media");
    let plain = media
        .iter()
        .filter(|medium| medium["source"]["prompt"] == json!(null));
    assert_eq!(plain.count(), 2);
}

#[tokio::test]
async fn a_refusal_between_two_cards_leaves_the_carousel_unchanged() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let (id, cards) = create_carousel(&api, &lead).await;
    let before = (
        app.count_rows("media").await,
        app.stored_file_count(),
        lead.load_event(&id).await,
    );
    api.set_handler(|asked| async move {
        match card_index(&asked) {
            3 => error_response(400, "image_generation_user_error", "moderation_blocked"),
            _ => background_response(&asked),
        }
    });
    let asked = json!([
        { "media_id": cards[0]["id"], "prompt": "fundo 2" },
        { "media_id": cards[1]["id"], "prompt": "fundo 3" },
    ]);
    let keyed = lead.with_idempotency_key("correcao-1");
    let refused = correct_carousel(&keyed, &id, 2, &asked)
        .await
        .expect_refusal(500, "PROVIDER_FAILED");
    assert_eq!(refused.body["details"]["card"], "cards.1");
    let after = (
        app.count_rows("media").await,
        app.stored_file_count(),
        lead.load_event(&id).await,
    );
    let ids = |event: &Value| {
        let media = event["media"].as_array().expect("media");
        media
            .iter()
            .map(|medium| medium["id"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!((after.0, after.1), (before.0, before.1));
    assert_eq!(ids(&after.2), ids(&before.2));
    assert_eq!(after.2["api_revision"], 2);
    assert_eq!(app.count_rows("media_jobs").await, 0);
    api.set_handler(|asked| std::future::ready(background_response(&asked)));
    correct_carousel(&keyed, &id, 2, &asked).await.expect(200);
}

#[tokio::test]
async fn a_request_whose_answer_was_lost_is_never_repeated_with_the_same_key() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let (id, cards) = create_carousel(&api, &lead).await;
    api.set_handler(|_| async { cut_in_half(base64_response(&image_file(64, 64, "png"))).await });
    let asked = json!([{ "media_id": cards[0]["id"], "prompt": "fundo 2" }]);
    let keyed = lead.with_idempotency_key("correcao-1");
    let requests = api.accepted_requests().len();
    correct_carousel(&keyed, &id, 2, &asked)
        .await
        .expect_refusal(500, "PROVIDER_TIMEOUT");
    for _ in 0..2 {
        correct_carousel(&keyed, &id, 2, &asked)
            .await
            .expect_refusal(409, "OUTCOME_UNKNOWN");
    }
    assert_eq!(api.accepted_requests().len(), requests + 1);
    assert_eq!(lead.load_event(&id).await["api_revision"], 2);
    assert_eq!(app.count_rows("media_jobs").await, 0);
}

#[tokio::test]
async fn a_change_while_the_provider_draws_is_not_overwritten() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let (id, cards) = create_carousel(&api, &lead).await;
    let before = (app.count_rows("media").await, app.stored_file_count());
    let requests = api.accepted_requests().len();
    let open = api.hold_responses();
    let asked = json!([{ "media_id": cards[0]["id"], "prompt": "fundo 2" }]);
    let call = tokio::spawn({
        let (lead, id, asked) = (
            lead.with_idempotency_key("correcao-1"),
            id.clone(),
            asked.clone(),
        );
        async move { correct_carousel(&lead, &id, 2, &asked).await }
    });
    api.wait_for_requests(requests + 1).await;
    let early = correct_carousel(&lead.with_idempotency_key("correcao-1"), &id, 2, &asked).await;
    early.expect_refusal(409, "IDEMPOTENCY_IN_PROGRESS");
    let sent = json!({ "event_id": id, "expected_revision": 2 });
    let early = lead.post("/api/enviar", sent).await;
    early.expect_refusal(409, "MEDIA_PROCESSING");
    let draft = json!({ "event_id": id, "expected_revision": 2, "caption": "Outra" });
    lead.post("/api/draft", draft).await.expect(200);
    open.send(true).expect("the provider still draws");
    call.await
        .expect("no panic")
        .expect_refusal(409, "STALE_REVISION");
    assert_eq!(
        (app.count_rows("media").await, app.stored_file_count()),
        before
    );
    let event = lead.load_event(&id).await;
    assert_eq!(
        (&event["description"], &event["media"][0]["id"]),
        (&json!("Outra"), &cards[0]["id"])
    );
}
