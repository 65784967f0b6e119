//! Finds a passage in a text, or reports which field of the place is wrong.

use domain::{Fault, find_passage};
use gateway::Result;

/// Returns the offset of a passage in a text: `wanted`, or the only offset if `wanted` is not given.
/// `whose` names the text in the messages.
pub(super) fn find_place(
    text: &str,
    passage: &str,
    wanted: Option<usize>,
    whose: &str,
) -> Result<usize, Fault> {
    let Some(nearest) = find_passage(text, passage, wanted.unwrap_or(0)) else {
        let message = format!("não está {whose}; copie-o de lá, igual");
        return Err(anchor_fault("trecho", "passage", &message));
    };
    match wanted {
        Some(position) if position != nearest => {
            let message =
                format!("{whose} o trecho não começa aí; o lugar mais próximo é {nearest}");
            Err(anchor_fault("posicao", "passage", &message))
        }
        None if find_passage(text, passage, usize::MAX) != Some(nearest) => {
            let message =
                format!("é obrigatória, porque o trecho se repete; o primeiro lugar é {nearest}");
            Err(anchor_fault("posicao", "required", &message))
        }
        _ => Ok(nearest),
    }
}

pub(super) fn anchor_fault(field: &str, rule: &str, message: &str) -> Fault {
    Fault {
        field: format!("ancora.{field}"),
        rule: rule.into(),
        message: message.into(),
    }
}
