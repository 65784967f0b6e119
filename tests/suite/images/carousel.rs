//! Carousels with backgrounds from the provider.

use std::{collections::BTreeMap, sync::Mutex};

use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{
    assert_nothing_left,
    double::{Asked, ImagesApi, base64_response, error_response, image_file_of_color},
    load_pixels, service_with_images_api,
};

pub(super) const COLORS: [[u8; 3]; 6] = [
    [220, 0, 0],
    [0, 200, 0],
    [0, 0, 220],
    [220, 220, 0],
    [0, 220, 220],
    [220, 0, 220],
];

/// Returns six cards, each with a different background.
fn six_cards() -> Vec<Value> {
    let card = |n: usize| json!({ "text": format!("Card {n}"), "prompt": format!("fundo {n}") });
    (0..COLORS.len()).map(card).collect()
}

/// Parses the card index from the prompt of a request.
pub(super) fn card_index(asked: &Asked) -> usize {
    let digit = asked
        .prompt
        .strip_prefix("fundo ")
        .and_then(|rest| rest.get(..1));
    digit.expect("a background").parse().expect("a number")
}

pub(super) fn background_response(asked: &Asked) -> axum::response::Response {
    base64_response(&image_file_of_color(
        60,
        80,
        COLORS[card_index(asked)],
        "png",
    ))
}

#[tokio::test]
async fn cards_keep_their_order_although_their_backgrounds_arrive_in_another_order() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    // Each request waits for its own signal.
    let mut signals = BTreeMap::new();
    let mut waits = BTreeMap::new();
    for number in 0..COLORS.len() {
        let (signal, wait) = oneshot::channel::<()>();
        signals.insert(number, signal);
        waits.insert(number, wait);
    }
    let waits = Mutex::new(waits);
    api.set_handler(move |asked| {
        let wait = waits.lock().expect("no panic").remove(&card_index(&asked));
        async move {
            let _ = wait.expect("each card asks once").await;
            background_response(&asked)
        }
    });
    let id = lead.create_demand(json!({})).await;
    let asked = json!({ "event_id": id, "style": "vibrante", "cards": six_cards() });
    let making = tokio::spawn(async move { lead.post("/api/carousel", asked).await });
    for (at_least, number) in [(4, 3), (4, 2), (4, 1), (4, 0), (6, 5), (6, 4)] {
        api.wait_for_requests(at_least).await;
        drop(signals.remove(&number));
    }
    let made = making.await.expect("no panic").expect(200).body;
    assert_eq!(api.max_concurrent_requests(), 4);
    assert_eq!(api.accepted_requests().len(), COLORS.len());
    assert_eq!(made["api_revision"], 2);
    for (number, card) in made["cards"].as_array().expect("cards").iter().enumerate() {
        assert_eq!(
            (&card["slide_index"], &card["alt"]),
            (&json!(number), &json!(format!("Card {number}")))
        );
        let pixels = load_pixels(&app, card).await;
        assert_eq!(pixels.dimensions(), (1080, 1350));
        let near = |color: [u8; 3]| {
            let near = |p: &&image::Rgb<u8>| p.0.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 60);
            pixels.pixels().filter(near).count()
        };
        let closest = COLORS.into_iter().max_by_key(|color| near(*color));
        assert_eq!(closest, Some(COLORS[number]));
        // The text is drawn over the background.
        let all = pixels.pixels().count();
        assert!(
            near(COLORS[number]) < all - all / 100,
            "card {number} has no text over its background"
        );
    }
}

#[tokio::test]
async fn a_failed_card_leaves_nothing_of_the_other_cards() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    api.set_handler(|asked| async move {
        match card_index(&asked) {
            2 => error_response(400, "image_generation_user_error", "moderation_blocked"),
            _ => background_response(&asked),
        }
    });
    let id = lead.create_demand(json!({})).await;
    let before = lead.get(&format!("/api/eventos/{id}")).await.text;
    let asked = json!({ "event_id": id, "cards": six_cards() });
    let keyed = lead.with_idempotency_key("carrossel-1");
    let refused = keyed.post("/api/carousel", asked.clone()).await;
    let refused = refused.expect_refusal(500, "PROVIDER_FAILED");
    assert_eq!(refused.body["details"]["card"], "cards.2");
    assert_eq!(
        refused.body["details"]["provider_code"],
        "moderation_blocked"
    );
    assert_nothing_left(&app).await;
    assert_eq!(app.count_rows("event_history").await, 1);
    assert_eq!(lead.get(&format!("/api/eventos/{id}")).await.text, before);

    api.set_handler(|asked| std::future::ready(background_response(&asked)));
    let made = keyed.post("/api/carousel", asked).await.expect(200).body;
    assert_eq!(made["cards"].as_array().expect("cards").len(), COLORS.len());
    // Six cards, and the six backgrounds that were drawn for them.
    assert_eq!(
        (app.count_rows("media").await, app.stored_file_count()),
        (12, 12)
    );
}

#[tokio::test]
async fn a_text_that_does_not_fit_prevents_the_requests_for_all_backgrounds() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let mut cards = six_cards();
    cards[5]["text"] = "não cabe\n".repeat(200).into();
    let refused = lead.post("/api/carousel", json!({ "cards": cards })).await;
    assert_eq!(refused.invalid_fields(), ["cards.5.text"]);
    assert_eq!(api.accepted_requests().len(), 0);
    assert_nothing_left(&app).await;
}

#[tokio::test]
async fn a_text_that_fits_only_without_a_background_prevents_its_request() {
    let api = ImagesApi::new().await;
    let (_app, lead) = service_with_images_api(&api).await;
    // A background leaves less room for text. The search below finds a text that fits only without
    // a background.
    let pixel = typeset::Image::new(1, 1, vec![0; 3]);
    let fits = |text: &str, background| {
        let card = typeset::Card {
            text,
            style: typeset::Style::Minimalista,
            width: 1080,
            height: 1350,
            overflow: typeset::Overflow::Refuse,
            background,
            page: Some((1, 1)),
            seed: 0,
            brand: None,
        };
        typeset::fits(&card).is_ok()
    };
    let texts = (10..250).map(|n| "cabe a custo\n".repeat(n));
    let text = texts
        .into_iter()
        .find(|text| fits(text, None) && !fits(text, pixel.as_ref()));
    let text = text.expect("a text that fits only without a background");
    let card = |prompt: Option<&str>| {
        let mut card = json!({ "text": text });
        if let Some(prompt) = prompt {
            card["prompt"] = prompt.into();
        }
        json!({ "style": "minimalista", "cards": [card] })
    };
    let refused = lead.post("/api/carousel", card(Some("fundo 0"))).await;
    assert_eq!(refused.invalid_fields(), ["cards.0.text"]);
    assert_eq!(api.accepted_requests().len(), 0);
    lead.post("/api/carousel", card(None)).await.expect(200);
    assert_eq!(api.accepted_requests().len(), 0);
}
