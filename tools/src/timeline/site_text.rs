//! A text from a site, without control characters.

use std::borrow::Cow;

use domain::{has_email, without_emails};

/// The flag for a byte that may be part of a control character.
const CONTROL: u8 = 1;
/// The flag for a byte that may belong to an e-mail address: `@`, or `%` of an encoded `@`.
const ADDRESS: u8 = 2;
/// The flag for a byte that needs an escape in JSON.
const ESCAPED: u8 = 4;

/// The flags of each byte value. [`SiteText::new`] combines the flags of all bytes of a text. A check is
/// skipped if its flag is not among the combined flags.
const MEANINGS: [u8; 256] = {
    let mut meanings = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        meanings[byte] = CONTROL;
        byte += 1;
    }
    meanings[0x7F] = CONTROL;
    // 0xC2 is the first byte of U+0080 to U+009F.
    meanings[0xC2] = CONTROL;
    meanings[b'@' as usize] = ADDRESS;
    meanings[b'%' as usize] = ADDRESS;
    meanings[b'"' as usize] = ESCAPED;
    meanings[b'\\' as usize] = ESCAPED;
    meanings
};

#[derive(Clone, Copy)]
pub(super) struct SiteText<'a> {
    text: &'a str,
    /// The combined flags of all bytes of the text.
    meanings: u8,
}

impl<'a> SiteText<'a> {
    /// Checks a text. Returns an error message if the text is not allowed.
    pub(super) fn new(text: &'a str, longest: usize) -> Result<Self, String> {
        if text.is_empty() {
            return Err("está vazio".into());
        }
        // A text has at most as many characters as bytes, so short texts need no count.
        if text.len() > longest && text.chars().nth(longest).is_some() {
            return Err(format!("passa de {longest} caracteres"));
        }
        let meanings = text.bytes().map(|byte| MEANINGS[usize::from(byte)]);
        let meanings = meanings.fold(0, |all, meaning| all | meaning);
        if meanings & CONTROL != 0 && text.chars().any(char::is_control) {
            return Err("contém caracteres de controle".into());
        }
        Ok(Self { text, meanings })
    }

    pub(super) fn as_str(self) -> &'a str {
        self.text
    }

    pub(super) fn has_email(self) -> bool {
        self.meanings & ADDRESS != 0 && has_email(self.text)
    }

    /// Returns the text without e-mail addresses, because the page URLs of some sites contain e-mail
    /// addresses.
    pub(super) fn to_clean_text(self) -> Cow<'a, str> {
        match self.meanings & ADDRESS {
            0 => self.text.into(),
            _ => without_emails(self.text),
        }
    }

    /// Removes e-mail addresses from the text, and appends the result to `json` as a JSON string.
    /// Returns `None` if the text cannot be serialised.
    pub(super) fn push_json_to(self, json: &mut String) -> Option<()> {
        if self.meanings & ESCAPED == 0 {
            json.push('"');
            json.push_str(&self.to_clean_text());
            json.push('"');
        } else {
            json.push_str(&serde_json::to_string(&self.to_clean_text()).ok()?);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_refused_and_others_are_not() {
        for code in 0..0x2_0000 {
            let Some(character) = char::from_u32(code) else {
                continue;
            };
            let text = format!("a{character}");
            let is_taken = SiteText::new(&text, 9).is_ok();
            assert_eq!(is_taken, !character.is_control(), "{code:x}");
        }
    }

    #[test]
    fn a_text_is_written_as_json_without_addresses() {
        for text in ["a", "50%", "\"", "\\ ana@x.com", "ana%40x.com", "çã\u{e9}"] {
            let text = SiteText::new(text, 11).expect(text);
            let mut json = String::new();
            text.push_json_to(&mut json).expect("JSON");
            let read: String = serde_json::from_str(&json).expect(&json);
            assert_eq!(read, without_emails(text.as_str()));
            assert_eq!(text.to_clean_text(), read);
            assert_eq!(text.has_email(), has_email(text.as_str()));
        }
        assert!(SiteText::new("çç", 2).is_ok());
        assert!(SiteText::new("ççç", 2).is_err());
        assert!(SiteText::new("", 2).is_err());
    }
}
