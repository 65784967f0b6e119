//! Projects: sections and items that several people change at once.

use domain::Role;
use serde_json::{Value, json};

use super::{hidden_value, submit_operation, visible_text};
use crate::support::{Answer, Client, TestApp};

const ODD: &str = "<b>Lançamento</b> \u{202e}avesso";

/// A project with a section and two items.
struct Desk {
    app: TestApp,
    browser: Client,
    session: Client,
    id: String,
    section: String,
    items: [String; 2],
}

impl Desk {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let lead = app.add_member(Role::Lider).await;
        let (browser, session) = (
            app.browser_client(&lead).await,
            app.session_client(&lead).await,
        );
        let created = session
            .post("/api/projects", json!({ "name": ODD }))
            .await
            .expect(201);
        let id = string_value(&created.body["project"]["id"]);
        let operations = json!([
            { "type": "section.add", "payload": { "title": "Semana <i>um</i>" } },
            { "type": "item.add", "payload": { "section_id": "$0", "title": "Primeiro" } },
            { "type": "item.add", "payload": { "section_id": "$0", "title": "Segundo", "notes": "Com calma" } },
        ]);
        let batch = json!({ "operations": operations, "expected_revision": 1 });
        let done = session
            .post(&format!("/api/projects/{id}/batch"), batch)
            .await
            .expect(200)
            .body;
        let item = |at: usize| string_value(&done["changed"][at]["item"]["id"]);
        Self {
            section: string_value(&done["changed"][0]["section"]["id"]),
            items: [item(1), item(2)],
            app,
            browser,
            session,
            id,
        }
    }

    fn project_path(&self) -> String {
        format!("/projetos/{}", self.id)
    }

    async fn load_project(&self) -> Value {
        let answer = self
            .session
            .get(&format!("/api/projects/{}", self.id))
            .await
            .expect(200);
        answer.body["project"].clone()
    }

    /// Sends a form with the key and revision of this page.
    async fn send_change(
        &self,
        browser: &Client,
        page: &Answer,
        fields: &[(&str, &str)],
    ) -> Answer {
        let (revision, key) = (
            hidden_value(page, "expected_revision"),
            hidden_value(page, "idempotency_key"),
        );
        let mut all = vec![
            ("expected_revision", &*revision),
            ("idempotency_key", &*key),
        ];
        all.extend(fields);
        browser
            .post_form(&format!("{}/mudar", self.project_path()), &all)
            .await
    }
}

fn string_value(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

fn item_titles(project: &Value, section: usize) -> Vec<String> {
    let items = project["sections"][section]["items"]
        .as_array()
        .expect("items");
    items
        .iter()
        .map(|item| string_value(&item["title"]))
        .collect()
}

#[tokio::test]
async fn the_list_shows_projects_by_state_and_creates_new_ones() {
    let desk = Desk::new().await;
    let page = desk.browser.get("/projetos").await.expect(200);
    assert!(page.text.contains("&lt;b&gt;Lançamento&lt;/b&gt;") && !page.text.contains("<b>Lan"));
    assert!(visible_text(&page).contains("0 de 2 feitos"));
    let fields = [
        ("name", "Turma nova"),
        ("idempotency_key", &*hidden_value(&page, "idempotency_key")),
        ("_volta", "/projetos/{/project/id}"),
    ];
    let made = submit_operation(&desk.browser, "create_project", &fields)
        .await
        .expect(303);
    let to = made.headers["location"].to_str().expect("text");
    assert!(visible_text(&desk.browser.get(to).await.expect(200)).contains("Turma nova"));
    let page = desk
        .browser
        .get("/projetos?estado=arquivado")
        .await
        .expect(200);
    assert!(visible_text(&page).contains("Nenhum projeto arquivado"));

    let creator = desk.app.add_member(Role::Criador).await;
    let page = desk
        .app
        .browser_client(&creator)
        .await
        .get("/projetos")
        .await
        .expect(200);
    assert!(!page.text.contains("create_project"));
    desk.app.anonymous().get("/projetos").await.expect(303);
}

#[tokio::test]
async fn forms_and_buttons_change_a_project_with_key_and_revision() {
    let desk = Desk::new().await;
    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    assert!(page.text.contains("Semana &lt;i&gt;um&lt;/i&gt;"));
    let [first, second] = &desk.items;
    let tick = format!("item.complete:{first}");
    for _ in 0..2 {
        let done = desk
            .send_change(&desk.browser, &page, &[("mudar", &tick)])
            .await
            .expect(303);
        assert_eq!(done.headers["location"], desk.project_path().as_str());
    }
    assert_eq!(
        desk.load_project().await["sections"][0]["items"][0]["status"],
        "feito"
    );

    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    let drag = format!("item.move:{second}:{}:0", desk.section);
    desk.send_change(&desk.browser, &page, &[("mover", &drag)])
        .await
        .expect(303);
    assert_eq!(
        item_titles(&desk.load_project().await, 0),
        ["Segundo", "Primeiro"]
    );

    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    let fields = [
        ("type", "item.add"),
        ("section_id", &*desk.section),
        ("title", ODD),
        ("due_on", "2026-12-24"),
    ];
    desk.send_change(&desk.browser, &page, &fields)
        .await
        .expect(303);
    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    assert!(visible_text(&page).contains("até 24/12/2026") && !page.text.contains("<b>Lan"));
    desk.send_change(
        &desk.browser,
        &page,
        &[("type", "section.add"), ("title", "Depois")],
    )
    .await
    .expect(303);
    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    let fields = [
        ("type", "section.move"),
        ("section_id", &*desk.section),
        ("position", "1"),
    ];
    desk.send_change(&desk.browser, &page, &fields)
        .await
        .expect(303);
    assert_eq!(desk.load_project().await["sections"][0]["title"], "Depois");
    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    desk.send_change(&desk.browser, &page, &[("type", "project.archive")])
        .await
        .expect(303);
    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    assert!(
        visible_text(&page).contains("arquivado: não muda") && !page.text.contains("item.complete")
    );
}

#[tokio::test]
async fn an_item_has_its_own_page_with_forms() {
    let desk = Desk::new().await;
    let path = format!("{}/itens/{}", desk.project_path(), desk.items[1]);
    let page = desk.browser.get(&path).await.expect(200);
    assert!(
        visible_text(&page).contains("Com calma")
            && visible_text(&page).contains("Sem responsável")
    );
    let fields = [
        ("type", "item.update"),
        ("item_id", &*desk.items[1]),
        ("title", "Terceiro"),
        ("notes!", ""),
        ("_volta", &*path),
    ];
    let done = desk
        .send_change(&desk.browser, &page, &fields)
        .await
        .expect(303);
    assert_eq!(done.headers["location"], path.as_str());
    let item = desk.load_project().await["sections"][0]["items"][1].clone();
    assert_eq!(
        (&item["title"], &item["notes"]),
        (&json!("Terceiro"), &json!(""))
    );

    // The form counts positions from 1, the operation from 0.
    let page = desk.browser.get(&path).await.expect(200);
    let fields = [
        ("type", "item.move"),
        ("item_id", &*desk.items[1]),
        ("section_id", &*desk.section),
        ("position", "1"),
        ("_volta", "https://evil.test/"),
    ];
    let done = desk
        .send_change(&desk.browser, &page, &fields)
        .await
        .expect(303);
    assert_eq!(done.headers["location"], desk.project_path().as_str());
    assert_eq!(
        item_titles(&desk.load_project().await, 0),
        ["Terceiro", "Primeiro"]
    );
    let page = desk.browser.get(&path).await.expect(200);
    let fields = [("type", "item.assign"), ("item_id", &*desk.items[1])];
    desk.send_change(&desk.browser, &page, &fields)
        .await
        .expect(303);
    desk.browser
        .get(&format!("{}/itens/nenhum", desk.project_path()))
        .await
        .expect(404);
}

#[tokio::test]
async fn a_stale_change_shows_the_changes_of_others_and_can_be_sent_again() {
    let desk = Desk::new().await;
    let other = desk.app.add_member(Role::Criador).await;
    let browser = desk.app.browser_client(&other).await;
    let mine = desk.browser.get(&desk.project_path()).await.expect(200);
    let theirs = browser.get(&desk.project_path()).await.expect(200);
    let rename = [
        ("type", "item.update"),
        ("item_id", &*desk.items[0]),
        ("title", "Deles"),
    ];
    desk.send_change(&browser, &theirs, &rename)
        .await
        .expect(303);

    let rename = [
        ("type", "item.update"),
        ("item_id", &*desk.items[0]),
        ("title", "<u>Meu</u>"),
    ];
    let conflict = desk
        .send_change(&desk.browser, &mine, &rename)
        .await
        .expect(409);
    let text = visible_text(&conflict);
    assert!(
        text.contains(&other.name) && text.contains("mudou o texto do item"),
        "{text}"
    );
    assert!(text.contains("o mesmo que você mudou") && text.contains("Deles"));
    assert!(conflict.text.contains("value=\"&lt;u&gt;Meu&lt;/u&gt;\""));
    assert_eq!(
        item_titles(&desk.load_project().await, 0),
        ["Deles", "Segundo"]
    );
    desk.send_change(&desk.browser, &conflict, &rename)
        .await
        .expect(303);
    assert_eq!(
        item_titles(&desk.load_project().await, 0),
        ["<u>Meu</u>", "Segundo"]
    );

    // The conflict page lists the changes even to a member who may not read the history, and even
    // if the key of the form was already used.
    let rename = [
        ("type", "item.update"),
        ("item_id", &*desk.items[1]),
        ("title", "Tarde"),
    ];
    let conflict = desk
        .send_change(&browser, &theirs, &rename)
        .await
        .expect(409);
    assert!(
        visible_text(&conflict).contains("Alguém"),
        "{}",
        visible_text(&conflict)
    );
}

#[tokio::test]
async fn a_refused_change_keeps_its_texts_and_needs_the_rights_of_the_member() {
    let desk = Desk::new().await;
    let page = desk.browser.get(&desk.project_path()).await.expect(200);
    let long = "x".repeat(2_000);
    let fields = [
        ("type", "item.add"),
        ("section_id", &*desk.section),
        ("title", &*long),
    ];
    let refused = desk
        .send_change(&desk.browser, &page, &fields)
        .await
        .expect(400);
    assert!(refused.text.contains(&long));
    let script = desk.browser.with_header("hx-request", "true");
    let refused = desk.send_change(&script, &page, &fields).await.expect(400);
    assert!(!refused.text.contains("<html"));

    let creator = desk.app.add_member(Role::Criador).await;
    let browser = desk.app.browser_client(&creator).await;
    let page = browser.get(&desk.project_path()).await.expect(200);
    assert!(!page.text.contains("project.archive") && page.text.contains("item.complete"));
    let refused = desk
        .send_change(&browser, &page, &[("type", "project.archive")])
        .await
        .expect(403);
    assert!(visible_text(&refused).contains("projects_manage"));
    assert_eq!(desk.load_project().await["status"], "ativo");
    browser.get("/projetos/nenhum").await.expect(404);
    browser
        .get(&format!("{}/historico", desk.project_path()))
        .await
        .expect(403);
    let stranger = desk
        .app
        .anonymous()
        .with_header("sec-fetch-site", "same-origin");
    desk.send_change(&stranger, &page, &[("type", "project.archive")])
        .await
        .expect(303);
    assert_eq!(desk.load_project().await["status"], "ativo");
}

#[tokio::test]
async fn the_history_says_who_did_what() {
    let desk = Desk::new().await;
    let page = desk
        .browser
        .get(&format!("{}/historico", desk.project_path()))
        .await
        .expect(200);
    let text = visible_text(&page);
    for part in [
        "criou o projeto",
        "fez várias mudanças",
        "acrescentou o item",
        "Segundo",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(page.text.contains("Semana &lt;i&gt;um&lt;/i&gt;"));
}
