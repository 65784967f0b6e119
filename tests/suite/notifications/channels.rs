//! Notification kinds that a member wants on some channels only, such as by e-mail but not in the list.

use serde_json::{Value, json};

use super::{Fixture, list};

const PATH: &str = "/api/notificacoes/preferencias";

async fn change_settings(team: &Fixture, revision: i64, fields: Value) -> Value {
    let mut input = json!({
        "expected_revision": revision,
        "ligados": ["atribuicao", "mencao"],
    });
    let fields = fields.as_object().expect("fields").clone();
    input.as_object_mut().expect("an object").extend(fields);
    team.caio.put(PATH, input).await.expect(200).body
}

#[tokio::test]
async fn a_kind_that_is_on_but_has_no_channel_makes_no_notification() {
    let team = Fixture::new().await;
    let read = change_settings(&team, 0, json!({ "fora_da_lista": ["atribuicao"] })).await;
    assert_eq!(read["fora_da_lista"], json!(["atribuicao"]));
    // The kind is outside the list, this service sends no e-mails, and Caio has no device: no channel
    // remains.
    team.assign("Feira").await;
    team.run_outbox_readers().await;
    assert_eq!(team.app.count_rows("notifications").await, 0);
    // A change without `fora_da_lista` keeps the stored kinds; an empty `fora_da_lista` clears them.
    let read = change_settings(&team, 1, json!({ "resumo": 9 })).await;
    assert_eq!(read["fora_da_lista"], json!(["atribuicao"]));
    let read = change_settings(&team, 2, json!({ "fora_da_lista": [] })).await;
    assert_eq!(read["fora_da_lista"], json!([]));
    team.assign("Missa").await;
    team.run_outbox_readers().await;
    assert_eq!(list(&team.caio).await.len(), 1);
}
