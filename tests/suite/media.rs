//! Images and videos: made, uploaded, linked, and shown by events.

use axum::{
    body::Body,
    http::{Method, header},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tools::domain::{
    Role,
    time::{DAY, HOUR},
};

use crate::support::{Answer, Client, TestApp};

/// An image of one colour.
fn png(width: u32, height: u32) -> Vec<u8> {
    let image = image::RgbImage::from_pixel(width, height, image::Rgb([200, 30, 60]));
    let mut bytes = vec![];
    image
        .write_to(
            &mut std::io::Cursor::new(&mut bytes),
            image::ImageFormat::Png,
        )
        .expect("encodes");
    bytes
}

fn form(fields: &[(&str, &str)], file: Option<&[u8]>) -> Vec<u8> {
    let mut body = vec![];
    for (name, value) in fields {
        let part =
            format!("--xx\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    if let Some(file) = file {
        let head = "--xx\r\nContent-Disposition: form-data; name=\"file\"; \
            filename=\"../../etc/passwd\"\r\nContent-Type: text/html\r\n\r\n";
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--xx--\r\n");
    body
}

async fn upload(client: &Client, fields: &[(&str, &str)], file: Option<&[u8]>) -> Answer {
    let client = client.with_header("content-type", "multipart/form-data; boundary=xx");
    client
        .send(
            Method::POST,
            "/api/upload",
            Some(Body::from(form(fields, file))),
        )
        .await
}

/// The path and query of a link.
fn path(url: &Value) -> String {
    url.as_str()
        .expect("a link")
        .trim_start_matches("http://127.0.0.1:8080")
        .to_owned()
}

async fn demand(client: &Client) -> Value {
    let answer = client
        .post("/api/demanda", json!({ "title": "Com imagens" }))
        .await;
    answer.expect(200).body["event_id"].clone()
}

async fn event(client: &Client, id: &Value) -> Value {
    let path = format!("/api/eventos/{}", id.as_str().expect("an id"));
    client.get(&path).await.expect(200).body
}

#[tokio::test]
async fn an_uploaded_image_is_judged_stored_attached_and_served() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = demand(&lead).await;
    let file = png(320, 200);
    let fields = [
        ("event_id", id.as_str().expect("an id")),
        ("alt", "Um retângulo ☕"),
    ];
    let uploaded = upload(&lead, &fields, Some(&file)).await.expect(201).body;
    assert_eq!(uploaded["media_type"], "image/png");
    assert_eq!(
        (&uploaded["width"], &uploaded["height"]),
        (&json!(320), &json!(200))
    );
    assert_eq!(uploaded["bytes"], file.len());
    assert_eq!(uploaded["api_revision"], 2);

    let shown = event(&lead, &id).await;
    assert_eq!(shown["evento"]["media"][0]["id"], uploaded["id"]);
    assert_eq!(shown["evento"]["media"][0]["alt"], "Um retângulo ☕");
    assert_eq!(shown["historico"][0]["action"], "upload_media");

    let served = app
        .anonymous()
        .get(&path(&uploaded["url"]))
        .await
        .expect(200);
    assert_eq!(served.headers[header::CONTENT_TYPE], "image/png");
    assert_eq!(
        served.headers[header::CONTENT_LENGTH],
        file.len().to_string()
    );
    assert_eq!(served.headers["x-content-type-options"], "nosniff");
    assert!(
        served.headers[header::CACHE_CONTROL]
            .to_str()
            .expect("text")
            .starts_with("private")
    );
}

#[tokio::test]
async fn links_serve_ranges_revalidate_and_expire() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let file = png(64, 64);
    let uploaded = upload(&lead, &[], Some(&file)).await.expect(201).body;
    let link = path(&uploaded["url"]);
    let anyone = app.anonymous();
    let whole = anyone.get(&link).await.expect(200);
    let etag = whole.headers[header::ETAG]
        .to_str()
        .expect("text")
        .to_owned();

    let part = anyone
        .with_header("range", "bytes=1-3")
        .get(&link)
        .await
        .expect(206);
    assert_eq!(part.text, "PNG");
    let span = format!("bytes 1-3/{}", file.len());
    assert_eq!(part.headers[header::CONTENT_RANGE], span);
    anyone
        .with_header("range", "bytes=99999-")
        .get(&link)
        .await
        .expect(416);
    let known = anyone
        .with_header("if-none-match", etag)
        .get(&link)
        .await
        .expect(304);
    assert!(known.text.is_empty());
    let head = anyone.send(Method::HEAD, &link, None).await.expect(200);
    assert!(head.text.is_empty());
    assert_eq!(head.headers[header::CONTENT_LENGTH], file.len().to_string());

    for bad in [
        link.replace("exp=", "exp=1"),
        link.replace("sig=1.", "sig=2."),
        format!("{link}x"),
        format!("{link}&exp=1"),
        link.split('?').next().expect("a path").to_owned(),
        link.replace("/media/", "/media/x"),
    ] {
        let refused = anyone.get(&bad).await.expect(403);
        assert_eq!(
            refused.headers[header::CONTENT_TYPE],
            "text/plain; charset=utf-8"
        );
    }
    app.pass(7 * DAY - HOUR);
    anyone.get(&link).await.expect(200);
    app.pass(HOUR);
    anyone.get(&link).await.expect(403);
}

#[tokio::test]
async fn what_is_no_whole_image_or_video_leaves_nothing() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = demand(&lead).await;
    let on_event = [("event_id", id.as_str().expect("an id"))];
    let image = png(64, 64);
    let lying = upload(
        &lead,
        &on_event,
        Some(b"<html><script>alert(1)</script></html>"),
    )
    .await;
    lying.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    assert_eq!(upload(&lead, &on_event, Some(b"")).await.fields(), ["file"]);
    assert_eq!(
        upload(&lead, &on_event, Some(&image[..image.len() / 2]))
            .await
            .fields(),
        ["file"]
    );
    assert_eq!(upload(&lead, &on_event, None).await.fields(), ["file"]);
    assert_eq!(
        upload(&lead, &[("cor", "azul")], Some(&image))
            .await
            .fields(),
        ["cor"]
    );
    let slide = [("slide_index", "100")];
    assert_eq!(
        upload(&lead, &slide, Some(&image)).await.fields(),
        ["slide_index"]
    );
    let absent = [("event_id", "0198c0de-0000-7000-8000-000000000001")];
    upload(&lead, &absent, Some(&image))
        .await
        .refused(404, "NOT_FOUND");
    let cut = form(&on_event, Some(&image));
    let typed = lead.with_header("content-type", "multipart/form-data; boundary=xx");
    let cut = Body::from(cut[..cut.len() - 40].to_vec());
    typed
        .send(Method::POST, "/api/upload", Some(cut))
        .await
        .refused(400, "INVALID_INPUT");
    lead.post("/api/upload", json!({}))
        .await
        .refused(415, "UNSUPPORTED_MEDIA_TYPE");

    assert_eq!(event(&lead, &id).await["evento"]["media"], json!([]));
    assert_eq!(
        lead.get("/api/media").await.expect(200).body["media"],
        json!([])
    );
    assert_eq!(app.stored_files(), 0);
}

#[tokio::test]
async fn a_bomb_of_pixels_is_refused_before_it_is_decoded() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    // The header of a small file claims 60,000 × 60,000 pixels.
    let mut bomb = png(16, 16);
    bomb[16..20].copy_from_slice(&60_000u32.to_be_bytes());
    bomb[20..24].copy_from_slice(&60_000u32.to_be_bytes());
    assert_eq!(upload(&lead, &[], Some(&bomb)).await.fields(), ["file"]);
    assert_eq!(app.stored_files(), 0);
}

#[tokio::test]
async fn an_upload_repeated_with_its_key_has_one_effect() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await.with_key("envio-0001");
    let first = upload(&lead, &[("alt", "a")], Some(&png(8, 8)))
        .await
        .expect(201);
    let again = upload(&lead, &[("alt", "a")], Some(&png(8, 8)))
        .await
        .expect(201);
    assert_eq!(first.text, again.text);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let other = upload(&lead, &[("alt", "a")], Some(&png(9, 8))).await;
    other.refused(409, "IDEMPOTENCY_KEY_REUSED");
    let listed = lead.get("/api/media").await.expect(200).body;
    assert_eq!(listed["media"].as_array().expect("a list").len(), 1);
    assert_eq!(app.stored_files(), 1);
}

#[tokio::test]
async fn an_agent_carries_a_carousel_from_demand_to_approval_and_sees_it() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    let agent = app.token(&member).await;
    let id = agent
        .call("create_demand", json!({ "title": "Carrossel" }))
        .await
        .structured;
    let id = id["event_id"].clone();
    let cards = json!([{ "text": "Sal é no começo" }, { "text": "Ouça a panela ☕" }]);
    let asked = json!({ "event_id": id, "cards": cards, "idempotency_key": "carrossel-1" });
    let params = json!({ "name": "generate_carousel", "arguments": asked });
    let made = agent
        .rpc("tools/call", params.clone())
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
    assert!(jpeg.len() <= 64_000);
    image::load_from_memory(&jpeg).expect("a thumbnail decodes");
    let again = agent.rpc("tools/call", params).await.expect(200).body;
    let structured = &made["result"]["structuredContent"];
    assert_eq!(structured, &again["result"]["structuredContent"]);
    assert_eq!(structured["api_revision"], 2);

    let sent = json!({ "event_id": id, "expected_revision": 2 });
    assert!(!agent.call("submit_for_approval", sent).await.is_error);
    let pending = agent
        .call("list_pending_approvals", json!({}))
        .await
        .structured;
    let slides = pending["pendentes"][0]["media"]
        .as_array()
        .expect("slides")
        .clone();
    assert_eq!(slides.len(), 2);
    for (index, slide) in slides.iter().enumerate() {
        assert_eq!(slide["slide_index"], index);
        let served = app.anonymous().get(&path(&slide["url"])).await.expect(200);
        assert_eq!(served.headers[header::CONTENT_TYPE], "image/jpeg");
    }
    let late = json!({ "event_id": id, "cards": [{ "text": "Tarde demais" }] });
    let refused = agent.call("generate_carousel", late).await;
    assert!(
        refused.text.starts_with("EVENT_NOT_EDITABLE"),
        "{}",
        refused.text
    );
    let decision = json!({ "event_id": id, "action": "aprovar" });
    assert_eq!(
        agent.call("decide_approval", decision).await.structured["status"],
        "aprovado"
    );
}

#[tokio::test]
async fn a_card_whose_text_does_not_fit_is_named_and_nothing_is_left() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = demand(&lead).await;
    let cards = json!([{ "text": "Cabe" }, { "text": "não cabe\n".repeat(200) }]);
    let refused = lead
        .post("/api/carousel", json!({ "event_id": id, "cards": cards }))
        .await;
    assert_eq!(refused.fields(), ["cards.1.text"]);
    assert_eq!(event(&lead, &id).await["evento"]["api_revision"], 1);
    assert_eq!(app.stored_files(), 0);
}

#[tokio::test]
async fn art_takes_its_slide_and_the_slide_it_replaces_stays_in_the_history() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = demand(&lead).await;
    let art = |prompt: &str| json!({ "prompt": prompt, "event_id": id, "size": "256x256" });
    let first = lead.post("/api/art", art("Um")).await.expect(200).body;
    assert_eq!(
        (&first["width"], &first["height"]),
        (&json!(256), &json!(256))
    );
    let second = lead.post("/api/art", art("Dois")).await.expect(200).body;
    let shown = event(&lead, &id).await;
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
            .refused(400, "INVALID_INPUT");
    }
}

#[tokio::test]
async fn media_of_hidden_events_are_hidden() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let author = app.as_member(Role::Criador).await;
    let id = demand(&lead).await;
    let on_event = [("event_id", id.as_str().expect("an id"))];
    let hidden = upload(&lead, &on_event, Some(&png(8, 8)))
        .await
        .expect(201)
        .body;
    let own = upload(&author, &[], Some(&png(9, 9)))
        .await
        .expect(201)
        .body;
    let listed = author.get("/api/media").await.expect(200).body;
    assert_eq!(listed["media"].as_array().expect("a list").len(), 1);
    assert_eq!(listed["media"][0]["id"], own["id"]);
    upload(&author, &on_event, Some(&png(8, 8)))
        .await
        .refused(404, "NOT_FOUND");
    let all = lead.get("/api/media?limit=1").await.expect(200).body;
    assert!(all["next_cursor"].is_string());
    assert_ne!(hidden["id"], own["id"]);
}

#[tokio::test]
async fn event_media_are_attached_ordered_described_and_detached_by_revision() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = demand(&lead).await;
    let mut ids = vec![];
    for side in [8, 9, 10] {
        let uploaded = upload(&lead, &[], Some(&png(side, side)))
            .await
            .expect(201)
            .body;
        ids.push(uploaded["id"].clone());
    }
    let path = format!("/api/eventos/{}/media", id.as_str().expect("an id"));
    let patch = |body: Value| lead.patch(&path, body);
    let attached = patch(json!({ "expected_revision": 1, "attach": ids }))
        .await
        .expect(200)
        .body;
    assert_eq!(attached["api_revision"], 2);
    let change = json!({
        "expected_revision": 2, "detach": [ids[1]], "order": [ids[2]],
        "alt": [{ "media_id": ids[0], "alt": "Quadrado" }],
    });
    let changed = patch(change.clone()).await.expect(200).body;
    let order: Vec<_> = changed["media"]
        .as_array()
        .expect("slides")
        .iter()
        .collect();
    assert_eq!((&order[0]["id"], &order[1]["id"]), (&ids[2], &ids[0]));
    assert_eq!(
        (&order[1]["alt"], &order[1]["slide_index"]),
        (&json!("Quadrado"), &json!(1))
    );
    patch(change).await.refused(409, "STALE_REVISION");
    let idle = patch(json!({ "expected_revision": 3 }))
        .await
        .expect(200)
        .body;
    assert_eq!(idle["api_revision"], 3);
    patch(json!({ "expected_revision": 3, "detach": [ids[1]] }))
        .await
        .refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn publishing_times_come_from_history_once_there_is_enough() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let standard = lead.get("/api/insights/horarios").await.expect(200).body;
    assert_eq!(
        (&standard["fonte"], &standard["amostra"]),
        (&json!("padrao"), &json!(0))
    );
    for day in 1..=20 {
        let hour = if day <= 12 { "09:30" } else { "18:00" };
        let demand = json!({ "title": "x", "day": day, "month": 7, "year": 2026, "hour": hour });
        let id = lead.post("/api/demanda", demand).await.expect(200).body["event_id"].clone();
        let sent = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", sent).await.expect(200);
        lead.post(
            "/api/aprovar",
            json!({ "event_id": id, "action": "aprovar" }),
        )
        .await
        .expect(200);
        let path = format!("/api/eventos/{}", id.as_str().expect("an id"));
        let published = json!({ "expected_revision": 3, "status": "publicado" });
        lead.patch(&path, published).await.expect(200);
    }
    let known = lead.get("/api/insights/horarios").await.expect(200).body;
    assert_eq!(
        (&known["fonte"], &known["amostra"]),
        (&json!("historico"), &json!(20))
    );
    assert_eq!(known["horarios"][0]["hora"], 9);
    assert_eq!(known["horarios"][0]["pontuacao"], 1.0);
    let counted: u64 = known["horarios"]
        .as_array()
        .expect("times")
        .iter()
        .map(|time| time["publicacoes"].as_u64().expect("a count"))
        .sum();
    assert_eq!(counted, 20);
}
