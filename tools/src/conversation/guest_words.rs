//! Rewords refusals for guests.

use serde_json::Value;

use super::TOO_MANY_REMARKS;
use domain::Fault;
use gateway::{Code, Error};

/// Rewords a refusal for a guest, who does not know the operations and fields of the service.
pub(crate) fn reword_for_guest(error: Error) -> Error {
    // The refusal of an answer in a full thread already has a next step that guests understand.
    if error.code == TOO_MANY_REMARKS && !error.has_next_step() {
        return Error::new(TOO_MANY_REMARKS)
            .because("Esta peça tem conversas abertas demais.")
            .with_detail("next", "Responda numa das conversas que já existem.".into());
    }
    let details = error.body().details.unwrap_or_default();
    let faults = details.get("fields").and_then(Value::as_array);
    let Some(faults) = faults.filter(|_| error.code == Code::INVALID_INPUT) else {
        return error;
    };
    let reworded = faults.iter().map(|fault| {
        let text = |name: &str| fault[name].as_str().unwrap_or_default().to_owned();
        let message = match text("field").as_str() {
            "responde_a" => "não é de uma conversa desta peça".to_owned(),
            "motivo" => "é obrigatório: diga o que ajustar".to_owned(),
            "ancora.media_id" => "não é de uma mídia desta peça".to_owned(),
            _ => text("message"),
        };
        let field = match text("field").as_str() {
            "motivo" => "texto".to_owned(),
            field => field.to_owned(),
        };
        Fault {
            field,
            rule: text("rule"),
            message,
        }
    });
    Error::from_faults(reworded.collect())
}
