//! Any text is a valid question, including SQL and search syntax.

use domain::{Role, is_blank};
use serde_json::json;

use super::{add_document, school_service};

/// Pseudo-random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn random_below(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    fn random_letter(&mut self) -> char {
        loop {
            let point = match self.random_below(3) {
                0 => 1 + self.random_below(0x7f),
                1 => 1 + self.random_below(0x2fff),
                _ => 1 + self.random_below(0x10_ffff),
            };
            if let Some(letter) = u32::try_from(point).ok().and_then(char::from_u32) {
                return letter;
            }
        }
    }
}

const WORDS: [&str; 34] = [
    "frango",
    "\"",
    "*",
    "(",
    ")",
    "AND",
    "OR",
    "NOT",
    "NEAR(a b, 2)",
    "'",
    "''",
    ":",
    "title_terms:",
    "^",
    "-",
    "+",
    "{",
    "}",
    "\\",
    "%",
    "_",
    ";",
    "--",
    "/*",
    "<->",
    "<2>",
    "&",
    "|",
    "!",
    ":*",
    "$1",
    "?",
    "'); DROP TABLE knowledge_chunks; --",
    "“água”",
];

#[tokio::test]
async fn no_question_breaks_the_search() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let mut dice = Dice(7);
    let before = app.count_rows("knowledge_chunks").await;
    for round in 0..600 {
        let mut question = String::new();
        for _ in 0..=dice.random_below(24) {
            if dice.random_below(2) == 0 {
                question.push_str(WORDS[dice.random_below(WORDS.len())]);
            } else {
                question.push(dice.random_letter());
            }
            if dice.random_below(2) == 0 {
                question.push(' ');
            }
        }
        let tag = dice.random_letter().to_string() + WORDS[dice.random_below(WORDS.len())];
        let mut input = json!({ "pergunta": question, "limite": 1 + dice.random_below(20) });
        if round % 3 == 0 {
            input["tags"] = json!([tag]);
        }
        let answer = reader.post("/api/rag", input).await;
        let expected = if is_blank(&question) { 400 } else { 200 };
        assert_eq!(answer.status, expected, "{question:?}: {}", answer.text);
    }
    assert_eq!(app.count_rows("knowledge_chunks").await, before);
}

#[tokio::test]
async fn every_text_can_be_a_document() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let mut dice = Dice(11);
    for round in 0..40 {
        let mut text = format!("marca{round} ");
        for _ in 0..dice.random_below(4_000) {
            match dice.random_below(8) {
                0 => text.push_str(WORDS[dice.random_below(WORDS.len())]),
                1 => {
                    text.push_str(["\n", "\n\n", "\n# ", " ", "\0", "```\n"][dice.random_below(6)]);
                }
                _ => text.push(dice.random_letter()),
            }
        }
        add_document(&app, &format!("{round}.md"), &[], &text).await;
        let input = json!({ "pergunta": format!("\"marca{round}\""), "limite": 20 });
        let answer = reader.post("/api/rag", input).await.expect(200).body;
        let source = format!("{round}.md");
        assert!(
            super::passage_sources(&answer).contains(&source.as_str()),
            "{round}"
        );
    }
}
