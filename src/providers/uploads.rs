//! Code that the adapters share that upload files to a network: the stream of a file, and the client for
//! an upload address.

use std::{ops::Range, sync::Arc, time::Duration};

use futures::StreamExt;
use ports::{BlobStore, ByteStream, publishing::Trouble};
use reqwest::{Body, Client, Url};

use super::{answers::refusal, foreign};

/// The error code if a file cannot be read from the storage.
const STORAGE: &str = "storage_unavailable";

/// The timeout of a chunk, as a multiple of a call's timeout.
const CHUNK_TIMES: u32 = 10;
/// The maximum timeout of a chunk: half of the time that a run of the job may take.
const CHUNK_MOST: Duration = Duration::from_secs(300);

/// Returns the timeout of one chunk, computed from the timeout of a call.
pub(super) fn chunk_timeout(call: Duration) -> Duration {
    (call * CHUNK_TIMES).min(CHUNK_MOST)
}

/// Reads the files of posts from the storage.
pub(super) struct Files(pub Arc<dyn BlobStore>);

impl Files {
    /// Returns a range of a file as the body of a request. The file is streamed, so only a small piece
    /// is in memory at a time.
    pub async fn read_body(&self, path: &str, range: Range<u64>) -> Result<Body, Trouble> {
        Ok(Body::wrap_stream(self.read_range(path, range).await?))
    }

    /// Reads the bytes of a file of this size.
    pub async fn read_whole(&self, path: &str, size: u64) -> Result<Vec<u8>, Trouble> {
        let mut stream = self.read_range(path, 0..size).await?;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        while let Some(piece) = stream.next().await {
            bytes.extend_from_slice(&piece.map_err(|_| refusal(STORAGE, None))?);
        }
        if bytes.len() as u64 != size {
            return Err(refusal(STORAGE, None));
        }
        Ok(bytes)
    }

    /// Reads the bytes of a range of a file.
    pub async fn read_range(&self, path: &str, range: Range<u64>) -> Result<ByteStream, Trouble> {
        match self.0.read_range(path, range).await {
            Ok(Some(stream)) => Ok(stream),
            Ok(None) | Err(_) => Err(refusal(STORAGE, None)),
        }
    }
}

/// Returns the client for an upload address from a network's response, and whether requests to this
/// address contain the access token; `None` unless the address is on the origin of the API, or on a
/// public host over https.
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
