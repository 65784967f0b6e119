//! The routes and documents of a service with a hosted issuer.

use std::{path::Path, process::Command};

use domain::Role;
use serde_json::json;

use super::{
    ME, add_member_with_account,
    double::{Fault, Issuer, Signer},
    service_with_admin_key, service_with_oidc, session_client,
};
use crate::support::TestApp;

#[tokio::test]
async fn the_embedded_sign_in_is_off_and_its_route_says_how_to_sign_in() {
    let (app, issuer) = service_with_oidc().await;
    for (path, body) in [
        (
            "/auth/v1/token?grant_type=password",
            json!({ "email": "a@b.c", "password": "x" }),
        ),
        ("/auth/v1/logout", json!({})),
        ("/auth/v1/verify", json!({ "token": "x", "password": "y" })),
    ] {
        let answer = app.anonymous().post(path, body).await;
        let answer = answer.expect_refusal(404, "NOT_FOUND");
        let next = answer.body["details"]["next"].as_str().expect("a text");
        assert!(next.contains(&issuer.oidc_issuer()), "{next}");
    }
    let get = |path: &'static str| {
        let client = app.anonymous();
        async move { client.get(path).await.expect_refusal(404, "NOT_FOUND") }
    };
    get("/auth/v1/.well-known/jwks.json").await;
    get("/convite").await;

    let member = app.add_member(Role::Admin).await;
    let token = app.token_client(&member).await;
    let refused = token.get("/api/membros").await;
    let refused = refused.expect_refusal(403, "SESSION_REQUIRED");
    let next = refused.body["details"]["next"].as_str().expect("a text");
    assert!(next.contains(&issuer.oidc_issuer()), "{next}");

    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    let catalog = session_client(&app, &claims)
        .get("/api/access/catalog")
        .await;
    let catalog = catalog.expect(200);
    assert!(!catalog.text.contains("/auth/v1"));
    let routes = catalog.body["rotas"].as_array().expect("routes").len();
    assert_eq!(catalog.body["total"], routes);
}

#[tokio::test]
async fn the_documents_say_how_to_sign_in() {
    let (app, issuer) = service_with_oidc().await;
    for document in [
        "openapi.json",
        "openapi.yaml",
        "postman.json",
        "llms.txt",
        "llms-full.txt",
        "mcp-setup.md",
        "SKILL.md",
        "cli.mjs",
    ] {
        let answer = app.anonymous().get(&format!("/api/ai/{document}")).await;
        let text = answer
            .expect(200)
            .text
            .replace(&issuer.oidc_issuer(), "ISSUER");
        assert!(!text.contains("grant_type=password"), "{document}");
        let told = !matches!(document, "postman.json" | "llms.txt" | "SKILL.md");
        assert_eq!(text.contains("ISSUER"), told, "{document}");
    }
    let openapi = app.anonymous().get("/api/ai/openapi.json").await.body;
    let paths = openapi["paths"].as_object().expect("paths");
    let served = paths.keys().any(|path| path.starts_with("/auth/v1"));
    assert!(!served && paths.contains_key("/api/me"));
}

/// Runs the command line client of a service; returns its exit code and output.
fn run_cli(file: &Path, home: &Path, token: Option<&str>, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new("node");
    command
        .arg(file)
        .args(arguments)
        .env("XDG_CONFIG_HOME", home);
    if let Some(token) = token {
        command.env("PAUTA_TOKEN", token);
    }
    let output = command.output().expect("node runs");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).expect("text");
    (output.status.code().expect("an exit code"), said)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_does_not_ask_for_a_password() {
    let (app, issuer) = service_with_oidc().await;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("cli.mjs");
    let text = app.anonymous().get("/api/ai/cli.mjs").await.expect(200);
    std::fs::write(&file, &text.bytes).expect("writes");
    let run = |arguments: &'static [&'static str]| {
        let (file, home) = (file.clone(), directory.path().to_owned());
        tokio::task::spawn_blocking(move || run_cli(&file, &home, None, arguments))
    };
    for arguments in [
        &["login", "--email", "ana@equipe.test"][..],
        &["login", "--session"],
        &["list-members"],
    ] {
        let (code, said) = run(arguments).await.expect("runs");
        assert!([2, 3].contains(&code), "{said}");
        assert!(said.contains(&issuer.oidc_issuer()), "{said}");
    }
    let (code, said) = run(&["--help"]).await.expect("runs");
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("PAUTA_PASSWORD"), "{said}");
}

/// Runs `pauta doctor` with these settings in an empty folder.
async fn run_doctor(settings: Vec<(&'static str, String)>) -> (bool, String) {
    let run = move || {
        let directory = tempfile::tempdir().expect("a directory");
        let output = Command::new(env!("CARGO_BIN_EXE_pauta"))
            .arg("doctor")
            .env_clear()
            .envs(settings)
            .current_dir(directory.path())
            .output()
            .expect("the command runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).expect("text");
        (output.status.success(), said)
    };
    tokio::task::spawn_blocking(run).await.expect("runs")
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_checks_the_issuer() {
    let issuer = Issuer::new().await;
    let (well, said) = run_doctor(issuer.admin_settings()).await;
    assert!(
        well && said.contains("ok     provedor de identidade: contas"),
        "{said}"
    );
    let (well, said) = run_doctor(issuer.oidc_settings()).await;
    assert!(
        well && said.contains("ok     provedor de identidade: chaves"),
        "{said}"
    );
    assert!(said.contains("no próprio provedor"), "{said}");
    assert!(!said.contains("https"), "{said}");
    let (_, said) = run_doctor(issuer.supabase_settings()).await;
    assert!(said.contains("sem PAUTA_IDENTITY_ADMIN_KEY"), "{said}");
    let exposed = ("PAUTA_IDENTITY_ISSUER", "http://id.test:9".to_owned());
    let mut settings = issuer.oidc_settings();
    settings.push(exposed);
    let (well, said) = run_doctor(settings).await;
    assert!(!well && said.contains("não usa https"), "{said}");

    issuer.override_discovery(json!({ "issuer": "https://outro.test" }));
    let (well, said) = run_doctor(issuer.oidc_settings()).await;
    assert!(!well && said.contains("letra por letra"), "{said}");
    issuer.set_signers(&[Signer::short_rsa_key()]);
    let mut settings = issuer.supabase_settings();
    settings.push(("PAUTA_IDENTITY_ADMIN_KEY", "sb_secret_errada".into()));
    let (well, said) = run_doctor(settings).await;
    assert!(!well && said.contains("nenhuma das chaves"), "{said}");
    assert!(said.contains("confira PAUTA_IDENTITY_ADMIN_KEY"), "{said}");
    assert!(!said.contains("sb_secret"), "{said}");
    issuer.set_fault("/auth", Fault::Status(503));
    let (well, said) = run_doctor(issuer.supabase_settings()).await;
    assert!(!well && said.contains("503"), "{said}");
}

#[tokio::test]
async fn the_first_admin_of_a_hosted_team_signs_in_at_the_issuer() {
    use tools::operator::{NewAdmin, create_admin, invite_again};
    let (app, issuer) = service_with_oidc().await;
    let gateway = &app.app.gateway;
    let new = |password: Option<&str>| NewAdmin {
        name: "Ana".into(),
        email: "ana@equipe.test".into(),
        financeiro: false,
        password: password.map(str::to_owned),
    };
    let refused = create_admin(gateway, new(Some("lagoa-trem-girafa-vinil"))).await;
    let refused = refused.err().expect("refused").to_string();
    assert!(refused.contains("PROVIDER_NOT_CONFIGURED"), "{refused}");
    let made = create_admin(gateway, new(None))
        .await
        .expect("the admin is created");
    let made = made.expect("an invitation");
    assert!(made.link.is_none() && made.remains.is_some());
    let claims = issuer.oidc_claims("ana", "ana@equipe.test", app.now());
    session_client(&app, &claims).get(ME).await.expect(200);

    // The issuer has replaced the account, and the operator allows the new account.
    let new = issuer.oidc_claims("ana-nova", "ana@equipe.test", app.now());
    session_client(&app, &new)
        .get(ME)
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
    invite_again(gateway, "ana@equipe.test")
        .await
        .expect("the invitation is replaced");
    session_client(&app, &new).get(ME).await.expect(200);
    session_client(&app, &claims)
        .get(ME)
        .await
        .expect_refusal(403, "NOT_A_MEMBER");
}

#[tokio::test]
async fn sessions_and_keys_are_neither_stored_nor_logged() {
    use crate::support::{Log, log_to};
    use pauta::cli::log_filter;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(log_filter("trace"))
        .with_writer(log.clone())
        .finish();
    let _logging = log_to(subscriber);
    let (app, issuer) = service_with_admin_key().await;
    let (_, _, admin) = add_member_with_account(&app, &issuer, Role::Admin).await;
    let bia = json!({ "name": "Bia", "email": "bia@equipe.test", "access_level": "lider" });
    admin.post("/api/membros", bia).await.expect(201);
    issuer.set_fault("/admin", Fault::Status(500));
    let (member, _) = (app.add_member(Role::Criador).await, ());
    let account = issuer.add_account(&member.email, true);
    let claims = issuer.session_claims(&account, &member.email, app.now());
    let client = session_client(&app, &claims);
    client.get(ME).await.expect_refusal(500, "PROVIDER_FAILED");
    app.app.write_all_reads().await;
    let text = log.captured_text();
    assert!(text.contains("provider_request"), "{text}");
    for secret in [
        super::double::ADMIN_KEY,
        admin.credential(),
        client.credential(),
    ] {
        let tail = secret.rsplit('.').next().expect("a text");
        assert!(!text.contains(tail), "{tail}");
        assert!(!app.contains_text(tail).await, "{tail}");
    }
}

#[tokio::test]
async fn the_embedded_identity_stays_as_it_is_without_an_issuer() {
    let app = TestApp::new().await;
    app.anonymous()
        .get("/auth/v1/.well-known/jwks.json")
        .await
        .expect(200);
    let issuer = Issuer::new().await;
    let member = app.add_member(Role::Admin).await;
    let claims = issuer.oidc_claims("ana", &member.email, app.now());
    session_client(&app, &claims)
        .get(ME)
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
}
