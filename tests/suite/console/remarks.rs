//! Remarks on the page of a piece and in the inbox, without scripts.

use domain::Role;
use serde_json::{Value, json};

use super::{hidden_value, visible_text};
use crate::support::{Client, TestApp, plans::trace_each_query};

async fn list_remarks(session: &Client, event: &str) -> Vec<Value> {
    let path = format!("/api/comentarios?event_id={event}&estado=todos");
    let page = session.get(&path).await.expect(200).body;
    page["comentarios"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn a_form_writes_a_remark_once_and_returns_to_its_page() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let other = app.add_member(Role::Lider).await;
    let id = session
        .create_demand(json!({ "description": "Pão, pão, queijo" }))
        .await;
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    assert!(visible_text(&page).contains("Ninguém comentou esta peça."));
    let key = hidden_value(&page, "pedido");
    let back = format!("/eventos/{id}#comentarios");
    let fields = [
        ("texto", "<script>x</script>\r\nSegunda linha"),
        ("onde", "legenda"),
        ("trecho", "pão"),
        ("mencoes", other.id.as_str()),
        ("api_revision", "1"),
        ("volta", back.as_str()),
        ("pedido", key.as_str()),
    ];
    let path = format!("/eventos/{id}/comentarios");
    for _ in 0..2 {
        let answer = browser.post_form(&path, &fields).await.expect(303);
        let to = answer.headers["location"].to_str().expect("text");
        assert_eq!(to, format!("/eventos/{id}?feito=add_remark#comentarios"));
    }
    let remarks = list_remarks(&session, &id).await;
    assert_eq!(remarks.len(), 1);
    assert_eq!(remarks[0]["texto"], "<script>x</script>\nSegunda linha");
    assert_eq!(remarks[0]["ancora"]["posicao"], 5);
    assert_eq!(remarks[0]["mencoes"][0]["name"], other.name.as_str());
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    assert!(!page.text.contains("<script>x"), "the text is escaped");
    assert!(page.text.contains("blockquote"), "the passage is shown");

    // The form that edits a remark is sent to the path of the form that writes one.
    let remark = remarks[0]["id"].as_str().expect("an id");
    let fields = [
        ("texto", "Outra\r\ncoisa"),
        ("comentario", remark),
        ("volta", &*back),
    ];
    browser.post_form(&path, &fields).await.expect(303);
    assert_eq!(
        list_remarks(&session, &id).await[0]["texto"],
        "Outra\ncoisa"
    );
}

#[tokio::test]
async fn a_refused_remark_comes_back_with_its_text() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let id = session.create_demand(json!({ "description": "Pão" })).await;
    let path = format!("/eventos/{id}/comentarios");
    let fields = [
        ("texto", "Onde fica?"),
        ("trecho", "não há"),
        ("volta", "/"),
    ];
    let refused = browser.post_form(&path, &fields).await.expect(400);
    assert!(refused.text.contains("Onde fica?"));
    let text = visible_text(&refused);
    assert!(text.contains("não está na legenda da revisão 1"), "{text}");
    assert!(list_remarks(&session, &id).await.is_empty());

    // The redirect ignores a return URL on another host.
    let fields = [("texto", "Oi"), ("volta", "https://evil.test/")];
    let answer = browser.post_form(&path, &fields).await.expect(303);
    assert_eq!(answer.headers["location"], "/?feito=add_remark");
    let stranger = app.add_member(Role::Criador).await;
    let stranger = app.browser_client(&stranger).await;
    stranger.post_form(&path, &fields).await.expect(404);
}

#[tokio::test]
async fn the_inbox_shows_which_threads_a_version_answers_and_requests_changes() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let id = session.create_demand(json!({ "description": "Pão" })).await;
    let write = async |text: &str| {
        let path = format!("/api/eventos/{id}/comentarios");
        let answer = session
            .post(&path, json!({ "texto": text }))
            .await
            .expect(200);
        answer.body["id"].as_str().expect("an id").to_owned()
    };
    let first = write("Falta o forno").await;
    write("Falta a foto").await;
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    assert!(visible_text(&page).contains("O que esta versão atende"));
    let fields = [
        ("acao", "enviar"),
        ("expected_revision", "1"),
        ("caption", "Pão de forno"),
        ("comentarios_respondidos", first.as_str()),
    ];
    let path = format!("/eventos/{id}/legenda");
    browser.post_form(&path, &fields).await.expect(303);
    let inbox = browser
        .get(&format!("/aprovacoes?evento={id}"))
        .await
        .expect(200);
    let text = visible_text(&inbox);
    assert!(
        text.contains("2 conversas em aberto. A versão enviada atende 1."),
        "{text}"
    );
    assert!(text.contains("Atendida na revisão 2") && text.contains("Ninguém respondeu"));

    let fields = [("action", "pedir_ajustes"), ("expected_revision", "2")];
    browser
        .post_form(&format!("/aprovacoes/{id}"), &fields)
        .await
        .expect(303);
    let page = browser.get(&format!("/eventos/{id}")).await.expect(200);
    let text = visible_text(&page);
    assert!(
        text.contains("Ajustes pedidos por") && text.contains("pediu ajustes"),
        "{text}"
    );
}

#[tokio::test]
async fn the_inbox_reads_no_resolved_remarks_because_it_draws_none() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (browser, session) = (
        app.browser_client(&member).await,
        app.session_client(&member).await,
    );
    let id = session.create_demand(json!({ "description": "Pão" })).await;
    let submit = json!({ "event_id": id, "expected_revision": 1 });
    session.post("/api/enviar", submit).await.expect(200);
    let count_reads = async |path: String| {
        let sent = trace_each_query(async {
            browser.get(&path).await.expect(200);
        });
        let sent = sent.await;
        let resolved = sent
            .iter()
            .filter(|sql| sql.contains("h.resolved_at IS NOT NULL"));
        resolved.count()
    };
    assert_eq!(count_reads(format!("/eventos/{id}")).await, 1);
    assert_eq!(count_reads(format!("/aprovacoes?evento={id}")).await, 0);
}
