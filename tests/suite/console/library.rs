//! Skills, knowledge and configuration.

use domain::Role;
use serde_json::json;

use super::{hidden_value, visible_text};
use crate::{
    knowledge::add_document,
    support::{Answer, Client, TestApp},
};

/// A text that must be escaped: markup, quotes, and a character that reverses the direction.
pub const ODD: &str = "<script>alert(1)</script> \u{202e}avessa & \"aspas\"";

async fn publish_skill(browser: &Client, version: &str, content: &str, key: &str) -> Answer {
    let fields = [
        ("nome", "tom-de-voz"),
        ("descricao", "Como a casa fala."),
        ("conteudo", content),
        ("versao", version),
        ("pedido", key),
    ];
    browser.post_form("/skills", &fields).await
}

#[tokio::test]
async fn a_skill_is_published_compared_and_restored() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    admin.get("/nova-skill").await.expect(200);
    for _ in 0..2 {
        let answer = publish_skill(
            &admin,
            "0",
            "Frases curtas.\r\nSem jargão.",
            "skill-key-0001",
        )
        .await;
        let to = &answer.expect(303).headers["location"];
        assert_eq!(to, "/skills/tom-de-voz?feito=publish_skill_version");
    }
    let edit = admin.get("/skills/tom-de-voz/editar").await.expect(200);
    assert_eq!(hidden_value(&edit, "versao"), "1");
    assert!(edit.text.contains("Frases curtas.\nSem jargão.</textarea>"));
    publish_skill(&admin, "1", "Frases curtas.\nSem pressa.", "skill-key-0002")
        .await
        .expect(303);

    let page = admin.get("/skills/tom-de-voz").await.expect(200);
    assert!(visible_text(&page).contains("Versão 2 (a atual)"));
    let page = admin
        .get("/skills/tom-de-voz?de=1&versao=2")
        .await
        .expect(200);
    assert!(
        page.text
            .contains("<del>Sem jargão.\n</del><ins>Sem pressa.\n</ins>")
    );

    let old = admin.get("/skills/tom-de-voz?versao=1").await.expect(200);
    assert!(visible_text(&old).contains("Restaurar a versão 1 como versão 3"));
    assert_eq!(hidden_value(&old, "versao"), "2");
    let key = hidden_value(&old, "pedido");
    publish_skill(&admin, "2", "Frases curtas.\nSem jargão.", &key)
        .await
        .expect(303);
    let list = admin.get("/skills").await.expect(200);
    assert!(visible_text(&list).contains("Versão 3"));
    admin.get("/skills/nao-ha").await.expect(404);
    admin.get("/skills/tom-de-voz?versao=9").await.expect(404);
}

#[tokio::test]
async fn a_stale_skill_shows_both_versions_and_is_published_when_chosen() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    publish_skill(&admin, "0", "primeira", "skill-key-0001")
        .await
        .expect(303);
    publish_skill(&admin, "1", "de outra pessoa", "skill-key-0002")
        .await
        .expect(303);
    let page = publish_skill(&admin, "1", "a minha", "skill-key-0003")
        .await
        .expect(409);
    let text = visible_text(&page);
    assert!(text.contains("de outra pessoa") && text.contains("a minha"));
    assert!(text.contains("publicou a versão 2"));
    assert!(text.contains("Publicar a minha como versão 3"));
    // The form on this page replaces the version that the page shows.
    let (version, key) = (hidden_value(&page, "versao"), hidden_value(&page, "pedido"));
    assert_eq!(version, "2");
    publish_skill(&admin, &version, "a minha", &key)
        .await
        .expect(303);
    let page = admin.get("/skills/tom-de-voz").await.expect(200);
    assert!(visible_text(&page).contains("a minha"));
    // A new skill that has the name of an existing one is stale too.
    let page = publish_skill(&admin, "0", "homônima", "skill-key-0004")
        .await
        .expect(409);
    assert!(visible_text(&page).contains("homônima"));
}

#[tokio::test]
async fn a_member_who_may_not_publish_reads_and_sees_whom_to_ask() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    publish_skill(&admin, "0", ODD, "skill-key-0001")
        .await
        .expect(303);
    let reader = app
        .browser_client(&app.add_member(Role::Criador).await)
        .await;
    let page = reader.get("/skills/tom-de-voz").await.expect(200);
    assert!(page.text.contains("&lt;script&gt;") && !page.text.contains("<script>alert"));
    assert!(!page.text.contains("/editar"));
    for refused in [
        reader.get("/skills/tom-de-voz/editar").await,
        reader.get("/nova-skill").await,
        reader.get("/configuracao/editar").await,
        publish_skill(&reader, "1", "minha", "skill-key-0002").await,
    ] {
        let text = visible_text(&refused.expect(403));
        assert!(
            text.contains("“config”") && text.contains("um admin da equipe"),
            "{text}"
        );
    }
    let stranger = app.anonymous().with_header("sec-fetch-site", "same-origin");
    for path in [
        "/skills",
        "/conhecimento",
        "/configuracao",
        "/skills/tom-de-voz",
    ] {
        stranger.get(path).await.expect(303);
    }
}

#[tokio::test]
async fn values_with_long_names_and_odd_texts_have_a_page() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let key = format!("{}/../{}", "k".repeat(100), "á".repeat(90));
    let fields = [
        ("chave", key.as_str()),
        ("tipo", "texto"),
        ("valor", ODD),
        ("versao", "0"),
    ];
    let answer = admin.post_form("/configuracao", &fields).await.expect(303);
    let to = answer.headers["location"]
        .to_str()
        .expect("text")
        .to_owned();
    let page = admin.get(&to).await.expect(200);
    assert!(page.text.contains(&key) && page.text.contains("&lt;script&gt;"));
    assert!(!page.text.contains("<script>alert"));
}

#[tokio::test]
async fn a_search_shows_passages_and_leads_to_the_skill() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let form = admin.get("/conhecimento").await.expect(200);
    assert!(!visible_text(&form).contains("Nada encontrado"));
    let text = "# Fermento\n\nO fermento natural pede doze horas de descanso.";
    publish_skill(&admin, "0", text, "skill-key-0001")
        .await
        .expect(303);
    let page = admin
        .get("/conhecimento?pergunta=fermento+natural&limite=12")
        .await
        .expect(200);
    assert!(
        visible_text(&page).contains("1 trecho"),
        "{}",
        visible_text(&page)
    );
    assert!(page.text.contains("href=\"/skills/tom-de-voz\""));
    assert!(page.text.contains("value=\"12\" selected"));
    for nothing in ["pergunta=zzzyx", "pergunta=fermento&etiquetas=outra"] {
        let page = admin
            .get(&format!("/conhecimento?{nothing}"))
            .await
            .expect(200);
        assert!(visible_text(&page).contains("Nada encontrado"));
    }
}

async fn publish_setting(browser: &Client, kind: &str, value: &str, version: &str) -> Answer {
    let fields = [
        ("chave", "editoria.canais"),
        ("tipo", kind),
        ("valor", value),
        ("versao", version),
    ];
    browser.post_form("/configuracao", &fields).await
}

#[tokio::test]
async fn a_setting_is_published_compared_and_restored() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    publish_setting(&admin, "json", "[\"instagram\"]", "0")
        .await
        .expect(303);
    publish_setting(&admin, "json", "[\"instagram\", \"linkedin\"]", "1")
        .await
        .expect(303);
    let place = "/configuracao/valor?chave=editoria.canais";
    let page = admin.get(place).await.expect(200);
    assert!(visible_text(&page).contains("Versão 2 (a atual)"));
    let page = admin
        .get(&format!("{place}&de=1&versao=2"))
        .await
        .expect(200);
    assert!(
        page.text.contains("<ins>  &quot;linkedin&quot;\n</ins>"),
        "{}",
        page.text
    );
    let old = admin.get(&format!("{place}&versao=1")).await.expect(200);
    assert!(visible_text(&old).contains("Restaurar a versão 1 como versão 3"));
    publish_setting(
        &admin,
        "json",
        "[\"instagram\"]",
        &hidden_value(&old, "versao"),
    )
    .await
    .expect(303);

    // A value that is not JSON comes back exactly as the user entered it.
    let page = publish_setting(&admin, "json", "[\"aberto\"", "3")
        .await
        .expect(400);
    assert!(page.text.contains("[&quot;aberto&quot;</textarea>"));
    assert!(visible_text(&page).contains("não é JSON válido (linha 1, coluna 9)"));
    // A script gets only the notice.
    let script = admin.with_header("hx-request", "true");
    let notice = publish_setting(&script, "json", "[", "3").await.expect(400);
    assert_eq!(notice.headers["hx-retarget"], "find .outcome");

    let stale = publish_setting(&admin, "texto", "a minha", "1")
        .await
        .expect(409);
    let text = visible_text(&stale);
    assert!(
        text.contains("a minha") && text.contains("Publicar a minha como versão 4"),
        "{text}"
    );
    admin
        .get("/configuracao/valor?chave=outra")
        .await
        .expect(404);
}

#[tokio::test]
async fn an_old_version_of_a_setting_is_found_behind_many_newer_ones() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let (admin, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    for at in 0..45 {
        let input = json!({ "key": "editoria.canais", "value": format!("valor {at}") });
        session.post("/api/config", input).await.expect(200);
    }
    let place = "/configuracao/valor?chave=editoria.canais";
    let page = admin.get(place).await.expect(200);
    assert!(page.text.contains("ate=6"), "{}", page.text);
    let page = admin
        .get(&format!("{place}&de=2&versao=45"))
        .await
        .expect(200);
    assert!(
        page.text
            .contains("<del>valor 1\n</del><ins>valor 44\n</ins>")
    );
}

#[tokio::test]
async fn a_member_who_may_not_change_the_configuration_reads_its_values() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    publish_setting(
        &admin,
        "json",
        "{\"cores\": [\"#8F2D1E\"], \"nome\": \"Casa\"}",
        "0",
    )
    .await
    .expect(303);
    let reader = app
        .browser_client(&app.add_member(Role::Criador).await)
        .await;
    let list = reader.get("/configuracao").await.expect(200);
    assert!(list.text.contains("fill=\"#8F2D1E\"") && !list.text.contains("Nova chave"));
    let page = reader
        .get("/configuracao/valor?chave=editoria.canais")
        .await
        .expect(200);
    let text = visible_text(&page);
    assert!(text.contains("Casa") && text.contains("um admin da equipe"));
    assert!(
        !page
            .text
            .contains("<form method=\"post\" action=\"/configuracao\"")
    );
    publish_setting(&reader, "json", "1", "1").await.expect(403);
}

#[tokio::test]
async fn the_documents_are_listed_with_instructions() {
    let app = TestApp::new().await;
    let reader = app
        .browser_client(&app.add_member(Role::Criador).await)
        .await;
    let path = "/conhecimento/documentos";
    let page = reader.get(path).await.expect(200);
    assert!(visible_text(&page).contains("A base ainda não tem documentos."));
    assert!(visible_text(&page).contains("pauta knowledge add"));
    add_document(
        &app,
        "guias/forno.md",
        &["equipamento"],
        "# Forno\n\nPreaqueça.",
    )
    .await;
    add_document(&app, &format!("guias/{ODD}.md"), &[ODD], "# Pão\n\nSove.").await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    publish_skill(&admin, "0", "Frases curtas.", "skill-key-0001")
        .await
        .expect(303);

    let page = reader.get(path).await.expect(200);
    assert!(!page.text.contains("<script>alert") && page.text.contains("&lt;script&gt;"));
    let text = visible_text(&page);
    assert!(text.contains("guias/forno.md") && text.contains("em 1 trecho"));
    assert!(page.text.contains("href=\"/skills/tom-de-voz\""));
    let tagged = format!("{path}?etiqueta=equipamento");
    assert!(page.text.contains(&format!("href=\"{tagged}\"")));
    let page = reader.get(&tagged).await.expect(200);
    let text = visible_text(&page);
    assert!(text.contains("guias/forno.md") && !text.contains("tom-de-voz"));
    let page = reader.get("/conhecimento").await.expect(200);
    assert!(page.text.contains(&format!("href=\"{path}\"")));
    app.anonymous().get(path).await.expect(303);
}
