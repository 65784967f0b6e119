//! What the privacy page says about an installation.

/// What the page says about this installation.
pub struct PrivacyNotice {
    /// Whom to ask; `None` if the operator has configured nobody.
    pub contact: Option<Contact>,
    /// Where the data are.
    pub places: Vec<String>,
    pub stored: Vec<Stored>,
    /// The outside services that are connected.
    pub recipients: Vec<Recipient>,
}

/// The person or page that answers questions about personal data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contact {
    Email(String),
    Page(String),
}

/// One kind of data.
pub struct Stored {
    pub what: &'static str,
    pub content: String,
    pub kept: String,
}

/// An outside service, and what it receives.
pub struct Recipient {
    pub name: String,
    pub receives: &'static str,
}
