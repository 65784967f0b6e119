//! The tokens of a Rust source, without comments, literals and tests.

/// Splits a source into tokens. `::` is one token; every other sign is a separate token.
pub fn tokenize(text: &str) -> Vec<String> {
    without_tests(split_tokens(&text.chars().collect::<Vec<_>>()))
}

fn split_tokens(text: &[char]) -> Vec<String> {
    let mut found = vec![];
    let mut at = 0;
    let is = |at: usize, sign: char| text.get(at) == Some(&sign);
    while let Some(&c) = text.get(at) {
        if c == '/' && is(at + 1, '/') {
            at += chars_from(text, at)
                .position(|c| c == '\n')
                .unwrap_or(text.len());
        } else if c == '/' && is(at + 1, '*') {
            at = block_comment_end(text, at);
        } else if let Some(end) = string_end(text, at) {
            at = end;
        } else if c == '\'' {
            at = quote_end(text, at);
        } else if is_word_char(c) {
            let length = chars_from(text, at)
                .take_while(|c| is_word_char(*c))
                .count();
            found.push(text[at..at + length].iter().collect());
            at += length;
        } else {
            let length = if c == ':' && is(at + 1, ':') { 2 } else { 1 };
            if !c.is_whitespace() {
                found.push(text[at..at + length].iter().collect());
            }
            at += length;
        }
    }
    found
}

fn chars_from(text: &[char], at: usize) -> impl Iterator<Item = char> {
    text[at..].iter().copied()
}

fn is_word_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Returns the position after a block comment. Block comments nest.
fn block_comment_end(text: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at + 1 < text.len() {
        match (text[at], text[at + 1]) {
            ('/', '*') => depth += 1,
            ('*', '/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the end of the string literal that begins at `start`, or `None` if none begins there:
/// `"…"`, `b"…"`, `c"…"`, `r#"…"#` and so on.
fn string_end(text: &[char], start: usize) -> Option<usize> {
    let prefix = chars_from(text, start)
        .take_while(|c| matches!(c, 'b' | 'c' | 'r'))
        .count();
    let raw = text[start..start + prefix].contains(&'r');
    let mut at = start + prefix;
    let hashes = chars_from(text, at)
        .take_while(|c| raw && *c == '#')
        .count();
    at += hashes;
    if prefix > 2 || text.get(at) != Some(&'"') {
        return None;
    }
    at += 1;
    while at < text.len() {
        match text[at] {
            '\\' if !raw => at += 2,
            '"' if chars_from(text, at + 1)
                .take(hashes)
                .filter(|c| *c == '#')
                .count()
                == hashes =>
            {
                return Some(at + 1 + hashes);
            }
            _ => at += 1,
        }
    }
    Some(text.len())
}

/// Returns the position after a character literal, or after the quote of a lifetime.
fn quote_end(text: &[char], start: usize) -> usize {
    let escaped = text.get(start + 1) == Some(&'\\');
    // An escape has at least one more character, which may itself be a quote.
    let from = start + if escaped { 3 } else { 2 };
    match chars_from(text, from.min(text.len())).position(|c| c == '\'') {
        Some(0) => from + 1,
        Some(length) if escaped => from + length + 1,
        _ => start + 1,
    }
}

const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

/// Removes every item, field and statement under `#[cfg(test)]`.
fn without_tests(tokens: Vec<String>) -> Vec<String> {
    let mut kept = vec![];
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].starts_with(&TEST.map(String::from)) {
            at = item_end(&tokens, at + TEST.len());
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

const ITEM: [&str; 14] = [
    "async",
    "const",
    "enum",
    "extern",
    "fn",
    "impl",
    "let",
    "macro_rules",
    "mod",
    "static",
    "struct",
    "trait",
    "type",
    "use",
];

/// Returns the end of an item (its semicolon or closing brace) or of a field (its comma).
fn item_end(tokens: &[String], start: usize) -> usize {
    let mut depth = 0;
    let mut is_item = false;
    for (at, token) in tokens.iter().enumerate().skip(start) {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        is_item |= depth == 0 && ITEM.contains(&token.as_str());
        match token.as_str() {
            "," if depth == 0 && !is_item => return at + 1,
            ";" if depth == 0 => return at + 1,
            "}" if depth == 0 => return at + 1,
            _ if depth < 0 => return at,
            _ => {}
        }
    }
    tokens.len()
}
