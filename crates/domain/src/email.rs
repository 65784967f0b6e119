//! E-mail addresses of members.

use std::{borrow::Cow, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};

const MAX_LENGTH: usize = 254;

/// An e-mail address, trimmed and in lower case, so that each address has one spelling.
///
/// The schema checks the format: printable ASCII with text before and after a single `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address for logs, with only the first character of the user and of the host. A
    /// complete host could identify a person.
    #[must_use]
    pub fn to_masked_text(&self) -> String {
        let (user, host) = self.0.split_once('@').unwrap_or_default();
        let [user, host] = [user, host].map(|part| part.chars().take(1).collect::<String>());
        format!("{user}***@{host}***")
    }

    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<&str> for Email {
    fn from(text: &str) -> Self {
        Self(text.trim().to_lowercase())
    }
}

/// Applies the format rule of the schema, for callers without a schema.
impl FromStr for Email {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (user, host) = text.trim().split_once('@').ok_or(())?;
        let printable = |part: &str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic() && b != b'@')
        };
        let fits = text.chars().count() <= MAX_LENGTH && printable(user) && printable(host);
        fits.then(|| Self::from(text)).ok_or(())
    }
}

impl<'de> Deserialize<'de> for Email {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(Cow::<str>::deserialize(deserializer)?.as_ref()))
    }
}

impl JsonSchema for Email {
    fn schema_name() -> Cow<'static, str> {
        "Email".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "minLength": 3,
            "maxLength": MAX_LENGTH,
            "pattern": r"^\s*[!-?A-~]+@[!-?A-~]+\s*$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_address_shows_one_character_of_user_and_host() {
        for (email, masked) in [
            ("ana.lima@exemplo.com.br", "a***@e***"),
            ("a@b", "a***@b***"),
            ("", "***@***"),
        ] {
            assert_eq!(Email::from(email).to_masked_text(), masked);
        }
    }

    #[test]
    fn addresses_are_trimmed_and_lower_cased() {
        assert_eq!(
            Email::from(" Ana.Lima@Exemplo.com.br\n").as_str(),
            "ana.lima@exemplo.com.br"
        );
    }
}
