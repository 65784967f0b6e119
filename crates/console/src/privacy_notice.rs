//! The facts on the privacy page that depend on the installation.

/// The facts on the privacy page that depend on the installation.
pub struct PrivacyNotice {
    /// The contact for questions. `None` if the operator has configured no contact.
    pub contact: Option<Contact>,
    /// The places where the data are stored.
    pub places: Vec<String>,
    pub stored: Vec<Stored>,
    /// The connected outside services.
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

/// An outside service, and the data that it receives.
pub struct Recipient {
    pub name: String,
    pub receives: &'static str,
}
