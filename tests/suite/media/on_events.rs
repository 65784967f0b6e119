//! Media that are attached to events, and who can see them.

use super::*;

#[tokio::test]
async fn an_event_whose_picture_is_being_generated_is_not_submitted() {
    use domain::time::MINUTE;
    use store::media_jobs;
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({})).await;
    let art = json!({ "prompt": "Milho", "event_id": id, "size": "256x256" });
    lead.post("/api/art", art).await.expect(200);
    assert_eq!(
        app.count_rows("media_jobs").await,
        0,
        "the row of the generation must be deleted"
    );

    // Simulates a job whose process has died: its `media_jobs` row is never deleted.
    let tx = app.app.gateway.services.db.begin().await.expect("begins");
    let until = app.now() + 5 * MINUTE;
    let begun = media_jobs::insert(&tx.conn(), &"job".into(), &id.as_str().into(), until).await;
    begun.expect("inserts");
    tx.commit().await.expect("commits");
    let sent = json!({ "event_id": id, "expected_revision": 2 });
    let early = lead.post("/api/enviar", sent.clone()).await;
    early.expect_refusal(409, "MEDIA_PROCESSING");
    assert_eq!(lead.load_event(&id).await["status"], "a fazer");
    app.advance_clock(5 * MINUTE);
    lead.post("/api/enviar", sent).await.expect(200);
}

over_each_storage! {
    media_of_hidden_events_are_hidden
    event_media_are_attached_ordered_described_and_detached_by_revision
}

async fn media_of_hidden_events_are_hidden(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let author = app.as_member(Role::Criador).await;
    let id = create_demand(&lead).await;
    let on_event = [("event_id", id.as_str().expect("an id"))];
    let hidden = upload(&lead, &on_event, Some(&png_image(8, 8)))
        .await
        .expect(201)
        .body;
    let own = upload(&author, &[], Some(&png_image(9, 9)))
        .await
        .expect(201)
        .body;
    let listed = author.get("/api/media").await.expect(200).body;
    assert_eq!(listed["media"].as_array().expect("a list").len(), 1);
    assert_eq!(listed["media"][0]["id"], own["id"]);
    upload(&author, &on_event, Some(&png_image(8, 8)))
        .await
        .expect_refusal(404, "NOT_FOUND");
    let all = lead.get("/api/media?limit=1").await.expect(200).body;
    assert!(all["next_cursor"].is_string());
    assert_ne!(hidden["id"], own["id"]);
}

async fn event_media_are_attached_ordered_described_and_detached_by_revision(app: TestApp) {
    let lead = app.as_member(Role::Lider).await;
    let id = create_demand(&lead).await;
    let mut ids = vec![];
    for side in [8, 9, 10] {
        let uploaded = upload(&lead, &[], Some(&png_image(side, side)))
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
    patch(change).await.expect_refusal(409, "STALE_REVISION");
    let idle = patch(json!({ "expected_revision": 3 }))
        .await
        .expect(200)
        .body;
    assert_eq!(idle["api_revision"], 3);
    patch(json!({ "expected_revision": 3, "detach": [ids[1]] }))
        .await
        .expect_refusal(404, "NOT_FOUND");
}

#[tokio::test]
async fn the_history_contains_the_media_that_left_the_event() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let author = app.session_client(&member).await;
    let id = lead
        .create_demand(json!({ "assignee_id": member.id }))
        .await;
    let path = format!("/api/eventos/{id}");
    let on_event = [("event_id", id.as_str())];
    let mut ids = vec![];
    for (client, side) in [(&lead, 8), (&author, 9), (&lead, 10)] {
        let uploaded = upload(client, &on_event, Some(&png_image(side, side))).await;
        ids.push(uploaded.expect(201).body["id"].clone());
    }
    let whole = lead.get(&path).await.expect(200).body;
    assert!(whole.get("former_media").is_none(), "{whole}");

    for (revision, id) in [(4, &ids[0]), (5, &ids[1])] {
        let change = json!({ "expected_revision": revision, "detach": [id] });
        let media = format!("{path}/media");
        lead.patch(&media, change).await.expect(200);
    }
    let former = |answer: &Value| -> Vec<Value> {
        let media = answer["former_media"].as_array();
        let media = media.map(|media| media.iter().map(|one| one["id"].clone()).collect());
        media.unwrap_or_default()
    };
    let read = lead.get(&path).await.expect(200).body;
    assert_eq!(former(&read), [ids[1].clone(), ids[0].clone()]);
    let (link, kind) = (&read["former_media"][0]["url"], &read["former_media"][0]);
    assert_eq!(kind["media_type"], "image/png");
    assert!(kind.get("slide_index").is_none());
    let link = link.as_str().expect("a link");
    let served = &link[link.find("/media/").expect("a path")..];
    app.anonymous().get(served).await.expect(200);
    let told = lead.call_tool("get_event", json!({ "eventId": id })).await;
    assert_eq!(former(&told.structured), former(&read));

    // Each page of the history includes the media that its entries name. A member gets only those
    // media that they may also see in other answers.
    let newest = lead.get(&format!("{path}?limit=1")).await.expect(200).body;
    assert_eq!(former(&newest), [ids[1].clone()]);
    let seen = author.get(&path).await.expect(200).body;
    assert_eq!(former(&seen), [ids[1].clone()]);
}

#[tokio::test]
async fn the_media_that_left_an_event_are_read_by_one_query_and_only_if_there_are_any() {
    use crate::support::plans::{scanned_tables, trace_queries};
    let app = TestApp::new().await;
    let author = app.as_member(Role::Lider).await;
    let id = author.create_demand(json!({})).await;
    let path = format!("/api/eventos/{id}");
    let uploaded = upload(&author, &[("event_id", &id)], Some(&png_image(8, 8))).await;
    let media = uploaded.expect(201).body["id"].clone();
    let queries_of_media = async || {
        let queries = trace_queries(async {
            author.get(&path).await.expect(200);
        });
        let queries = queries.await.into_iter();
        queries
            .filter(|sql| sql.contains("FROM media f"))
            .collect::<Vec<_>>()
    };
    assert_eq!(queries_of_media().await, [""; 0]);
    let change = json!({ "expected_revision": 2, "detach": [media] });
    let arrange = format!("{path}/media");
    author.patch(&arrange, change).await.expect(200);
    let queries = queries_of_media().await;
    assert_eq!(queries.len(), 1, "{queries:?}");
    let (scanned, plan) = scanned_tables(&app, &queries[0], true).await;
    assert!(scanned.is_empty(), "{plan}");
}

#[tokio::test]
async fn a_replay_does_not_show_media_of_an_event_that_was_hidden_since() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let author = app
        .session_client(&member)
        .await
        .with_idempotency_key("chave-0001");
    let id = lead
        .create_demand(json!({ "assignee_id": member.id }))
        .await;
    let path = format!("/api/eventos/{id}");
    let (media, image) = (format!("{path}/media"), png_image(8, 8));
    let calls = async || {
        let art = json!({ "prompt": "Milho", "event_id": id, "size": "256x256" });
        let carousel = json!({ "event_id": id, "cards": [{ "text": "Milho" }] });
        [
            author
                .patch(&media, json!({ "expected_revision": 1 }))
                .await,
            author.post("/api/art", art).await,
            author.post("/api/carousel", carousel).await,
            upload(&author, &[("event_id", &id)], Some(&image)).await,
        ]
    };
    let texts = |answers: [Answer; 4]| answers.map(|answer| answer.text);
    let assign = async |revision: i64, ids: Value| {
        let change = json!({ "expected_revision": revision, "assignee_ids": ids });
        lead.patch(&path, change).await.expect(200);
    };

    let first = calls().await;
    for (answer, status) in first.iter().zip([200, 200, 200, 201]) {
        assert_eq!(answer.status, status, "{}", answer.text);
    }
    let revision = lead.load_event(&id).await["api_revision"]
        .as_i64()
        .expect("a revision");
    assign(revision, json!([])).await;
    for hidden in calls().await {
        hidden.expect_refusal(404, "NOT_FOUND");
    }
    assign(revision + 1, json!([member.id])).await;
    let again = calls().await;
    for answer in &again {
        assert_eq!(answer.headers["idempotency-replayed"], "true");
    }
    assert_eq!(texts(again), texts(first));
}

#[tokio::test]
async fn a_carousel_names_the_media_that_it_replaces() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let id = lead.create_demand(json!({ "title": "Milho" })).await;
    let carousel = json!({ "event_id": id, "cards": [{ "text": "Um" }, { "text": "Dois" }] });
    let first = lead.post("/api/carousel", carousel.clone()).await;
    let first = first.expect(200).body;
    assert_eq!(
        first.get("avisos"),
        None,
        "the first carousel must displace nothing"
    );
    let second = lead.post("/api/carousel", carousel).await.expect(200).body;
    let warning = second["avisos"][0].as_str().expect("a warning");
    for card in first["cards"].as_array().expect("cards") {
        let displaced = card["id"].as_str().expect("an id");
        assert!(warning.contains(displaced), "{warning}");
    }
}
