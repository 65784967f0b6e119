//! Downloads files from URLs that callers name.
//!
//! The host of each URL and of each redirect is resolved and checked, and the connection uses the
//! checked addresses. All unreachable hosts get the same refusal, so a caller cannot find out which
//! names and ports exist in the service's network.

use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt, stream};
use gateway::{Error, Result};
use ports::{ByteStream, RemoteFile, RemoteFiles};
use reqwest::{Client, Response, StatusCode, Url, header};
use tokio::time::{Instant, timeout_at};

use super::foreign;
use crate::config::AllowedOrigins;

/// The input field that refusals name.
const FIELD: &str = "url";
/// Maximum number of redirects.
const MOST_REDIRECTS: usize = 5;
/// The time for a whole download, including redirects and the resolution of host names.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The default port of https, the only one that is requested on the public internet.
const HTTPS: u16 = 443;

/// Downloads from the public internet, and from the origins that the operator listed.
pub struct PublicFiles {
    listed: AllowedOrigins,
    /// The client for the listed origins.
    client: Client,
    timeout: Duration,
}

impl PublicFiles {
    /// Creates the downloader. Fails if the HTTP client cannot be built.
    pub fn new(listed: AllowedOrigins) -> reqwest::Result<Self> {
        Ok(Self {
            listed,
            client: foreign::client_builder().no_proxy().build()?,
            timeout: TIMEOUT,
        })
    }

    async fn request(&self, url: &Url) -> Result<Response> {
        let client = self.client_for(url).await?;
        let request = client
            .get(url.clone())
            .header(header::ACCEPT, "image/*, video/*, */*;q=0.1");
        request.send().await.map_err(|_| unreachable_host_error())
    }

    async fn client_for(&self, url: &Url) -> Result<Client> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(url_error("format", "não deve conter usuário nem senha"));
        }
        if self.listed.contain(url) {
            return Ok(self.client.clone());
        }
        if url.scheme() != "https" {
            let message = "deve começar com https://; um arquivo local vai por `create_upload`";
            return Err(url_error("format", message));
        }
        if url.port_or_known_default() != Some(HTTPS) {
            return Err(unreachable_host_error());
        }
        foreign::public_client(url)
            .await
            .ok_or_else(unreachable_host_error)
    }

    /// Requests the URL and the targets of its redirects.
    async fn follow_redirects(&self, mut url: Url) -> Result<(Url, Response)> {
        for _ in 0..=MOST_REDIRECTS {
            let answer = self.request(&url).await?;
            if !answer.status().is_redirection() {
                return Ok((url, answer));
            }
            let target = answer.headers().get(header::LOCATION);
            let target = target.and_then(|value| url.join(value.to_str().ok()?).ok());
            url = target.ok_or_else(|| url_error("fetch", "leva a um endereço inválido"))?;
        }
        Err(url_error("fetch", "leva sempre a outro endereço"))
    }
}

#[async_trait]
impl RemoteFiles for PublicFiles {
    async fn open(&self, url: &str) -> Result<RemoteFile> {
        let deadline = Instant::now() + self.timeout;
        let url = Url::parse(url).map_err(|_| url_error("format", "não é um endereço"))?;
        let opening = timeout_at(deadline, self.follow_redirects(url)).await;
        let (url, answer) = opening.unwrap_or_else(|_| Err(timeout_error()))?;
        if answer.status() != StatusCode::OK {
            let message = format!(
                "o servidor respondeu {}; confira o endereço e se ele dispensa autenticação",
                answer.status().as_u16()
            );
            return Err(url_error("fetch", &message));
        }
        let segments = url.path_segments();
        let name = segments
            .and_then(|mut segments| segments.next_back())
            .unwrap_or_default();
        Ok(RemoteFile {
            name: name.to_owned(),
            length: answer.content_length(),
            bytes: stream_until(answer, deadline),
        })
    }
}

/// Streams a body. The stream fails when the connection breaks or at the deadline.
fn stream_until(answer: Response, deadline: Instant) -> ByteStream {
    let chunks = stream::unfold(Some(answer), move |answer| async move {
        let mut answer = answer?;
        match timeout_at(deadline, answer.chunk()).await {
            Ok(Ok(None)) => None,
            Ok(Ok(Some(chunk))) => Some((Ok(chunk), Some(answer))),
            Ok(Err(_)) => Some((
                Err(url_error("fetch", "o arquivo não chegou inteiro")),
                None,
            )),
            Err(_) => Some((Err(timeout_error()), None)),
        }
    });
    chunks.boxed()
}

fn url_error(rule: &str, message: &str) -> Error {
    Error::invalid_field(FIELD, rule, message)
}

/// Returns the refusal of a host that is not public, does not exist or does not answer.
fn unreachable_host_error() -> Error {
    url_error(
        "fetch",
        "não pôde ser aberto; o endereço deve ser https na porta 443 de um servidor da internet pública",
    )
}

fn timeout_error() -> Error {
    url_error(
        "fetch",
        "o arquivo não chegou em 60 segundos; use `create_upload`",
    )
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::config::{Config, Sources};

    /// Downloads from a server on loopback that sends `sent` and then keeps the connection open.
    async fn download(sent: &'static str) -> Result<usize> {
        crate::providers::install_tls_provider();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a client");
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(sent.as_bytes()).await;
            std::future::pending::<()>().await;
        });
        let settings = [("PAUTA_IMPORT_ORIGINS", origin.clone())];
        let config = Config::read(&Sources::from_pairs(settings)).expect("a valid configuration");
        let files = PublicFiles {
            timeout: Duration::from_millis(300),
            ..PublicFiles::new(config.import_origins).expect("a client")
        };
        let read = async {
            let file = files.open(&format!("{origin}/a.png")).await?;
            let length = |sum, chunk: bytes::Bytes| async move { Ok(sum + chunk.len()) };
            file.bytes.try_fold(0, length).await
        };
        let read = read.await;
        serving.abort();
        read
    }

    #[tokio::test]
    async fn a_download_that_does_not_finish_in_time_is_aborted() {
        let begun = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nPNG";
        for sent in ["", "HTTP/1.1 200 OK\r\n", begun] {
            let refused = download(sent).await.expect_err("it is too slow");
            let body = serde_json::to_string(&refused.body()).expect("JSON");
            assert!(body.contains("60 segundos"), "{sent:?}: {body}");
        }
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nPNG";
        assert_eq!(download(whole).await.expect("a file"), 3);
    }
}
