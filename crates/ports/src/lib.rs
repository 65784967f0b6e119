//! What the outside must offer.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;

use domain::{Member, Result, Style, time::Millis};

/// The present instant.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// A prepared invitation, not yet kept.
pub struct Invitation {
    /// The one-time link to hand over.
    pub link: String,
    /// What the link's token is kept as.
    pub token_sha256: String,
    pub expires_at: Millis,
}

/// Where people's accounts live: embedded here, or with a hosted issuer.
///
/// It hashes or calls out, so it is never asked while a transaction is open; what is left to write
/// here comes back, and commits with the rest of the operation.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Prepares an account; a hosted issuer writes to the person itself and leaves no invitation.
    async fn invite(&self, member: &Member, now: Millis) -> Result<Option<Invitation>>;

    /// Sets a member's password; the answer is the hash to keep, where accounts are embedded.
    ///
    /// Refused (400) when the password is weak.
    async fn set_password(&self, member: &Member, password: &str) -> Result<Option<String>>;

    /// Closes the account. Idempotent: a retry after a failure completes it.
    async fn close(&self, member: &Member) -> Result<()>;
}

/// Bytes as they arrive from the storage.
pub type ByteStream = BoxStream<'static, Result<Bytes>>;

/// Where the bytes of media are: a folder, or S3.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Keeps the bytes under the path, whole or not at all.
    async fn put(&self, path: &str, bytes: Bytes) -> Result<()>;

    /// The same from a file, streamed.
    async fn put_file(&self, path: &str, file: &Path) -> Result<()>;

    /// A range of what is under the path; `None` when nothing is.
    async fn read(&self, path: &str, range: Range<u64>) -> Result<Option<ByteStream>>;

    /// Removes what is under the path, if anything is.
    async fn delete(&self, path: &str) -> Result<()>;

    /// Whether the storage answers.
    async fn check(&self) -> Result<()>;
}

/// A finished image.
#[derive(Debug, Clone)]
pub struct Picture {
    pub bytes: Bytes,
    pub media_type: &'static str,
    pub width: u32,
    pub height: u32,
}

/// What an image is to show.
#[derive(Debug, Clone)]
pub struct ArtRequest {
    pub prompt: String,
    pub style: Style,
    /// Pixels.
    pub width: u32,
    pub height: u32,
    /// `low`, `medium` or `high`.
    pub quality: &'static str,
}

/// A card whose text is typeset exactly as given.
#[derive(Debug, Clone)]
pub struct CardRequest {
    pub text: String,
    /// What the background shows; without one it is the style's own.
    pub prompt: Option<String>,
    pub style: Style,
    pub width: u32,
    pub height: u32,
    /// (which, of how many), from 1.
    pub page: (u32, u32),
}

/// Makes images: an outside provider, or the typographic renderer built in.
#[async_trait]
pub trait ImageGenerator: Send + Sync {
    /// An image for a prompt.
    async fn art(&self, request: ArtRequest) -> Result<Picture>;

    /// Whether a card's text fits, which costs nothing to ask.
    ///
    /// Refused (400) when it does not at the smallest size.
    async fn fits(&self, request: CardRequest) -> Result<()>;

    /// A card with its text; refused (400) when that does not fit.
    async fn card(&self, request: CardRequest) -> Result<Picture>;

    /// Whether images can be made, as far as can be told without making one.
    async fn check(&self) -> Result<()>;
}

/// Measures image files.
#[async_trait]
pub trait MeasureImages: Send + Sync {
    /// Width and height of an image file as it is seen, once it is known to decode whole.
    ///
    /// Refused (400) when it is no image, has too many pixels, or is broken.
    async fn size(&self, file: PathBuf) -> Result<(u32, u32)>;
}

/// What became of one text: its vector, or why the model takes no such text.
pub type Embedded = Result<Vec<f32>>;

/// Turns texts into vectors whose angles tell how near their senses are.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Vectors of two models have nothing in common.
    fn model(&self) -> &str;

    /// Cosine from which a text is near enough to a question to answer it.
    fn least_similarity(&self) -> f64;

    /// The vectors of the texts, in their order, all of one length.
    ///
    /// Refused as a whole when the provider fails; it may be asked again.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedded>>;
}
