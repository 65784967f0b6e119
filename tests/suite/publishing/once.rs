//! An event has one publication at a time, even with concurrent and repeated requests.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{
    Stage, create_approved_event, double::Call, jpeg_image, photos_input, publish_media,
    upload_file,
};

#[tokio::test]
async fn one_key_makes_one_publication_over_rest_and_mcp() {
    let stage = Stage::new().await;
    let (event, media) = create_approved_event(&stage.lead, "pão", &[jpeg_image(64, 64, 0)]).await;
    let keyed = stage.lead.with_idempotency_key("chave-0001");
    let first = publish_media(&keyed, photos_input(&media))
        .await
        .expect(200);
    let again = publish_media(&keyed, photos_input(&media))
        .await
        .expect(200);
    assert_eq!(
        (first.text, "true"),
        (
            again.text,
            again.headers["idempotency-replayed"]
                .to_str()
                .expect("text")
        )
    );
    let mut arguments = photos_input(&media);
    arguments["idempotency_key"] = "chave-0001".into();
    let tool = stage.lead.call_tool("publish_shortvideo", arguments).await;
    assert_eq!(tool.structured, first.body);
    assert_eq!(stage.api.count_calls(Call::Photos), 1);
    stage.pass_minutes(3).await;
    // A new request is refused, because the event is already published.
    publish_media(&stage.lead, photos_input(&media))
        .await
        .expect_refusal(409, "NOT_APPROVED");
    assert_eq!(stage.lead.load_event(&event).await["status"], "publicado");
    assert_eq!(stage.api.count_calls(Call::Photos), 1);
    let written = "audit_events WHERE action = 'publish_shortvideo' AND outcome = 'succeeded'";
    assert_eq!(stage.app.count_rows(written).await, 1);
    let id = first.body["publication_id"].as_str().expect("an id");
    let named = format!("{written} AND resource_type = 'publication' AND resource_id = '{id}'");
    assert_eq!(stage.app.count_rows(&named).await, 1);
}

async fn assert_one_of_many_publishes(of_event: bool) {
    let stage = Stage::new().await;
    stage.api.lock_world().limits = false;
    let second = stage.second_instance().await;
    let other = stage
        .app
        .token_client(&stage.app.add_member(domain::Role::Lider).await)
        .await;
    let media = match of_event {
        true => {
            create_approved_event(&stage.lead, "pão", &[jpeg_image(64, 64, 0)])
                .await
                .1
        }
        false => vec![upload_file(&stage.lead, &jpeg_image(64, 64, 0), None).await],
    };
    let mut calls = JoinSet::new();
    for caller in 0..6 {
        let client = if caller % 2 == 0 { &stage.lead } else { &other };
        let client = if caller % 3 == 0 {
            client.at_instance(&second)
        } else {
            client.clone()
        };
        let input = photos_input(&media);
        calls.spawn(async move { publish_media(&client, input).await });
    }
    let mut sent = 0;
    while let Some(answer) = calls.join_next().await {
        let answer = answer.expect("no panic");
        match answer.status {
            200 => sent += 1,
            _ => assert!(
                ["PUBLICATION_OPEN", "RATE_LIMITED"].contains(&answer.error_code()),
                "{}",
                answer.text
            ),
        }
    }
    assert_eq!((sent, stage.api.count_calls(Call::Photos)), (1, 1));
}

#[tokio::test]
async fn one_of_several_simultaneous_callers_without_a_key_publishes_the_event() {
    assert_one_of_many_publishes(true).await;
}

#[tokio::test]
async fn one_of_several_simultaneous_callers_without_a_key_publishes_media_without_an_event() {
    assert_one_of_many_publishes(false).await;
}

/// The fault below blocks a worker thread, so the runtime needs several threads.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn an_event_that_changes_after_it_was_read_is_not_submitted() {
    let stage = Stage::new().await;
    let lead = stage.lead.clone();
    let (event, media) = create_approved_event(&lead, "pão", &[jpeg_image(64, 64, 0)]).await;
    // Reopens the event while the service waits for the provider's options.
    let (asked, asking) = tokio::sync::oneshot::channel::<()>();
    let asked = std::sync::Mutex::new(Some(asked));
    let gate = std::sync::Arc::new((std::sync::Mutex::new(false), std::sync::Condvar::new()));
    let held = gate.clone();
    stage.api.set_faults(move |call| {
        if call == Call::Creator
            && let Some(asked) = asked.lock().expect("no panic").take()
        {
            asked.send(()).expect("the test waits");
            let (open, changed) = &*held;
            let open = open.lock().expect("no panic");
            // Lets the other tasks of this thread continue on other threads.
            tokio::task::block_in_place(|| {
                drop(changed.wait_while(open, |open| !*open).expect("no panic"));
            });
        }
        None
    });
    let publisher = tokio::spawn({
        let (lead, input) = (lead.clone(), photos_input(&media));
        async move { publish_media(&lead, input).await }
    });
    asking.await.expect("the service requests the options");
    let revision = lead.load_event(&event).await["api_revision"].clone();
    let reopened = json!({ "expected_revision": revision, "motivo": "Trocar a foto" });
    let path = format!("/api/eventos/{event}/reabrir");
    lead.post(&path, reopened).await.expect(200);
    *gate.0.lock().expect("no panic") = true;
    gate.1.notify_all();
    let answer = publisher.await.expect("no panic");
    answer.expect_refusal(409, "NOT_APPROVED");
    assert_eq!(stage.api.count_calls(Call::Photos), 0);
    assert_eq!(stage.app.count_rows("publications").await, 0);
}

#[tokio::test]
async fn the_caption_of_the_event_is_sent_unless_another_is_given() {
    let stage = Stage::new().await;
    let (_, media) =
        create_approved_event(&stage.lead, "a aprovada", &[jpeg_image(64, 64, 0)]).await;
    let sent = publish_media(&stage.lead, photos_input(&media))
        .await
        .expect(200)
        .body;
    assert_eq!(sent["avisos"], Value::Null);
    let (_, media) =
        create_approved_event(&stage.lead, "a aprovada", &[jpeg_image(64, 64, 1)]).await;
    let mut other = photos_input(&media);
    other["caption"] = "outra".into();
    let sent = publish_media(&stage.lead, other).await.expect(200).body;
    assert_eq!(sent["avisos"].as_array().expect("a list").len(), 1);
    let world = stage.api.lock_world();
    let captions: Vec<&str> = world.effects.values().map(|e| e.caption.as_str()).collect();
    assert_eq!(captions, ["a aprovada", "outra"]);
}
