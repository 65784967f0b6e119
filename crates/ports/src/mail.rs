//! Sends e-mails.

use async_trait::async_trait;

use domain::{Email, Result, time::Millis};

/// An e-mail to one person.
#[derive(Debug, Clone)]
pub struct Mail {
    /// The part of the message id before the `@`. It is the same in every attempt.
    pub id: String,
    /// The name of the sender, if the operator has not configured another one.
    pub from_name: String,
    pub to: Email,
    pub to_name: String,
    pub subject: String,
    pub text: String,
    pub html: String,
    pub date: Millis,
    /// The URL at which one POST unsubscribes the person from e-mails of this kind (RFC 8058).
    pub unsubscribe: Option<String>,
}

/// The outcome of an attempt, with the code of the server's reply if there was a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailOutcome {
    /// The server has accepted the e-mail.
    Accepted,
    /// The server does not accept e-mails for this address.
    Bounced(u16),
    /// The server does not accept this e-mail.
    Refused(u16),
    /// The server has not accepted the e-mail yet.
    Later(Option<u16>),
    /// The server may have accepted the e-mail.
    Unknown,
}

/// Sends e-mails through one server.
#[async_trait]
pub trait MailSender: Send + Sync {
    /// Makes one attempt to send the e-mail.
    async fn send(&self, mail: &Mail) -> MailOutcome;

    /// Connects and signs in, and sends nothing.
    async fn check_available(&self) -> Result<()>;
}
