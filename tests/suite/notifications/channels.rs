//! Notifications that a member wants on some channels only.

use serde_json::{Value, json};

use super::{Fixture, list};

const PATH: &str = "/api/notificacoes/preferencias";

async fn set(team: &Fixture, revision: i64, fields: Value) -> Value {
    let mut input = json!({
        "expected_revision": revision,
        "ligados": ["atribuicao", "mencao"],
    });
    let fields = fields.as_object().expect("fields").clone();
    input.as_object_mut().expect("an object").extend(fields);
    team.caio.put(PATH, input).await.expect(200).body
}

#[tokio::test]
async fn a_kind_that_goes_nowhere_but_is_switched_on_leaves_no_row() {
    let team = Fixture::new().await;
    let read = set(&team, 0, json!({ "fora_da_lista": ["atribuicao"] })).await;
    assert_eq!(read["fora_da_lista"], json!(["atribuicao"]));
    // This service sends no e-mails, and Caio has no device.
    team.assign("Feira").await;
    team.tell().await;
    assert_eq!(team.app.count_rows("notifications").await, 0);
    // A later change leaves the list as it is, and an empty list resets it.
    let read = set(&team, 1, json!({ "resumo": 9 })).await;
    assert_eq!(read["fora_da_lista"], json!(["atribuicao"]));
    let read = set(&team, 2, json!({ "fora_da_lista": [] })).await;
    assert_eq!(read["fora_da_lista"], json!([]));
    team.assign("Missa").await;
    team.tell().await;
    assert_eq!(list(&team.caio).await.len(), 1);
}
