//! The real binary is killed or stopped while the provider works; `pauta doctor` checks the
//! provider.

use std::{
    io::Write,
    net::TcpStream,
    path::Path,
    process::{Command, Output},
};

use domain::{Role, time::MINUTE};
use pauta::app::SystemClock;
use ports::Clock;

use super::{
    double::{ImagesApi, base64_response, image_file},
    request_art, service_with_images_api, small_request,
};
use crate::support::{Client, Given, SECRET, Server, TestApp, exchange_request, http_request};

/// Creates an in-process service whose clock shows the system time and whose database is closed, so
/// that a server process can use the same database.
async fn service_beside_server(api: &ImagesApi) -> (TestApp, Client) {
    let app = TestApp::with_settings(api.settings()).await;
    app.advance_clock(SystemClock.now() - app.now());
    let member = app.add_member(Role::Lider).await;
    let token = app.token_client(&member).await;
    let db = app.app.gateway.services.db.clone();
    db.close().await.expect("closes");
    (app, token)
}

fn art_request(client: &Client, key: &str) -> String {
    let header = format!("Idempotency-Key: {key}\r\n");
    http_request(
        "POST",
        "/api/art",
        client.credential(),
        &header,
        &small_request().to_string(),
    )
}

async fn send_art_request(server: &Server, client: &Client, key: &str) -> Option<Given> {
    let (address, request) = (server.address.clone(), art_request(client, key));
    let exchanged = tokio::task::spawn_blocking(move || exchange_request(&address, &request));
    exchanged.await.expect("no panic")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_killed_while_the_provider_draws_never_repeats_the_request() {
    let api = ImagesApi::new().await;
    let (app, client) = service_beside_server(&api).await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let start = || Server::start(app.database_url(), directory.path(), &api.settings());
    let mut server = start();
    let _closed = api.hold_responses();
    let (address, sent) = (server.address.clone(), art_request(&client, "chave-0001"));
    let call = tokio::task::spawn_blocking(move || exchange_request(&address, &sent));
    api.wait_for_requests(1).await;
    server.kill();
    assert_eq!(call.await.expect("no panic"), None);

    let mut server = start();
    let early = send_art_request(&server, &client, "chave-0001")
        .await
        .expect("an answer");
    assert_eq!(early.status, 409);
    assert!(
        early.text.contains("IDEMPOTENCY_IN_PROGRESS"),
        "{}",
        early.text
    );
    server.kill();

    // After the lease has expired, no process can complete the call.
    app.advance_clock(SystemClock.now() - app.now() + 5 * MINUTE);
    let later = app.second_instance().await;
    let client = client.at_instance(&later);
    for _ in 0..2 {
        request_art(&client, "chave-0001")
            .await
            .expect_refusal(409, "OUTCOME_UNKNOWN");
    }
    assert_eq!(api.accepted_requests().len(), 1);
    assert_eq!(later.count_rows("media").await, 0);
    api.set_handler(|_| async { base64_response(&image_file(64, 64, "png")) });
    request_art(&client, "outra-chave").await.expect(200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_process_keeps_the_picture_of_a_disconnected_caller() {
    let api = ImagesApi::new().await;
    let (app, client) = service_beside_server(&api).await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut server = Server::start(app.database_url(), directory.path(), &api.settings());
    let open = api.hold_responses();
    let mut stream = TcpStream::connect(&server.address).expect("connects");
    stream
        .write_all(art_request(&client, "chave-0001").as_bytes())
        .expect("sends");
    api.wait_for_requests(1).await;
    drop(stream);
    server.send_sigterm();
    // Waits until the process has stopped listening. The process still waits for the provider.
    while TcpStream::connect(&server.address).is_ok() {
        tokio::task::yield_now().await;
    }
    open.send(true).expect("the provider still draws");
    let ended = tokio::task::spawn_blocking(move || server.wait_for_exit()).await;
    assert!(ended.expect("no panic").success());

    let later = app.second_instance().await;
    let kept = request_art(&client.at_instance(&later), "chave-0001")
        .await
        .expect(200);
    assert_eq!(kept.headers["idempotency-replayed"], "true");
    assert_eq!(api.accepted_requests().len(), 1);
}

fn run_doctor(app: &TestApp, directory: &Path, settings: &[(&'static str, String)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pauta"))
        .arg("doctor")
        .env_clear()
        .envs([
            ("PAUTA_DATABASE_URL", app.database_url()),
            ("PAUTA_SECRET", SECRET),
        ])
        .envs(settings.iter().map(|(name, value)| (name, value)))
        .current_dir(directory)
        .output()
        .expect("pauta doctor runs")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_calls_the_provider_and_names_the_error() {
    let api = ImagesApi::with_prefix("/gateway").await;
    let (app, _lead) = service_with_images_api(&api).await;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let origin = api.base.trim_end_matches("/gateway").to_owned();
    for (setting, value, told) in [
        ("PAUTA_IMAGE_TIMEOUT", "120", "ok     provedor de imagens"),
        (
            "PAUTA_IMAGE_PROVIDER",
            "local",
            "ok     provedor de imagens",
        ),
        ("PAUTA_OPENAI_API_KEY", "sk-outra", "não aceitou a chave"),
        (
            "PAUTA_OPENAI_IMAGE_MODEL",
            "gpt-imagem",
            "não oferece o modelo gpt-imagem",
        ),
        (
            "PAUTA_OPENAI_BASE_URL",
            &*origin,
            "não conhece o modelo ou o endereço",
        ),
        (
            "PAUTA_OPENAI_BASE_URL",
            "http://127.0.0.1:1",
            "não responde",
        ),
    ] {
        let mut settings = api.settings();
        settings.push((setting, value.to_owned()));
        let output = run_doctor(&app, directory.path(), &settings);
        let said = String::from_utf8(output.stdout).expect("text");
        let line = said
            .lines()
            .find(|line| line.contains("provedor de imagens"));
        let line = line.expect("a line about the provider");
        assert!(line.contains(told), "{line}");
        assert_eq!(output.status.success(), told.starts_with("ok"), "{said}");
        assert!(
            !line.starts_with("FALHA") || line.contains("PAUTA_OPENAI"),
            "{line}"
        );
    }
    assert_eq!(
        api.accepted_requests().len(),
        0,
        "doctor must not generate an image"
    );
}
