//! Documents: the images of a post as the pages of a PDF.

use ports::publishing::{Account, PostFile, Trouble};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Semaphore;

use super::{LinkedIn, author, media::Begun};
use crate::providers::{answers::refusal, page_document::build_pdf};

/// Maximum bytes of a document.
const MOST_BYTES: usize = 100_000_000;
/// The error code if the pages do not form a document that LinkedIn accepts.
const UNUSABLE: &str = "document_unusable";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentBegun {
    upload_url: String,
    document: String,
}

impl LinkedIn {
    /// Makes a PDF of the images and uploads it. Returns the id of the document.
    pub(super) async fn upload_document(
        &self,
        account: Account<'_>,
        files: &[PostFile],
    ) -> Result<String, Trouble> {
        // A document and its pages may need 200 MB of memory.
        static TURN: Semaphore = Semaphore::const_new(1);
        let _turn = TURN.acquire().await.map_err(|_| Trouble::Unreached)?;
        let mut pages = Vec::with_capacity(files.len());
        for file in files {
            pages.push(self.files.read_whole(&file.path, file.bytes).await?);
        }
        let built = tokio::task::spawn_blocking(|| build_pdf(pages)).await;
        let pdf = built.ok().flatten();
        let pdf = pdf.filter(|pdf| pdf.len() <= MOST_BYTES);
        let pdf = pdf.ok_or_else(|| refusal(UNUSABLE, None))?;
        let body = json!({ "initializeUploadRequest": { "owner": author(account) } });
        let begun: Begun<DocumentBegun> = self
            .call_action(account, "documents", "initializeUpload", &body)
            .await?;
        let DocumentBegun {
            upload_url,
            document,
        } = begun.value;
        let length = pdf.len() as u64;
        self.put_bytes(account, &upload_url, (pdf.into(), length))
            .await?;
        Ok(document)
    }
}
