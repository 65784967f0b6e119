//! Ports: the traits that external services and the operating system implement, and their plain
//! data types.

pub mod figures;
mod mail;
mod network;
pub mod publishing;
mod push;
mod sales;
pub mod shortvideo;
mod text;
mod topics;
mod video;
mod webhooks;

use std::{
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use tempfile::NamedTempFile;

pub use mail::{Mail, MailOutcome, MailSender};
pub use network::{Authorization, Grant, GrantFailure, Network, NetworkAccount, NetworkTokens};

pub use push::{PushAnswer, PushRequest, PushSender};

use domain::{Error, Font, Member, Result, Style, time::Millis};

pub use sales::{Feed, Pulled, Record, SalesSource, StorePurchase, StoreSubscription, TimeRange};
pub use text::{TextGenerator, TextRequest};
pub use topics::{TopicMessage, Topics};
pub use video::{
    FirstFrame, NotSubmitted, VideoGenerator, VideoOffer, VideoProgress, VideoRequest,
};
pub use webhooks::{WebhookAnswer, WebhookSender};

/// The source of the current time.
pub trait Clock: Send + Sync {
    /// Returns the current time in milliseconds since the Unix epoch.
    fn now(&self) -> Millis;
}

/// An invitation that is prepared but not stored yet.
pub struct Invitation {
    /// The one-time link, which the inviter gives to the person.
    pub link: String,
    /// The hash of the link's token, to be stored.
    pub token_sha256: String,
    pub expires_at: Millis,
}

/// The way in which a person gets access after an invitation.
pub enum Invited {
    /// The inviter gives this link to the person.
    Link(Invitation),
    /// The issuer sent the invitation itself. The text is the issuer's id of the account.
    Account(String),
    /// The person signs in with an existing or new account at the issuer, and the first sign-in
    /// binds the account to the member. The text lists the remaining steps (Portuguese).
    OnSignIn(&'static str),
}

/// Manages the accounts of members: embedded in this service, or at a hosted issuer, which
/// identifies each account by its subject.
///
/// The methods hash passwords or call another service, so never call them inside a transaction.
/// They return the values to store, which are committed with the rest of the operation.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Returns the name of the hosted issuer; `None` for embedded accounts.
    fn issuer(&self) -> Option<&str> {
        None
    }

    /// Prepares an account. A hosted issuer may contact the person itself.
    async fn invite(&self, member: &Member, now: Millis) -> Result<Invited>;

    /// Sets a member's password. Returns the hash to store if accounts are embedded.
    ///
    /// Fails with 400 if the password is weak, and with 409 if the issuer needs the subject of the
    /// account and the subject is unknown.
    async fn set_password(
        &self,
        member: &Member,
        subject: Option<&str>,
        password: &str,
    ) -> Result<Option<String>>;

    /// Closes the account. The call is idempotent: a retry completes a failed call.
    async fn close_account(&self, subject: Option<&str>) -> Result<()>;

    /// Reopens a closed account. Returns `false` if there is no account to reopen.
    async fn reopen_account(&self, _subject: &str) -> Result<bool> {
        Ok(false)
    }

    /// Asks the issuer whether this e-mail is confirmed for the account.
    async fn is_email_confirmed(&self, _subject: &str, _email: &str) -> Result<bool> {
        Ok(false)
    }
}

/// The key set that a hosted issuer publishes.
pub struct PublishedKeys {
    /// A JWK Set (RFC 7517).
    pub set: Bytes,
    /// The time for which the keys may be cached, if the issuer states it.
    pub max_age: Option<Duration>,
}

/// Fetches the key set of a hosted issuer.
#[async_trait]
pub trait KeyPublisher: Send + Sync {
    /// Fetches the current key set. Fails if the issuer does not answer or its response is invalid.
    async fn fetch_keys(&self) -> Result<PublishedKeys>;
}

/// The client metadata document that an OAuth client publishes.
pub struct ClientDocument {
    pub body: Bytes,
    /// The time for which the document may be cached, if the publisher states it.
    pub max_age: Option<Duration>,
}

/// Fetches the metadata documents of OAuth clients. Their URLs come from anonymous callers, so they
/// are untrusted.
#[async_trait]
pub trait ClientDocuments: Send + Sync {
    /// Fetches the document at an https URL.
    ///
    /// Fails if the host is outside the public internet, and if the response is a redirect, too
    /// long, too slow or not JSON.
    async fn fetch_document(&self, url: &str) -> Result<ClientDocument>;
}

/// A file that is being downloaded.
pub struct RemoteFile {
    /// The last segment of the path in its URL; empty if the path has none.
    pub name: String,
    /// The length that the server announces, if it announces one.
    pub length: Option<u64>,
    pub bytes: ByteStream,
}

/// Downloads files from URLs that callers name, so the URLs are untrusted.
#[async_trait]
pub trait RemoteFiles: Send + Sync {
    /// Opens the file at an https URL and follows its redirects.
    ///
    /// Fails with 400 if a URL on the way is not https, names a host outside the public internet or
    /// carries a credential, and if the server does not answer 200 with the file. The stream fails
    /// with 400 if the file does not arrive in time.
    async fn open(&self, url: &str) -> Result<RemoteFile>;
}

/// A stream of the bytes of a stored object.
pub type ByteStream = BoxStream<'static, Result<Bytes>>;

/// Stores media files, in a folder or in an S3 bucket.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Creates a temporary file for an upload in progress, on the disk of the storage or of the
    /// database. The file is deleted when it is dropped. If the process is killed,
    /// [`Self::delete_temporary_files`] deletes it at the next start.
    fn create_temporary_file(&self) -> Result<NamedTempFile>;

    /// Deletes the temporary files of killed processes and returns their number.
    fn delete_temporary_files(&self) -> Result<usize>;

    /// Stores the bytes under the path atomically.
    async fn store_bytes(&self, path: &str, bytes: Bytes) -> Result<()>;

    /// Streams a file to the storage and stores it under the path atomically.
    async fn store_file(&self, path: &str, file: &Path) -> Result<()>;

    /// Reads a range of the bytes under the path; `None` if the path does not exist. Fails with 503
    /// if the storage is unavailable.
    async fn read_range(&self, path: &str, range: Range<u64>) -> Result<Option<ByteStream>>;

    /// Deletes the bytes under the path, if there are any.
    async fn delete(&self, path: &str) -> Result<()>;

    /// Checks whether the storage is available.
    async fn check_available(&self) -> Result<()>;

    /// True if the storage is an empty folder. Always false for a bucket, which is not searched.
    async fn is_empty(&self) -> Result<bool>;
}

/// A finished image file.
#[derive(Debug, Clone)]
pub struct Picture {
    pub bytes: Bytes,
    pub media_type: &'static str,
    pub width: u32,
    pub height: u32,
    pub maker: &'static str,
    /// Notes for the user about this image, as sentences.
    pub warnings: Vec<&'static str>,
    /// The background of a card that a provider drew: a JPEG of the size of the card, without text.
    pub background: Option<Bytes>,
}

/// The visual identity of a team, for images.
#[derive(Debug, Clone)]
pub struct Look {
    /// Two to five sRGB colours; the first is the main one.
    pub colors: Vec<[u8; 3]>,
    pub font: Option<Font>,
    /// The signature on images: the handle with its `@`, or the team's name.
    pub signer: String,
    /// The bytes of the logo file.
    pub logo: Option<Bytes>,
}

/// A request for an image drawn from a prompt.
#[derive(Debug, Clone)]
pub struct ArtRequest {
    pub prompt: String,
    pub style: Style,
    /// Width in pixels.
    pub width: u32,
    pub height: u32,
    /// The quality: `low`, `medium` or `high`.
    pub quality: &'static str,
    /// The bytes of an image file that is used as the background.
    pub photo: Option<Bytes>,
    pub look: Option<Arc<Look>>,
}

/// A request for a card. Its text is typeset unchanged.
#[derive(Debug, Clone)]
pub struct CardRequest {
    pub text: String,
    /// A description of the background. Without a prompt and a photo, the style draws its own
    /// background.
    pub prompt: Option<String>,
    /// The bytes of an image file that is used as the background.
    pub photo: Option<Bytes>,
    pub style: Style,
    pub width: u32,
    pub height: u32,
    /// The page number, counted from 1, and the number of pages.
    pub page: (u32, u32),
    pub look: Option<Arc<Look>>,
}

/// Generates images, through an external provider or with the built-in typographic renderer.
#[async_trait]
pub trait ImageGenerator: Send + Sync {
    /// Generates an image from a prompt.
    async fn draw_art(&self, request: ArtRequest) -> Result<Picture>;

    /// Checks, at no cost, that the text of a card fits.
    ///
    /// Fails with 400 if the text does not fit at the smallest size.
    async fn require_fitting_text(&self, request: CardRequest) -> Result<()>;

    /// Generates a card. Fails with 400 if its text does not fit.
    async fn draw_card(&self, request: CardRequest) -> Result<Picture>;

    /// Renders a free preview of [`Self::draw_art`] whose longer side has at most `longer` pixels.
    ///
    /// Fails with 400 if a provider would draw the image from the prompt.
    async fn preview_art(&self, request: ArtRequest, longer: u32) -> Result<Picture>;

    /// Renders a free preview of [`Self::draw_card`] whose longer side has at most `longer` pixels.
    /// If a provider would draw the background, the preview has a plain background.
    async fn preview_card(&self, request: CardRequest, longer: u32) -> Result<Picture>;

    /// Checks whether images can be generated, without generating one.
    async fn check_available(&self) -> Result<()>;
}

/// Measures and converts image files.
#[async_trait]
pub trait MeasureImages: Send + Sync {
    /// Returns the width and height of an image file as displayed. Decodes the file completely to
    /// detect damage.
    ///
    /// Fails with 400 if the file is not an image, has too many pixels, or is damaged.
    async fn measure_image(&self, file: PathBuf) -> Result<(u32, u32)>;

    /// Converts an image to a JPEG, in the orientation in which the image is displayed and with a white
    /// background. Reduces the image until its shorter side has at most `shorter` pixels and its longer
    /// side has at most `longer` pixels.
    ///
    /// Fails with 400 if the file cannot be decoded.
    async fn to_jpeg(&self, file: Bytes, shorter: u32, longer: u32) -> Result<Picture>;

    /// Cuts out the largest part of the image that has this ratio of width to height. Among the largest
    /// parts, chooses the part whose middle is nearest to `point`, which is given as fractions of the
    /// width and the height. Converts this part like [`Self::to_jpeg`]; `sides` are the maximum shorter
    /// and longer sides.
    ///
    /// Fails with 400 if the file cannot be decoded.
    async fn to_cropped_jpeg(
        &self,
        file: Bytes,
        ratio: f64,
        point: (f64, f64),
        sides: (u32, u32),
    ) -> Result<Picture>;

    /// Converts an image to a small JPEG, in the orientation in which the image is displayed and with a
    /// white background. The JPEG is at most `width` pixels wide, and at most three times `width` high.
    /// Uses only the first frame of an animation.
    ///
    /// Fails with 400 if the file cannot be decoded.
    async fn to_small_jpeg(&self, file: Bytes, width: u32) -> Result<Picture>;

    /// Makes a PDF with one page for each JPEG file.
    ///
    /// Fails with 400 if the header of a file cannot be read.
    async fn join_as_pdf(&self, jpegs: Vec<Bytes>) -> Result<Bytes>;
}

/// The title and the text of a PDF.
#[derive(Debug)]
pub struct PdfText {
    pub title: Option<String>,
    pub text: String,
}

/// The reason why a PDF could not be read.
#[derive(Debug)]
pub enum PdfRefusal {
    /// The PDF needs a password.
    Locked,
    Damaged,
    /// The PDF has more text than the reader accepts.
    TooLong,
    /// Reading the PDF took longer than this limit, in seconds.
    TooSlow(u64),
    /// The reader failed.
    Failed(Error),
}

/// Reads the text of PDF files, within limits of time and memory.
#[async_trait]
pub trait ReadPdf: Send + Sync {
    async fn read_pdf(&self, file: File) -> Result<PdfText, PdfRefusal>;
}

/// The result for one text: its embedding vector, or the reason why the model rejected the text.
pub type Embedded = Result<Vec<f32>>;

/// Computes embedding vectors of texts. The smaller the angle between two vectors, the closer the
/// meanings of their texts.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Returns the name of the model. Only vectors of the same model are comparable.
    fn model_name(&self) -> &str;

    /// Returns the minimum cosine similarity at which a text counts as a result of a query.
    fn least_similarity(&self) -> f64;

    /// Returns the vectors of the texts, in the same order and all of the same length.
    ///
    /// Fails as a whole if the provider fails; the call may be repeated.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedded>>;
}

/// The parameters of a request for sign-in on the page of a hosted issuer.
pub struct SignInRequest<'a> {
    pub redirect_uri: &'a str,
    pub state: &'a str,
    pub nonce: &'a str,
    /// The PKCE code verifier.
    pub verifier: &'a str,
    /// True if the issuer must authenticate the person again.
    pub again: bool,
}

/// Sign-in from a browser at a hosted issuer (OpenID Connect).
#[async_trait]
pub trait IssuerSignIn: Send + Sync {
    /// Returns the URL of the issuer's sign-in page for a request.
    async fn sign_in_url(&self, request: SignInRequest<'_>) -> Result<String>;

    /// Exchanges the authorization code for an ID token. Returns `None` if the issuer rejects the
    /// code.
    async fn exchange_code(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Option<String>>;

    /// Signs in with e-mail and password at an issuer without a sign-in page, and returns the
    /// session token. Returns `None` if they match no account.
    async fn sign_in_with_password(&self, email: &str, password: &str) -> Result<Option<String>>;
}
