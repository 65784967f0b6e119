//! Resumable sessions of uploads.
//!
//! Each step first requests the number of bytes that have arrived, so an upload continues after a lost
//! answer, after a restart and on another instance.

use ports::publishing::{Account, NetworkPost, PostFile, Trouble};
use reqwest::{Body, Client, Method, RequestBuilder, Response, Url, header};
use serde_json::Value;

use super::{
    YouTube,
    answer::{Progress, parse_refusal, received_bytes},
    upload_body,
};
use crate::providers::{
    answers::{header_text, read_answer, refusal, send_upload, valid_code},
    uploads::{chunk_timeout, client_for},
};

/// The size of a chunk in bytes, a multiple of 256 KiB.
const CHUNK: u64 = 8 << 20;
/// The hosts of sessions.
const DOMAIN: &str = "googleapis.com";

impl YouTube {
    /// Begins a session. Returns its address, which is a secret.
    pub(super) async fn begin_session(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        file: &PostFile,
    ) -> Result<String, Trouble> {
        let path = "upload/youtube/v3/videos";
        let query = [("uploadType", "resumable"), ("part", "snippet,status")];
        let request = self
            .request(account, Method::POST, path, &query)?
            .header(header::CONTENT_TYPE, "application/json; charset=UTF-8")
            .header("x-upload-content-length", file.bytes)
            .header("x-upload-content-type", file.media_type.as_str())
            .body(upload_body(post).to_string());
        let answer = self.send(path, request).await?;
        if !answer.status().is_success() {
            return Err(parse_refusal(answer).await);
        }
        let address = header_text(&answer, header::LOCATION.as_str());
        address.map(str::to_owned).ok_or(Trouble::Lost)
    }

    /// Asks how many bytes of an upload of this size have arrived.
    pub(super) async fn fetch_progress(
        &self,
        account: Account<'_>,
        address: &str,
        size: u64,
    ) -> Result<Progress, Trouble> {
        self.request_progress(account, address, &format!("bytes */{size}"))
            .await
    }

    /// Asks whether an upload is complete.
    pub(super) async fn fetch_end(
        &self,
        account: Account<'_>,
        address: &str,
    ) -> Result<Progress, Trouble> {
        self.request_progress(account, address, "bytes */*").await
    }

    async fn request_progress(
        &self,
        account: Account<'_>,
        address: &str,
        range: &str,
    ) -> Result<Progress, Trouble> {
        let (request, url) = self.put(account, address).await?;
        let request = request
            .timeout(self.timeout)
            .header(header::CONTENT_LENGTH, 0)
            .header(header::CONTENT_RANGE, range)
            .body(Body::from(""));
        parse_progress(send_upload(&url, request).await?).await
    }

    /// Sends the next chunk after the first `sent` bytes.
    pub(super) async fn send_chunk(
        &self,
        account: Account<'_>,
        address: &str,
        file: &PostFile,
        sent: u64,
    ) -> Result<Progress, Trouble> {
        let end = (sent + CHUNK).min(file.bytes);
        let bytes = self.files.read_body(&file.path, sent..end).await?;
        let (request, url) = self.put(account, address).await?;
        let range = format!("bytes {sent}-{}/{}", end - 1, file.bytes);
        let request = request
            .timeout(chunk_timeout(self.timeout))
            .header(header::CONTENT_TYPE, file.media_type.as_str())
            .header(header::CONTENT_LENGTH, end - sent)
            .header(header::CONTENT_RANGE, range)
            .body(bytes);
        parse_progress(send_upload(&url, request).await?).await
    }

    async fn put(
        &self,
        account: Account<'_>,
        address: &str,
    ) -> Result<(RequestBuilder, Url), Trouble> {
        let foreign = || refusal("upload_url_not_allowed", None);
        let url = Url::parse(address).map_err(|_| foreign())?;
        let own: (&Url, &Client) = (&self.base, &self.client);
        let found = client_for(&url, own, DOMAIN).await;
        let (client, with_token) = found.ok_or_else(foreign)?;
        let mut request = client.put(url.clone());
        if with_token {
            request = request.bearer_auth(account.token);
        }
        Ok((request, url))
    }
}

async fn parse_progress(answer: Response) -> Result<Progress, Trouble> {
    match answer.status().as_u16() {
        308 => Ok(Progress::Received(received_bytes(header_text(
            &answer,
            header::RANGE.as_str(),
        )))),
        200 | 201 => {
            let body = read_answer(answer).await.ok_or(Trouble::Lost)?;
            let video: Value = serde_json::from_slice(&body).map_err(|_| Trouble::Lost)?;
            let id = video["id"].as_str().and_then(valid_code);
            // Without an id, the next step repeats the request.
            Ok(Progress::Done(id.ok_or(Trouble::Lost)?.to_owned()))
        }
        404 | 410 => Ok(Progress::Gone),
        // An error with a specific reason, such as a quota, is more informative than `Gone`.
        400 => match parse_refusal(answer).await {
            Trouble::Refused { code, wait } if code != "http_400" => {
                Err(Trouble::Refused { code, wait })
            }
            _ => Ok(Progress::Gone),
        },
        // Another instance has sent some of these bytes. The next step requests where to continue.
        416 => Err(Trouble::Lost),
        _ => Err(parse_refusal(answer).await),
    }
}
