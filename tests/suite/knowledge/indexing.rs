//! The search index after documents are added, changed and removed.

use domain::Role;
use serde_json::json;
use store::knowledge::Kept;
use tools::operator;

use super::{add_document, passage_sources, search_passages, search_sources};
use crate::support::TestApp;

/// Returns a text whose sections are long enough to be separate passages.
fn long_guide(middle: &str) -> String {
    let body = "Uma frase que enche a seção com palavras. ".repeat(15);
    format!("# Guia\n\n## Começo\n{body}\n\n## Meio\n{middle} {body}\n\n## Fim\nPolvilho. {body}")
}

async fn passage_ids(app: &TestApp) -> Vec<String> {
    let client = app.as_member(Role::Criador).await;
    let answer = search_passages(&client, "palavras").await;
    let citations = answer["citacoes"].as_array().expect("a list").iter();
    let mut ids: Vec<_> = citations
        .map(|c| c["id"].as_str().expect("an id").to_owned())
        .collect();
    ids.sort();
    ids
}

/// The columns of a chunk, except its id.
const ALL_BUT_ID: [&str; 9] = [
    "seq",
    "document_id",
    "position",
    "starts_at",
    "title",
    "text",
    "sha256",
    "title_terms",
    "terms",
];

#[tokio::test]
async fn adding_the_same_file_again_changes_nothing() {
    let app = TestApp::new().await;
    assert_eq!(
        add_document(&app, "guia.md", &["a"], &long_guide("antes")).await,
        Kept::Added(3)
    );
    let before = (
        passage_ids(&app).await,
        app.count_rows("audit_events WHERE action = 'add_knowledge'")
            .await,
    );
    assert_eq!(
        add_document(&app, "guia.md", &[], &long_guide("antes")).await,
        Kept::Unchanged
    );
    assert_eq!(
        add_document(&app, "guia.md", &["a"], &long_guide("antes")).await,
        Kept::Unchanged
    );
    let plain = "Um texto sem título.";
    assert_eq!(
        add_document(&app, "um.txt", &[], plain).await,
        Kept::Added(1)
    );
    let copy = add_document(&app, "outro.txt", &[], plain).await;
    assert_eq!(copy, Kept::Elsewhere("um.txt".into()));
    let copy = add_document(&app, "copia.md", &[], &long_guide("antes")).await;
    assert_eq!(copy, Kept::Elsewhere("guia.md".into()));
    let after = (
        passage_ids(&app).await,
        app.count_rows("audit_events WHERE action = 'add_knowledge'")
            .await,
    );
    assert_eq!(before.0, after.0);
    assert_eq!(before.1 + 1, after.1);
    assert_eq!(app.count_rows("knowledge_documents").await, 2);
}

#[tokio::test]
async fn a_changed_file_replaces_changed_chunks_and_the_others_keep_their_ids() {
    let app = TestApp::new().await;
    add_document(&app, "guia.md", &["a"], &long_guide("antes")).await;
    let before = passage_ids(&app).await;
    assert_eq!(
        add_document(&app, "guia.md", &[], &long_guide("tamarindo")).await,
        Kept::Replaced(2)
    );
    let after = passage_ids(&app).await;
    assert_eq!(after.len(), 3);
    assert_eq!(after.iter().filter(|id| before.contains(id)).count(), 2);
    let reader = app.as_member(Role::Criador).await;
    assert_eq!(search_sources(&reader, "tamarindo").await, ["guia.md"]);
    assert_eq!(
        app.count_rows("knowledge_tags").await,
        1,
        "a document must keep its tags if none are given"
    );
    assert_eq!(
        add_document(&app, "guia.md", &["b", "c"], &long_guide("tamarindo")).await,
        Kept::Replaced(3)
    );
    assert_eq!(app.count_rows("knowledge_tags").await, 2);
}

#[tokio::test]
async fn an_added_chunk_does_not_take_the_id_of_an_equal_existing_chunk() {
    let app = TestApp::new().await;
    let part = format!("{}\n\n", "açafrão ".repeat(200));
    let once = format!("# Guia\n\n## Um\n\n{part}## Fim\n\nAntes.\n");
    let twice = format!("# Guia\n\n## Um\n\n{part}## Um\n\n{part}## Fim\n\nDepois.\n");
    let stored = async || app.table_texts("knowledge_chunks", &ALL_BUT_ID).await;
    add_document(&app, "guia.md", &[], &once).await;
    let before = stored().await;
    let kept = add_document(&app, "guia.md", &[], &twice).await;
    let after = stored().await;
    let unchanged = after.iter().filter(|id| before.contains(id)).count();
    assert!(unchanged > 0 && unchanged < after.len());
    assert_eq!(kept, Kept::Replaced(unchanged));
}

#[tokio::test]
async fn a_removed_document_leaves_nothing() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    add_document(&app, "fica.md", &[], "Polvilho azedo.").await;
    let totals = "knowledge_totals WHERE chunks = 1 AND words = 2";
    assert_eq!(
        (
            app.count_rows("knowledge_terms").await,
            app.count_rows(totals).await
        ),
        (4, 1)
    );
    add_document(&app, "guia.md", &["a"], &long_guide("tamarindo")).await;
    let listed = operator::list_knowledge(&app.app.gateway)
        .await
        .expect("a list");
    let sources: Vec<_> = listed
        .iter()
        .map(|d| (d.source.as_str(), d.chunks))
        .collect();
    assert_eq!(sources, [("fica.md", 1), ("guia.md", 3)]);
    let removed = operator::remove_knowledge(&app.app.gateway, &listed[1].id).await;
    assert_eq!(removed.expect("the document existed"), "guia.md");
    assert!(
        operator::remove_knowledge(&app.app.gateway, &listed[1].id)
            .await
            .is_err()
    );
    assert_eq!(search_sources(&reader, "polvilho").await, ["fica.md"]);
    assert!(search_sources(&reader, "tamarindo").await.is_empty());
    assert_eq!(
        (
            app.count_rows("knowledge_terms").await,
            app.count_rows(totals).await
        ),
        (4, 1)
    );
    for table in ["knowledge_documents", "knowledge_chunks", "knowledge_index"] {
        assert_eq!(app.count_rows(table).await, 1, "{table}");
    }
    assert_eq!(app.count_rows("knowledge_tags").await, 0);
}

#[tokio::test]
async fn a_document_with_equal_chunks_gets_its_new_title() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    let body = "Frase que se repete igual em toda a página. ".repeat(20);
    let page = |title: &str| format!("# {title}\n\n## A\n\n{body}\n\n## A\n\n{body}\n\nTamarindo.");
    add_document(&app, "a.md", &[], &page("Antes")).await;
    let listed = async || {
        let listed = operator::list_knowledge(&app.app.gateway).await;
        listed.expect("a list")[0].title.clone()
    };
    assert_eq!(listed().await, "Antes");
    add_document(&app, "a.md", &[], &page("Depois")).await;
    assert_eq!(listed().await, "Depois");
    let answer = search_passages(&reader, "tamarindo").await;
    assert_eq!(answer["citacoes"][0]["titulo"], "Depois › A");
}

async fn publish_skill(app: &TestApp, content: &str, expected: i64) -> u16 {
    let admin = app.as_member(Role::Admin).await;
    let skill = json!({ "name": "doces", "description": "Quando servir jaca",
        "content": content, "expected_version": expected });
    admin.post("/api/skills", skill).await.status
}

#[tokio::test]
async fn a_published_skill_is_found_in_its_current_version() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    add_document(&app, "guia.md", &[], "Tamarindo em calda.").await;
    assert_eq!(
        publish_skill(&app, "# Doces\n\nTamarindo em calda.", 0).await,
        201
    );
    let answer = search_passages(&reader, "tamarindo").await;
    let mut both = passage_sources(&answer);
    both.sort_unstable();
    assert_eq!(both, ["guia.md", "skill:doces"]);
    assert_eq!(
        passage_sources(&search_passages(&reader, "jaca").await),
        ["skill:doces"]
    );

    assert_eq!(
        publish_skill(&app, "# Doces\n\nCajá em calda.", 0).await,
        409
    );
    assert_eq!(search_sources(&reader, "cajá").await, Vec::<String>::new());
    assert_eq!(
        publish_skill(&app, "# Doces\n\nCajá em calda.", 1).await,
        201
    );
    assert_eq!(search_sources(&reader, "cajá").await, ["skill:doces"]);
    assert_eq!(search_sources(&reader, "tamarindo").await, ["guia.md"]);

    let tagged = json!({ "pergunta": "calda", "tags": ["skill"] });
    let tagged = reader.post("/api/rag", tagged).await.expect(200).body;
    assert_eq!(passage_sources(&tagged), ["skill:doces"]);
    assert_eq!(tagged["citacoes"][0]["titulo"], "Doces");
}

#[tokio::test]
async fn a_file_with_the_text_of_a_skill_is_still_added() {
    let app = TestApp::new().await;
    assert_eq!(publish_skill(&app, "# Doces\n\nTamarindo.", 0).await, 201);
    let same = "# Doces\n\nQuando servir jaca\n\nTamarindo.";
    assert_eq!(
        add_document(&app, "doces.md", &[], same).await,
        Kept::Added(1)
    );
}

#[tokio::test]
async fn a_skill_with_the_text_of_a_file_is_still_added() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    let same = "# Doces\n\nQuando servir jaca\n\nTamarindo.";
    assert_eq!(
        add_document(&app, "doces.md", &[], same).await,
        Kept::Added(1)
    );
    assert_eq!(publish_skill(&app, "# Doces\n\nTamarindo.", 0).await, 201);
    let both = search_sources(&reader, "tamarindo").await;
    assert_eq!(both, ["doces.md", "skill:doces"]);
}

#[tokio::test]
async fn simultaneous_writers_leave_exact_counts() {
    let app = TestApp::new().await;
    let adding = (0..8).map(|n| {
        let app = &app;
        async move {
            add_document(
                app,
                &format!("{}.md", n % 4),
                &["t"],
                &long_guide(&format!("texto{n}")),
            )
            .await
        }
    });
    futures::future::join_all(adding).await;
    assert_eq!(app.count_rows("knowledge_documents").await, 4);
    assert_eq!(app.count_rows("knowledge_chunks").await, 12);
    assert_eq!(
        app.count_rows("knowledge_totals WHERE chunks = 12").await,
        1
    );
    assert_eq!(
        app.count_rows("knowledge_terms WHERE term = 'polvilh' AND chunks = 4")
            .await,
        1
    );
}
