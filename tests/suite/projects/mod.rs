//! Collaborative projects: the operations, their refusals, and a history that reproduces the
//! project.

mod batch;
mod conflicts;
mod history;
mod input;
mod leaving;
mod limits;
mod operations;
mod order;
mod people;
mod reading;
mod reducer;
mod writers;

use domain::{Role, project::Project};
use serde_json::{Value, json};
use store::projects::{self, Stored};

use crate::support::{Answer, Client, TestApp};

/// An id that does not exist.
const NOBODY: &str = "0198c0de-0000-7000-8000-000000000000";

/// A service with a lead and an empty project.
struct Desk {
    app: TestApp,
    lead: Client,
    id: String,
}

impl Desk {
    async fn new() -> Self {
        let app = TestApp::new().await;
        let lead = app.as_member(Role::Lider).await;
        let id = create_project(&lead, "Lançamento").await;
        Self { app, lead, id }
    }

    fn project_path(&self) -> String {
        format!("/api/projects/{}/operations", self.id)
    }

    /// Applies an operation as the lead, at the current revision.
    async fn apply_operation(&self, kind: &str, payload: Value) -> Answer {
        self.apply_operation_as(&self.lead, kind, payload).await
    }

    async fn apply_operation_as(&self, client: &Client, kind: &str, payload: Value) -> Answer {
        let revision = self.load_stored_project().await.revision.get();
        self.apply_operation_at(client, revision, kind, payload)
            .await
    }

    async fn apply_operation_at(
        &self,
        client: &Client,
        revision: i64,
        kind: &str,
        payload: Value,
    ) -> Answer {
        let input = json!({ "type": kind, "payload": payload, "expected_revision": revision });
        client.post(&self.project_path(), input).await
    }

    /// Adds a section; returns its id.
    async fn add_section(&self, title: &str) -> String {
        let added = self
            .apply_operation("section.add", json!({ "title": title }))
            .await;
        string_value(&added.expect(200).body["changed"]["section"]["id"])
    }

    /// Adds an item; returns its id.
    async fn add_item(&self, section: &str, title: &str) -> String {
        let payload = json!({ "section_id": section, "title": title });
        let added = self
            .apply_operation("item.add", payload)
            .await
            .expect(200)
            .body;
        string_value(&added["changed"]["item"]["id"])
    }

    /// The project as the lead reads it.
    async fn read_project(&self) -> Value {
        let path = format!("/api/projects/{}", self.id);
        self.lead.get(&path).await.expect(200).body["project"].clone()
    }

    async fn load_stored_project(&self) -> Stored {
        let db = self.app.app.gateway.services.db.reader();
        projects::require(&db, &self.id.as_str().into())
            .await
            .expect("a project")
    }

    /// Overwrites the stored project, for contents that would take too many operations.
    async fn overwrite_project(&self, project: Project) {
        let tx = self.app.begin().await;
        let mut stored = self.load_stored_project().await;
        let actor = stored.created_by.clone();
        stored.project = project;
        let marker = domain::project::ProjectOperation::ArchiveProject {};
        projects::save(&tx.conn(), &mut stored, &marker, &actor, self.app.now())
            .await
            .expect("saves");
        tx.commit().await.expect("commits");
    }
}

async fn create_project(client: &Client, name: &str) -> String {
    let created = client.post("/api/projects", json!({ "name": name })).await;
    string_value(&created.expect(201).body["project"]["id"])
}

#[track_caller]
fn string_value(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

/// The titles of the items of a section, in order.
fn item_titles(project: &Value, section: usize) -> Vec<String> {
    let items = project["sections"][section]["items"].as_array();
    items
        .expect("items")
        .iter()
        .map(|item| string_value(&item["title"]))
        .collect()
}
