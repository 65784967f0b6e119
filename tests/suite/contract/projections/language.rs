//! Every published text is in Portuguese.

use serde_json::Value;

/// Asserts that a description is in Portuguese and long enough for an agent.
#[track_caller]
pub(super) fn assert_portuguese(text: &Value, what: &str) {
    assert_described(text, what);
    let words = split_words(text.as_str().expect("text"));
    let typical = [
        "o", "a", "os", "as", "um", "uma", "de", "da", "do", "e", "em", "que", "para",
    ];
    assert!(
        words.iter().any(|w| typical.contains(&w.as_str())),
        "{what}: not Portuguese: {text}"
    );
}

#[track_caller]
pub(super) fn assert_described(text: &Value, what: &str) {
    let text = text.as_str().unwrap_or_default();
    assert!(
        text.trim().chars().count() >= 8,
        "{what} has no description: {text:?}"
    );
    assert_not_english(text, what);
}

/// Asserts that the text contains no English words.
#[track_caller]
pub(super) fn assert_not_english(text: &str, what: &str) {
    let english = [
        "the", "of", "and", "with", "this", "is", "are", "when", "which", "by", "an", "how",
        "what", "who", "that", "where", "its", "from", "not", "has", "to",
    ];
    let found: Vec<_> = split_words(text)
        .into_iter()
        .filter(|word| english.contains(&word.as_str()))
        .collect();
    assert!(found.is_empty(), "{what} is in English ({found:?}): {text}");
}

/// Returns the words of a text, except those in code. A hyphenated word counts as one word.
fn split_words(text: &str) -> Vec<String> {
    let prose: String = text.split('`').step_by(2).collect();
    let words = prose.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
