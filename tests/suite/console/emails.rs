//! The pages of e-mail drafts.

use domain::Role;

use super::{hidden_value, library::ODD, submit_operation, visible_text};
use crate::support::{Answer, Client, TestApp};

const HTML: &str = "<html><body style=\"color:red\"><p>Olá, {{nome}}</p></body></html>";

async fn save_draft(browser: &Client, html: &str, read: &str) -> Answer {
    let fields = [
        ("nome", "boas-vindas"),
        ("html", html),
        ("metadados", "{\"assunto\": \"Bem-vinda\"}"),
        ("lido", read),
    ];
    browser.post_form("/emails", &fields).await
}

async fn read_token(browser: &Client) -> String {
    let page = browser
        .get("/emails/boas-vindas?aba=html")
        .await
        .expect(200);
    hidden_value(&page, "lido")
}

#[tokio::test]
async fn a_draft_is_created_saved_and_deleted() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    lead.get("/novo-email").await.expect(200);
    let answer = save_draft(&lead, HTML, "").await.expect(303);
    assert_eq!(
        answer.headers["location"],
        "/emails/boas-vindas?feito=put_email_draft"
    );
    app.advance_clock(60_000);
    save_draft(&lead, "<p>um</p>\r\n<p>dois</p>", &read_token(&lead).await)
        .await
        .expect(303);
    let page = lead.get("/emails/boas-vindas?aba=html").await.expect(200);
    assert!(
        page.text
            .contains("&lt;p&gt;um&lt;/p&gt;\n&lt;p&gt;dois&lt;/p&gt;</textarea>")
    );
    let list = lead.get("/emails?q=bem-vinda").await.expect(200);
    assert!(visible_text(&list).contains("Bem-vinda"));
    let list = lead.get("/emails?q=outra").await.expect(200);
    assert!(visible_text(&list).contains("Nenhum rascunho tem isso."));

    let page = lead.get("/emails/boas-vindas").await.expect(200);
    let token = hidden_value(&page, "expected_updated_at");
    let fields = [
        ("templateId", "boas-vindas"),
        ("expected_updated_at", token.as_str()),
        ("_volta", "/emails"),
    ];
    submit_operation(&lead, "delete_email_draft", &fields)
        .await
        .expect(303);
    lead.get("/emails/boas-vindas").await.expect(404);
}

#[tokio::test]
async fn a_preview_is_the_html_in_a_sandbox() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, &format!("{HTML}{ODD}"), "")
        .await
        .expect(303);
    let page = lead.get("/emails/boas-vindas").await.expect(200);
    assert!(page.text.contains("<iframe class=\"preview\" sandbox=\"\""));
    assert!(page.text.contains("src=\"/emails/boas-vindas/previa\""));
    assert!(!page.text.contains("<script>alert"));
    let frame = lead.get("/emails/boas-vindas/previa").await.expect(200);
    assert_eq!(frame.text, format!("{HTML}{ODD}"));
    assert_eq!(
        frame.headers["content-security-policy"],
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
    );
    assert_eq!(frame.headers["cache-control"], "no-store");
    assert_eq!(frame.headers["content-type"], "text/html; charset=utf-8");
    let stranger = app.anonymous();
    stranger.get("/emails/boas-vindas/previa").await.expect(303);
}

#[tokio::test]
async fn a_frame_loads_images_of_other_hosts_only_when_asked() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, HTML, "").await.expect(303);
    let policy = async |path: &str| {
        let frame = lead.get(path).await.expect(200);
        frame.headers["content-security-policy"]
            .to_str()
            .expect("text")
            .to_owned()
    };
    assert!(
        !policy("/emails/boas-vindas/previa")
            .await
            .contains("https:")
    );
    assert!(
        !policy("/emails/boas-vindas/previa?imagens=x")
            .await
            .contains("https:")
    );
    let asked = policy("/emails/boas-vindas/previa?imagens=de-fora").await;
    assert!(asked.starts_with("sandbox;") && asked.contains("img-src https: data:"));
    let page = lead
        .get("/emails/boas-vindas?imagens=de-fora")
        .await
        .expect(200);
    assert!(
        page.text
            .contains("src=\"/emails/boas-vindas/previa?imagens=de-fora\"")
    );
}

#[tokio::test]
async fn typed_html_is_shown_in_the_sandbox_and_not_saved() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, HTML, "").await.expect(303);
    let page = lead.get("/emails/boas-vindas?aba=html").await.expect(200);
    assert!(page.text.contains("name=\"como-fica\" sandbox=\"\""));
    assert!(
        page.text
            .contains("formaction=\"/previa-de-email\" formtarget=\"como-fica\"")
    );
    let typed = [("html", "<p>Outro</p><script>alert(1)</script>")];
    let shown = lead.post_form("/previa-de-email", &typed).await.expect(200);
    assert_eq!(shown.text, typed[0].1);
    let policy = shown.headers["content-security-policy"]
        .to_str()
        .expect("text");
    assert!(
        policy.starts_with("sandbox; default-src 'none'"),
        "{policy}"
    );
    assert!(!policy.contains("script") && !policy.contains("https:"));
    let stored = lead.get("/emails/boas-vindas/previa").await.expect(200);
    assert_eq!(stored.text, HTML);
    let anonymous = app.anonymous().post_form("/previa-de-email", &typed).await;
    assert_ne!(anonymous.status, 200);
}

#[tokio::test]
async fn a_stale_draft_shows_both_versions_and_is_saved_when_chosen() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, HTML, "").await.expect(303);
    let first = read_token(&lead).await;
    app.advance_clock(60_000);
    save_draft(&lead, "<p>de outra pessoa</p>", &first)
        .await
        .expect(303);
    let page = save_draft(&lead, "<p>a minha</p>", &first)
        .await
        .expect(409);
    let text = visible_text(&page);
    assert!(
        text.contains("&lt;p&gt;de outra pessoa&lt;/p&gt;"),
        "{text}"
    );
    assert!(text.contains("&lt;p&gt;a minha&lt;/p&gt;") && text.contains("Alguém salvou antes"));
    app.advance_clock(60_000);
    save_draft(&lead, "<p>a minha</p>", &hidden_value(&page, "lido"))
        .await
        .expect(303);
    let page = lead.get("/emails/boas-vindas?aba=html").await.expect(200);
    assert!(page.text.contains("a minha"));
    // A new draft is refused because its name is taken.
    let page = save_draft(&lead, "<p>nova</p>", "").await.expect(409);
    assert!(visible_text(&page).contains("&lt;p&gt;nova&lt;/p&gt;"));
}

#[tokio::test]
async fn a_draft_with_invalid_metadata_is_returned_with_its_texts() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    let fields = [
        ("nome", "boas-vindas"),
        ("html", "<p>longo</p>"),
        ("metadados", "[1]"),
        ("lido", ""),
    ];
    let page = lead.post_form("/emails", &fields).await.expect(400);
    assert!(page.text.contains("&lt;p&gt;longo&lt;/p&gt;</textarea>"));
    assert!(page.text.contains("value=\"boas-vindas\""));
}

async fn replace_text(browser: &Client, search: &str, all: bool, read: &str) -> Answer {
    let mut fields = vec![
        ("procurar", search),
        ("trocar_por", "<i>trocado</i>"),
        ("lido", read),
    ];
    if all {
        fields.push(("todas", "true"));
    }
    browser
        .post_form("/emails/boas-vindas/trocar", &fields)
        .await
}

#[tokio::test]
async fn a_text_is_found_and_replaced() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, "<p>Olá</p><p>olá</p><b>fim</b>", "")
        .await
        .expect(303);
    let first = read_token(&lead).await;
    let page = lead
        .get("/emails/boas-vindas?aba=trocar&busca=ol%C3%A1")
        .await
        .expect(200);
    assert!(visible_text(&page).contains("Aparece 2 vezes"));
    assert!(page.text.contains("<mark>Olá</mark>"));
    // If the text occurs more than once, or differs in case, the page shows the occurrences.
    let page = replace_text(&lead, "<p>", false, &first).await.expect(409);
    assert!(visible_text(&page).contains("O trecho aparece mais de uma vez"));
    let page = replace_text(&lead, "FIM", false, &first).await.expect(409);
    assert!(page.text.contains("<mark>fim</mark>"));
    app.advance_clock(60_000);
    replace_text(&lead, "<b>fim</b>", false, &first)
        .await
        .expect(303);
    // The form is stale: the page shows the current version.
    let page = replace_text(&lead, "<p>", true, &first).await.expect(409);
    assert!(visible_text(&page).contains("O rascunho mudou enquanto você escrevia"));
    let now = hidden_value(&page, "lido");
    assert_ne!(now, first);
    replace_text(&lead, "<p>", true, &now).await.expect(303);
    let frame = lead.get("/emails/boas-vindas/previa").await.expect(200);
    assert_eq!(
        frame.text,
        "<i>trocado</i>Olá</p><i>trocado</i>olá</p><i>trocado</i>"
    );
}

#[tokio::test]
async fn a_text_split_by_tags_is_found_and_offered_with_its_html() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, "<p>R$&nbsp;<b>78</b>,50 <i>a</i></p>", "")
        .await
        .expect(303);
    let page = lead
        .get("/emails/boas-vindas?aba=trocar&busca=R%24%2078%2C50")
        .await
        .expect(200);
    let written = "R$&amp;nbsp;&lt;b&gt;78&lt;/b&gt;,50";
    assert!(
        page.text.contains(&format!("<mark>{written}</mark>")),
        "{}",
        page.text
    );
    assert!(
        page.text.contains(&format!("{written}</textarea>")),
        "{}",
        page.text
    );
    let read = read_token(&lead).await;
    let page = replace_text(&lead, "R$ 78,50", false, &read)
        .await
        .expect(409);
    assert!(
        page.text.contains(&format!("<mark>{written}</mark>")),
        "{}",
        page.text
    );
    assert!(visible_text(&page).contains("Abaixo está marcado onde o texto aparece"));
}

#[tokio::test]
async fn many_occurrences_are_shown_in_pages() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, &"<p>sal</p>".repeat(25), "")
        .await
        .expect(303);
    let path = "/emails/boas-vindas?aba=trocar&busca=sal";
    let page = lead.get(path).await.expect(200);
    assert_eq!(page.text.matches("<li class=\"mono\"").count(), 20);
    let more = page
        .text
        .split("aba=trocar&amp;busca=sal&amp;cursor=")
        .nth(1);
    let cursor = more
        .and_then(|more| more.split('"').next())
        .expect("a page");
    let page = lead
        .get(&format!("{path}&cursor={cursor}"))
        .await
        .expect(200);
    assert!(
        visible_text(&page).contains("5 nesta página"),
        "{}",
        page.text
    );
    assert!(!page.text.contains("Mostrar mais"));
}

#[tokio::test]
async fn a_member_who_may_not_delete_a_draft_sees_whom_to_ask() {
    let app = TestApp::new().await;
    let lead = app.browser_client(&app.add_member(Role::Lider).await).await;
    save_draft(&lead, HTML, "").await.expect(303);
    let creator = app
        .browser_client(&app.add_member(Role::Criador).await)
        .await;
    let page = creator.get("/emails/boas-vindas").await.expect(200);
    assert!(!page.text.contains("delete_email_draft"));
    let fields = [
        ("templateId", "boas-vindas"),
        ("expected_updated_at", "2026-08-22T15:00:00.000Z"),
    ];
    let page = submit_operation(&creator, "delete_email_draft", &fields)
        .await
        .expect(403);
    assert!(visible_text(&page).contains("um admin da equipe"));
}
