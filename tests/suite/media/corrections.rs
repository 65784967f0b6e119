//! Corrections of carousels, and what generated images were made from.

use super::*;

/// A piece with a carousel of these texts, and its cards as `list_media` shows them, in order.
async fn carousel(client: &Client, texts: &[&str]) -> (String, Vec<Value>) {
    let id = client.demand(json!({ "title": "Carrossel" })).await;
    let cards: Vec<Value> = texts.iter().map(|text| json!({ "text": text })).collect();
    let asked = json!({ "event_id": id, "cards": cards, "style": "editorial" });
    let made = client.post("/api/carousel", asked).await.expect(200).body;
    let cards = made["cards"].as_array().expect("cards").clone();
    (id, cards)
}

async fn correct(client: &Client, id: &str, revision: i64, cards: Value) -> Answer {
    let body = json!({ "expected_revision": revision, "cards": cards });
    client
        .patch(&format!("/api/eventos/{id}/carousel"), body)
        .await
}

/// The sources of the media of a piece, by medium.
async fn source(client: &Client, event: &str, medium: &Value) -> Value {
    let listed = client.get(&format!("/api/media?event_id={event}")).await;
    let listed = listed.expect(200).body;
    let media = listed["media"].as_array().expect("media");
    let found = media.iter().find(|one| one["id"] == *medium);
    found.expect("it is listed")["source"].clone()
}

fn ids(cards: &Value) -> Vec<Value> {
    let cards = cards.as_array().expect("cards");
    cards.iter().map(|card| card["id"].clone()).collect()
}

#[tokio::test]
async fn a_generated_image_is_listed_with_what_it_was_made_from() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let text = "Pão de queijo 🧀\n\n- **polvilho** azedo\n- ovos 卵";
    let (id, cards) = carousel(&lead, &[text, "Dois"]).await;
    let expected = json!({
        "text": text, "prompt": null, "style": "editorial", "size": "1080x1350", "quality": null,
        "photo_id": null, "page": 1, "pages": 2, "gerador": "local",
    });
    assert_eq!(source(&lead, &id, &cards[0]["id"]).await, expected);
    let art = json!({
        "prompt": "Café", "event_id": id, "size": "320x400", "style": "vibrante",
        "quality": "high", "media_id": cards[0]["id"], "slide_index": 9,
    });
    let art = lead.post("/api/art", art).await.expect(200).body;
    let expected = json!({
        "text": null, "prompt": "Café", "style": "vibrante", "size": "320x400", "quality": "high",
        "photo_id": cards[0]["id"], "page": null, "pages": null, "gerador": "local",
    });
    assert_eq!(source(&lead, &id, &art["id"]).await, expected);
    let uploaded = upload(&lead, &[("event_id", &id)], Some(&png(8, 8))).await;
    let uploaded = uploaded.expect(201).body;
    assert_eq!(source(&lead, &id, &uploaded["id"]).await, Value::Null);
    assert_eq!(app.count("media_sources").await, 3);
}

#[tokio::test]
async fn a_new_text_draws_one_card_and_keeps_the_others() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = carousel(&lead, &["Um", "Doiss", "Três"]).await;
    let files = app.stored_files();
    let asked = json!([
        { "media_id": cards[0]["id"] },
        { "media_id": cards[1]["id"], "text": "Dois" },
        { "media_id": cards[2]["id"], "text": "Três" },
    ]);
    let keyed = lead.with_key("correcao-1");
    let done = correct(&keyed, &id, 2, asked.clone()).await.expect(200);
    let body = &done.body;
    assert_eq!(
        (&body["ok"], &body["api_revision"]),
        (&json!(true), &json!(3))
    );
    let now = ids(&body["cards"]);
    assert_eq!((&now[0], &now[2]), (&cards[0]["id"], &cards[2]["id"]));
    assert_ne!(now[1], cards[1]["id"]);
    assert_eq!(body["desenhados"], json!([now[1]]));
    assert_eq!(body["gerador"], "local");
    assert_eq!(app.stored_files(), files + 1);
    let made = source(&lead, &id, &now[1]).await;
    let shown = (&made["text"], &made["style"], &made["page"], &made["pages"]);
    assert_eq!(
        shown,
        (&json!("Dois"), &json!("editorial"), &json!(2), &json!(3))
    );
    let event = lead.event(&id).await;
    assert_eq!(ids(&event["media"]), now);
    assert_eq!(event["media"][1]["alt"], "Dois");

    let again = correct(&keyed, &id, 2, asked.clone()).await.expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(again.body, done.body);
    correct(&lead, &id, 2, asked)
        .await
        .refused(409, "STALE_REVISION");
    let same: Vec<Value> = now.iter().map(|id| json!({ "media_id": id })).collect();
    let idle = correct(&lead, &id, 3, json!(same)).await.expect(200).body;
    assert_eq!(
        (&idle["api_revision"], &idle["desenhados"]),
        (&json!(3), &json!([]))
    );
    let written = "event_history WHERE action = 'update_carousel'";
    assert_eq!(
        (app.count(written).await, app.stored_files()),
        (1, files + 1)
    );
}

#[tokio::test]
async fn moved_added_removed_and_duplicated_cards_have_right_page_marks() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = carousel(&lead, &["Um", "Dois", "Três"]).await;
    let medium = |at: usize| &cards[at]["id"];
    // The last two change places: the first keeps its picture.
    let moved =
        json!([{ "media_id": medium(0) }, { "media_id": medium(2) }, { "media_id": medium(1) }]);
    let moved = correct(&lead, &id, 2, moved).await.expect(200).body;
    let now = ids(&moved["cards"]);
    assert_eq!(
        (&now[0], &moved["desenhados"]),
        (medium(0), &json!([now[1], now[2]]))
    );
    for (at, text) in [(1, "Três"), (2, "Dois")] {
        let made = source(&lead, &id, &now[at]).await;
        let shown = (&made["text"], &made["page"], &made["pages"]);
        assert_eq!(shown, (&json!(text), &json!(at + 1), &json!(3)));
    }
    // A second copy of the first card, a new card, and one card less.
    let other = json!([
        { "media_id": now[0] }, { "copy_of": now[0] }, { "text": "Novo" },
        { "copy_of": now[1], "text": "Três de novo" },
    ]);
    let other = correct(&lead, &id, 3, other).await.expect(200).body;
    let made = ids(&other["cards"]);
    assert_eq!(
        other["desenhados"],
        json!(made),
        "the number of cards is printed on each"
    );
    let mut texts = vec![];
    for id_of_card in &made {
        let source = source(&lead, &id, id_of_card).await;
        assert_eq!(
            (&source["style"], &source["pages"]),
            (&json!("editorial"), &json!(4))
        );
        texts.push(source["text"].clone());
    }
    assert_eq!(json!(texts), json!(["Um", "Um", "Novo", "Três de novo"]));
    assert_eq!(ids(&lead.event(&id).await["media"]), made);
    // The same picture as one that was generated so.
    let (_, whole) = carousel(&lead, &["Um", "Um", "Novo", "Três de novo"]).await;
    let file = async |medium: &Value| lead.get(&link_path(&medium["url"])).await.expect(200).bytes;
    assert_eq!(file(&other["cards"][2]).await, file(&whole[2]).await);
}

#[tokio::test]
async fn other_media_of_the_piece_stay_where_they_are() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = carousel(&lead, &["Um", "Dois"]).await;
    let place = |slide| {
        [
            ("event_id", id.as_str()),
            ("insert", "true"),
            ("slide_index", slide),
        ]
    };
    let between = upload(&lead, &place("1"), Some(&png(8, 8)))
        .await
        .expect(201)
        .body;
    let last = upload(&lead, &place("9"), Some(&png(9, 9)))
        .await
        .expect(201)
        .body;
    let asked =
        json!([{ "media_id": cards[0]["id"], "text": "Um!" }, { "media_id": cards[1]["id"] }]);
    let done = correct(&lead, &id, 4, asked).await.expect(200).body;
    let made = ids(&done["cards"]);
    let event = lead.event(&id).await;
    let expected = [&made[0], &between["id"], &made[1], &last["id"]];
    assert_eq!(ids(&event["media"]).iter().collect::<Vec<_>>(), expected);
    assert_eq!(event["media"][3]["slide_index"], 9);
    let asked = json!([{ "media_id": made[1] }]);
    let done = correct(&lead, &id, 5, asked).await.expect(200).body;
    let event = lead.event(&id).await;
    let expected = [&done["cards"][0]["id"], &between["id"], &last["id"]];
    assert_eq!(ids(&event["media"]).iter().collect::<Vec<_>>(), expected);
    // A medium without a source stays as it is, and cannot be drawn again.
    let kept = json!([{ "media_id": between["id"] }, { "text": "Depois" }]);
    let done = correct(&lead, &id, 6, kept).await.expect(200).body;
    assert_eq!(done["cards"][0]["id"], between["id"]);
    let drawn = json!([{ "media_id": between["id"], "text": "Texto" }]);
    assert_eq!(
        correct(&lead, &id, 7, drawn).await.fields(),
        ["cards.0.media_id"]
    );
    let copied = json!([{ "copy_of": between["id"] }]);
    assert_eq!(
        correct(&lead, &id, 7, copied).await.fields(),
        ["cards.0.copy_of"]
    );
}

#[tokio::test]
async fn an_alternative_text_that_a_person_wrote_stays_with_a_warning() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = carousel(&lead, &["Um", "Dois"]).await;
    let alt = json!({ "expected_revision": 2,
        "alt": [{ "media_id": cards[0]["id"], "alt": "Card vermelho" }] });
    lead.patch(&format!("/api/eventos/{id}/media"), alt)
        .await
        .expect(200);
    let asked =
        json!([{ "media_id": cards[0]["id"], "text": "Um!" }, { "media_id": cards[1]["id"] }]);
    let done = correct(&lead, &id, 3, asked).await.expect(200).body;
    assert_eq!(done["cards"][0]["alt"], "Card vermelho");
    let told = done["avisos"][0].as_str().expect("a warning");
    assert!(told.starts_with("No card 1, o texto alternativo"), "{told}");
}

#[tokio::test]
async fn the_style_of_all_cards_changes_at_once() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = carousel(&lead, &["Um", "Dois"]).await;
    let body = json!({ "expected_revision": 2, "style": "vibrante", "cards": [
        { "media_id": cards[0]["id"] }, { "media_id": cards[1]["id"] },
    ] });
    let done = lead
        .patch(&format!("/api/eventos/{id}/carousel"), body)
        .await;
    let done = done.expect(200).body;
    assert_eq!(done["desenhados"], json!(ids(&done["cards"])));
    let made = source(&lead, &id, &done["cards"][1]["id"]).await;
    assert_eq!(made["style"], "vibrante");
}

#[tokio::test]
async fn a_correction_that_cannot_be_is_refused_and_leaves_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = carousel(&lead, &["Um", "Dois"]).await;
    let (other, alien) = carousel(&lead, &["Alheio"]).await;
    let (files, rows) = (app.stored_files(), app.count("media").await);
    let medium = |at: usize| cards[at]["id"].clone();
    let film = upload(&lead, &[], Some(&crate::support::video(2_000)))
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
        let refused = correct(&lead, &id, 2, asked.clone()).await;
        assert_eq!(refused.fields(), [field], "{asked}");
    }
    let nobody = json!("01990000-0000-7000-8000-00000000ffff");
    for asked in [
        json!([{ "media_id": alien[0]["id"] }]),
        json!([{ "copy_of": alien[0]["id"] }]),
        json!([{ "media_id": nobody }]),
        json!([{ "media_id": "não é um id" }]),
        json!([{ "text": "Um", "photo_id": nobody }]),
    ] {
        correct(&lead, &id, 2, asked)
            .await
            .refused(404, "NOT_FOUND");
    }
    assert_eq!(
        (app.stored_files(), app.count("media").await),
        (files, rows)
    );
    assert_eq!(lead.event(&id).await["api_revision"], 2);

    correct(&lead, &id, 2, many(10)).await.expect(200);
    let sent = json!({ "event_id": other, "expected_revision": 2 });
    lead.post("/api/enviar", sent).await.expect(200);
    let late = correct(&lead, &other, 3, json!([{ "text": "Tarde" }])).await;
    late.refused(409, "EVENT_NOT_EDITABLE");
    let body = json!({ "expected_revision": 2, "cards": [{ "text": "Um" }] });
    let path = format!("/api/eventos/{id}/carousel");
    app.anonymous()
        .patch(&path, body)
        .await
        .refused(401, "UNAUTHENTICATED");
}

#[tokio::test]
async fn members_correct_only_pieces_that_they_may_see_and_with_media_that_they_may_see() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.member(Role::Criador).await;
    let author = app.session(&member).await;
    let (id, cards) = carousel(&lead, &["Um", "Dois"]).await;
    let asked = json!([{ "media_id": cards[0]["id"], "text": "Meu" }]);
    correct(&author, &id, 2, asked.clone())
        .await
        .refused(404, "NOT_FOUND");
    let own = lead.demand(json!({ "assignee_id": member.id })).await;
    correct(&author, &own, 1, asked)
        .await
        .refused(404, "NOT_FOUND");
    let photo = json!([{ "text": "Um", "photo_id": cards[0]["id"] }]);
    correct(&author, &own, 1, photo.clone())
        .await
        .refused(404, "NOT_FOUND");
    let assigned = json!({ "expected_revision": 2, "assignee_ids": [member.id] });
    lead.patch(&format!("/api/eventos/{id}"), assigned)
        .await
        .expect(200);
    correct(&author, &own, 1, photo).await.expect(200);
    let (token, _) = app.token_with(&member, &[domain::Capability::Art]).await;
    let asked = json!([{ "media_id": cards[0]["id"], "text": "Meu" }]);
    let refused = correct(&token, &id, 3, asked.clone()).await;
    assert_eq!(refused.status, 403);
    correct(&author, &id, 3, asked).await.expect(200);
}

#[tokio::test]
async fn of_two_who_correct_at_once_one_is_refused_and_leaves_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let (id, cards) = carousel(&lead, &["Um", "Dois"]).await;
    let before = app.count("media").await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..6 {
        let (lead, id, medium) = (lead.clone(), id.clone(), cards[0]["id"].clone());
        calls.spawn(async move {
            let asked = json!([{ "media_id": medium, "text": format!("Versão {number}") }]);
            correct(&lead, &id, 2, asked).await
        });
    }
    let mut done = 0;
    while let Some(answer) = calls.join_next().await {
        let answer = answer.expect("no panic");
        match answer.status {
            200 => done += 1,
            _ => drop(answer.refused(409, "STALE_REVISION")),
        }
    }
    assert_eq!(done, 1);
    assert_eq!(app.count("media").await, before + 1);
    assert_eq!(app.stored_files(), 3, "two cards, and the corrected one");
    assert_eq!(app.count("media_jobs").await, 0);
}
