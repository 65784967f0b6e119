//! Connections, publications and videos.

use domain::Role;
use pauta::networks::NETWORKS;
use serde_json::json;

use super::{hidden_value, library::ODD, submit_operation, visible_text};
use crate::{
    networks::{self, request_callback},
    publishing::{self, create_approved_event, jpeg_image, photos_input, publish_media},
    support::TestApp,
    videos,
};

#[tokio::test]
async fn the_page_names_the_settings_of_a_network_that_is_not_configured() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let page = admin.get("/conexoes").await.expect(200);
    let text = visible_text(&page);
    for network in NETWORKS {
        assert!(text.contains(network.title));
        let id = format!("{}_{}", network.settings, network.client_id_setting);
        for setting in [id, format!("{}_CLIENT_SECRET", network.settings)] {
            assert!(text.contains(&setting), "{setting}");
        }
    }
    assert!(!page.text.contains("/conectar"));
}

#[tokio::test]
async fn an_account_is_connected_and_disconnected() {
    let stage = networks::Stage::new().await;
    stage.networks.set_account("conta", ODD);
    let admin = stage.app.browser_client(&stage.member).await;
    let page = admin
        .post_form(
            "/conexoes/linkedin/conectar",
            &[("pedido", "conectar-key-0001")],
        )
        .await
        .expect(200);
    assert!(visible_text(&page).contains("Continuar no LinkedIn"));
    let cookie = page.headers["set-cookie"]
        .to_str()
        .expect("text")
        .to_owned();
    let link = page
        .text
        .split("class=\"button\" href=\"")
        .nth(1)
        .expect("a link");
    let link = link
        .split('"')
        .next()
        .unwrap_or_default()
        .replace("&amp;", "&");
    let path = stage.networks.authorize(&link).await;
    let cookie = cookie.split(';').next().unwrap_or_default();
    request_callback(&stage.app, &path, cookie)
        .await
        .expect(200);

    let page = admin.get("/conexoes").await.expect(200);
    assert!(visible_text(&page).contains("Conectada"));
    assert!(page.text.contains("&lt;script&gt;") && !page.text.contains("<script>alert"));
    let reader = stage
        .app
        .browser_client(&stage.app.add_member(Role::Criador).await)
        .await;
    let seen = reader.get("/conexoes").await.expect(200);
    assert!(visible_text(&seen).contains("um admin da equipe") && !seen.text.contains("/conectar"));
    for verb in ["conectar", "desconectar"] {
        let path = format!("/conexoes/linkedin/{verb}");
        reader.post_form(&path, &[("x", "y")]).await.expect(403);
    }

    for _ in 0..2 {
        let page = admin
            .post_form(
                "/conexoes/linkedin/desconectar",
                &[("pedido", "desconectar-key-0001")],
            )
            .await
            .expect(200);
        assert!(visible_text(&page).contains("LinkedIn desconectado"));
    }
    let page = admin.get("/conexoes").await.expect(200);
    assert!(visible_text(&page).contains("Desconectada"));
}

#[tokio::test]
async fn an_approved_piece_is_published_and_its_steps_are_shown() {
    let stage = publishing::Stage::new().await;
    let lead = stage
        .app
        .browser_client(&stage.app.add_member(Role::Lider).await)
        .await;
    let (event, media) = create_approved_event(&stage.lead, ODD, &[jpeg_image(720, 720, 1)]).await;
    let choice = lead.get("/publicar").await.expect(200);
    assert!(choice.text.contains(&format!("/publicar?evento={event}")));
    let form = lead
        .get(&format!("/publicar?evento={event}"))
        .await
        .expect(200);
    assert_eq!(hidden_value(&form, "mediaIds"), media[0]);
    assert_eq!(hidden_value(&form, "type"), "PHOTO");
    assert!(visible_text(&form).contains("Só a própria conta"));
    let key = hidden_value(&form, "idempotency_key");
    let fields = [
        ("type", "PHOTO"),
        ("mediaIds", media[0].as_str()),
        ("event_id", event.as_str()),
        ("caption", ODD),
        ("privacy_level", "SELF_ONLY"),
        ("disable_comment", "true"),
        ("_volta", "/publicacoes/{/publication_id}"),
        ("idempotency_key", key.as_str()),
    ];
    let done = submit_operation(&lead, "publish_shortvideo", &fields)
        .await
        .expect(303);
    let to = done.headers["location"].to_str().expect("text").to_owned();
    let page = lead.get(&to).await.expect(200);
    let text = visible_text(&page);
    assert!(
        text.contains("Em processamento") && text.contains("Processando : agora"),
        "{text}"
    );
    assert!(page.text.contains("&lt;script&gt;") && !page.text.contains("<script>alert"));
    let list = lead
        .get(&format!("/publicacoes?evento={event}"))
        .await
        .expect(200);
    assert!(list.text.contains("&lt;script&gt;"));

    stage.pass_minutes(3).await;
    let page = lead.get(&to).await.expect(200);
    assert!(
        visible_text(&page).contains("No ar : feito"),
        "{}",
        visible_text(&page)
    );
    let again = page
        .text
        .split("/publicar?publicacao=")
        .nth(1)
        .expect("a link");
    let again = again
        .split('"')
        .next()
        .unwrap_or_default()
        .replace("&amp;", "&");
    let form = lead
        .get(&format!("/publicar?publicacao={again}"))
        .await
        .expect(200);
    assert!(!hidden_value(&form, "despite_publication_id").is_empty());
}

#[tokio::test]
async fn a_failed_publication_shows_its_reason_and_offers_another_attempt() {
    let stage = publishing::Stage::new().await;
    let lead = stage
        .app
        .browser_client(&stage.app.add_member(Role::Lider).await)
        .await;
    let (_, media) =
        create_approved_event(&stage.lead, "Legenda", &[jpeg_image(720, 720, 1)]).await;
    stage.disconnect_account().await;
    let refused = publish_media(&stage.lead, photos_input(&media)).await;
    assert_ne!(refused.status, 200);
    // Without a connected account, the form says what is missing and where to add it.
    let piece = stage
        .lead
        .get("/api/eventos?status=aprovado")
        .await
        .expect(200);
    let id = piece.body["eventos"][0]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let page = lead
        .get(&format!("/publicar?evento={id}"))
        .await
        .expect(200);
    assert!(page.text.contains("href=\"/conexoes\""));
    let reader = stage
        .app
        .browser_client(&stage.app.add_member(Role::Criador).await)
        .await;
    reader.get("/publicar").await.expect(403);
    reader.get("/publicacoes").await.expect(200);
    lead.get("/publicacoes/0198c0de-0000-7000-8000-000000000000")
        .await
        .expect(404);
}

#[tokio::test]
async fn a_video_is_requested_and_canceled() {
    let (_api, app, lead) = videos::service_with_video_api(videos::Dialect::OpenAi).await;
    let browser = app.browser_client(&app.add_member(Role::Lider).await).await;
    browser.get("/novo-video").await.expect(200);
    let mut wish = videos::video_input();
    wish["prompt"] = json!(ODD);
    let id = videos::start_video(&lead, wish).await;
    let page = browser.get("/videos").await.expect(200);
    assert!(visible_text(&page).contains("Na fila"));
    assert!(page.text.contains("&lt;script&gt;") && !page.text.contains("<script>alert"));
    let fields = [("id", id.as_str()), ("_volta", "/videos")];
    submit_operation(&browser, "cancel_video_generation", &fields)
        .await
        .expect(303);
    let page = browser.get("/videos").await.expect(200);
    assert!(visible_text(&page).contains("Cancelado"));
    let key = ("idempotency_key", "console-video-1");
    let fields = [
        ("prompt", "Uma fogueira"),
        ("aspect", "9:16"),
        ("_volta", "/videos"),
        key,
    ];
    submit_operation(&browser, "start_video_generation", &fields)
        .await
        .expect(303);
}

#[tokio::test]
async fn without_an_account_a_piece_can_only_be_published_by_hand() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (lead, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let (id, _) = create_approved_event(&session, ODD, &[jpeg_image(720, 720, 1)]).await;
    let choice = lead.get("/publicar").await.expect(200);
    assert!(choice.text.contains(&format!("/eventos/{id}#publicar")));
    assert!(!choice.text.contains("/publicar?evento="));
    let list = lead.get("/publicacoes").await.expect(200);
    assert!(!list.text.contains("Publicar no TikTok"));

    let path = format!("/eventos/{id}");
    let page = lead.get(&path).await.expect(200);
    assert!(page.text.contains(&format!("href=\"{path}/pacote.zip\"")));
    assert!(
        page.text
            .contains("A Pauta publica no Instagram na hora marcada")
    );
    assert!(!page.text.contains("/publicar?evento="));
    let change = json!({ "expected_revision": session.load_event(&id).await["api_revision"], "channel": "tiktok" });
    session
        .patch(&format!("/api/eventos/{id}"), change)
        .await
        .expect(200);
    let page = lead.get(&path).await.expect(200);
    assert!(visible_text(&page).contains("quem opera o serviço precisa configurar o TikTok"));
    assert!(!page.text.contains("/publicar?evento="));
    // A member who may not publish can read and download the piece, and the page offers nothing
    // else.
    let author = app.add_member(Role::Criador).await;
    let reader = app.browser_client(&author).await;
    reader.get(&path).await.expect(404);
    let change = json!({
        "expected_revision": session.load_event(&id).await["api_revision"], "assignee_ids": [author.id],
    });
    session
        .patch(&format!("/api/eventos/{id}"), change)
        .await
        .expect(200);
    let page = reader.get(&path).await.expect(200);
    assert!(page.text.contains("/pacote.zip") && !page.text.contains("name=\"post_url\""));

    let key = "post-key-0001";
    let revision = session.load_event(&id).await["api_revision"].to_string();
    let fields = [
        ("eventId", id.as_str()),
        ("expected_revision", revision.as_str()),
        (
            "post_url",
            "https://www.tiktok.com/@pao/video/1?\"><script>alert(1)</script>",
        ),
        ("_volta", path.as_str()),
        ("idempotency_key", key),
    ];
    for _ in 0..2 {
        submit_operation(&lead, "record_post", &fields)
            .await
            .expect(303);
    }
    let page = lead.get(&path).await.expect(200);
    assert!(page.text.contains("Ver o post em tiktok.com") && !page.text.contains("<script>alert"));
    assert!(visible_text(&page).contains("publicou à mão"));
}

#[tokio::test]
async fn with_an_account_publishing_on_the_network_is_offered_first() {
    let stage = publishing::Stage::new().await;
    let lead = stage
        .app
        .browser_client(&stage.app.add_member(Role::Lider).await)
        .await;
    let (id, _) = create_approved_event(&stage.lead, "Legenda", &[jpeg_image(720, 720, 1)]).await;
    let change = json!({ "expected_revision": stage.lead.load_event(&id).await["api_revision"], "channel": "tiktok" });
    stage
        .lead
        .patch(&format!("/api/eventos/{id}"), change)
        .await
        .expect(200);
    let path = format!("/eventos/{id}");
    let page = lead.get(&path).await.expect(200);
    assert!(page.text.contains(&format!("/publicar?evento={id}")));
    stage.disconnect_account().await;
    let page = lead.get(&path).await.expect(200);
    assert!(!page.text.contains(&format!("/publicar?evento={id}")));
    assert!(visible_text(&page).contains("um admin da equipe precisa conectar a conta do TikTok"));
}
