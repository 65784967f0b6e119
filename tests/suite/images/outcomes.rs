//! One idempotency key causes at most one paid generation, even if the response is lost.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::IntoResponse,
};
use domain::Role;
use futures::stream;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpSocket},
    task::JoinSet,
};

use super::{
    assert_nothing_left,
    double::{ImagesApi, base64_response, image_file},
    request_art, service_with_images_api, small_request,
};
use crate::support::{Client, TestApp, openai::cut_in_half};

async fn assert_outcome_unknown(app: &TestApp, lead: &Client, api: &ImagesApi, key: &str) {
    let asked = api.accepted_requests().len();
    let first = request_art(lead, key)
        .await
        .expect_refusal(500, "PROVIDER_TIMEOUT");
    assert!(first.body["details"]["next"].is_string());
    for _ in 0..2 {
        request_art(lead, key)
            .await
            .expect_refusal(409, "OUTCOME_UNKNOWN");
    }
    assert_eq!(api.accepted_requests().len(), asked + 1, "{key}");
    assert_nothing_left(app).await;
}

#[tokio::test]
async fn an_image_whose_response_was_lost_is_never_requested_again() {
    let api = ImagesApi::new().await;
    let mut settings = api.settings();
    settings.push(("PAUTA_IMAGE_TIMEOUT", "1".into()));
    let app = TestApp::with_settings(settings).await;
    let lead = app.as_member(Role::Lider).await;

    api.set_handler(|_| std::future::pending());
    assert_outcome_unknown(&app, &lead, &api, "sem-resposta").await;

    // A response that arrives byte by byte keeps the connection alive; the timeout must still end
    // the call.
    api.set_handler(|_| async {
        let drops = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b" ")), ()))
        });
        Body::from_stream(drops).into_response()
    });
    assert_outcome_unknown(&app, &lead, &api, "a-conta-gotas").await;

    api.set_handler(|_| async { cut_in_half(base64_response(&image_file(64, 64, "png"))).await });
    assert_outcome_unknown(&app, &lead, &api, "cortada-no-meio").await;

    api.set_handler(|_| async { base64_response(&image_file(64, 64, "png")) });
    request_art(
        &client_with_default_timeout(&app, &api, &lead).await,
        "outra-chave",
    )
    .await
    .expect(200);
}

/// Returns the client of the same member at an instance with the default timeout.
async fn client_with_default_timeout(app: &TestApp, api: &ImagesApi, lead: &Client) -> Client {
    lead.at_instance(&app.second_instance_with(api.settings()).await)
}

#[tokio::test]
async fn a_connection_that_closes_after_the_request_leaves_its_outcome_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    let requests = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a caller");
        let mut request = vec![0; 1 << 16];
        while !request.windows(12).any(|w| w == b"Uma fogueira") {
            let read = stream.read(&mut request).await.expect("a request");
            assert_ne!(read, 0);
        }
        drop(stream);
        // From here on, a second connection is refused.
        drop(listener);
    });
    let app = TestApp::with_settings([
        ("PAUTA_IMAGE_PROVIDER", "openai".into()),
        ("PAUTA_OPENAI_BASE_URL", base),
        ("PAUTA_OPENAI_API_KEY", "sk-x".into()),
    ])
    .await;
    let lead = app.as_member(Role::Lider).await;
    request_art(&lead, "chave-0001")
        .await
        .expect_refusal(500, "PROVIDER_TIMEOUT");
    requests.await.expect("the request arrived");
    request_art(&lead, "chave-0001")
        .await
        .expect_refusal(409, "OUTCOME_UNKNOWN");
    assert_nothing_left(&app).await;
}

#[tokio::test]
async fn a_connection_that_is_refused_had_no_effect_and_frees_the_key() {
    // The socket is bound and does not listen yet, so connections are refused.
    let socket = TcpSocket::new_v4().expect("a socket");
    socket
        .bind("127.0.0.1:0".parse().expect("an address"))
        .expect("a port");
    let base = format!("http://{}", socket.local_addr().expect("an address"));
    let elsewhere = ImagesApi::new().await;
    let mut settings = elsewhere.settings();
    settings.push(("PAUTA_OPENAI_BASE_URL", base));
    let app = TestApp::with_settings(settings).await;
    let lead = app.as_member(Role::Lider).await;
    let refused = request_art(&lead, "chave-0001")
        .await
        .expect_refusal(500, "PROVIDER_FAILED");
    assert!(refused.body["details"]["next"].is_string());
    assert_nothing_left(&app).await;

    let api = ImagesApi::with_listener(socket.listen(64).expect("the socket listens"), "");
    request_art(&lead, "chave-0001").await.expect(200);
    assert_eq!(api.accepted_requests().len(), 1);
}

async fn assert_one_of_twenty_succeeds(apps: &[TestApp], api: &ImagesApi, lead: &Client) {
    let open = api.hold_responses();
    let mut calls = JoinSet::new();
    for caller in 0..20 {
        let client = lead.at_instance(&apps[caller / 2 % apps.len()]);
        calls.spawn(async move {
            if caller % 2 == 0 {
                let answer = request_art(&client, "a-mesma-chave").await;
                (answer.status == 200, answer.text)
            } else {
                let mut arguments = small_request();
                arguments["idempotency_key"] = "a-mesma-chave".into();
                let tool = client.call_tool("generate_art", arguments).await;
                (!tool.is_error, tool.text)
            }
        });
    }
    // Nineteen calls are refused while the provider works on the remaining call.
    for _ in 0..19 {
        let (ok, text) = calls.join_next().await.expect("a call").expect("no panic");
        assert!(!ok && text.contains("IDEMPOTENCY_IN_PROGRESS"), "{text}");
    }
    assert!(calls.try_join_next().is_none());
    open.send(true).expect("a response waits");
    let (ok, first) = calls.join_next().await.expect("a call").expect("no panic");
    assert!(ok, "{first}");
    let again = request_art(lead, "a-mesma-chave").await.expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let first: Value = serde_json::from_str(&first).expect("JSON");
    assert_eq!(first["id"], again.body["id"]);
    assert_eq!(api.accepted_requests().len(), 1);
    assert_eq!(
        (
            apps[0].count_rows("media").await,
            apps[0].stored_file_count()
        ),
        (1, 1)
    );
}

#[tokio::test]
async fn twenty_callers_with_one_key_pay_for_one_picture() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    assert_one_of_twenty_succeeds(&[app], &api, &lead).await;
}

#[tokio::test]
async fn twenty_callers_at_two_instances_pay_for_one_picture() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let second = app.second_instance().await;
    assert_one_of_twenty_succeeds(&[app, second], &api, &lead).await;
}

#[tokio::test]
async fn the_picture_is_kept_for_a_disconnected_caller() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let id = lead.create_demand(json!({})).await;
    let mut asked = small_request();
    asked["event_id"] = id.as_str().into();
    for (interface, key) in [("rest", "chave-rest"), ("mcp", "chave-mcp-")] {
        let before = api.accepted_requests().len();
        let open = api.hold_responses();
        let (client, input) = (lead.clone(), asked.clone());
        let call = tokio::spawn(async move {
            if interface == "rest" {
                drop(
                    client
                        .with_idempotency_key(key)
                        .post("/api/art", input)
                        .await,
                );
            } else {
                let mut input = input;
                input["idempotency_key"] = key.into();
                drop(client.call_tool("generate_art", input).await);
            }
        });
        api.wait_for_requests(before + 1).await;
        call.abort();
        assert!(call.await.expect_err("the call was aborted").is_cancelled());
        let early = lead
            .with_idempotency_key(key)
            .post("/api/art", asked.clone())
            .await;
        early.expect_refusal(409, "IDEMPOTENCY_IN_PROGRESS");
        open.send(true).expect("the provider still draws");
        app.app.gateway.wait_for_detached_calls().await;

        let kept = lead
            .with_idempotency_key(key)
            .post("/api/art", asked.clone())
            .await
            .expect(200);
        assert_eq!(kept.headers["idempotency-replayed"], "true");
        assert_eq!(
            lead.load_event(&id).await["media"][0]["id"],
            kept.body["id"]
        );
        assert_eq!(api.accepted_requests().len(), before + 1, "{interface}");
    }
    let written = "audit_events WHERE action = 'generate_art' AND outcome = 'succeeded'";
    assert_eq!(app.count_rows(written).await, 2);
}

#[tokio::test]
async fn an_event_is_not_submitted_during_generation_and_gets_no_image_after_archiving() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let carousel = json!({ "cards": [{ "text": "Um", "prompt": "fundo" }, { "text": "Dois" }] });
    for (path, mut asked) in [("/api/art", small_request()), ("/api/carousel", carousel)] {
        let id = lead.create_demand(json!({})).await;
        asked["event_id"] = id.as_str().into();
        let before = api.accepted_requests().len();
        let open = api.hold_responses();
        let keyed = lead.with_idempotency_key("chave-0001");
        let call = tokio::spawn({
            let asked = asked.clone();
            async move { keyed.post(path, asked).await }
        });
        api.wait_for_requests(before + 1).await;
        let submitted = json!({ "event_id": id, "expected_revision": 1 });
        let early = lead.post("/api/enviar", submitted).await;
        early.expect_refusal(409, "MEDIA_PROCESSING");
        let archived = json!({ "expected_revision": 1, "status": "arquivado" });
        let path_of_event = format!("/api/eventos/{id}");
        lead.patch(&path_of_event, archived).await.expect(200);
        open.send(true).expect("the provider still draws");
        let refused = call.await.expect("no panic");
        refused.expect_refusal(409, "EVENT_NOT_EDITABLE");
        assert_nothing_left(&app).await;
        let event = lead.load_event(&id).await;
        assert_eq!(
            (&event["api_revision"], &event["media"]),
            (&json!(2), &json!([]))
        );
        assert_eq!(
            app.count_rows(&format!("event_history WHERE event_id = '{id}'"))
                .await,
            2
        );
        // The same key now gets the same refusal, and the provider is not called.
        let again = lead
            .with_idempotency_key("chave-0001")
            .post(path, asked)
            .await;
        again.expect_refusal(409, "EVENT_NOT_EDITABLE");
        assert_eq!(api.accepted_requests().len(), before + 1);
    }
}

#[tokio::test]
async fn an_unknown_outcome_is_reported_even_if_its_key_cannot_be_stored() {
    let api = ImagesApi::new().await;
    let (app, lead) = service_with_images_api(&api).await;
    let services = app.app.clone();
    api.set_handler(move |_| {
        let db = services.gateway.services.db.clone();
        async move {
            let tx = db.begin().await.expect("begins");
            let gone = "ALTER TABLE idempotency_keys RENAME TO away";
            let renamed = tx.conn().execute_unprepared(gone).await;
            renamed.expect("renames");
            tx.commit().await.expect("commits");
            cut_in_half(base64_response(&image_file(64, 64, "png"))).await
        }
    });
    request_art(&lead, "chave-0001")
        .await
        .expect_refusal(500, "PROVIDER_TIMEOUT");
}
