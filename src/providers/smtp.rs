//! Sends e-mails through an SMTP server, each over its own connection.
//!
//! The adapter runs the SMTP dialogue step by step, because the meaning of a failure depends on the
//! step. Before the text was sent, the e-mail can be sent again; afterwards, the server may have
//! accepted it. Replies of the server are neither logged nor stored, except for their codes.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use gateway::{Code, Error, Result};
use lettre::{
    Address, Message,
    message::{
        Mailbox, MultiPart,
        header::{HeaderName, HeaderValue},
    },
    transport::smtp::{
        Error as SmtpError,
        authentication::{Credentials, Mechanism},
        client::{AsyncSmtpConnection, Certificate, TlsParameters},
        commands::{Data, Mail as MailFrom, Quit, Rcpt},
        extension::ClientId,
    },
};
use ports::{Mail, MailOutcome, MailSender};
use tokio::time::timeout;
use tracing::Instrument;

use crate::config::{SmtpServer, SmtpTls};

const MECHANISMS: [Mechanism; 2] = [Mechanism::Plain, Mechanism::Login];
/// The timeout of ending the connection with `QUIT` or after an error.
const GOODBYE: Duration = Duration::from_secs(2);

/// An SMTP server.
pub struct Smtp {
    server: SmtpServer,
    tls: Option<TlsParameters>,
    hello: ClientId,
}

/// The step at which an attempt failed.
enum Failed {
    /// Before the recipient: the connection, the sign-in or the sender.
    Early(Option<u16>),
    /// The server has refused the recipient.
    Recipient(SmtpError),
    /// The server has answered the text with a refusal.
    Text(SmtpError),
    /// The message cannot be built.
    Message,
}

impl From<SmtpError> for Failed {
    fn from(error: SmtpError) -> Self {
        Self::Early(reply_code(&error))
    }
}

impl Smtp {
    /// Creates the adapter. Fails if the name of the server is not valid for TLS, or a trusted
    /// certificate cannot be read.
    pub fn new(server: SmtpServer) -> anyhow::Result<Self> {
        super::install_tls_provider();
        let tls = match server.tls {
            SmtpTls::None => None,
            SmtpTls::Implicit | SmtpTls::Required => {
                let mut tls = TlsParameters::builder(server.host.clone());
                if let Some(roots) = &server.roots {
                    tls = tls.add_root_certificate(Certificate::from_pem(roots)?);
                }
                Some(tls.build_rustls()?)
            }
        };
        let domain = server.from.as_str().rsplit('@').next();
        Ok(Self {
            hello: ClientId::Domain(domain.unwrap_or_default().to_owned()),
            tls,
            server,
        })
    }

    /// Connects, encrypts the connection and signs in.
    async fn connect(&self) -> std::result::Result<AsyncSmtpConnection, SmtpError> {
        let SmtpServer {
            host, port, tls, ..
        } = &self.server;
        let implicit = self.tls.clone().filter(|_| *tls == SmtpTls::Implicit);
        let at = (host.as_str(), *port);
        let connecting = Some(self.server.timeout);
        let connected =
            AsyncSmtpConnection::connect_tokio1(at, connecting, &self.hello, implicit, None);
        let mut connection = connected.await?;
        if *tls == SmtpTls::Required
            && let Some(tls) = &self.tls
        {
            connection.starttls(tls.clone(), &self.hello).await?;
        }
        if let Some((user, password)) = &self.server.credentials {
            let credentials = Credentials::new(user.clone(), password.clone());
            connection.auth(&MECHANISMS, &credentials).await?;
        }
        Ok(connection)
    }

    /// Attempts to deliver an e-mail. Sets `began` before the text is sent.
    async fn deliver(&self, mail: &Mail, began: &AtomicBool) -> std::result::Result<(), Failed> {
        let (from, to) = (parse_address(&self.server.from)?, parse_address(&mail.to)?);
        let message = self.build_message(mail).ok_or(Failed::Message)?;
        let mut connection = self.connect().await?;
        let from = MailFrom::new(Some(from), vec![]);
        connection.command(from).await?;
        let accepted = connection.command(Rcpt::new(to, vec![])).await;
        if let Err(error) = accepted {
            abort(connection).await;
            return Err(Failed::Recipient(error));
        }
        connection.command(Data).await?;
        began.store(true, Ordering::Release);
        let sent = connection.message(&message).await;
        match sent {
            Ok(_) => {
                let _ = timeout(GOODBYE, connection.command(Quit)).await;
                Ok(())
            }
            Err(error) => Err(Failed::Text(error)),
        }
    }

    fn build_message(&self, mail: &Mail) -> Option<Vec<u8>> {
        let mailbox = |name: &str, address: &domain::Email| {
            let name = (!name.is_empty()).then(|| name.to_owned());
            Some(Mailbox::new(name, address.as_str().parse().ok()?))
        };
        let domain = self.server.from.as_str().rsplit('@').next()?;
        let name = self.server.from_name.as_deref().unwrap_or(&mail.from_name);
        let date = u64::try_from(mail.date).ok()?;
        let mut message = Message::builder()
            .from(mailbox(name, &self.server.from)?)
            .to(mailbox(&mail.to_name, &mail.to)?)
            .subject(&*mail.subject)
            .date(SystemTime::UNIX_EPOCH + Duration::from_millis(date))
            .message_id(Some(format!("<{}@{domain}>", mail.id)))
            .raw_header(raw("Auto-Submitted", "auto-generated"))
            .raw_header(raw("X-Auto-Response-Suppress", "All"));
        if let Some(address) = &mail.unsubscribe {
            message = message
                .raw_header(raw("List-Unsubscribe", &format!("<{address}>")))
                .raw_header(raw("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let parts = MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone());
        Some(message.multipart(parts).ok()?.formatted())
    }
}

#[async_trait]
impl MailSender for Smtp {
    async fn send(&self, mail: &Mail) -> MailOutcome {
        let began = AtomicBool::new(false);
        let span = tracing::info_span!("provider_request", to = "smtp");
        let attempt = self.deliver(mail, &began).instrument(span);
        let made = timeout(self.server.timeout, attempt).await;
        let outcome = match made {
            Ok(Ok(())) => MailOutcome::Accepted,
            Ok(Err(failed)) => to_outcome(&failed),
            Err(_) if began.load(Ordering::Acquire) => MailOutcome::Unknown,
            Err(_) => MailOutcome::Later(None),
        };
        if outcome != MailOutcome::Accepted {
            tracing::warn!(?outcome, "o servidor de e-mail não aceitou um e-mail");
        }
        outcome
    }

    async fn check_available(&self) -> Result<()> {
        let checked = timeout(self.server.timeout, async {
            let mut connection = self.connect().await?;
            connection.command(Quit).await.map(drop)
        });
        let failed = |error: SmtpError| {
            let text = match reply_code(&error) {
                Some(code) => format!("o servidor respondeu {code}; confira PAUTA_SMTP_URL"),
                None if error.is_tls() => {
                    "a conexão cifrada falhou; confira PAUTA_SMTP_URL e o certificado".to_owned()
                }
                None => {
                    "a conexão falhou, ou o servidor não oferece STARTTLS ou a entrada; confira \
                         PAUTA_SMTP_URL"
                        .to_owned()
                }
            };
            Error::new(Code::PROVIDER_FAILED).because(text)
        };
        match checked.await {
            Ok(connected) => connected.map_err(failed),
            Err(_) => Err(Error::new(Code::PROVIDER_TIMEOUT)),
        }
    }
}

fn to_outcome(failed: &Failed) -> MailOutcome {
    match failed {
        Failed::Early(code) => MailOutcome::Later(*code),
        Failed::Recipient(error) => match reply_code(error) {
            Some(code) if error.is_permanent() && !is_policy(code, error) => {
                MailOutcome::Bounced(code)
            }
            code => MailOutcome::Later(code),
        },
        Failed::Text(error) => match reply_code(error) {
            Some(code) if error.is_permanent() => MailOutcome::Refused(code),
            Some(code) => MailOutcome::Later(Some(code)),
            None => MailOutcome::Unknown,
        },
        Failed::Message => MailOutcome::Refused(0),
    }
}

/// True if the server refused the recipient because of the sender or the sending server, for example
/// because the sender may not relay through this server (RFC 3463, X.7). The mailbox may exist.
fn is_policy(code: u16, error: &SmtpError) -> bool {
    code == 530 || error.to_string().contains(" 5.7.")
}

fn reply_code(error: &SmtpError) -> Option<u16> {
    error.status().map(u16::from)
}

fn parse_address(email: &domain::Email) -> std::result::Result<Address, Failed> {
    email.as_str().parse().map_err(|_| Failed::Message)
}

/// Ends a connection over which no e-mail was sent. Waits at most [`GOODBYE`] for the server.
async fn abort(mut connection: AsyncSmtpConnection) {
    let _ = timeout(GOODBYE, connection.abort()).await;
}

/// Builds a header whose value is ASCII text without line breaks. The header is not folded, because a
/// folded address is not a valid address.
fn raw(name: &'static str, value: &str) -> HeaderValue {
    let name = HeaderName::new_from_ascii_str(name);
    HeaderValue::dangerous_new_pre_encoded(name, value.to_owned(), value.to_owned())
}
