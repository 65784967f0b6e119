//! Says which cards a correction redrew.

use maud::{Markup, html};

/// The numbers of the cards that a correction drew, and the total number of cards.
#[derive(Debug, PartialEq)]
pub(super) struct Redrawn {
    drawn: Vec<usize>,
    count: usize,
}

impl Redrawn {
    /// Finds the numbers of the drawn cards. `drawn` are their ids, `cards` the ids of all cards.
    pub fn from_ids<'c>(drawn: &[String], cards: impl Iterator<Item = &'c str>) -> Self {
        let cards: Vec<&str> = cards.collect();
        let numbers = (1..).zip(&cards);
        let drawn = numbers.filter(|(_, id)| drawn.iter().any(|drawn| drawn == *id));
        Self {
            drawn: drawn.map(|(number, _)| number).collect(),
            count: cards.len(),
        }
    }

    /// Reads the numbers of the cards from the address of a page: `2-4` means the cards 2 and 4.
    pub fn parse_query(drawn: &str, count: usize) -> Option<Self> {
        let numbers = drawn.split('-').filter(|number| !number.is_empty());
        let drawn: Vec<usize> = numbers
            .map(|number| number.parse().ok())
            .collect::<Option<_>>()?;
        let is_within = drawn.iter().all(|number| (1..=count).contains(number));
        (is_within && drawn.is_sorted() && drawn.len() <= count).then_some(Self { drawn, count })
    }

    /// Returns the path of a page that shows the notice about these cards. The query contains the name
    /// of the operation that succeeded.
    pub fn notice_path(&self, page: &str, operation: &str) -> String {
        let numbers: Vec<String> = self.drawn.iter().map(ToString::to_string).collect();
        format!(
            "{page}?feito={operation}&desenhados={}&cards={}#midias",
            numbers.join("-"),
            self.count
        )
    }

    /// Draws the notice for the person who corrected the cards, with the warnings to read before
    /// publishing.
    pub fn draw_notice(&self, warnings: &[String]) -> Markup {
        html! {
            div class="notice good" role="status" {
                p { (self.notice_text()) }
                @for warning in warnings { p { (warning) } }
            }
        }
    }

    fn notice_text(&self) -> String {
        let numbers: Vec<String> = self.drawn.iter().map(ToString::to_string).collect();
        let rest = self.count - self.drawn.len();
        let others = match rest {
            0 => String::new(),
            1 => " O outro ficou como estava.".into(),
            _ => format!(" Os outros {rest} ficaram como estavam."),
        };
        match numbers.as_slice() {
            [] => "Nenhum card precisou ser desenhado de novo.".into(),
            [one] => format!("Desenhado de novo: o card {one}.{others}"),
            _ if rest == 0 => format!("Os {} cards foram desenhados de novo.", self.count),
            [first @ .., last] => {
                format!(
                    "Desenhados de novo: os cards {} e {last}.{others}",
                    first.join(", ")
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_names_the_cards_that_were_drawn() {
        let ids = ["a", "b", "c", "d"];
        let told = |drawn: &[&str]| {
            let drawn: Vec<String> = drawn.iter().map(ToString::to_string).collect();
            Redrawn::from_ids(&drawn, ids.into_iter()).notice_text()
        };
        assert_eq!(
            told(&["b"]),
            "Desenhado de novo: o card 2. Os outros 3 ficaram como estavam."
        );
        assert_eq!(
            told(&["c", "a", "b"]),
            "Desenhados de novo: os cards 1, 2 e 3. O outro ficou como estava."
        );
        assert_eq!(told(&ids), "Os 4 cards foram desenhados de novo.");
        assert_eq!(told(&[]), "Nenhum card precisou ser desenhado de novo.");
    }

    #[test]
    fn the_address_of_a_page_contains_only_the_numbers() {
        let done = Redrawn {
            drawn: vec![2, 4],
            count: 5,
        };
        let path = done.notice_path("/eventos/1", "update_carousel");
        assert_eq!(
            path,
            "/eventos/1?feito=update_carousel&desenhados=2-4&cards=5#midias"
        );
        assert_eq!(Redrawn::parse_query("2-4", 5), Some(done));
        assert_eq!(
            Redrawn::parse_query("", 5).map(|done| done.drawn),
            Some(vec![])
        );
        for (drawn, count) in [("0", 5), ("6", 5), ("4-2", 5), ("x", 5), ("1", 0)] {
            assert_eq!(
                Redrawn::parse_query(drawn, count),
                None,
                "{drawn} of {count}"
            );
        }
    }
}
