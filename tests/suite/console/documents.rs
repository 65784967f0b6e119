//! The forms that add, replace and remove documents of the knowledge base.

use axum::{body::Body, http::Method};
use domain::Role;

use super::{hidden_value, submit_operation, visible_text};
use crate::{
    knowledge::uploads::file_form,
    support::{Answer, Client, TestApp},
};

const PATH: &str = "/conhecimento/documentos";
const REPLACEMENT: &str = "/conhecimento/documentos/troca";

async fn send_document(
    browser: &Client,
    path: &str,
    fields: &[(&str, &str)],
    name: &str,
    file: &str,
) -> Answer {
    let client = browser.with_header("content-type", "multipart/form-data; boundary=xx");
    let body = Body::from(file_form(fields, name, file.as_bytes()));
    client.send(Method::POST, path, Some(body)).await
}

#[tokio::test]
async fn a_document_is_added_replaced_and_removed_by_forms() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let page = admin.get(PATH).await.expect(200);
    let key = hidden_value(&page, "pedido");
    let fields = [("pedido", key.as_str()), ("tags", "voz, marca")];
    let mut to = String::new();
    for _ in 0..2 {
        let sent = send_document(&admin, PATH, &fields, "guia.md", "# Guia\n\nSem gíria.").await;
        to = sent.expect(303).headers["location"]
            .to_str()
            .expect("text")
            .to_owned();
    }
    let (path, id) = to.split_once("#documento-").expect("the document");
    assert_eq!(
        path,
        "/conhecimento/documentos?feito=add_knowledge_document"
    );
    let page = admin.get(path).await.expect(200);
    let text = visible_text(&page);
    assert!(text.contains("Documento acrescentado.") && text.contains("guia.md"));
    assert!(text.contains("marca") && text.contains("em 1 trecho"));

    let read = hidden_value(&page, "expected_updated_at");
    let fields = [
        ("documento_id", id),
        ("expected_updated_at", read.as_str()),
        ("tags", ""),
    ];
    let newer = send_document(
        &admin,
        REPLACEMENT,
        &fields,
        "guia-2.md",
        "# Guia\n\nCom gíria.",
    )
    .await;
    let to = newer.expect(303).headers["location"]
        .to_str()
        .expect("text")
        .to_owned();
    assert!(to.ends_with(&format!("#documento-{id}")));
    let stale = send_document(&admin, REPLACEMENT, &fields, "guia-3.md", "Outra.").await;
    assert!(visible_text(&stale.expect(409)).contains("Recarregue a página"));
    let page = admin.get(PATH).await.expect(200);
    let text = visible_text(&page);
    assert!(text.contains("guia-2.md") && !text.contains("marca"));

    let read = hidden_value(&page, "expected_updated_at");
    let fields = [
        ("documentoId", id),
        ("expected_updated_at", read.as_str()),
        ("_volta", PATH),
        ("idempotency_key", "documento-0001"),
    ];
    let removed = submit_operation(&admin, "remove_knowledge_document", &fields).await;
    removed.expect(303);
    let page = admin.get(PATH).await.expect(200);
    assert!(visible_text(&page).contains("A base ainda não tem documentos."));
}

#[tokio::test]
async fn a_refused_document_says_why_on_the_page_and_beside_the_form() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    let refused = send_document(&admin, PATH, &[], "tabela.csv", "a,b")
        .await
        .expect(415);
    assert!(visible_text(&refused).contains("O arquivo não tem um formato aceito"));
    let script = admin.with_header("hx-request", "true");
    let refused = send_document(&script, PATH, &[], "branco.md", " \n")
        .await
        .expect(400);
    assert!(
        refused.text.contains("class=\"notice bad\""),
        "{}",
        refused.text
    );
    assert!(
        visible_text(&refused).contains("O arquivo  não tem texto"),
        "{}",
        refused.text
    );
    send_document(&admin, PATH, &[], "a.md", "Cajá.")
        .await
        .expect(303);
    let again = send_document(&script, PATH, &[], "a.md", "Umbu.")
        .await
        .expect(409);
    assert!(visible_text(&again).contains("troque o documento na lista"));
    let nothing = admin.post_form(PATH, &[("tags", "a")]).await;
    nothing.expect(415);
}

#[tokio::test]
async fn a_member_who_may_not_change_the_knowledge_base_sees_no_form() {
    let app = TestApp::new().await;
    let admin = app.browser_client(&app.add_member(Role::Admin).await).await;
    send_document(&admin, PATH, &[], "a.md", "Cajá.")
        .await
        .expect(303);
    let reader = app
        .browser_client(&app.add_member(Role::Criador).await)
        .await;
    let page = reader.get(PATH).await.expect(200);
    assert!(!page.text.contains("multipart/form-data") && !page.text.contains("Trocar ou tirar"));
    assert!(visible_text(&page).contains("por um admin da equipe"));
    send_document(&reader, PATH, &[], "b.md", "Umbu.")
        .await
        .expect(403);
    assert_eq!(app.count_rows("knowledge_documents").await, 1);
}

#[tokio::test]
async fn the_forms_accept_the_files_of_their_operations() {
    let app = TestApp::new().await;
    let registry = &app.app.gateway.registry;
    let longest = |name: &str| {
        let mut all = registry.all_entries();
        let found = all.find(|route| route.spec.name == name).expect(name);
        found.spec.file_field().expect("a file").longest
    };
    let limit = longest("add_knowledge_document");
    for name in [
        "replace_knowledge_document",
        "console_add_document",
        "console_replace_document",
    ] {
        assert_eq!(longest(name), limit, "{name}");
    }
}
