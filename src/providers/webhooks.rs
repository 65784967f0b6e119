//! Sends messages to the receivers of webhooks.
//!
//! The host is resolved and checked for each message, and the connection uses the checked addresses. The
//! request contains only the message. Only the beginning of the answer is kept, for the log.

use std::time::Duration;

use async_trait::async_trait;
use gateway::{Error, Result};
use ports::{WebhookAnswer, WebhookSender};
use reqwest::{Response, Url, header};
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use super::{foreign, outgoing, receivers::Receivers};
use crate::config::AllowedOrigins;

/// The time for a whole request, including the resolution of the host name.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum bytes of the body of an answer that are read, so that a receiver can finish an answer of
/// usual length.
const READ: usize = 64 * 1024;
/// Maximum bytes of the body of an answer that are kept.
const KEPT: usize = 1_024;
/// The reason for refusing an address outside the public internet.
const NOT_PUBLIC: &str = "o endereço não existe ou não é da internet pública";

/// Sends to the public internet, and to the origins that the operator listed.
pub struct PublicReceivers {
    receivers: Receivers,
    timeout: Duration,
}

impl PublicReceivers {
    /// Creates the sender. Fails if the HTTP client cannot be built.
    pub fn new(listed: AllowedOrigins) -> reqwest::Result<Self> {
        Ok(Self {
            receivers: Receivers::new(listed)?,
            timeout: TIMEOUT,
        })
    }

    async fn request(
        &self,
        url: &str,
        headers: &[(&str, String)],
        body: String,
    ) -> Result<Response, &'static str> {
        let url = Url::parse(url).map_err(|_| "o endereço não é válido")?;
        let client = self.receivers.find_client(&url).ok_or(NOT_PUBLIC)?;
        let mut request = client
            .post(url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::USER_AGENT, "Pauta-Webhooks");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let sent = outgoing::send_untraced(request.body(body)).await;
        sent.map_err(|error| match foreign::is_not_public(&error) {
            true => NOT_PUBLIC,
            false => "a conexão falhou",
        })
    }
}

#[async_trait]
impl WebhookSender for PublicReceivers {
    fn check_url(&self, url: &str) -> Result<()> {
        let checked = self.receivers.check_url(url);
        checked.map_err(|message| Error::invalid_field("url", "format", message))
    }

    async fn send(&self, url: &str, headers: &[(&str, String)], body: String) -> WebhookAnswer {
        let begun = Instant::now();
        let deadline = begun + self.timeout;
        // The path and the query may contain a secret of the receiver, so the span does not contain
        // them.
        let span = tracing::info_span!("provider_request", to = "webhook");
        let asked = timeout_at(deadline, self.request(url, headers, body).instrument(span)).await;
        let answered = asked.unwrap_or(Err("não houve resposta em 10 segundos"));
        let mut answer = WebhookAnswer {
            status: answered
                .as_ref()
                .map_or_else(|why| Err(*why), |sent| Ok(sent.status().as_u16())),
            body: String::new(),
            retry_after: None,
            took: Duration::ZERO,
        };
        if let Ok(response) = answered {
            let wait = response.headers().get(header::RETRY_AFTER);
            answer.retry_after = wait.and_then(|value| Some(value.to_str().ok()?.to_owned()));
            answer.body = read_beginning(response, deadline).await;
        }
        answer.took = begun.elapsed();
        answer
    }
}

/// Reads the beginning of a body. Bytes that arrive after the deadline are omitted.
async fn read_beginning(mut response: Response, deadline: Instant) -> String {
    let (mut kept, mut read) = (vec![], 0);
    while read < READ {
        let Ok(Ok(Some(chunk))) = timeout_at(deadline, response.chunk()).await else {
            break;
        };
        read += chunk.len();
        kept.extend_from_slice(&chunk[..chunk.len().min(KEPT - kept.len())]);
    }
    // PostgreSQL stores no NUL.
    String::from_utf8_lossy(&kept).replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::config::{Config, Sources};

    fn sender(origin: &str, timeout: Duration) -> PublicReceivers {
        crate::providers::install_tls_provider();
        let settings = [("PAUTA_WEBHOOK_ORIGINS", origin.to_owned())];
        let config = Config::read(&Sources::from_pairs(settings)).expect("a valid configuration");
        PublicReceivers {
            timeout,
            ..PublicReceivers::new(config.webhook_origins).expect("a client")
        }
    }

    /// Sends a message to a receiver that answers `head` and then one byte every 20 ms. Returns the
    /// answer.
    async fn send_to_slow_receiver(head: &'static str) -> WebhookAnswer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a client");
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(b"a").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let sender = sender(&origin, Duration::from_millis(400));
        let answer = sender.send(&origin, &[], "{}".into()).await;
        serving.abort();
        answer
    }

    #[tokio::test]
    async fn a_receiver_that_answers_byte_by_byte_is_cut_off() {
        let slow = send_to_slow_receiver("HTTP/1.1 200 OK\r\nX-Slow: ").await;
        assert_eq!(slow.status, Err("não houve resposta em 10 segundos"));
        let begun = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
        let slow = send_to_slow_receiver(begun).await;
        // The status has arrived.
        assert_eq!(slow.status, Ok(200));
        assert!(slow.body.starts_with('a') && slow.body.len() < 100);
    }

    #[tokio::test]
    async fn addresses_that_are_not_public_are_refused_when_connecting() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let sender = sender("", TIMEOUT);
        for host in [
            "localhost",
            "127.0.0.1",
            "2130706433",
            "0x7f.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[fd00::8]",
            "[fe80::1]",
            "[64:ff9b::7f00:1]",
            "169.254.169.254",
            "10.0.0.1",
            "224.0.0.1",
        ] {
            let url = format!("https://{host}:{port}/");
            let answer = sender.send(&url, &[], "{}".into()).await;
            assert_eq!(answer.status, Err(NOT_PUBLIC), "{host}");
            // A name is resolved only when a message is sent.
            assert_eq!(
                sender.check_url(&url).is_ok(),
                host == "localhost",
                "{host}"
            );
        }
        let accepted = futures::FutureExt::now_or_never(listener.accept());
        assert!(accepted.is_none(), "nobody has connected");
        for url in [
            "http://93.184.216.34/",
            "https://a:b@93.184.216.34/",
            "ftp://a",
            "a",
        ] {
            assert!(sender.check_url(url).is_err(), "{url}");
        }
        assert!(sender.check_url("https://exemplo.test/entrada?a=b").is_ok());
    }
}
