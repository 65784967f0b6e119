//! Sends messages to the push services of browsers (RFC 8030).
//!
//! The host is resolved and checked for each message, and the connection uses the checked addresses. The
//! body of an answer is not read, because only its status and `Retry-After` are needed.

use std::time::Duration;

use async_trait::async_trait;
use gateway::{Error, Result};
use ports::{PushAnswer, PushRequest, PushSender};
use reqwest::{Url, header};
use tokio::time::timeout;
use tracing::Instrument;

use super::{outgoing, receivers::Receivers};
use crate::config::AllowedOrigins;

/// The time for a whole request, including the resolution of the host name. It is longer than the time
/// for the connection, so that an unreachable service is not taken for a lost answer.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Sends to the public internet, and to the origins that the operator listed.
pub struct PushServices {
    receivers: Receivers,
    timeout: Duration,
}

impl PushServices {
    /// Creates the sender. Fails if the HTTP client cannot be built.
    pub fn new(listed: AllowedOrigins) -> reqwest::Result<Self> {
        Ok(Self {
            receivers: Receivers::new(listed)?,
            timeout: TIMEOUT,
        })
    }

    async fn request(&self, request: PushRequest) -> PushAnswer {
        let url = Url::parse(&request.endpoint).ok();
        let client = url.as_ref().and_then(|url| self.receivers.find_client(url));
        let (Some(url), Some(client)) = (url, client) else {
            return PushAnswer::NotReached;
        };
        let mut post = client.post(url).header(header::USER_AGENT, "Pauta-Push");
        for (name, value) in request.headers {
            post = post.header(name, value);
        }
        match outgoing::send_untraced(post.body(request.body)).await {
            Ok(answer) => {
                let wait = answer.headers().get(header::RETRY_AFTER);
                PushAnswer::Status {
                    status: answer.status().as_u16(),
                    retry_after: wait.and_then(|value| Some(value.to_str().ok()?.to_owned())),
                }
            }
            Err(error) if error.is_connect() || error.is_builder() => PushAnswer::NotReached,
            Err(_) => PushAnswer::Unknown,
        }
    }
}

#[async_trait]
impl PushSender for PushServices {
    fn check_endpoint(&self, endpoint: &str) -> Result<()> {
        let checked = self.receivers.check_url(endpoint);
        checked.map_err(|message| Error::invalid_field("endpoint", "format", message))
    }

    async fn send(&self, request: PushRequest) -> PushAnswer {
        // The path identifies the device, so the span contains no address.
        let span = tracing::info_span!("provider_request", to = "push");
        let asked = timeout(self.timeout, self.request(request).instrument(span)).await;
        asked.unwrap_or(PushAnswer::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::config::{Config, Sources};

    fn request(endpoint: &str) -> PushRequest {
        PushRequest {
            endpoint: endpoint.to_owned(),
            headers: vec![],
            body: vec![0; 16],
        }
    }

    fn services(origin: &str, timeout: Duration) -> PushServices {
        crate::providers::install_tls_provider();
        let settings = [("PAUTA_PUSH_ORIGINS", origin.to_owned())];
        let config = Config::read(&Sources::from_pairs(settings)).expect("a valid configuration");
        PushServices {
            timeout,
            ..PushServices::new(config.push.origins).expect("a client")
        }
    }

    #[tokio::test]
    async fn nothing_is_sent_to_addresses_that_are_not_public() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let services = services("", TIMEOUT);
        for host in [
            "localhost",
            "127.0.0.1",
            "2130706433",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[fd00::8]",
            "[64:ff9b::7f00:1]",
            "169.254.169.254",
            "10.0.0.1",
        ] {
            let url = format!("https://{host}:{port}/aparelho");
            let answer = services.send(request(&url)).await;
            assert_eq!(answer, PushAnswer::NotReached, "{host}");
            let is_name = host == "localhost";
            assert_eq!(services.check_endpoint(&url).is_ok(), is_name, "{host}");
        }
        let accepted = futures::FutureExt::now_or_never(listener.accept());
        assert!(accepted.is_none(), "nobody has connected");
        for url in [
            "http://93.184.216.34/",
            "https://a:b@93.184.216.34/",
            "https://93.184.216.34/#a",
            "ftp://a",
            "a",
        ] {
            assert!(services.check_endpoint(url).is_err(), "{url}");
        }
        let real = "https://updates.push.services.mozilla.com/wpush/v2/gAAAA";
        assert!(services.check_endpoint(real).is_ok());
    }

    #[tokio::test]
    async fn without_an_answer_the_message_may_have_arrived() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let services = services(&origin, Duration::from_millis(200));
        let answer = services.send(request(&origin)).await;
        assert_eq!(answer, PushAnswer::Unknown);
        drop(listener);
        let answer = services.send(request(&origin)).await;
        assert_eq!(answer, PushAnswer::NotReached);
    }
}
