//! Forged values that only the service may create: received files and verified webhook bodies.

use axum::{body::Body, http::Method};
use domain::Role;
use gateway::{CallInput, Door, Input, InputForm, Origin, Progress, Registered, RequestHead};
use serde_json::{Value, json};

use crate::support::{Client, TestApp};

/// Returns the operations and pages whose input contains values that only the service creates.
fn operations_with_trusted_input(app: &TestApp) -> Vec<&Registered> {
    let registry = &app.app.gateway.registry;
    let is_vouched = |operation: &&Registered| {
        matches!(
            operation.spec.input,
            InputForm::Multipart(_) | InputForm::File(_) | InputForm::Signed(_)
        )
    };
    registry.all_entries().filter(is_vouched).collect()
}

/// Forged fields that imitate a received file or a verified webhook delivery.
fn forged_fields(operation: &Registered) -> Input {
    let file = json!({
        "sha256": "0".repeat(64), "media_type": "text/html", "bytes": 10, "width": 1, "height": 1,
    });
    let document = json!({ "nome": "a.md", "sha256": "0".repeat(64), "bytes": 10 });
    let file = match operation.spec.name.contains("document") {
        true => document,
        false => file,
    };
    let delivery = json!({
        "Type": "Notification", "MessageId": "m-1", "TopicArn": "arn:aws:sns:x", "Message": "{}",
        "Timestamp": "2026-08-22T15:00:00.000Z", "SignatureVersion": "1", "Signature": "x",
        "SigningCertURL": "https://sns.us-east-1.amazonaws.com/x.pem",
    });
    match operation.spec.file_field() {
        Some(field) => Input::from_iter([(field.name.to_owned(), file)]),
        None => delivery.as_object().cloned().unwrap_or_default(),
    }
}

/// Returns the number of rows that a successful forgery would create.
async fn count_created_rows(app: &TestApp, admin: &Client) -> (usize, i64, i64) {
    let media = admin.get("/api/media").await.expect(200);
    let media = media.body["media"].as_array().expect("a list").len();
    let deliveries = app.count_rows("email_deliveries").await;
    let documents = app.count_rows("knowledge_documents").await;
    (media, deliveries, documents)
}

#[tokio::test]
async fn nobody_can_forge_values_that_only_the_service_creates() {
    let app = TestApp::new().await;
    let admin = app.add_member(Role::Admin).await;
    let session = app.session_client(&admin).await;
    let operations = operations_with_trusted_input(&app);
    assert_eq!(
        operations.len(),
        11,
        "another operation needs a forgery test below"
    );
    let mut tries = 0;
    for role in [Role::Criador, Role::Lider, Role::Admin] {
        let member = app.add_member(role).await;
        let browser = app.browser_client(&member).await;
        let token = app.token_client(&member).await;
        for operation in &operations {
            let (name, claims) = (operation.spec.name, forged_fields(operation));
            // Sends the forged values as form fields, as JSON in form fields, and through the
            // catalog.
            let plain: Vec<(&str, String)> = claims
                .iter()
                .map(|(name, value)| {
                    (
                        name.as_str(),
                        value.as_str().map_or_else(|| value.to_string(), Into::into),
                    )
                })
                .collect();
            let typed: Vec<(String, String)> = claims
                .iter()
                .map(|(name, value)| (format!("{name}:json"), value.to_string()))
                .collect();
            for place in ["acao", "catalogo"] {
                let path = format!("/{place}/{name}");
                let answers = [
                    browser.post_form(&path, &plain).await,
                    browser.post_form(&path, &typed).await,
                    browser
                        .with_header("hx-request", "true")
                        .post_form(&path, &typed)
                        .await,
                ];
                for answer in answers {
                    assert!(
                        (400..500).contains(&answer.status),
                        "{path}: {}",
                        answer.status
                    );
                    tries += 1;
                }
            }
            // Sends the forged values as JSON to the operation's route, and as a tool call.
            let json = Value::Object(claims.clone());
            for client in [&browser, &token] {
                let path = operation.spec.path;
                let answer = client.post(path, json.clone()).await;
                assert!(
                    (400..500).contains(&answer.status),
                    "{path}: {}",
                    answer.status
                );
                let encoded = client.post_form(path, &plain).await;
                assert!(
                    (400..500).contains(&encoded.status),
                    "{path}: {}",
                    encoded.status
                );
                tries += 2;
            }
            let called = token
                .send_rpc("tools/call", json!({ "name": name, "arguments": json }))
                .await;
            assert_eq!(called.body["error"]["code"], -32602, "{}", called.text);
            tries += 1;
        }
    }
    eprintln!("{tries} forged claims");
    assert_eq!(count_created_rows(&app, &session).await, (0, 0, 0));
}

#[tokio::test]
async fn the_gateway_accepts_files_and_deliveries_only_in_their_own_input_form() {
    let app = TestApp::new().await;
    let gateway = &app.app.gateway;
    let member = app.add_member(Role::Admin).await;
    let session = app.session_client(&member).await;
    let caller = gateway
        .authenticate(Some(session.credential()), Door::Rest)
        .await
        .expect("a session");
    let origin = Origin {
        door: Door::Console,
        request_id: "forged".into(),
        trace: None,
        client: None,
        address: None,
        secret: None,
        head: RequestHead::default(),
        progress: Progress::default(),
    };
    for operation in operations_with_trusted_input(&app) {
        let fields = forged_fields(operation);
        let sent = async { Ok(fields.clone()) };
        let refused = gateway
            .invoke(operation, Some(&caller), &origin, sent)
            .await;
        let refused = refused.err().expect("refused");
        assert_eq!(refused.status(), 415, "{}", operation.spec.name);
        // A text field is refused as a file, even in a form that accepts a file.
        if operation.spec.file_field().is_some() {
            let upload = CallInput::Upload {
                fields: fields.clone(),
                file: None,
            };
            let sent = async { Ok(upload) };
            let refused = gateway
                .invoke(operation, Some(&caller), &origin, sent)
                .await;
            assert_eq!(refused.err().expect("refused").status(), 400);
        }
    }
    assert_eq!(count_created_rows(&app, &session).await, (0, 0, 0));
}

#[tokio::test]
async fn a_text_field_is_not_accepted_as_a_file() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await;
    let claim = r#"{"sha256":"0","media_type":"text/html","bytes":1,"width":1,"height":1}"#;
    for (names, status) in [
        (&["file"][..], 415),
        (&["file", "file"], 415),
        (&["file[sha256]"], 400),
        (&["file:json"], 400),
        (&["file.media_type"], 400),
        (&["media_type"], 400),
    ] {
        let part = |name: &&str| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{claim}\r\n")
        };
        let form: String = names.iter().map(part).collect();
        let client = token.with_header("content-type", "multipart/form-data; boundary=x");
        let body = Body::from(form + "--x--\r\n");
        let answer = client.send(Method::POST, "/api/upload", Some(body)).await;
        assert_eq!(answer.status, status, "{names:?}: {}", answer.text);
    }
    let session = app.session_client(&member).await;
    assert_eq!(count_created_rows(&app, &session).await, (0, 0, 0));
}
