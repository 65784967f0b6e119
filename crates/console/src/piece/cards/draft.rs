//! The content of the form of the cards: the stored cards, or the cards that were sent.

use domain::{Revision, random_text, sha256_hex};

use super::MOST;
use crate::forms::{Field, field_value, nonblank_text, unix_lines};

/// One card of the form.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Card {
    /// The key of the card within the form.
    pub key: String,
    /// The medium that the card keeps or replaces. Empty for a new card.
    pub medium: String,
    /// For a copy, the medium of the copied card. Empty for any other card.
    pub copied: String,
    pub text: String,
    /// The description of the background that a provider draws.
    pub prompt: String,
    /// The stored image that is the background.
    pub photo: String,
    /// `made_text` and `made_background` are digests of the source from which the card was drawn. Empty
    /// for a new card, or if the source is unknown. With the digests, the changes are computed from the
    /// form alone, so sending the same form twice makes the same call.
    pub made_text: String,
    pub made_background: String,
}

impl Card {
    pub fn text_digest(&self) -> String {
        digest(&self.text)
    }

    pub fn background_digest(&self) -> String {
        let [prompt, photo] =
            [&self.prompt, &self.photo].map(|text| nonblank_text(text).unwrap_or_default());
        digest(&format!("{photo}\n{prompt}"))
    }

    /// Returns true if this is a stored card that keeps its content because its source is unknown.
    pub fn has_unknown_source(&self) -> bool {
        !self.medium.is_empty() && self.made_text.is_empty()
    }

    /// Turns the card into a new card with the same content.
    pub fn turn_into_new_card(&mut self) {
        for text in [
            &mut self.medium,
            &mut self.copied,
            &mut self.made_text,
            &mut self.made_background,
        ] {
            text.clear();
        }
    }
}

fn digest(text: &str) -> String {
    let mut digest = sha256_hex(text.as_bytes());
    digest.truncate(16);
    digest
}

/// The content of the form.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub revision: i64,
    /// The key of the form, for idempotency.
    pub form_key: String,
    /// The style of all cards. Empty if each card keeps its own style.
    pub style: String,
    /// The cards, in order.
    pub cards: Vec<Card>,
    /// The cards that were removed and are not saved yet.
    pub removed: Vec<Card>,
}

impl Draft {
    /// Reads the form that was sent. Each field `chave` begins a card.
    pub fn from_fields(fields: &[Field]) -> Self {
        let mut draft = Self {
            revision: field_value(fields, "expected_revision")
                .parse()
                .unwrap_or(0),
            form_key: field_value(fields, "pedido").into(),
            style: field_value(fields, "style").into(),
            ..Self::default()
        };
        let mut cards: Vec<(Card, bool)> = vec![];
        for Field { name, value } in fields {
            if name == "chave" {
                let key = value
                    .chars()
                    .filter(|c| is_key_character(*c))
                    .take(64)
                    .collect();
                let card = Card {
                    key,
                    ..Card::default()
                };
                cards.push((card, false));
                continue;
            }
            let Some((card, is_removed)) = cards.last_mut() else {
                continue;
            };
            match name.as_str() {
                "midia" => card.medium.clone_from(value),
                "copia" => card.copied.clone_from(value),
                "texto" => card.text = unix_lines(value),
                "descricao" => card.prompt = unix_lines(value),
                "foto" => card.photo.clone_from(value),
                "texto_era" => card.made_text.clone_from(value),
                "fundo_era" => card.made_background.clone_from(value),
                "retirado" => *is_removed = true,
                _ => {}
            }
        }
        for (card, is_removed) in cards {
            if is_removed {
                draft.removed.push(card);
            } else {
                draft.cards.push(card);
            }
        }
        draft
    }

    pub fn seen_revision(&self) -> Revision {
        Revision::new(self.revision)
    }

    /// Returns true if the carousel has room for another card.
    pub fn has_room(&self) -> bool {
        self.cards.len() < MOST
    }

    /// Applies the change of a button, such as `subir:key`. A change that is not possible has no effect.
    pub fn apply_button(&mut self, asked: &str) {
        let (what, key) = asked.split_once(':').unwrap_or((asked, ""));
        let at = self.cards.iter().position(|card| card.key == key);
        let last = self.cards.len().saturating_sub(1);
        match (what, at) {
            ("subir", Some(at)) if at > 0 => self.cards.swap(at, at - 1),
            ("descer", Some(at)) if at < last => self.cards.swap(at, at + 1),
            ("copiar", Some(at)) if self.has_room() => {
                let card = self.cards[at].clone();
                let copied = if card.medium.is_empty() {
                    card.copied.clone()
                } else {
                    card.medium.clone()
                };
                let copy = Card {
                    key: new_key(),
                    medium: String::new(),
                    copied,
                    ..card
                };
                self.cards.insert(at + 1, copy);
            }
            ("retirar", Some(at)) if last > 0 => {
                let card = self.cards.remove(at);
                self.removed.push(card);
            }
            ("devolver", None) if self.has_room() => {
                if let Some(at) = self.removed.iter().position(|card| card.key == key) {
                    let card = self.removed.remove(at);
                    self.cards.push(card);
                }
            }
            ("novo", None) if self.has_room() => self.cards.push(Card {
                key: new_key(),
                ..Card::default()
            }),
            _ => {}
        }
    }

    /// Moves a card to the index that a script requests: `cards:key::place`.
    pub fn move_to(&mut self, asked: &str) {
        let mut parts = asked.split(':').skip(1);
        let (key, place) = (parts.next().unwrap_or_default(), parts.nth(1));
        let at = self.cards.iter().position(|card| card.key == key);
        let place = place.and_then(|place| place.parse::<usize>().ok());
        if let (Some(at), Some(place)) = (at, place) {
            let card = self.cards.remove(at);
            self.cards.insert(place.min(self.cards.len()), card);
        }
    }
}

fn new_key() -> String {
    format!("n{}", random_text::<9>())
}

/// Returns true if a character is allowed in a key, which becomes part of an element's id.
fn is_key_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft_with_cards(keys: &[&str]) -> Draft {
        let card = |key: &&str| Card {
            key: (*key).into(),
            medium: format!("m{key}"),
            text: format!("texto {key}"),
            ..Card::default()
        };
        Draft {
            cards: keys.iter().map(card).collect(),
            ..Draft::default()
        }
    }

    fn card_keys(draft: &Draft) -> Vec<&str> {
        draft.cards.iter().map(|card| card.key.as_str()).collect()
    }

    #[test]
    fn buttons_move_a_card_up_to_the_first_and_last_place() {
        let mut all = draft_with_cards(&["a", "b", "c"]);
        all.apply_button("subir:b");
        assert_eq!(card_keys(&all), ["b", "a", "c"]);
        all.apply_button("subir:b");
        all.apply_button("descer:c");
        all.apply_button("descer:z");
        assert_eq!(card_keys(&all), ["b", "a", "c"]);
        all.apply_button("descer:b");
        assert_eq!(card_keys(&all), ["a", "b", "c"]);
        all.move_to("cards:a::2");
        assert_eq!(card_keys(&all), ["b", "c", "a"]);
        all.move_to("cards:a::99");
        all.move_to("cards:z::0");
        all.move_to("cards:b::x");
        all.move_to("");
        assert_eq!(card_keys(&all), ["b", "c", "a"]);
    }

    #[test]
    fn a_copy_follows_its_card_and_names_its_source() {
        let mut all = draft_with_cards(&["a", "b"]);
        all.apply_button("copiar:a");
        assert_eq!(card_keys(&all).len(), 3);
        let copy = all.cards[1].clone();
        assert_eq!(
            (&*copy.medium, &*copy.copied, &*copy.text),
            ("", "ma", "texto a")
        );
        all.apply_button(&format!("copiar:{}", copy.key));
        assert_eq!(all.cards[2].copied, "ma");
        for _ in 0..20 {
            all.apply_button("copiar:b");
            all.apply_button("novo");
        }
        assert_eq!(all.cards.len(), MOST);
    }

    #[test]
    fn a_removed_card_can_be_restored_and_the_last_card_cannot_be_removed() {
        let mut all = draft_with_cards(&["a", "b"]);
        all.apply_button("retirar:a");
        all.apply_button("retirar:b");
        assert_eq!((card_keys(&all), all.removed.len()), (vec!["b"], 1));
        all.apply_button("devolver:a");
        assert_eq!((card_keys(&all), all.removed.len()), (vec!["b", "a"], 0));
        assert_eq!(all.cards[1].text, "texto a");
    }

    #[test]
    fn each_field_belongs_to_the_card_that_precedes_it() {
        let field = |(name, value): (&str, &str)| Field {
            name: name.into(),
            value: value.into(),
        };
        let fields = [
            ("expected_revision", "7"),
            ("texto", "de nenhum"),
            ("chave", "a\" onclick"),
            ("texto", "Um\r\ndois"),
            ("chave", "b"),
            ("retirado", "1"),
            ("texto", "fora"),
        ];
        let draft = Draft::from_fields(&fields.map(field));
        assert_eq!((draft.revision, card_keys(&draft)), (7, vec!["aonclick"]));
        assert_eq!(draft.cards[0].text, "Um\ndois");
        assert_eq!(draft.removed[0].text, "fora");
    }
}
