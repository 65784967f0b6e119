//! What adapters that upload files to a network have in common: the stream of a file, the client for
//! an upload address, and the parts of an answer.

use std::{ops::Range, sync::Arc};

use ports::{BlobStore, publishing::Trouble};
use reqwest::{Body, Client, Response, Url, header};

use super::foreign;

/// The code of a refusal when a file could not be read from the storage.
const STORAGE: &str = "storage_unavailable";
/// Maximum bytes of a response.
const MOST_BYTES: usize = 1_000_000;

/// Reads the files of posts from the storage.
pub(super) struct Files(pub Arc<dyn BlobStore>);

impl Files {
    /// The body of a request with a range of a file. Only a piece of it is in memory at a time.
    pub async fn read_body(&self, path: &str, range: Range<u64>) -> Result<Body, Trouble> {
        match self.0.read_range(path, range).await {
            Ok(Some(stream)) => Ok(Body::wrap_stream(stream)),
            Ok(None) | Err(_) => Err(refusal(STORAGE, None)),
        }
    }
}

/// The client for an upload address that a network returned, and whether it gets the access token.
/// `None` unless it is on the origin of the API, or on a public host over https.
pub(super) async fn client_for(
    url: &Url,
    (base, client): (&Url, &Client),
    domain: &str,
) -> Option<(Client, bool)> {
    if url.origin() == base.origin() {
        return Some((client.clone(), true));
    }
    let is_own = url
        .host_str()
        .and_then(|host| host.strip_suffix(domain))
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    Some((foreign::public_client(url).await?, is_own))
}

pub(super) fn refusal(code: &str, wait: Option<u64>) -> Trouble {
    Trouble::Refused {
        code: code.to_owned(),
        wait,
    }
}

/// The whole body of a response; `None` if it did not arrive or is too long.
pub(super) async fn read_answer(mut answer: Response) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    while let Some(chunk) = answer.chunk().await.ok()? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return None;
        }
        bytes.extend_from_slice(&chunk);
    }
    Some(bytes)
}

/// A header of a response as text.
pub(super) fn header_text<'a>(answer: &'a Response, name: &str) -> Option<&'a str> {
    answer.headers().get(name)?.to_str().ok()
}

/// The seconds of the header `Retry-After`.
pub(super) fn retry_after(answer: &Response) -> Option<u64> {
    header_text(answer, header::RETRY_AFTER.as_str())?
        .parse()
        .ok()
}

/// After a failed connection, the request was not sent. After any other error, its outcome is
/// unknown.
pub(super) fn to_trouble(error: &reqwest::Error) -> Trouble {
    match error.is_connect() || error.is_builder() {
        true => Trouble::Unreached,
        false => Trouble::Lost,
    }
}

/// The text, if it is a code or an id of a network: it is stored and shown.
pub(super) fn plain(text: &str) -> Option<&str> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    ((1..=80).contains(&text.len()) && text.bytes().all(is_plain)).then_some(text)
}
