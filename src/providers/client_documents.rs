//! Fetches documents of OAuth clients. Anybody can choose their addresses.

use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use gateway::{Error, Result};
use ports::{ClientDocument, ClientDocuments};
use reqwest::{Client, Response, Url, header};

use super::foreign;

/// The longest document, in bytes.
const LONGEST: usize = 5_000;
/// The timeout of a document, from the resolution of its host to its last byte.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Fetches documents from the public internet only.
pub struct PublicDocuments;

#[async_trait]
impl ClientDocuments for PublicDocuments {
    async fn fetch(&self, url: &str) -> Result<ClientDocument> {
        let url = Url::parse(url).map_err(Error::internal)?;
        in_time(TIMEOUT, async {
            let client = foreign::reach(&url).await.map_err(refused)?;
            read(&client, url).await
        })
        .await
    }
}

async fn in_time<T>(limit: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    let done = tokio::time::timeout(limit, work).await;
    done.unwrap_or_else(|_| Err(refused("it took too long")))
}

/// Reads a document with a client that follows no redirects.
async fn read(client: &Client, url: Url) -> Result<ClientDocument> {
    let request = client.get(url).header(header::ACCEPT, "application/json");
    let response = request.send().await.map_err(broken)?;
    let status = response.status();
    if status.as_u16() != 200 {
        return Err(refused(format!("the answer has status {status}")));
    }
    if !is_json(&response) {
        return Err(refused("the answer is no JSON"));
    }
    let max_age = max_age(&response);
    let body = body(response).await?;
    Ok(ClientDocument { body, max_age })
}

async fn body(mut response: Response) -> Result<Bytes> {
    let mut body = BytesMut::new();
    while let Some(part) = response.chunk().await.map_err(broken)? {
        if body.len() + part.len() > LONGEST {
            return Err(refused("the document is too long"));
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

/// The `max-age` of `Cache-Control`; `None` if the document must not be cached.
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

/// The error of a failed connection, without the address, whose query may contain a secret.
fn broken(error: reqwest::Error) -> Error {
    Error::internal(error.without_url())
}

fn refused(why: impl Into<String>) -> Error {
    Error::internal(why.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    /// Serves one answer, and fetches it as if its address were public.
    async fn answered(answer: String, stays: bool) -> Result<ClientDocument> {
        crate::providers::choose_tls();
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
        let client = foreign::client().no_proxy().build().expect("a client");
        let read = in_time(Duration::from_millis(500), read(&client, url)).await;
        serving.abort();
        read
    }

    fn with(head: &str, body: &str) -> String {
        let length = body.len();
        format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
    }

    const JSON: &str = "200 OK\r\nContent-Type: application/json";

    #[tokio::test]
    async fn a_document_is_read_with_how_long_it_may_be_kept() {
        let head = format!("{JSON}; charset=utf-8\r\nCache-Control: public, max-age=600");
        let read = answered(with(&head, "{}"), false)
            .await
            .expect("a document");
        assert_eq!(&read.body[..], b"{}");
        assert_eq!(read.max_age, Some(Duration::from_secs(600)));
    }

    #[tokio::test]
    async fn anything_else_than_a_short_json_document_is_refused() {
        let long = " ".repeat(6_000);
        for (what, answer) in [
            ("long", with(JSON, &long)),
            ("HTML", with("200 OK\r\nContent-Type: text/html", "{}")),
            (
                "a redirect",
                with(
                    "302 Found\r\nContent-Type: application/json\r\nLocation: /x",
                    "{}",
                ),
            ),
            (
                "absent",
                with("404 Not Found\r\nContent-Type: application/json", "{}"),
            ),
        ] {
            assert!(answered(answer, false).await.is_err(), "{what}");
        }
    }

    #[tokio::test]
    async fn a_document_that_never_ends_is_given_up() {
        let begun = format!("HTTP/1.1 {JSON}\r\nContent-Length: 100\r\n\r\n{{");
        assert!(answered(begun, true).await.is_err());
    }

    #[tokio::test]
    async fn a_failure_does_not_repeat_the_query_of_the_address() {
        crate::providers::choose_tls();
        let url = Url::parse("http://127.0.0.1:1/client.json?chave=segredo").expect("a URL");
        let client = foreign::client().no_proxy().build().expect("a client");
        let failed = read(&client, url).await.err().expect("nobody listens");
        let mut cause: Option<&dyn std::error::Error> = Some(&failed);
        let mut text = String::new();
        while let Some(error) = cause {
            text.push_str(&error.to_string());
            cause = error.source();
        }
        assert!(!text.contains("segredo"), "{text}");
    }

    #[tokio::test]
    async fn closed_networks_are_not_asked() {
        for url in [
            "https://127.0.0.1/client.json",
            "https://169.254.169.254/client.json",
            "https://[::ffff:10.0.0.1]/client.json",
            "https://localhost/client.json",
        ] {
            let refused = PublicDocuments.fetch(url).await.err().expect("refused");
            let source = std::error::Error::source(&refused).expect("a cause");
            assert_eq!(source.to_string(), "the address is not public", "{url}");
        }
    }
}
