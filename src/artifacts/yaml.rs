//! Writes YAML that parsers of all YAML versions read as the same JSON.
//!
//! YAML 1.1 reads a plain `12:00` as 720, `on` as true and `010` as 8. So no string is written
//! plain: each one is quoted or a literal block.

use domain::is_blank;
use serde_json::{Map, Number, Value};

/// Serializes a value in block style.
pub(crate) fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) if !map.is_empty() => write_mapping(&mut out, map, 0),
        Value::Array(items) if !items.is_empty() => write_sequence(&mut out, items, 0),
        plain => write_scalar(&mut out, plain, 1),
    }
    out
}

fn write_mapping(out: &mut String, map: &Map<String, Value>, depth: usize) {
    for (at, (key, value)) in map.iter().enumerate() {
        if at > 0 {
            write_indent(out, depth);
        }
        write_string(out, key);
        out.push(':');
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push('\n');
                write_indent(out, depth + 1);
                write_mapping(out, inner, depth + 1);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push('\n');
                write_indent(out, depth + 1);
                write_sequence(out, items, depth + 1);
            }
            plain => {
                out.push(' ');
                write_scalar(out, plain, depth + 1);
            }
        }
    }
}

/// Writes a list. The first item starts at the current position, and so does a nested list or
/// mapping.
fn write_sequence(out: &mut String, items: &[Value], depth: usize) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            write_indent(out, depth);
        }
        out.push_str("- ");
        match item {
            Value::Object(inner) if !inner.is_empty() => write_mapping(out, inner, depth + 1),
            Value::Array(inner) if !inner.is_empty() => write_sequence(out, inner, depth + 1),
            plain => write_scalar(out, plain, depth + 1),
        }
    }
}

fn write_indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn write_scalar(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(text) if is_prose(text) => {
            out.push_str("|-\n");
            for line in text.split('\n') {
                if !line.is_empty() {
                    write_indent(out, depth);
                }
                out.push_str(line);
                out.push('\n');
            }
            return;
        }
        Value::String(text) => write_string(out, text),
        Value::Number(number) => out.push_str(&format_number(number)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            out.push_str(&value.to_string());
        }
    }
    out.push('\n');
}

/// Whether a text has several lines and can be written as a literal block unchanged.
fn is_prose(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with('\n')
        && text.chars().all(|c| c == '\n' || is_safe_unescaped(c))
}

/// Writes a text in double quotes, as in JSON.
fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            plain if is_safe_unescaped(plain) => out.push(plain),
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

/// Whether a character can be written unescaped: YAML 1.1 must be able to print it and must not
/// read it as a line break.
fn is_safe_unescaped(character: char) -> bool {
    let shown = !is_blank(character.encode_utf8(&mut [0; 4]));
    character == ' ' || shown && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// Formats a number. YAML 1.1 recognises an exponent only with a sign and after a fraction.
fn format_number(number: &Number) -> String {
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

    /// Texts that YAML 1.1 reads as other types (`yaml.org/type`), at least one for each type.
    const TAKEN: &str = "12:00 190:20:30 1:30.5 yes No ON off y N true ~ null Null 010 0o10 0x1F \
        0b11 1_000 1,000 +1 -0 .5 1. 1e3 .inf -.INF .NaN 2026-08-22 2026-08-22T15:00:00Z = << \
        - ? * & ! @ ` % # | > [ { , :";

    #[test]
    fn no_string_can_be_taken_for_another_type() {
        for taken in TAKEN
            .split_whitespace()
            .chain(["", " ", "a: b", "a #b", "- a"])
        {
            assert_eq!(to_yaml(&json!(taken)), format!("\"{taken}\"\n"));
            let written = to_yaml(&json!([taken, { taken: taken }, [taken]]));
            let quoted = format!("\"{taken}\"");
            assert_eq!(written.replace(&quoted, "s"), "- s\n- s: s\n- - s\n");
        }
    }

    #[test]
    fn every_value_round_trips() {
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
            let written = to_yaml(&value);
            let read: Value = serde_yaml_ng::from_str(&written).expect("YAML");
            assert_eq!(read, value, "{written}");
        }
    }
}
