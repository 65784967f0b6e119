//! The previews of a piece in each format of its network, such as feed, story and reel.

use domain::Role;
use serde_json::json;

use super::visible_text;
use crate::{
    networks,
    publishing::{create_approved_event, jpeg_image},
    support::{Client, TestApp},
};

/// Returns the keys of the formats that the page of the piece offers, and the previews as HTML.
async fn post_previews(browser: &Client, id: &str) -> (Vec<String>, String) {
    previews_of_page(browser, &format!("/eventos/{id}")).await
}

async fn previews_of_page(browser: &Client, path: &str) -> (Vec<String>, String) {
    let page = browser.get(path).await.expect(200);
    let section = page.text.split("class=\"previews\"").nth(1);
    let section = section.expect("the previews").split("</section>").next();
    let section = section.unwrap_or_default().to_owned();
    let forms = section.split("class=\"form-preview\" data-form=\"").skip(1);
    let forms = forms.map(|form| form.split('"').next().unwrap_or_default().to_owned());
    (forms.collect(), section)
}

async fn create_piece(session: &Client, channel: &str, title: &str, caption: &str) -> String {
    let demand = json!({ "title": title, "channel": channel, "description": "Pedido" });
    let id = session.create_demand(demand).await;
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": caption });
    session.post("/api/draft", draft).await.expect(200);
    id
}

#[tokio::test]
async fn each_network_has_its_own_preview_formats() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    for (channel, forms) in [
        ("instagram", &["feed", "quadrado", "story", "reel"][..]),
        ("facebook", &["post", "story", "reel"]),
        ("tiktok", &["tiktok"]),
        ("youtube", &["video", "short"]),
        ("linkedin", &["post", "documento"]),
        ("x", &["x"]),
        ("newsletter", &["mail"]),
        ("mural da escola", &["post"]),
    ] {
        let id = create_piece(&session, channel, "Festa", "<b>Uma</b> legenda").await;
        let (found, section) = post_previews(&browser, &id).await;
        assert_eq!(found, forms, "{channel}");
        assert!(!section.contains("<b>") && !section.contains("style="));
    }
}

#[tokio::test]
async fn captions_titles_and_subjects_are_cut_as_the_network_cuts_them() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    let caption = format!("{}FIM", "ã".repeat(125));
    let id = create_piece(&session, "instagram", "Festa", &caption).await;
    let (_, section) = post_previews(&browser, &id).await;
    let whole = format!("<span class=\"post-text\">{}</span>", "ã".repeat(125));
    assert!(section.contains(&whole) && !section.contains("FIM"));

    let title = format!("{}FIM", "b".repeat(100));
    let id = create_piece(&session, "youtube", &title, "Descrição").await;
    let (_, section) = post_previews(&browser, &id).await;
    assert!(section.contains("bb…") && !section.contains("FIM"));
    assert!(section.contains("O título tem 103 caracteres"));
    let id = create_piece(&session, "youtube", &"b".repeat(100), "Descrição").await;
    assert!(
        !post_previews(&browser, &id)
            .await
            .1
            .contains("O título tem")
    );

    let id = create_piece(&session, "x", "Festa", &"é".repeat(281)).await;
    let (_, section) = post_previews(&browser, &id).await;
    assert!(section.contains("<mark>é</mark>") && section.contains("longo demais para o X"));
    let id = create_piece(&session, "x", "Festa", &"é".repeat(280)).await;
    assert!(!post_previews(&browser, &id).await.1.contains("<mark>"));

    let subject = format!("{}FIM", "c".repeat(60));
    let id = create_piece(&session, "newsletter", &subject, "Olá,\n\nvem ver").await;
    let (_, section) = post_previews(&browser, &id).await;
    assert!(section.contains("cc…") && section.contains("Olá, vem ver"));
}

#[tokio::test]
async fn the_inbox_shows_the_same_previews_with_the_whole_caption() {
    let app = TestApp::new().await;
    let lead = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&lead).await,
        app.session_client(&lead).await,
    );
    for (channel, letters, mark) in [
        ("instagram", 125, Some("… mais")),
        ("instagram", 10, None),
        ("tiktok", 100, Some("Legenda inteira")),
        ("tiktok", 10, None),
        ("newsletter", 90, Some("Legenda inteira")),
        ("x", 280, Some("longo demais para o X")),
    ] {
        let caption = format!("<i>{}FIM", "ã".repeat(letters));
        let id = create_piece(&session, channel, "Festa", &caption).await;
        let (forms, _) = post_previews(&browser, &id).await;
        let submit = json!({ "event_id": id, "expected_revision": 2 });
        session.post("/api/enviar", submit).await.expect(200);
        let path = format!("/aprovacoes?evento={id}");
        let (shown, section) = previews_of_page(&browser, &path).await;
        assert_eq!(shown, forms, "{channel}");
        assert!(
            section.contains("FIM") && !section.contains("<i>"),
            "{section}"
        );
        let marks = ["Legenda inteira", "longo demais"];
        match mark {
            Some(mark) => assert!(section.contains(mark), "{channel}: {section}"),
            None => assert!(!marks.iter().any(|mark| section.contains(mark))),
        }
        let page = browser.get(&path).await.expect(200);
        let counts = page.text.matches("<p class=\"count").count();
        assert_eq!(counts, 1, "{channel}: the characters are counted once");
    }
}

#[tokio::test]
async fn the_preview_shows_the_name_of_the_account_the_brand_or_the_team() {
    let stage = networks::Stage::new().await;
    let app = &stage.app;
    let session = app.session_client(&stage.member).await;
    let browser = app.browser_client(&stage.member).await;
    let (id, _) = create_approved_event(&session, "Legenda", &[jpeg_image(720, 720, 1)]).await;
    let signer = async || post_previews(&browser, &id).await.1;
    assert!(signer().await.contains("sua equipe"));
    let brand = json!({
        "key": "marca",
        "value": { "nome": "Pão & Prosa", "handle": "@paoeprosa", "cores": ["#8f2d1e", "#ffffff"] },
    });
    session.post("/api/config", brand).await.expect(200);
    assert!(signer().await.contains("@paoeprosa"));
    stage.networks.set_account("conta", "<i>padaria</i>");
    stage.connect_account("instagram").await;
    let signed = signer().await;
    assert!(signed.contains("&lt;i&gt;padaria&lt;/i&gt;") && !signed.contains("@paoeprosa"));
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    assert!(
        visible_text(&page).contains("As faixas são o que os botões e textos do aplicativo cobrem")
    );
}
