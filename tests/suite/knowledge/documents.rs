//! The list of the documents in the knowledge base.

use domain::{Role, time::SECOND};
use serde_json::{Value, json};

use super::*;

fn field_values<'a>(answer: &'a Value, field: &str) -> Vec<&'a str> {
    let rows = answer["documentos"].as_array().expect("a list").iter();
    rows.map(|row| row[field].as_str().expect("text")).collect()
}

async fn list_documents(client: &Client, query: &str) -> Value {
    let path = format!("/api/rag/documentos{query}");
    client.get(&path).await.expect(200).body
}

#[tokio::test]
async fn documents_are_listed_in_pages_with_the_last_changed_first() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    assert_eq!(
        list_documents(&reader, "").await,
        json!({ "documentos": [], "next_cursor": null })
    );
    // Documents changed at the same instant are ordered by id.
    add_document(&app, "um.md", &["base", "massas"], "# Um\n\nPão de forma.").await;
    add_document(&app, "dois.md", &["massas"], "# Dois\n\nPão de ló.").await;
    app.advance_clock(SECOND);
    add_document(&app, "tres.md", &[], "# Três\n\nRapadura.").await;
    let all = list_documents(&reader, "").await;
    assert_eq!(field_values(&all, "fonte")[0], "tres.md");
    let mut pages = vec![];
    let mut query = "?limit=1".to_owned();
    loop {
        let page = list_documents(&reader, &query).await;
        pages.extend(field_values(&page, "fonte").into_iter().map(str::to_owned));
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        query = format!("?limit=1&cursor={cursor}");
    }
    assert_eq!(pages, field_values(&all, "fonte"));

    let tagged = list_documents(&reader, "?tag=%20Massas").await;
    assert_eq!(field_values(&tagged, "fonte").len(), 2);
    let one = &list_documents(&reader, "?tag=base").await["documentos"][0];
    assert_eq!(one["titulo"], "Um");
    assert_eq!(one["tags"], json!(["base", "massas"]));
    assert_eq!((&one["trechos"], &one["skill"]), (&json!(1), &Value::Null));
    assert!(one["caracteres"].as_i64() > Some(10));
    assert_eq!(
        list_documents(&reader, "?tag=nenhuma").await["documentos"],
        json!([])
    );

    // A changed document keeps its id and becomes the first in the list.
    app.advance_clock(SECOND);
    add_document(&app, "um.md", &["base"], "# Um\n\nPão de queijo.").await;
    let changed = &list_documents(&reader, "").await["documentos"][0];
    assert_eq!(
        (&changed["id"], &changed["tags"]),
        (&one["id"], &json!(["base"]))
    );
}

#[tokio::test]
async fn a_citation_has_the_id_from_the_list_and_the_document_of_a_skill_has_its_name() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let skill = json!({
        "name": "tom-de-voz", "description": "Como a casa fala.", "content": "Frases de rapadura.",
        "expected_version": 0,
    });
    admin.post("/api/skills", skill).await.expect(201);
    let found = search_passages(&admin, "rapadura").await;
    let row = &list_documents(&admin, "").await["documentos"][0];
    assert_eq!(row["id"], found["citacoes"][0]["documento_id"]);
    assert_eq!(
        (&row["skill"], &row["fonte"]),
        (&json!("tom-de-voz"), &json!("skill:tom-de-voz"))
    );
}
