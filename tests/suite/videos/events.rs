//! Changes to an event while its video is generated.

use futures::future::join_all;

use super::*;

async fn start_processing_event(dialect: Dialect) -> (VideoApi, TestApp, Client, String, String) {
    let (api, app, lead) = service_with_video_api(dialect).await;
    let event = lead.create_demand(json!({})).await;
    let id = start_video_for(&lead, &event).await;
    run_due_jobs(&app).await;
    (api, app, lead, event, id)
}

async fn update_event(client: &Client, event: &str, fields: Value) -> Value {
    let mut input = fields;
    input["expected_revision"] = client.load_event(event).await["api_revision"].clone();
    let path = format!("/api/eventos/{event}");
    client.patch(&path, input).await.expect(200).body["evento"].clone()
}

async fn save_draft(client: &Client, event: &str, status: &str) -> Value {
    let revision = client.load_event(event).await["api_revision"].clone();
    let input = json!({
        "event_id": event, "expected_revision": revision, "caption": "Nova", "status": status,
    });
    client.post("/api/draft", input).await.expect(200).body
}

#[tokio::test]
async fn an_event_edited_during_generation_gets_the_newer_status_back() {
    let (api, app, lead, event, id) = start_processing_event(Dialect::OpenAi).await;
    assert_eq!(
        save_draft(&lead, &event, "em progresso").await["status"],
        "processing"
    );
    assert_eq!(
        update_event(&lead, &event, json!({ "title": "Outro" })).await["status"],
        "processing"
    );
    api.set_phase(&Phase::Done);
    let made = run_until_ended(&app, &lead, &id).await;
    let after = lead.load_event(&event).await;
    assert_eq!(
        (&after["status"], &after["title"]),
        (&json!("em progresso"), &json!("Outro"))
    );
    assert_eq!(after["description"], "Nova");
    assert_eq!(after["media"][0]["id"], made["media"]["id"]);
    // When no video is open, a draft may set the status `processing`.
    assert_eq!(
        save_draft(&lead, &event, "processing").await["status"],
        "processing"
    );
    assert_eq!(
        save_draft(&lead, &event, "a fazer").await["status"],
        "a fazer"
    );
}

#[tokio::test]
async fn an_event_archived_during_generation_stays_archived_and_the_video_is_kept() {
    let (api, app, lead, event, id) = start_processing_event(Dialect::Runway).await;
    update_event(&lead, &event, json!({ "status": "arquivado" })).await;
    api.set_phase(&Phase::Done);
    let made = run_until_ended(&app, &lead, &id).await;
    assert_eq!(made["status"], "completed");
    let told = made["avisos"][0].as_str().expect("a notice");
    assert!(told.contains("não foi anexado"), "{told}");
    let after = lead.load_event(&event).await;
    assert_eq!(
        (&after["status"], &after["media"]),
        (&json!("arquivado"), &json!([]))
    );
    let listed = lead.get("/api/media?tipo=video").await.expect(200).body;
    assert_eq!(listed["media"][0]["id"], made["media"]["id"]);
}

#[tokio::test]
async fn an_event_that_is_archived_and_opened_again_is_still_processing() {
    let (api, app, lead, event, id) = start_processing_event(Dialect::Runway).await;
    update_event(&lead, &event, json!({ "status": "arquivado" })).await;
    let opened = update_event(&lead, &event, json!({ "status": "a fazer" })).await;
    assert_eq!(opened["status"], "processing");
    api.set_phase(&Phase::Failed("INTERNAL"));
    run_until_ended(&app, &lead, &id).await;
    assert_eq!(lead.load_event(&event).await["status"], "a fazer");
}

#[tokio::test]
async fn an_event_gets_its_status_back_when_its_last_video_has_ended() {
    let (api, app, lead, event, first) = start_processing_event(Dialect::OpenAi).await;
    let mut another = video_input();
    another["event_id"] = event.as_str().into();
    another["despite_video_id"] = first.as_str().into();
    let second = start_video(&lead, another).await;
    run_due_jobs(&app).await;
    cancel_video(&lead, &first).await.expect(200);
    assert_eq!(lead.load_event(&event).await["status"], "processing");
    api.set_phase(&Phase::Done);
    run_until_ended(&app, &lead, &second).await;
    let after = lead.load_event(&event).await;
    assert_eq!(after["status"], "a fazer");
    assert_eq!(after["media"].as_array().expect("a list").len(), 1);
}

#[tokio::test]
async fn a_second_video_for_an_event_is_not_paid_for_by_accident() {
    let (api, app, lead, event, first) = start_processing_event(Dialect::OpenAi).await;
    let paid = api.made_videos().len();
    let mut again = video_input();
    again["event_id"] = event.as_str().into();
    let send = |input: Value| lead.post("/api/reels", input);
    let refused = send(again.clone()).await.expect_refusal(409, "VIDEO_OPEN");
    assert_eq!(refused.body["details"]["video_id"], first.as_str());
    let next = refused.body["details"]["next"]
        .as_str()
        .expect("a next step");
    assert!(next.contains("`despite_video_id`"), "{next}");
    again["despite_video_id"] = "01990000-0000-7000-8000-0000000000ff".into();
    send(again.clone()).await.expect_refusal(409, "VIDEO_OPEN");
    run_due_jobs(&app).await;
    assert_eq!(api.made_videos().len(), paid);
    // Of ten concurrent requests that ask for another video on purpose, one succeeds. For the
    // others, a newer video is open.
    again["despite_video_id"] = first.as_str().into();
    let answers = join_all((0..10).map(|_| send(again.clone()))).await;
    let started = answers.iter().filter(|answer| answer.status == 202).count();
    assert_eq!(started, 1);
    run_due_jobs(&app).await;
    assert_eq!(api.made_videos().len(), paid + 1);
}

#[tokio::test]
async fn only_one_of_ten_simultaneous_first_requests_for_an_event_is_paid_for() {
    let (api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let event = lead.create_demand(json!({})).await;
    let mut input = video_input();
    input["event_id"] = event.as_str().into();
    let answers = join_all((0..10).map(|_| lead.post("/api/reels", input.clone()))).await;
    let started = answers.iter().filter(|answer| answer.status == 202).count();
    assert_eq!(started, 1);
    run_due_jobs(&app).await;
    assert_eq!(api.made_videos().len(), 1);
}

#[tokio::test]
async fn a_refused_event_gets_its_status_back_and_its_media_stay_in_order() {
    let (api, app, lead) = service_with_video_api(Dialect::Gemini).await;
    let event = lead.create_demand(json!({})).await;
    let revision = lead.load_event(&event).await["api_revision"].clone();
    let sent = json!({ "event_id": event, "expected_revision": revision });
    lead.post("/api/enviar", sent).await.expect(200);
    let refusal = json!({ "event_id": event, "action": "recusar", "motivo": "Falta o vídeo" });
    lead.post("/api/aprovar", refusal).await.expect(200);
    for count in 1..=2 {
        let id = start_video_for(&lead, &event).await;
        run_due_jobs(&app).await;
        api.set_phase(&Phase::Done);
        let made = run_until_ended(&app, &lead, &id).await;
        let after = lead.load_event(&event).await;
        assert_eq!(after["status"], "recusado");
        let media = after["media"].as_array().expect("a list");
        assert_eq!(media.len(), count);
        assert_eq!(media[count - 1]["id"], made["media"]["id"]);
        assert_eq!(media[count - 1]["slide_index"], count - 1);
    }
}
