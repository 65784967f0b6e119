//! The page that says which data the service stores, and the places that link to it.

use domain::{Role, time::DAY};

use crate::support::TestApp;

const PATH: &str = "/privacidade";

async fn read_page(app: &TestApp) -> String {
    app.anonymous().get(PATH).await.expect(200).text
}

#[tokio::test]
async fn the_page_is_public_and_the_same_for_everybody() {
    let app = TestApp::new().await;
    let answer = app.anonymous().get(PATH).await.expect(200);
    assert!(
        answer.headers["content-type"]
            .to_str()
            .expect("text")
            .starts_with("text/html")
    );
    assert!(answer.headers.contains_key("content-security-policy"));
    for said in [
        "Nesta instalação nenhum serviço de fora está ligado.",
        "o serviço de avisos do navegador (como Google, Mozilla, Apple ou Microsoft)",
        "Fale com um admin da equipe que usa esta Pauta.",
        "http://127.0.0.1:8080",
    ] {
        assert!(answer.text.contains(said), "{said}");
    }
    let member = app.add_member(Role::Criador).await;
    let signed_in = app
        .browser_client(&member)
        .await
        .get(PATH)
        .await
        .expect(200);
    assert!(
        !signed_in.text.contains(member.email.as_str()),
        "the page is the same for everybody"
    );
}

#[tokio::test]
async fn the_page_names_guests_calendars_and_figures() {
    let page = read_page(&TestApp::new().await).await;
    for said in [
        "Os convidados de fora da equipe que recebem um link",
        "Quem tem o endereço de um calendário assinado",
        "<dt>Links de convidados</dt>",
        "<dt>Calendários assinados</dt>",
        "<dt>Números dos posts</dt>",
        "o serviço de calendário que a pessoa usa",
    ] {
        assert!(page.contains(said), "{said}");
    }
}

#[tokio::test]
async fn the_page_shows_the_retention_periods_of_the_service() {
    let app = TestApp::with_settings([("PAUTA_TIMELINE_MONTHS", "7".to_owned())]).await;
    let page = read_page(&app).await;
    let days = |period: i64| format!("{} dias", period / DAY);
    for period in [
        days(tools::media::LINK_LIFETIME),
        days(identity::browser::LONGEST),
        days(identity::operations::REFRESH_LIFETIME),
        days(identity::INVITE_LIFETIME),
        days(store::known_networks::LIFETIME),
        days(tools::system::ENDED_JOBS),
        "7 meses além do mês corrente".into(),
    ] {
        assert!(page.contains(&period), "{period}");
    }
}

/// The settings of all providers. The page must not show these values.
fn settings_with_every_provider() -> Vec<(&'static str, String)> {
    let secret = |name: &str| format!("segredo-{name}-0123456789abcdef");
    vec![
        ("PAUTA_IMAGE_PROVIDER", "openai".into()),
        (
            "PAUTA_OPENAI_BASE_URL",
            "http://interno-openai.lan:9000".into(),
        ),
        ("PAUTA_OPENAI_API_KEY", secret("openai")),
        (
            "PAUTA_OPENAI_IMAGE_MODEL",
            "modelo-interno-de-imagem".into(),
        ),
        ("PAUTA_EMBEDDING_PROVIDER", "openai".into()),
        ("PAUTA_TEXT_PROVIDER", "anthropic".into()),
        ("PAUTA_ANTHROPIC_API_KEY", secret("anthropic")),
        (
            "PAUTA_ANTHROPIC_TEXT_MODEL",
            "modelo-interno-de-texto".into(),
        ),
        ("PAUTA_VIDEO_PROVIDER", "runway".into()),
        ("PAUTA_RUNWAY_API_KEY", secret("runway")),
        ("PAUTA_HOTMART_CLIENT_ID", secret("hotmart-id")),
        ("PAUTA_HOTMART_CLIENT_SECRET", secret("hotmart")),
        ("PAUTA_META_ACCESS_TOKEN", secret("meta")),
        ("PAUTA_META_ACCOUNT_ID", "998877665544".into()),
        (
            "PAUTA_SNS_TOPIC_ARNS",
            "arn:aws:sns:us-east-1:123456789012:emails".into(),
        ),
        ("PAUTA_YOUTUBE_CLIENT_ID", secret("youtube-id")),
        ("PAUTA_YOUTUBE_CLIENT_SECRET", secret("youtube")),
        ("PAUTA_JORNADA_TOKEN", secret("jornada")),
        ("PAUTA_PRIVACY_CONTACT", "privacidade@example.com.br".into()),
    ]
}

#[tokio::test]
async fn the_page_names_each_connected_provider_and_no_secret() {
    let settings = settings_with_every_provider();
    let app = TestApp::with_settings(settings.clone()).await;
    let page = read_page(&app).await;
    for name in [
        "Um servidor com a API da OpenAI, escolhido por quem opera",
        "Anthropic",
        "Runway",
        "YouTube",
        "Hotmart",
        "Meta (anúncios)",
        "Amazon SNS",
        "mailto:privacidade@example.com.br",
    ] {
        assert!(page.contains(name), "{name}");
    }
    assert!(!page.contains("nenhum serviço de fora"));
    for name in ["TikTok", "Instagram", "LinkedIn", "Gemini", "Amazon S3"] {
        assert!(!page.contains(name), "{name} is not connected");
    }
    let shown = [
        "openai",
        "anthropic",
        "runway",
        "privacidade@example.com.br",
    ];
    for (name, value) in settings
        .iter()
        .filter(|(_, value)| !shown.contains(&value.as_str()))
    {
        assert!(!page.contains(value.as_str()), "{name}");
    }
    for hidden in [
        "interno-openai",
        app.database_url(),
        "sqlite",
        "123456789012",
    ] {
        assert!(!page.contains(hidden), "{hidden}");
    }
}

#[tokio::test]
async fn a_bucket_is_named_by_its_provider_only() {
    let app = TestApp::with_s3().await;
    let page = read_page(&app).await;
    assert!(page.contains("armazenamento compatível com S3"));
    assert!(!page.contains("s3://") && !page.contains("localhost:"));
}

#[tokio::test]
async fn the_contact_url_is_escaped_and_query_parameters_are_not_reflected() {
    let page = r#"https://example.org/?a=1&b="><script>alert(1)</script>"#;
    let app = TestApp::with_settings([("PAUTA_PRIVACY_CONTACT", page.to_owned())]).await;
    let text = read_page(&app).await;
    assert!(!text.contains("<script>alert"));
    assert!(text.contains("https://example.org/?a=1&amp;b=&quot;&gt;&lt;script&gt;"));
    for reflected in [
        "/privacidade?x=%3Cscript%3Ealert(2)%3C%2Fscript%3E",
        "/privacidade?volta=//mal.example",
    ] {
        let answer = app.anonymous().get(reflected).await;
        assert!(!answer.text.contains("alert(2)") && !answer.text.contains("mal.example"));
    }
}

#[tokio::test]
async fn sign_in_consent_and_metadata_link_to_the_page() {
    let app = TestApp::new().await;
    app.add_member(Role::Admin).await;
    let sign_in = app.anonymous().get("/entrar").await.expect(200).text;
    assert!(sign_in.contains(r#"href="/privacidade""#));
    let at = "http://127.0.0.1:8080/privacidade";
    for (path, field) in [
        ("/.well-known/oauth-authorization-server", "op_policy_uri"),
        (
            "/.well-known/oauth-protected-resource/api/mcp",
            "resource_policy_uri",
        ),
        (
            "/.well-known/oauth-protected-resource/mcp",
            "resource_policy_uri",
        ),
    ] {
        let metadata = app.anonymous().get(path).await.expect(200).body;
        assert_eq!(metadata[field], at, "{path}");
    }
}

#[tokio::test]
async fn the_page_says_that_traces_are_exported_and_names_no_address() {
    let address = "http://coletor.interno.example:4318".to_owned();
    let app = TestApp::with_settings([("OTEL_EXPORTER_OTLP_ENDPOINT", address)]).await;
    let page = read_page(&app).await;
    assert!(page.contains("coletor de rastros"), "{page}");
    assert!(!page.contains("interno"), "{page}");
}
