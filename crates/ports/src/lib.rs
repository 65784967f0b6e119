//! Traits that outside services and the system implement, and their plain data types.

mod network;
mod sales;
pub mod shortvideo;
mod text;
mod topics;
mod video;

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use tempfile::NamedTempFile;

pub use network::{Authorization, Grant, GrantFailure, Network, NetworkAccount, NetworkTokens};

use domain::{Font, Member, Result, Style, time::Millis};

pub use sales::{Feed, Pulled, Record, SalesSource, StorePurchase, StoreSubscription, TimeRange};
pub use text::{TextGenerator, TextRequest};
pub use topics::{TopicMessage, Topics};
pub use video::{
    FirstFrame, NotSubmitted, VideoGenerator, VideoOffer, VideoProgress, VideoRequest,
};

/// The present instant.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// A prepared invitation that is not stored yet.
pub struct Invitation {
    /// The one-time link to hand over.
    pub link: String,
    /// The stored form of the link's token.
    pub token_sha256: String,
    pub expires_at: Millis,
}

/// The result of an invitation.
pub enum Invited {
    /// A link for the inviter to hand over.
    Link(Invitation),
    /// The issuer sent the invitation itself; this is the account's name at the issuer.
    Account(String),
    /// The person signs in with an account at the issuer, existing or new; the first sign-in binds
    /// it. The text lists the remaining steps (Portuguese).
    OnSignIn(&'static str),
}

/// Manages accounts, either embedded or at a hosted issuer, which identifies each by its subject.
///
/// It hashes passwords or calls another service, so never call it while a transaction is open. It
/// returns the values to store; they commit with the rest of the operation.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// The hosted issuer; `None` for embedded accounts.
    fn issuer(&self) -> Option<&str> {
        None
    }

    /// Prepares an account. A hosted issuer contacts the person itself.
    async fn invite(&self, member: &Member, now: Millis) -> Result<Invited>;

    /// Sets a member's password. Returns the hash to store if accounts are embedded.
    ///
    /// Refused (400) when the password is weak, and (409) when the issuer needs its name of the
    /// account and that name is unknown.
    async fn set_password(
        &self,
        member: &Member,
        subject: Option<&str>,
        password: &str,
    ) -> Result<Option<String>>;

    /// Closes the account. The call is idempotent: a retry after a failure completes it.
    async fn close(&self, subject: Option<&str>) -> Result<()>;

    /// Reopens a closed account. `false` when there is no account to reopen.
    async fn reopen(&self, _subject: &str) -> Result<bool> {
        Ok(false)
    }

    /// Whether the issuer confirms that this e-mail belongs to the account.
    async fn confirms(&self, _subject: &str, _email: &str) -> Result<bool> {
        Ok(false)
    }
}

/// The published keys of a hosted issuer.
pub struct PublishedKeys {
    /// A JWK Set (RFC 7517).
    pub set: Bytes,
    /// How long the keys may be cached, if the issuer says so.
    pub max_age: Option<Duration>,
}

/// Reads the published keys of a hosted issuer.
#[async_trait]
pub trait KeyPublisher: Send + Sync {
    /// The currently published keys. Refused when the issuer fails or its answer is invalid.
    async fn keys(&self) -> Result<PublishedKeys>;
}

/// A document that an OAuth client publishes about itself.
pub struct ClientDocument {
    pub body: Bytes,
    /// How long the document may be cached, if the publisher says so.
    pub max_age: Option<Duration>,
}

/// Fetches the documents of OAuth clients. Anyone can supply their addresses, so they are
/// untrusted.
#[async_trait]
pub trait ClientDocuments: Send + Sync {
    /// The document at an https address.
    ///
    /// Refused when the address is outside the public internet, and when the answer is a redirect,
    /// too long, too slow or not JSON.
    async fn fetch(&self, url: &str) -> Result<ClientDocument>;
}

/// Bytes as they arrive from the storage.
pub type ByteStream = BoxStream<'static, Result<Bytes>>;

/// Stores the bytes of media, in a folder or in S3.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Creates a file for an upload in progress, on the disk of the storage or of the database. The
    /// file is deleted when dropped; after a killed process, [`Self::sweep`] removes it at the next
    /// start.
    fn incoming(&self) -> Result<NamedTempFile>;

    /// Removes files left by killed processes and returns their number.
    fn sweep(&self) -> Result<usize>;

    /// Stores the bytes under the path, completely or not at all.
    async fn put(&self, path: &str, bytes: Bytes) -> Result<()>;

    /// Stores a file under the path, streamed and atomically.
    async fn put_file(&self, path: &str, file: &Path) -> Result<()>;

    /// A range of the bytes under the path; `None` when the path does not exist. Refused (503) when
    /// the storage is unavailable.
    async fn read(&self, path: &str, range: Range<u64>) -> Result<Option<ByteStream>>;

    /// Removes the bytes under the path, if there are any.
    async fn delete(&self, path: &str) -> Result<()>;

    /// Whether the storage answers.
    async fn check(&self) -> Result<()>;

    /// Whether the storage is an empty folder. A bucket is not searched.
    async fn is_empty(&self) -> Result<bool>;
}

/// A finished image.
#[derive(Debug, Clone)]
pub struct Picture {
    pub bytes: Bytes,
    pub media_type: &'static str,
    pub width: u32,
    pub height: u32,
    pub maker: &'static str,
    /// Notes for the user about this image, as sentences.
    pub warnings: Vec<&'static str>,
}

/// The visual identity of a team.
#[derive(Debug, Clone)]
pub struct Look {
    /// Two to five sRGB colours; the first is the main one.
    pub colors: Vec<[u8; 3]>,
    pub font: Option<Font>,
    /// The signature: the handle with its `@`, or the team's name.
    pub signer: String,
    /// The bytes of an image file.
    pub logo: Option<Bytes>,
}

/// A request for an image.
#[derive(Debug, Clone)]
pub struct ArtRequest {
    pub prompt: String,
    pub style: Style,
    /// Pixels.
    pub width: u32,
    pub height: u32,
    /// `low`, `medium` or `high`.
    pub quality: &'static str,
    /// The bytes of an image file, used as the background of the text.
    pub photo: Option<Bytes>,
    pub look: Option<Arc<Look>>,
}

/// A card whose text is typeset exactly as given.
#[derive(Debug, Clone)]
pub struct CardRequest {
    pub text: String,
    /// What the background shows. Without a prompt and a photo, the style draws its own background.
    pub prompt: Option<String>,
    /// The bytes of an image file, used as the background.
    pub photo: Option<Bytes>,
    pub style: Style,
    pub width: u32,
    pub height: u32,
    /// (page, number of pages); pages start at 1.
    pub page: (u32, u32),
    pub look: Option<Arc<Look>>,
}

/// Makes images, through an outside provider or the built-in typographic renderer.
#[async_trait]
pub trait ImageGenerator: Send + Sync {
    /// An image for a prompt.
    async fn art(&self, request: ArtRequest) -> Result<Picture>;

    /// Checks, at no cost, that the text of a card fits.
    ///
    /// Refused (400) when it does not fit at the smallest size.
    async fn fits(&self, request: CardRequest) -> Result<()>;

    /// A card with its text. Refused (400) when the text does not fit.
    async fn card(&self, request: CardRequest) -> Result<Picture>;

    /// A free preview of [`Self::art`] whose longer side has at most `longer` pixels.
    ///
    /// Refused (400) when a provider would draw the image from the prompt.
    async fn preview_art(&self, request: ArtRequest, longer: u32) -> Result<Picture>;

    /// A free preview of [`Self::card`] whose longer side has at most `longer` pixels. A background
    /// that a provider would draw stays plain.
    async fn preview_card(&self, request: CardRequest, longer: u32) -> Result<Picture>;

    /// Checks whether images can be made, without making one.
    async fn check(&self) -> Result<()>;
}

/// Measures and converts image files.
#[async_trait]
pub trait MeasureImages: Send + Sync {
    /// Width and height of an image file as displayed. The file is decoded completely to detect
    /// damage.
    ///
    /// Refused (400) when it is not an image, has too many pixels, or is broken.
    async fn size(&self, file: PathBuf) -> Result<(u32, u32)>;

    /// The image as displayed, as a JPEG on white. Its sides have at most `shorter` and `longer`
    /// pixels.
    ///
    /// Refused (400) when it cannot be decoded.
    async fn jpeg(&self, file: Bytes, shorter: u32, longer: u32) -> Result<Picture>;

    /// The image as displayed, as a small JPEG on white. It is at most `width` pixels wide and
    /// three times as high. An animation is reduced to its first frame.
    ///
    /// Refused (400) when it cannot be decoded.
    async fn reduced(&self, file: Bytes, width: u32) -> Result<Picture>;
}

/// The result for one text: its vector, or the model's reason to refuse the text.
pub type Embedded = Result<Vec<f32>>;

/// Turns texts into vectors. The smaller the angle between two vectors, the closer the meanings.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The model's name. Only vectors of the same model are comparable.
    fn model(&self) -> &str;

    /// The minimum cosine similarity at which a text counts as an answer to a question.
    fn least_similarity(&self) -> f64;

    /// The vectors of the texts, in the same order and all of the same length.
    ///
    /// Refused as a whole when the provider fails; the call may be repeated.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedded>>;
}

/// A request to sign a person in at a hosted issuer's page.
pub struct SignInRequest<'a> {
    pub redirect_uri: &'a str,
    pub state: &'a str,
    pub nonce: &'a str,
    /// The PKCE verifier.
    pub verifier: &'a str,
    /// Whether the issuer must authenticate the person again.
    pub again: bool,
}

/// Browser sign-in at a hosted issuer.
#[async_trait]
pub trait IssuerSignIn: Send + Sync {
    /// The URL of the issuer's sign-in page for a request.
    async fn page(&self, request: SignInRequest<'_>) -> Result<String>;

    /// Exchanges the code from the sign-in page for an ID token. `None` when the issuer refuses the
    /// code.
    async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Option<String>>;

    /// Opens a session with e-mail and password, for an issuer without a sign-in page. `None` when
    /// they match no account.
    async fn session(&self, email: &str, password: &str) -> Result<Option<String>>;
}
