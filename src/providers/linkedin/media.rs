//! Uploads of images and videos to LinkedIn.
//!
//! An image needs one request for an upload address and one with the bytes. A video is uploaded in the
//! parts that LinkedIn specifies. Each response to a part has an `ETag`, and the request that completes
//! the upload lists these tags.

use std::ops::Range;

use ports::publishing::{Account, PostFile, Preparation, Prepared, Trouble, Upload};
use reqwest::{Body, Client, Method, Response, Url, header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{LinkedIn, answer::parse_response, author, encode};
use crate::providers::{
    answers::{header_text, refusal, retry_after, send_upload},
    uploads::{chunk_timeout, client_for},
};

/// The hosts of upload addresses.
const DOMAIN: &str = "linkedin.com";

/// The addresses of a video's upload.
#[derive(Serialize, Deserialize)]
struct Addresses {
    token: String,
    /// The address, and the first and the last byte of each part.
    parts: Vec<(String, u64, u64)>,
}

#[derive(Deserialize)]
pub(super) struct Begun<T> {
    pub value: T,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImageBegun {
    upload_url: String,
    image: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VideoBegun {
    video: String,
    #[serde(default)]
    upload_token: String,
    upload_instructions: Vec<Instruction>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Instruction {
    upload_url: String,
    first_byte: u64,
    last_byte: u64,
}

#[derive(Deserialize)]
struct State {
    status: String,
}

fn is_forbidden(code: &str) -> bool {
    matches!(code, "ACCESS_DENIED" | "http_403")
}

impl LinkedIn {
    /// Uploads an image. Returns its id.
    pub(super) async fn upload_image(
        &self,
        account: Account<'_>,
        file: &PostFile,
    ) -> Result<String, Trouble> {
        let body = json!({ "initializeUploadRequest": { "owner": author(account) } });
        let begun: Begun<ImageBegun> = self
            .call_action(account, "images", "initializeUpload", &body)
            .await?;
        let ImageBegun { upload_url, image } = begun.value;
        self.put_range(account, &upload_url, file, 0..file.bytes)
            .await?;
        Ok(image)
    }

    /// Does the next step of the upload of a video.
    pub(super) async fn upload_video(
        &self,
        account: Account<'_>,
        file: &PostFile,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        let mut next = prepared.clone();
        let upload = match &prepared.upload {
            Some(upload) if !upload.addresses.is_empty() => upload.clone(),
            _ => {
                next.upload = Some(self.begin_video(account, file).await?);
                return Ok(Preparation::Created(next));
            }
        };
        let unreadable = |_| refusal("upload_expired", None);
        let addresses: Addresses = serde_json::from_str(&upload.addresses).map_err(unreadable)?;
        let id = upload.id.clone().ok_or(Trouble::Lost)?;
        if let Some((address, first, last)) = addresses.parts.get(upload.receipts.len()) {
            let answer = self
                .put_range(account, address, file, *first..last + 1)
                .await?;
            let tag = header_text(&answer, header::ETAG.as_str()).ok_or(Trouble::Lost)?;
            let mut upload = upload;
            upload.receipts.push(tag.trim_matches('"').to_owned());
            upload.sent = last + 1;
            next.upload = Some(upload);
            return Ok(Preparation::Created(next));
        }
        self.complete_video(account, &id, &addresses.token, &upload.receipts)
            .await?;
        next.parts.push(id);
        next.upload = None;
        Ok(Preparation::Created(next))
    }

    async fn begin_video(&self, account: Account<'_>, file: &PostFile) -> Result<Upload, Trouble> {
        let body = json!({
            "initializeUploadRequest": {
                "owner": author(account),
                "fileSizeBytes": file.bytes,
                "uploadCaptions": false,
                "uploadThumbnail": false,
            },
        });
        let begun: Begun<VideoBegun> = self
            .call_action(account, "videos", "initializeUpload", &body)
            .await?;
        let is_within =
            |part: &Instruction| part.first_byte <= part.last_byte && part.last_byte < file.bytes;
        if !begun.value.upload_instructions.iter().all(is_within) {
            return Err(Trouble::Lost);
        }
        let parts = begun.value.upload_instructions.into_iter();
        let addresses = Addresses {
            token: begun.value.upload_token,
            parts: parts
                .map(|part| (part.upload_url, part.first_byte, part.last_byte))
                .collect(),
        };
        Ok(Upload {
            id: Some(begun.value.video),
            addresses: serde_json::to_string(&addresses).map_err(|_| Trouble::Lost)?,
            ..Upload::default()
        })
    }

    /// Completes an upload. After an error, the state of the video decides, because an earlier request
    /// may have completed the upload.
    async fn complete_video(
        &self,
        account: Account<'_>,
        id: &str,
        token: &str,
        receipts: &[String],
    ) -> Result<(), Trouble> {
        let body = json!({
            "finalizeUploadRequest": {
                "video": id,
                "uploadToken": token,
                "uploadedPartIds": receipts,
            },
        });
        let request = self.build(account, Method::POST, "rest/videos?action=finalizeUpload")?;
        let request = request.body(body.to_string());
        let answer = self.send("rest/videos", request).await?;
        if answer.status().is_success() {
            return Ok(());
        }
        let trouble = super::answer::parse_refusal(answer).await;
        if matches!(&trouble, Trouble::Refused { code, .. } if code == "http_401") {
            return Err(trouble);
        }
        match self.fetch_file_state(account, "videos", id).await? {
            Preparation::Ready | Preparation::Working => Ok(()),
            _ => Err(trouble),
        }
    }

    /// Fetches the state of an uploaded video or document. `resource` is `videos` or `documents`.
    pub(super) async fn fetch_file_state(
        &self,
        account: Account<'_>,
        resource: &str,
        id: &str,
    ) -> Result<Preparation, Trouble> {
        let path = format!("rest/{resource}/{}", encode(id));
        let request = self.build(account, Method::GET, &path)?;
        let answer = self.send(&format!("rest/{resource}"), request).await?;
        let state: State = match parse_response(answer).await {
            // The member may not read the state of the file, so the file counts as ready. LinkedIn
            // refuses a post if the file is not ready.
            Err(Trouble::Refused { code, .. }) if is_forbidden(&code) => {
                return Ok(Preparation::Ready);
            }
            parsed => parsed?,
        };
        let failed = |code: &str| Preparation::Failed { code: code.into() };
        Ok(match state.status.as_str() {
            "AVAILABLE" => Preparation::Ready,
            "PROCESSING_FAILED" => failed("PROCESSING_FAILED"),
            // Nothing completes the upload of a document, so its state may be behind.
            "WAITING_UPLOAD" if resource != "documents" => failed("upload_expired"),
            // This includes PROCESSING.
            _ => Preparation::Working,
        })
    }

    /// Calls an action of a resource, such as the start of an upload. Others do not see the result.
    pub(super) async fn call_action<T: for<'a> Deserialize<'a>>(
        &self,
        account: Account<'_>,
        resource: &str,
        action: &str,
        body: &Value,
    ) -> Result<T, Trouble> {
        let path = format!("rest/{resource}?action={action}");
        let request = self.build(account, Method::POST, &path)?;
        let request = request.body(body.to_string());
        let answer = self.send(&format!("rest/{resource}"), request).await?;
        parse_response(answer).await
    }

    /// Sends a range of a file to an upload address.
    async fn put_range(
        &self,
        account: Account<'_>,
        address: &str,
        file: &PostFile,
        range: Range<u64>,
    ) -> Result<Response, Trouble> {
        let length = range.end - range.start;
        let bytes = self.files.read_body(&file.path, range).await?;
        self.put_bytes(account, address, (bytes, length)).await
    }

    /// Sends a body of this length to an upload address.
    pub(super) async fn put_bytes(
        &self,
        account: Account<'_>,
        address: &str,
        (bytes, length): (Body, u64),
    ) -> Result<Response, Trouble> {
        let foreign = || refusal("upload_url_not_allowed", None);
        let url = Url::parse(address).map_err(|_| foreign())?;
        let own: (&Url, &Client) = (&self.base, &self.client);
        let found = client_for(&url, own, DOMAIN).await;
        let (client, with_token) = found.ok_or_else(foreign)?;
        let mut request = client
            .put(url.clone())
            .timeout(chunk_timeout(self.timeout))
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(header::CONTENT_LENGTH, length)
            .body(bytes);
        if with_token {
            request = request.bearer_auth(account.token);
        }
        let answer = send_upload(&url, request).await?;
        match answer.status().as_u16() {
            200..=299 => Ok(answer),
            401 => Err(refusal("http_401", None)),
            // The address has expired.
            403 | 404 | 410 => Err(refusal("upload_expired", None)),
            429 => Err(refusal("http_429", retry_after(&answer))),
            400..=499 if answer.status().as_u16() != 408 => Err(refusal("upload_refused", None)),
            _ => Err(Trouble::Lost),
        }
    }
}
