//! Writes JSON text as a JSON string. MCP responses contain such a copy of the result, so this must
//! be fast.

/// Number of bytes processed at once.
const BLOCK: usize = 32;

/// Appends the text to `out` as a JSON string.
pub fn append_quoted(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    let Some(special) = count_escapes(rest) else {
        // JSON responses have no control characters, so only other texts take this slower path.
        serde_json::to_writer(out, text).expect("text is written to memory");
        return;
    };
    out.push(b'"');
    let start = out.len();
    out.resize(start + rest.len() + special + BLOCK, 0);
    let space = &mut out[start..];
    let mut end = 0;
    // A copy of a fixed size compiles to one or two instructions. Bytes that it copies beyond the
    // next special byte are overwritten by the next copy, which starts at that byte.
    while let Some(window) = rest.first_chunk::<{ 2 * BLOCK }>() {
        let mut specials = special_mask(window);
        let mut from = 0;
        while specials != 0 {
            let at = specials.trailing_zeros() as usize;
            space[end..end + BLOCK].copy_from_slice(&window[from..from + BLOCK]);
            end += at - from;
            space[end] = b'\\';
            end += 1;
            from = at;
            specials &= specials - 1;
        }
        space[end..end + BLOCK].copy_from_slice(&window[from..from + BLOCK]);
        end += BLOCK - from;
        rest = &rest[BLOCK..];
    }
    for &byte in rest {
        if is_special(byte) {
            space[end] = b'\\';
            end += 1;
        }
        space[end] = byte;
        end += 1;
    }
    out.truncate(start + end);
    out.push(b'"');
}

/// Returns the number of bytes to escape; `None` if the text has a control character. The sums are
/// single bytes over short chunks, because the compiler vectorises such sums.
fn count_escapes(text: &[u8]) -> Option<usize> {
    let mut special = 0;
    for part in text.chunks(128) {
        let (mut found, mut least) = (0_u8, u8::MAX);
        for byte in part {
            found += u8::from(is_special(*byte));
            least = least.min(*byte);
        }
        if least < 0x20 {
            return None;
        }
        special += usize::from(found);
    }
    Some(special)
}

/// Returns the bit mask of the bytes in the first block that must be escaped.
fn special_mask(window: &[u8; 2 * BLOCK]) -> u32 {
    let mut bits = 0;
    for (at, byte) in window[..BLOCK].iter().enumerate() {
        bits |= u32::from(is_special(*byte)) << at;
    }
    bits
}

fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> String {
        let mut out = vec![];
        append_quoted(text, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn quoted_text_equals_the_output_of_serde_json() {
        let ascii: String = (0..=0x7f_u8).map(char::from).collect();
        let printable = &ascii[0x20..];
        let mixed = r#"{"título":"à \"noite\"\n","n":[1,2],"vazio":"","🍞":"\u0007"}"#;
        for length in 0..140 {
            for end in ["", "\"", "\\", "\u{1}", "é", "🍞"] {
                let text = format!("{}{end}{}", "x".repeat(length), "y".repeat(length % 9));
                assert_eq!(quoted(&text), serde_json::to_string(&text).expect("JSON"));
            }
        }
        for text in [
            "",
            &ascii,
            printable,
            mixed,
            &mixed.repeat(50),
            &"\"".repeat(999),
        ] {
            assert_eq!(quoted(text), serde_json::to_string(text).expect("JSON"));
        }
    }
}
