//! YAML that parsers of every version read as the same JSON.
//!
//! YAML 1.1 reads a plain `12:00` as 720, `on` as true and `010` as 8. Therefore no string is plain
//! here: each is quoted or a literal block.

use domain::is_blank;
use serde_json::{Map, Number, Value};

/// The value in block style.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => mapping(&mut out, map, 0),
        Value::Array(items) if !items.is_empty() => sequence(&mut out, items, 0),
        plain => scalar(&mut out, plain, 1),
    }
    out
}

fn mapping(out: &mut String, map: &Map<String, Value>, depth: usize) {
    for (at, (key, value)) in map.iter().enumerate() {
        if at > 0 {
            indent(out, depth);
        }
        string(out, key);
        out.push(':');
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push('\n');
                indent(out, depth + 1);
                mapping(out, inner, depth + 1);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                indent(out, depth + 1);
                sequence(out, items, depth + 1);
            }
            plain => {
                out.push(' ');
                scalar(out, plain, depth + 1);
            }
        }
    }
}

/// Writes a list, starting at the position of its first item. A nested list or mapping starts in
/// the same way.
fn sequence(out: &mut String, items: &[Value], depth: usize) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            indent(out, depth);
        }
        out.push_str("- ");
        match item {
            Value::Object(inner) if !inner.is_empty() => mapping(out, inner, depth + 1),
            Value::Array(inner) if !inner.is_empty() => sequence(out, inner, depth + 1),
            plain => scalar(out, plain, depth + 1),
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn scalar(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(text) if is_prose(text) => {
            out.push_str("|-\n");
            for line in text.split('\n') {
                if !line.is_empty() {
                    indent(out, depth);
                }
                out.push_str(line);
                out.push('\n');
            }
            return;
        }
        Value::String(text) => string(out, text),
        Value::Number(number) => out.push_str(&decimal(number)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            out.push_str(&value.to_string());
        }
    }
    out.push('\n');
}

/// Whether a text has several lines and a literal block keeps it unchanged.
fn is_prose(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with('\n')
        && text.chars().all(|c| c == '\n' || is_plain(c))
}

/// A text in double quotes, as in JSON.
fn string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            plain if is_plain(plain) => out.push(plain),
            other => {
                let code = u32::from(other);
                out.push_str(&if code > 0xffff {
                    format!("\\U{code:08X}")
                } else {
                    format!("\\u{code:04X}")
                });
            }
        }
    }
    out.push('"');
}

/// Whether a character can be written unescaped: not if YAML 1.1 cannot print it or reads it as a line
/// break.
fn is_plain(character: char) -> bool {
    let shown = !is_blank(character.encode_utf8(&mut [0; 4]));
    character == ' ' || shown && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// A number in decimal form. YAML 1.1 reads an exponent only with a sign and after a fraction.
fn decimal(number: &Number) -> String {
    let text = number.to_string();
    let Some((digits, exponent)) = text.split_once('e') else {
        return text;
    };
    let fraction = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) {
        ""
    } else {
        "+"
    };
    format!("{digits}{fraction}e{sign}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Texts that match the types of YAML 1.1 in `yaml.org/type`, at least one for each type.
    const TAKEN: &str = "12:00 190:20:30 1:30.5 yes No ON off y N true ~ null Null 010 0o10 0x1F \
        0b11 1_000 1,000 +1 -0 .5 1. 1e3 .inf -.INF .NaN 2026-08-22 2026-08-22T15:00:00Z = << \
        - ? * & ! @ ` % # | > [ { , :";

    #[test]
    fn no_string_can_be_taken_for_another_type() {
        for taken in TAKEN
            .split_whitespace()
            .chain(["", " ", "a: b", "a #b", "- a"])
        {
            assert_eq!(text(&json!(taken)), format!("\"{taken}\"\n"));
            let written = text(&json!([taken, { taken: taken }, [taken]]));
            let quoted = format!("\"{taken}\"");
            assert_eq!(written.replace(&quoted, "s"), "- s\n- s: s\n- - s\n");
        }
    }

    #[test]
    fn every_value_comes_back_as_it_was() {
        let values = [
            json!(null),
            json!([]),
            json!({}),
            json!([[], {}, [[1], { "a": [] }], null, true, false]),
            json!({ "a": { "b": [{ "c": 1, "d": [2, 3] }, "e"] }, "": {}, "f": [[1, 2], [3]] }),
            json!([0, -1, u64::MAX, i64::MIN, 0.5, 1e300, 5e-324, 1.5e16, 1e21]),
            json!("uma linha\n\noutra: linha\n  recuada # não é comentário"),
            json!({ "a": "x\ny", "b": ["x\ny", "z"] }),
            json!([
                "fim\n",
                "\ncomeço",
                " recuo\nx",
                "x\r\ny",
                "tab\t\"aspas\" \\",
                "x\n\ty",
                "\u{0}\u{7f}\u{85}\u{a0}\u{ad}\u{2028}\u{feff}\u{fffe}\u{ffff}",
                "🎉 ação",
                "\u{e0001}",
                "[^\u{e0000}-\u{e0fff}]",
            ]),
        ];
        for value in values {
            let written = text(&value);
            let read: Value = serde_yaml_ng::from_str(&written).expect("YAML");
            assert_eq!(read, value, "{written}");
        }
    }
}
