//! Names dates and operations of projects in words.

use domain::time::{self, Millis};
use serde_json::Value;

/// Formats an ISO 8601 day in Brazilian format: `20/06/2027`.
pub(super) fn day_text(iso: &str) -> String {
    let mut pieces = iso.split('-');
    match (pieces.next(), pieces.next(), pieces.next()) {
        (Some(year), Some(month), Some(day)) => format!("{day}/{month}/{year}"),
        _ => iso.to_owned(),
    }
}

/// Formats a count with its noun: `1 item`, `3 itens`.
pub(super) fn count_with_noun(number: i64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// Returns the current day in Brasília, in ISO 8601.
pub(super) fn today_iso(now: Millis) -> String {
    time::brasilia_day(now).to_string()
}

/// Returns the verb for an operation, which follows the name of a person: `moveu o item`.
pub(super) fn operation_verb(kind: &str) -> &'static str {
    match kind {
        "project.create" => "criou o projeto",
        "project.batch" => "fez várias mudanças",
        "project.rename" => "mudou o nome do projeto",
        "project.describe" => "mudou a descrição",
        "project.schedule" => "mudou as datas do projeto",
        "project.archive" => "arquivou o projeto",
        "project.restore" => "restaurou o projeto",
        "member.add" => "acrescentou uma pessoa",
        "member.remove" => "tirou uma pessoa",
        "section.add" => "acrescentou a seção",
        "section.rename" => "mudou o nome da seção",
        "section.move" => "moveu a seção",
        "section.remove" => "removeu a seção",
        "item.add" => "acrescentou o item",
        "item.update" => "mudou o texto do item",
        "item.move" => "moveu o item",
        "item.complete" => "deu por feito o item",
        "item.reopen" => "reabriu o item",
        "item.remove" => "removeu o item",
        "item.assign" => "mudou os responsáveis do item",
        "item.schedule" => "mudou o prazo do item",
        "item.link_event" => "ligou uma peça ao item",
        "item.unlink_event" => "desligou uma peça do item",
        _ => "mudou o projeto",
    }
}

/// Returns the operation as a request: `Mover o item`.
pub(super) fn operation_request(kind: &str) -> &'static str {
    match kind {
        "project.rename" => "Mudar o nome do projeto",
        "project.describe" => "Mudar a descrição",
        "project.schedule" => "Mudar as datas do projeto",
        "project.archive" => "Arquivar o projeto",
        "project.restore" => "Restaurar o projeto",
        "member.add" => "Acrescentar uma pessoa",
        "member.remove" => "Tirar uma pessoa",
        "section.add" => "Acrescentar uma seção",
        "section.rename" => "Mudar o nome da seção",
        "section.move" => "Mover a seção",
        "section.remove" => "Remover a seção",
        "item.add" => "Acrescentar um item",
        "item.update" => "Mudar o texto do item",
        "item.move" => "Mover o item",
        "item.complete" => "Dar por feito o item",
        "item.reopen" => "Reabrir o item",
        "item.remove" => "Remover o item",
        "item.assign" => "Mudar os responsáveis do item",
        "item.schedule" => "Mudar o prazo do item",
        "item.link_event" => "Ligar uma peça ao item",
        "item.unlink_event" => "Desligar uma peça do item",
        _ => "Mudar o projeto",
    }
}

/// Returns the id of the section or item in the fields of an operation.
pub(super) fn target_id(fields: &Value) -> Option<&str> {
    fields["item_id"]
        .as_str()
        .or_else(|| fields["section_id"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_the_brazilian_format() {
        assert_eq!(day_text("2027-06-20"), "20/06/2027");
        assert_eq!(day_text("?"), "?");
        // At this instant, the day in Brasília is still the day before the UTC day.
        assert_eq!(today_iso(1_787_362_200_000), "2026-08-21");
    }
}
