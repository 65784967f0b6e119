//! Fetches client id metadata documents. Their URLs come from unauthenticated clients.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use gateway::{Error, Result};
use ports::{ClientDocument, ClientDocuments};
use reqwest::{Client, Response, Url, header};

use super::foreign;

/// Maximum bytes of a document.
const LONGEST: usize = 5_000;
/// The timeout of a document, including the resolution of its host name.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Fetches documents from the public internet only.
pub struct PublicDocuments;

#[async_trait]
impl ClientDocuments for PublicDocuments {
    async fn fetch_document(&self, url: &str) -> Result<ClientDocument> {
        let url = Url::parse(url).map_err(Error::internal)?;
        with_timeout(TIMEOUT, async {
            let client = foreign::require_public_client(&url)
                .await
                .map_err(fetch_error)?;
            fetch_document(&client, url).await
        })
        .await
    }
}

async fn with_timeout<T>(limit: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    let done = tokio::time::timeout(limit, work).await;
    done.unwrap_or_else(|_| Err(fetch_error("it took too long")))
}

/// Fetches a document. `client` must not follow redirects.
async fn fetch_document(client: &Client, url: Url) -> Result<ClientDocument> {
    let request = client.get(url).header(header::ACCEPT, "application/json");
    let response = request.send().await.map_err(connection_error)?;
    let status = response.status();
    if status.as_u16() != 200 {
        return Err(fetch_error(format!("the answer has status {status}")));
    }
    if !is_json(&response) {
        return Err(fetch_error("the answer is no JSON"));
    }
    let max_age = max_age(&response);
    let body = read_body(response).await?;
    Ok(ClientDocument { body, max_age })
}

async fn read_body(mut response: Response) -> Result<Bytes> {
    let mut body = BytesMut::new();
    while let Some(part) = response.chunk().await.map_err(connection_error)? {
        if body.len() + part.len() > LONGEST {
            return Err(fetch_error("the document is too long"));
        }
        body.extend_from_slice(&part);
    }
    Ok(body.freeze())
}

fn is_json(response: &Response) -> bool {
    let given = response.headers().get(header::CONTENT_TYPE);
    let given = given
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Returns how long the document may be cached: zero for `no-store` or `no-cache`, otherwise `max-age`.
fn max_age(response: &Response) -> Option<Duration> {
    let given = response
        .headers()
        .get(header::CACHE_CONTROL)?
        .to_str()
        .ok()?;
    let mut rules = given.split(',').map(str::trim);
    if rules
        .clone()
        .any(|rule| rule == "no-store" || rule == "no-cache")
    {
        return Some(Duration::ZERO);
    }
    let age = rules.find_map(|rule| rule.strip_prefix("max-age="))?;
    age.parse().ok().map(Duration::from_secs)
}

/// Returns the error for a failed request. It omits the URL, because the query may contain a secret.
fn connection_error(error: reqwest::Error) -> Error {
    Error::internal(error.without_url())
}

fn fetch_error(why: impl Into<String>) -> Error {
    Error::internal(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    /// Serves one response on loopback and fetches it.
    async fn fetch_response(answer: String, stays: bool) -> Result<ClientDocument> {
        crate::providers::install_tls_provider();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a client");
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(answer.as_bytes()).await;
            if stays {
                std::future::pending::<()>().await;
            }
        });
        let url = Url::parse(&format!("http://{address}/client.json")).expect("a URL");
        let client = foreign::client_builder()
            .no_proxy()
            .build()
            .expect("a client");
        let read = with_timeout(Duration::from_millis(500), fetch_document(&client, url)).await;
        serving.abort();
        read
    }

    fn http_response(head: &str, body: &str) -> String {
        let length = body.len();
        format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
    }

    const JSON: &str = "200 OK\r\nContent-Type: application/json";

    #[tokio::test]
    async fn a_document_is_read_with_its_max_age() {
        let head = format!("{JSON}; charset=utf-8\r\nCache-Control: public, max-age=600");
        let read = fetch_response(http_response(&head, "{}"), false)
            .await
            .expect("a document");
        assert_eq!(&read.body[..], b"{}");
        assert_eq!(read.max_age, Some(Duration::from_secs(600)));
    }

    #[tokio::test]
    async fn only_a_short_json_document_is_accepted() {
        let long = " ".repeat(6_000);
        for (what, answer) in [
            ("long", http_response(JSON, &long)),
            (
                "HTML",
                http_response("200 OK\r\nContent-Type: text/html", "{}"),
            ),
            (
                "a redirect",
                http_response(
                    "302 Found\r\nContent-Type: application/json\r\nLocation: /x",
                    "{}",
                ),
            ),
            (
                "absent",
                http_response("404 Not Found\r\nContent-Type: application/json", "{}"),
            ),
        ] {
            assert!(fetch_response(answer, false).await.is_err(), "{what}");
        }
    }

    #[tokio::test]
    async fn a_document_that_never_ends_times_out() {
        let begun = format!("HTTP/1.1 {JSON}\r\nContent-Length: 100\r\n\r\n{{");
        assert!(fetch_response(begun, true).await.is_err());
    }

    #[tokio::test]
    async fn an_error_does_not_contain_the_query_of_the_url() {
        crate::providers::install_tls_provider();
        let url = Url::parse("http://127.0.0.1:1/client.json?chave=segredo").expect("a URL");
        let client = foreign::client_builder()
            .no_proxy()
            .build()
            .expect("a client");
        let failed = fetch_document(&client, url)
            .await
            .err()
            .expect("no server listens on the port");
        let mut cause: Option<&dyn std::error::Error> = Some(&failed);
        let mut text = String::new();
        while let Some(error) = cause {
            text.push_str(&error.to_string());
            cause = error.source();
        }
        assert!(!text.contains("segredo"), "{text}");
    }

    #[tokio::test]
    async fn documents_in_private_networks_are_not_requested() {
        for url in [
            "https://127.0.0.1/client.json",
            "https://169.254.169.254/client.json",
            "https://[::ffff:10.0.0.1]/client.json",
            "https://localhost/client.json",
        ] {
            let refused = PublicDocuments
                .fetch_document(url)
                .await
                .err()
                .expect("refused");
            let source = std::error::Error::source(&refused).expect("a cause");
            assert_eq!(source.to_string(), "the address is not public", "{url}");
        }
    }
}
