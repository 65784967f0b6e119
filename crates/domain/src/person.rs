//! A person, identified by the keyed hash of their e-mail address.

/// The HMAC-SHA256 of an e-mail address, in Base64. Only a service with the key can identify the
/// person.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PersonId(String);

impl PersonId {
    /// An id as stored, unchanged; `None` for an empty text.
    #[must_use]
    pub fn stored(text: String) -> Option<Self> {
        (!text.is_empty()).then_some(Self(text))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for PersonId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PersonId(…)")
    }
}
