//! Corrections of carousels, and the sources of generated images.

use super::*;

/// Creates a piece with a carousel of these texts. Returns its id and its cards as `list_media`
/// shows them, in order.
async fn create_carousel(client: &Client, texts: &[&str]) -> (String, Vec<Value>) {
    let id = client.create_demand(json!({ "title": "Carrossel" })).await;
    let cards: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
    let asked = json!({ "event_id": id, "cards": cards, "style": "editorial" });
    let made = client.post("/api/carousel", asked).await.expect(200).body;
    let cards = made["cards"].as_array().expect("cards").clone();
    (id, cards)
}

async fn correct_carousel(client: &Client, id: &str, revision: i64, cards: Value) -> Answer {
    let body = json!({ "expected_revision": revision, "cards": cards });
    client
        .patch(&format!("/api/eventos/{id}/carousel"), body)
        .await
}

/// Loads the source of this medium of a piece.
async fn load_source(client: &Client, event: &str, medium: &Value) -> Value {
    let listed = client.get(&format!("/api/media?event_id={event}")).await;
    let listed = listed.expect(200).body;
    let media = listed["media"].as_array().expect("media");
    let found = media.iter().find(|one| one["id"] == *medium);
    found.expect("the medium is listed")["source"].clone()
}

fn card_ids(cards: &Value) -> Vec<Value> {
    let cards = cards.as_array().expect("cards");
    cards.iter().map(|card| card["id"].clone()).collect()
}

#[tokio::test]
async fn a_generated_image_is_listed_with_its_source() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let text = "Pão de queijo 🧀\n\n- **polvilho** azedo\n- ovos 卵";
    let (id, cards) = create_carousel(&lead, &[text, "Dois"]).await;
    let expected = json!({
        "text": text, "prompt": null, "style": "editorial", "size": "1080x1350", "quality": null,
        "photo_id": null, "page": 1, "pages": 2, "gerador": "local",
    });
    assert_eq!(load_source(&lead, &id, &cards[0]["id"]).await, expected);
    let art = json!({
        "prompt": "Café", "event_id": id, "size": "320x400", "style": "vibrante",
        "quality": "high", "media_id": cards[0]["id"], "slide_index": 9,
    });
    let art = lead.post("/api/art", art).await.expect(200).body;
    let expected = json!({
        "text": null, "prompt": "Café", "style": "vibrante", "size": "320x400", "quality": "high",
        "photo_id": cards[0]["id"], "page": null, "pages": null, "gerador": "local",
    });
    assert_eq!(load_source(&lead, &id, &art["id"]).await, expected);
    let uploaded = upload(&lead, &[("event_id", &id)], Some(&png_image(8, 8))).await;
    let uploaded = uploaded.expect(201).body;
    assert_eq!(load_source(&lead, &id, &uploaded["id"]).await, Value::Null);
    assert_eq!(app.count_rows("media_sources").await, 3);
}

#[tokio::test]
async fn a_new_text_draws_one_card_and_keeps_the_others() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Doiss", "Três"]).await;
    let files = app.stored_file_count();
    let asked = json!([
        { "media_id": cards[0]["id"] },
        { "media_id": cards[1]["id"], "text": "Dois" },
        { "media_id": cards[2]["id"], "text": "Três" },
    ]);
    let keyed = lead.with_idempotency_key("correcao-1");
    let done = correct_carousel(&keyed, &id, 2, asked.clone())
        .await
        .expect(200);
    let body = &done.body;
    assert_eq!(
        (&body["ok"], &body["api_revision"]),
        (&json!(true), &json!(3))
    );
    let now = card_ids(&body["cards"]);
    assert_eq!((&now[0], &now[2]), (&cards[0]["id"], &cards[2]["id"]));
    assert_ne!(now[1], cards[1]["id"]);
    assert_eq!(body["desenhados"], json!([now[1]]));
    assert_eq!(body["gerador"], "local");
    assert_eq!(app.stored_file_count(), files + 1);
    let made = load_source(&lead, &id, &now[1]).await;
    let shown = (&made["text"], &made["style"], &made["page"], &made["pages"]);
    assert_eq!(
        shown,
        (&json!("Dois"), &json!("editorial"), &json!(2), &json!(3))
    );
    let event = lead.load_event(&id).await;
    assert_eq!(card_ids(&event["media"]), now);
    assert_eq!(event["media"][1]["alt"], "Dois");

    let again = correct_carousel(&keyed, &id, 2, asked.clone())
        .await
        .expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(again.body, done.body);
    correct_carousel(&lead, &id, 2, asked)
        .await
        .expect_refusal(409, "STALE_REVISION");
    let same: Vec<Value> = now.iter().map(|id| json!({ "media_id": id })).collect();
    let idle = correct_carousel(&lead, &id, 3, json!(same))
        .await
        .expect(200)
        .body;
    assert_eq!(
        (&idle["api_revision"], &idle["desenhados"]),
        (&json!(3), &json!([]))
    );
    let written = "event_history WHERE action = 'update_carousel'";
    assert_eq!(
        (app.count_rows(written).await, app.stored_file_count()),
        (1, files + 1)
    );
}

#[tokio::test]
async fn moved_added_removed_and_duplicated_cards_have_correct_page_marks() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Dois", "Três"]).await;
    let medium = |at: usize| &cards[at]["id"];
    // Swaps the last two cards. Only the first card keeps its image, because the page marks of the
    // others change.
    let moved =
        json!([{ "media_id": medium(0) }, { "media_id": medium(2) }, { "media_id": medium(1) }]);
    let moved = correct_carousel(&lead, &id, 2, moved)
        .await
        .expect(200)
        .body;
    let now = card_ids(&moved["cards"]);
    assert_eq!(
        (&now[0], &moved["desenhados"]),
        (medium(0), &json!([now[1], now[2]]))
    );
    for (at, text) in [(1, "Três"), (2, "Dois")] {
        let made = load_source(&lead, &id, &now[at]).await;
        let shown = (&made["text"], &made["page"], &made["pages"]);
        assert_eq!(shown, (&json!(text), &json!(at + 1), &json!(3)));
    }
    // Duplicates the first card, adds a new one, replaces the second by a copy with another text,
    // and drops the third.
    let other = json!([
        { "media_id": now[0] }, { "copy_of": now[0] }, { "text": "Novo" },
        { "copy_of": now[1], "text": "Três de novo" },
    ]);
    let other = correct_carousel(&lead, &id, 3, other)
        .await
        .expect(200)
        .body;
    let made = card_ids(&other["cards"]);
    assert_eq!(
        other["desenhados"],
        json!(made),
        "another number of cards must redraw all cards"
    );
    let mut texts = vec![];
    for id_of_card in &made {
        let source = load_source(&lead, &id, id_of_card).await;
        assert_eq!(
            (&source["style"], &source["pages"]),
            (&json!("editorial"), &json!(4))
        );
        texts.push(source["text"].clone());
    }
    assert_eq!(json!(texts), json!(["Um", "Um", "Novo", "Três de novo"]));
    assert_eq!(card_ids(&lead.load_event(&id).await["media"]), made);
    // The corrected image equals an image of a carousel that was generated with these texts.
    let (_, whole) = create_carousel(&lead, &["Um", "Um", "Novo", "Três de novo"]).await;
    let file = async |medium: &Value| lead.get(&link_path(&medium["url"])).await.expect(200).bytes;
    assert_eq!(file(&other["cards"][2]).await, file(&whole[2]).await);
}

#[tokio::test]
async fn other_media_of_the_piece_stay_where_they_are() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Dois"]).await;
    let place = |slide| {
        [
            ("event_id", id.as_str()),
            ("insert", "true"),
            ("slide_index", slide),
        ]
    };
    let between = upload(&lead, &place("1"), Some(&png_image(8, 8)))
        .await
        .expect(201)
        .body;
    let last = upload(&lead, &place("9"), Some(&png_image(9, 9)))
        .await
        .expect(201)
        .body;
    let asked =
        json!([{ "media_id": cards[0]["id"], "text": "Um!" }, { "media_id": cards[1]["id"] }]);
    let done = correct_carousel(&lead, &id, 4, asked)
        .await
        .expect(200)
        .body;
    let made = card_ids(&done["cards"]);
    let event = lead.load_event(&id).await;
    let expected = [&made[0], &between["id"], &made[1], &last["id"]];
    assert_eq!(
        card_ids(&event["media"]).iter().collect::<Vec<_>>(),
        expected
    );
    assert_eq!(event["media"][3]["slide_index"], 9);
    let asked = json!([{ "media_id": made[1] }]);
    let done = correct_carousel(&lead, &id, 5, asked)
        .await
        .expect(200)
        .body;
    let event = lead.load_event(&id).await;
    let expected = [&done["cards"][0]["id"], &between["id"], &last["id"]];
    assert_eq!(
        card_ids(&event["media"]).iter().collect::<Vec<_>>(),
        expected
    );
    // A medium without a stored source can be kept, but neither changed nor copied.
    let kept = json!([{ "media_id": between["id"] }, { "text": "Depois" }]);
    let done = correct_carousel(&lead, &id, 6, kept).await.expect(200).body;
    assert_eq!(done["cards"][0]["id"], between["id"]);
    let drawn = json!([{ "media_id": between["id"], "text": "Texto" }]);
    assert_eq!(
        correct_carousel(&lead, &id, 7, drawn)
            .await
            .invalid_fields(),
        ["cards.0.media_id"]
    );
    let copied = json!([{ "copy_of": between["id"] }]);
    assert_eq!(
        correct_carousel(&lead, &id, 7, copied)
            .await
            .invalid_fields(),
        ["cards.0.copy_of"]
    );
}

#[tokio::test]
async fn an_alternative_text_that_a_person_wrote_stays_with_a_warning() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Dois"]).await;
    let alt = json!({ "expected_revision": 2,
        "alt": [{ "media_id": cards[0]["id"], "alt": "Card vermelho" }] });
    lead.patch(&format!("/api/eventos/{id}/media"), alt)
        .await
        .expect(200);
    let asked =
        json!([{ "media_id": cards[0]["id"], "text": "Um!" }, { "media_id": cards[1]["id"] }]);
    let done = correct_carousel(&lead, &id, 3, asked)
        .await
        .expect(200)
        .body;
    assert_eq!(done["cards"][0]["alt"], "Card vermelho");
    let told = done["avisos"][0].as_str().expect("a warning");
    assert!(told.starts_with("No card 1, o texto alternativo"), "{told}");
}

#[tokio::test]
async fn the_style_of_all_cards_changes_at_once() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Dois"]).await;
    let body = json!({ "expected_revision": 2, "style": "vibrante", "cards": [
        { "media_id": cards[0]["id"] }, { "media_id": cards[1]["id"] },
    ] });
    let done = lead
        .patch(&format!("/api/eventos/{id}/carousel"), body)
        .await;
    let done = done.expect(200).body;
    assert_eq!(done["desenhados"], json!(card_ids(&done["cards"])));
    let made = load_source(&lead, &id, &done["cards"][1]["id"]).await;
    assert_eq!(made["style"], "vibrante");
}

#[tokio::test]
async fn an_impossible_correction_is_refused_and_leaves_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Dois"]).await;
    let (other, alien) = create_carousel(&lead, &["Alheio"]).await;
    let (files, rows) = (app.stored_file_count(), app.count_rows("media").await);
    let medium = |at: usize| cards[at]["id"].clone();
    let film = upload(&lead, &[], Some(&crate::support::video_file(2_000)))
        .await
        .expect(201)
        .body;
    let (files, rows) = (files + 1, rows + 1);
    let many = |count: usize| json!(vec![json!({ "text": "Um" }); count]);
    for (asked, field) in [
        (json!([]), "cards"),
        (many(11), "cards"),
        (
            json!([{ "media_id": medium(0) }, { "media_id": medium(0) }]),
            "cards.1.media_id",
        ),
        (
            json!([{ "media_id": medium(0), "copy_of": medium(1) }]),
            "cards.0.copy_of",
        ),
        (json!([{}]), "cards.0.text"),
        (
            json!([{ "media_id": medium(0), "text": "\u{200b}" }]),
            "cards.0.text",
        ),
        (
            json!([{ "media_id": medium(0), "text": "a".repeat(2001) }]),
            "cards.0.text",
        ),
        (
            json!([{ "media_id": medium(0), "prompt": "a".repeat(4001) }]),
            "cards.0.prompt",
        ),
        (
            json!([{ "media_id": medium(0), "alt": "x" }]),
            "cards.0.alt",
        ),
        (
            json!([{ "text": "Um" }, { "text": "não cabe\n".repeat(200) }]),
            "cards.1.text",
        ),
        (
            json!([{ "text": "Um", "prompt": "Mesa", "photo_id": medium(0) }]),
            "cards.0.photo_id",
        ),
        (
            json!([{ "text": "Um" }, { "text": "Dois", "photo_id": film["id"] }]),
            "cards.1.photo_id",
        ),
    ] {
        let refused = correct_carousel(&lead, &id, 2, asked.clone()).await;
        assert_eq!(refused.invalid_fields(), [field], "{asked}");
    }
    let nobody = json!("01990000-0000-7000-8000-00000000ffff");
    for asked in [
        json!([{ "media_id": alien[0]["id"] }]),
        json!([{ "copy_of": alien[0]["id"] }]),
        json!([{ "media_id": nobody }]),
        json!([{ "media_id": "não é um id" }]),
        json!([{ "text": "Um", "photo_id": nobody }]),
    ] {
        correct_carousel(&lead, &id, 2, asked)
            .await
            .expect_refusal(404, "NOT_FOUND");
    }
    assert_eq!(
        (app.stored_file_count(), app.count_rows("media").await),
        (files, rows)
    );
    assert_eq!(lead.load_event(&id).await["api_revision"], 2);

    correct_carousel(&lead, &id, 2, many(10)).await.expect(200);
    let sent = json!({ "event_id": other, "expected_revision": 2 });
    lead.post("/api/enviar", sent).await.expect(200);
    let late = correct_carousel(&lead, &other, 3, json!([{ "text": "Tarde" }])).await;
    late.expect_refusal(409, "EVENT_NOT_EDITABLE");
    let body = json!({ "expected_revision": 2, "cards": [{ "text": "Um" }] });
    let path = format!("/api/eventos/{id}/carousel");
    app.anonymous()
        .patch(&path, body)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn members_correct_only_pieces_that_they_may_see_and_with_media_that_they_may_see() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let author = app.session_client(&member).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Dois"]).await;
    let asked = json!([{ "media_id": cards[0]["id"], "text": "Meu" }]);
    correct_carousel(&author, &id, 2, asked.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    let own = lead
        .create_demand(json!({ "assignee_id": member.id }))
        .await;
    correct_carousel(&author, &own, 1, asked)
        .await
        .expect_refusal(404, "NOT_FOUND");
    let photo = json!([{ "text": "Um", "photo_id": cards[0]["id"] }]);
    correct_carousel(&author, &own, 1, photo.clone())
        .await
        .expect_refusal(404, "NOT_FOUND");
    let assigned = json!({ "expected_revision": 2, "assignee_ids": [member.id] });
    lead.patch(&format!("/api/eventos/{id}"), assigned)
        .await
        .expect(200);
    correct_carousel(&author, &own, 1, photo).await.expect(200);
    let (token, _) = app
        .token_client_with(&member, &[domain::Capability::Art])
        .await;
    let asked = json!([{ "media_id": cards[0]["id"], "text": "Meu" }]);
    let refused = correct_carousel(&token, &id, 3, asked.clone()).await;
    assert_eq!(refused.status, 403);
    correct_carousel(&author, &id, 3, asked).await.expect(200);
}

#[tokio::test]
async fn one_of_two_simultaneous_corrections_is_refused_and_leaves_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = create_carousel(&lead, &["Um", "Dois"]).await;
    let before = app.count_rows("media").await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..6 {
        let (lead, id, medium) = (lead.clone(), id.clone(), cards[0]["id"].clone());
        calls.spawn(async move {
            let asked = json!([{ "media_id": medium, "text": format!("Versão {number}") }]);
            correct_carousel(&lead, &id, 2, asked).await
        });
    }
    let mut done = 0;
    while let Some(answer) = calls.join_next().await {
        let answer = answer.expect("no panic");
        match answer.status {
            200 => done += 1,
            _ => drop(answer.expect_refusal(409, "STALE_REVISION")),
        }
    }
    assert_eq!(done, 1);
    assert_eq!(app.count_rows("media").await, before + 1);
    assert_eq!(
        app.stored_file_count(),
        3,
        "only the two cards and the corrected one must be stored"
    );
    assert_eq!(app.count_rows("media_jobs").await, 0);
}
