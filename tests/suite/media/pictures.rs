//! Images and carousels that the service renders.

use super::*;

over_each_storage! {
    an_agent_creates_and_submits_a_carousel_and_receives_its_images
    a_card_whose_text_does_not_fit_is_named_and_nothing_is_left
    a_shorter_carousel_takes_the_place_of_the_longer_one
    art_takes_its_slide_and_the_slide_it_replaces_stays_in_the_history
}

async fn an_agent_creates_and_submits_a_carousel_and_receives_its_images(app: TestApp) {
    let member = app.add_member(Role::Lider).await;
    let agent = app.token_client(&member).await;
    let id = agent
        .call_tool("create_demand", json!({ "title": "Carrossel" }))
        .await
        .structured;
    let id = id["event_id"].clone();
    let cards = json!([{ "text": "Sal é no começo" }, { "text": "Ouça a panela ☕" }]);
    let asked = json!({ "event_id": id, "cards": cards, "idempotency_key": "carrossel-1" });
    let params = json!({ "name": "generate_carousel", "arguments": asked });
    let made = agent
        .send_rpc("tools/call", params.clone())
        .await
        .expect(200)
        .body;
    let content = made["result"]["content"]
        .as_array()
        .expect("blocks")
        .clone();
    let kinds: Vec<_> = content.iter().map(|block| block["type"].as_str()).collect();
    let expected = ["text", "resource_link", "resource_link", "image", "image"];
    assert_eq!(kinds, expected.map(Some));
    let jpeg = STANDARD
        .decode(content[3]["data"].as_str().expect("base64"))
        .expect("base64");
    assert!(content[3].to_string().len() + content[4].to_string().len() <= 64_200);
    image::load_from_memory(&jpeg).expect("a thumbnail decodes");
    let again = agent.send_rpc("tools/call", params).await.expect(200).body;
    let structured = &made["result"]["structuredContent"];
    assert_eq!(structured, &again["result"]["structuredContent"]);
    assert_eq!(structured["api_revision"], 2);

    let sent = json!({ "event_id": id, "expected_revision": 2 });
    assert!(!agent.call_tool("submit_for_approval", sent).await.is_error);
    let pending = agent
        .call_tool("list_pending_approvals", json!({}))
        .await
        .structured;
    let slides = pending["pendentes"][0]["media"]
        .as_array()
        .expect("slides")
        .clone();
    assert_eq!(slides.len(), 2);
    for (index, slide) in slides.iter().enumerate() {
        assert_eq!(slide["slide_index"], index);
        let served = app
            .anonymous()
            .get(&link_path(&slide["url"]))
            .await
            .expect(200);
        assert_eq!(served.headers[header::CONTENT_TYPE], "image/jpeg");
    }
    let late = json!({ "event_id": id, "cards": [{ "text": "Tarde demais" }] });
    let refused = agent.call_tool("generate_carousel", late).await;
    assert!(
        refused.text.starts_with("EVENT_NOT_EDITABLE"),
        "{}",
        refused.text
    );
    let decision = json!({ "event_id": id, "action": "aprovar" });
    assert_eq!(
        agent
            .call_tool("decide_approval", decision)
            .await
            .structured["status"],
        "aprovado"
    );
}

async fn a_card_whose_text_does_not_fit_is_named_and_nothing_is_left(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let cards = json!([{ "text": "Cabe" }, { "text": "não cabe\n".repeat(200) }]);
    let refused = lead
        .post("/api/carousel", json!({ "event_id": id, "cards": cards }))
        .await;
    assert_eq!(refused.invalid_fields(), ["cards.1.text"]);
    assert_eq!(load_event(&lead, &id).await["evento"]["api_revision"], 1);
    assert_eq!(app.stored_file_count(), 0);
}

async fn art_takes_its_slide_and_the_slide_it_replaces_stays_in_the_history(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let art = |prompt: &str| json!({ "prompt": prompt, "event_id": id, "size": "256x256" });
    let first = lead.post("/api/art", art("Um")).await.expect(200).body;
    assert_eq!(
        (&first["width"], &first["height"]),
        (&json!(256), &json!(256))
    );
    let mut second = art("Dois");
    second["expected_revision"] = 1.into();
    lead.post("/api/art", second.clone())
        .await
        .expect_refusal(409, "STALE_REVISION");
    second["expected_revision"] = first["api_revision"].clone();
    let second = lead.post("/api/art", second).await.expect(200).body;
    let shown = load_event(&lead, &id).await;
    assert_eq!(
        shown["evento"]["media"].as_array().expect("slides").len(),
        1
    );
    assert_eq!(shown["evento"]["media"][0]["id"], second["id"]);
    let before = &shown["historico"][0]["changes"]["media"]["before"];
    assert_eq!(before[0]["id"], first["id"]);
    for (size, format) in [("255x256", None), ("1024x1536", Some("1:1"))] {
        let mut body = json!({ "prompt": "x", "size": size });
        if let Some(format) = format {
            body["format"] = format.into();
        }
        lead.post("/api/art", body)
            .await
            .expect_refusal(400, "INVALID_INPUT");
    }
}

async fn a_shorter_carousel_takes_the_place_of_the_longer_one(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let cards = |count: usize| {
        let cards = (1..=count).map(|n| json!({ "text": format!("Passo {n}") }));
        json!({ "event_id": id, "cards": cards.collect::<Vec<_>>() })
    };
    lead.post("/api/carousel", cards(3)).await.expect(200);
    let cover = json!({
        "prompt": "Fim", "event_id": id, "size": "256x256", "slide_index": 7, "kind": "contracapa",
    });
    lead.post("/api/art", cover).await.expect(200);
    lead.post("/api/carousel", cards(2)).await.expect(200);
    let shown = load_event(&lead, &id).await;
    let media = shown["evento"]["media"].as_array().expect("media");
    let slides: Vec<_> = media
        .iter()
        .map(|m| (&m["slide_index"], &m["kind"]))
        .collect();
    assert_eq!(
        slides,
        [
            (&json!(0), &json!("card")),
            (&json!(1), &json!("card")),
            (&json!(7), &json!("contracapa"))
        ]
    );
    // The history still lists the replaced cards.
    let before = &shown["historico"][0]["changes"]["media"]["before"];
    assert_eq!(
        before.as_array().map(Vec::len),
        Some(4),
        "{}",
        shown["historico"][0]
    );
}

#[tokio::test]
async fn art_has_a_size_that_networks_accept_and_names_its_generator() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let made = |body| lead.post("/api/art", body);
    let art = made(json!({ "prompt": "Café" })).await.expect(200).body;
    assert_eq!(
        (&art["width"], &art["height"]),
        (&json!(1080), &json!(1350))
    );
    assert_eq!(art["gerador"], "local");
    assert!(art.get("avisos").is_none(), "{art}");
    for (format, width, height) in [
        ("1:1", 1080, 1080),
        ("9:16", 1080, 1920),
        ("2:3", 1080, 1620),
    ] {
        let art = made(json!({ "prompt": "Café", "format": format }));
        let art = art.await.expect(200).body;
        assert_eq!(
            (&art["width"], &art["height"]),
            (&json!(width), &json!(height))
        );
    }
    let cards = json!({ "cards": [{ "text": "Sal é no começo" }] });
    let carousel = lead.post("/api/carousel", cards).await.expect(200).body;
    assert_eq!(carousel["gerador"], "local");
}

#[tokio::test]
async fn a_very_long_text_and_a_truncated_text_cause_warnings() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let sentence = "Quem cozinha todos os dias sabe que a pressa estraga o feijão. ";
    for (count, told) in [(18, "miúdo"), (60, "reticências")] {
        let body = json!({ "prompt": sentence.repeat(count) });
        let art = lead.post("/api/art", body).await.expect(200).body;
        let warning = art["avisos"][0].as_str().expect("a warning");
        assert!(warning.contains(told), "{count}: {warning}");
    }
    let cards = json!([{ "text": "Sal é no começo" }, { "text": sentence.repeat(20) }]);
    let made = lead.post("/api/carousel", json!({ "cards": cards })).await;
    let made = made.expect(200).body;
    let warnings = made["avisos"].as_array().expect("warnings");
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0]
            .as_str()
            .is_some_and(|w| w.starts_with("No card 2,"))
    );
}

#[tokio::test]
async fn the_local_generator_refuses_picture_descriptions_and_says_what_it_draws() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let described = "Foto de uma xícara de café fumegante sobre a mesa de madeira, luz suave";
    let refused = lead.post("/api/art", json!({ "prompt": described })).await;
    assert_eq!(refused.invalid_fields(), ["prompt"]);
    let next = refused.body["details"]["next"]
        .as_str()
        .expect("a next step");
    assert!(
        next.contains("upload_media") && next.contains("texto"),
        "{next}"
    );
    assert_eq!(app.stored_file_count(), 0);
    let quoted = json!({ "prompt": format!("“{described}”"), "size": "1024x1536" });
    let art = lead.post("/api/art", quoted).await.expect(200).body;
    assert_eq!(
        (&art["width"], &art["height"]),
        (&json!(1024), &json!(1536))
    );
}

#[tokio::test]
async fn a_stored_photo_is_the_background_of_a_text() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let made = |prompt: &str, more: Value| {
        let mut body = json!({ "prompt": prompt, "size": "320x400", "style": "minimalista" });
        body.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("fields").clone());
        lead.post("/api/art", body)
    };
    let photo = made("Foto", json!({})).await.expect(200).body;
    let over = json!({ "media_id": photo["id"] });
    let plain = made("Café", json!({})).await.expect(200).body;
    let covered = made("Café", over.clone()).await.expect(200).body;
    assert_eq!(covered["gerador"], "local");
    assert_ne!(plain["storage_path"], covered["storage_path"]);
    let again = made("Café", over).await.expect(200).body;
    assert_eq!(covered["storage_path"], again["storage_path"]);

    let cards = json!({ "cards": [{ "text": "Um" }, { "text": "Dois" }], "media_id": photo["id"] });
    let carousel = lead.post("/api/carousel", cards).await.expect(200).body;
    assert_eq!(carousel["cards"].as_array().map(Vec::len), Some(2));
    let alien = json!({ "media_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    made("Café", alien).await.expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_video_is_refused_as_a_background() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let clip = upload(&lead, &[], Some(&video_file(3_000)))
        .await
        .expect(201)
        .body;
    let files = app.stored_file_count();
    let art = json!({ "prompt": "Café", "media_id": clip["id"] });
    let cards = json!({ "cards": [{ "text": "Um" }], "media_id": clip["id"] });
    for (path, body) in [("/api/art", art), ("/api/carousel", cards)] {
        let refused = lead.post(path, body).await;
        assert_eq!(refused.invalid_fields(), ["media_id"], "{path}");
        assert!(refused.text.contains("vídeo"), "{}", refused.text);
    }
    assert_eq!(app.stored_file_count(), files);
}

#[tokio::test]
async fn a_background_that_the_local_generator_does_not_draw_causes_a_warning() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let cards = json!({ "cards": [
        { "text": "Um" }, { "text": "Dois", "prompt": "Uma mesa de madeira ao sol" },
    ] });
    let made = lead.post("/api/carousel", cards).await.expect(200).body;
    let told = made["avisos"].as_array().expect("notices");
    assert_eq!(told.len(), 1);
    let told = told[0].as_str().expect("text");
    assert!(
        told.starts_with("No card 2, o fundo pedido não foi feito"),
        "{told}"
    );
}

#[tokio::test]
async fn art_is_inserted_before_a_slide() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    for slide in [0, 1, 3] {
        let art = json!({ "prompt": "A", "event_id": id, "size": "256x256", "slide_index": slide, "kind": format!("{slide}") });
        lead.post("/api/art", art).await.expect(200);
    }
    let art = json!({
        "prompt": "A", "event_id": id, "size": "256x256", "slide_index": 0, "insert": true, "kind": "nova",
    });
    lead.post("/api/art", art).await.expect(200);
    let fields = [
        ("slide_index", "3"),
        ("insert", "true"),
        ("kind", "enviada"),
    ];
    let mut fields = fields.to_vec();
    let id_text = id.as_str().expect("an id").to_owned();
    fields.push(("event_id", &id_text));
    upload(&lead, &fields, Some(&png_image(300, 300)))
        .await
        .expect(201);
    let shown = load_event(&lead, &id).await;
    let media = shown["evento"]["media"].as_array().expect("media");
    let slides: Vec<_> = media
        .iter()
        .map(|m| (m["slide_index"].as_i64(), m["kind"].as_str()))
        .collect();
    let expected = [(0, "nova"), (1, "0"), (2, "1"), (3, "enviada"), (4, "3")];
    assert_eq!(
        slides,
        expected.map(|(slide, kind)| (Some(slide), Some(kind)))
    );
}
