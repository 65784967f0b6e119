//! The refusals of single cards, which the form shows beside each card.

use std::collections::BTreeMap;

use gateway::Error;
use serde_json::Value;

use crate::forms::agree_gender;

/// The messages about each card, by the index of the card in the form.
#[derive(Debug, Default)]
pub(super) struct Faults(BTreeMap<usize, Vec<String>>);

impl Faults {
    /// Reads the parts of a refusal that name a card.
    pub fn from_error(error: &Error) -> Self {
        let details = error.body().details.unwrap_or_default();
        let mut faults = Self::default();
        for fault in details
            .get("fields")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let field = fault["field"].as_str().unwrap_or_default();
            let message = fault["message"].as_str().unwrap_or_default();
            if let Some((card, field)) = parse_card_field(field) {
                let subject = field_subject(field);
                faults.add_message(
                    card,
                    format!("{subject} {}.", agree_gender(subject, message)),
                );
            }
        }
        let card = details.get("card").and_then(Value::as_str);
        if let Some((card, _)) = card.and_then(parse_card_field) {
            faults.add_message(card, error.message().to_string());
        }
        faults
    }

    fn add_message(&mut self, card: usize, text: String) {
        self.0.entry(card).or_default().push(text);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the messages about the card at this index.
    pub fn messages_at(&self, card: usize) -> &[String] {
        self.0.get(&card).map_or(&[], Vec::as_slice)
    }

    /// Returns the indexes of the refused cards.
    pub fn refused_cards(&self) -> impl Iterator<Item = usize> {
        self.0.keys().copied()
    }
}

/// Parses a path such as `cards.1.text` into the index of the card and the field.
fn parse_card_field(field: &str) -> Option<(usize, &str)> {
    let rest = field.strip_prefix("cards.")?;
    let (card, field) = rest.split_once('.').unwrap_or((rest, ""));
    Some((card.parse().ok()?, field))
}

/// Returns the name of a card field in messages, as the form shows it.
fn field_subject(field: &str) -> &'static str {
    match field {
        "text" => "O texto",
        "prompt" => "A descrição do fundo",
        "photo_id" => "A imagem do fundo",
        _ => "O card",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_shown_beside_its_card() {
        let error = Error::invalid_field("cards.2.text", "fit", "não cabe");
        let faults = Faults::from_error(&error);
        assert_eq!(faults.messages_at(2), ["O texto não cabe."]);
        assert_eq!(faults.refused_cards().collect::<Vec<_>>(), [2]);
        let missing = Error::invalid_field("cards.1.prompt", "required", "é obrigatório");
        let text = "A descrição do fundo é obrigatória.";
        assert_eq!(Faults::from_error(&missing).messages_at(1), [text]);
        for field in ["text", "cards", "cards.x.text", "cardss.1.text"] {
            assert!(Faults::from_error(&Error::invalid_field(field, "fit", "não cabe")).is_empty());
        }
    }
}
