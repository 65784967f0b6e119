//! Idempotency keys: they make a write safe to repeat.

/// The pattern of a key, as stated in the published schemas.
pub const PATTERN: &str = "^[A-Za-z0-9._:~-]{8,128}$";

/// An idempotency key: 8–128 characters of `A-Z a-z 0-9 . _ : ~ -`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Parses a key; `None` if the text does not match the format.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._:~-".contains(&b);
        ((8..=128).contains(&text.len()) && text.bytes().all(allowed)).then(|| Self(text.into()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_a_limited_length_and_alphabet() {
        assert!(IdempotencyKey::parse("aZ09._:~-").is_some());
        assert!(IdempotencyKey::parse("1234567").is_none());
        assert!(IdempotencyKey::parse(&"a".repeat(128)).is_some());
        assert!(IdempotencyKey::parse(&"a".repeat(129)).is_none());
        assert!(IdempotencyKey::parse("12345678 ").is_none());
        assert!(IdempotencyKey::parse("chave-ção").is_none());
    }
}
