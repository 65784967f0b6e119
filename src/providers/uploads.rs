//! What adapters that upload files to a network have in common: the stream of a file, and the client
//! for an upload address.

use std::{ops::Range, sync::Arc, time::Duration};

use ports::{BlobStore, ByteStream, publishing::Trouble};
use reqwest::{Body, Client, Url};

use super::{answers::refusal, foreign};

/// The code of a refusal when a file could not be read from the storage.
const STORAGE: &str = "storage_unavailable";

/// The timeout of a chunk, as a multiple of a call's timeout.
const CHUNK_TIMES: u32 = 10;
/// The longest timeout of a chunk: half of what the job has for a run.
const CHUNK_MOST: Duration = Duration::from_secs(300);

/// The timeout of a chunk of a file, for this timeout of a call.
pub(super) fn chunk_timeout(call: Duration) -> Duration {
    (call * CHUNK_TIMES).min(CHUNK_MOST)
}

/// Reads the files of posts from the storage.
pub(super) struct Files(pub Arc<dyn BlobStore>);

impl Files {
    /// The body of a request with a range of a file. Only a piece of it is in memory at a time.
    pub async fn read_body(&self, path: &str, range: Range<u64>) -> Result<Body, Trouble> {
        Ok(Body::wrap_stream(self.read_range(path, range).await?))
    }

    /// The bytes of a range of a file.
    pub async fn read_range(&self, path: &str, range: Range<u64>) -> Result<ByteStream, Trouble> {
        match self.0.read_range(path, range).await {
            Ok(Some(stream)) => Ok(stream),
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
