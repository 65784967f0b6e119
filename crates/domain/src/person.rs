//! A person, identified by the keyed hash of their e-mail address.

/// The HMAC-SHA256 of an e-mail address, in Base64. Without the HMAC key it does not reveal the
/// person.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PersonId(String);

impl PersonId {
    /// Wraps an id from the database, unchanged; `None` for an empty text.
    #[must_use]
    pub fn from_stored(text: String) -> Option<Self> {
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
