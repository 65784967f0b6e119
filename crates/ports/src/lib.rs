//! Traits that the outside implements, and their plain types.

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

/// An invitation that is prepared but not yet stored.
pub struct Invitation {
    /// The one-time link to hand over.
    pub link: String,
    /// The stored form of the link's token.
    pub token_sha256: String,
    pub expires_at: Millis,
}

/// What came of an invitation.
pub enum Invited {
    /// A link to hand over.
    Link(Invitation),
    /// The issuer wrote to the person, whose account has this name there.
    Account(String),
    /// The person signs in with an account that the issuer has or is given; the first sign-in binds
    /// it. The text says what remains to be done (Portuguese).
    OnSignIn(&'static str),
}

/// Where accounts are kept: embedded, or with a hosted issuer, which names each by its subject.
///
/// It hashes or calls another service, so it is never called while a transaction is open. It returns
/// what is to be stored, which commits with the rest of the operation.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// The hosted issuer; `None` where accounts are embedded.
    fn issuer(&self) -> Option<&str> {
        None
    }

    /// Prepares an account. A hosted issuer contacts the person itself.
    async fn invite(&self, member: &Member, now: Millis) -> Result<Invited>;

    /// Sets a member's password; returns the hash to store where accounts are embedded.
    ///
    /// Refused (400) when the password is weak, and (409) when the issuer's name of the account is
    /// needed and not known.
    async fn set_password(
        &self,
        member: &Member,
        subject: Option<&str>,
        password: &str,
    ) -> Result<Option<String>>;

    /// Closes the account. It is idempotent, so a retry after a failure completes it.
    async fn close(&self, subject: Option<&str>) -> Result<()>;

    /// Opens a closed account again. `false` when there is none that could be opened.
    async fn reopen(&self, _subject: &str) -> Result<bool> {
        Ok(false)
    }

    /// Whether the issuer itself confirms that the account has this e-mail.
    async fn confirms(&self, _subject: &str, _email: &str) -> Result<bool> {
        Ok(false)
    }
}

/// The keys of a hosted issuer, as published.
pub struct PublishedKeys {
    /// A JWK Set (RFC 7517).
    pub set: Bytes,
    /// How long it may be used, if the issuer says so.
    pub max_age: Option<Duration>,
}

/// Where the keys of a hosted issuer are published.
#[async_trait]
pub trait KeyPublisher: Send + Sync {
    /// The keys as published now. Refused when the issuer does not answer as it should.
    async fn keys(&self) -> Result<PublishedKeys>;
}

/// A document that an OAuth client publishes about itself.
pub struct ClientDocument {
    pub body: Bytes,
    /// How long it may be used, if the publisher says so.
    pub max_age: Option<Duration>,
}

/// Fetches the documents of OAuth clients, whose addresses anybody may give.
#[async_trait]
pub trait ClientDocuments: Send + Sync {
    /// The document at an https address.
    ///
    /// Refused when the address is not of the public internet, and when the answer is a redirect, too
    /// long, too slow or no JSON.
    async fn fetch(&self, url: &str) -> Result<ClientDocument>;
}

/// Bytes as they arrive from the storage.
pub type ByteStream = BoxStream<'static, Result<Bytes>>;

/// Where the bytes of media are stored: a folder or S3.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// A new file for bytes that are still arriving, on the disk of the storage or of the database. It is
    /// deleted when dropped; if the process is killed before, at the next start.
    fn incoming(&self) -> Result<NamedTempFile>;

    /// Removes the files that killed processes have left, and returns how many there were.
    fn sweep(&self) -> Result<usize>;

    /// Stores the bytes under the path, completely or not at all.
    async fn put(&self, path: &str, bytes: Bytes) -> Result<()>;

    /// The same from a file, streamed.
    async fn put_file(&self, path: &str, file: &Path) -> Result<()>;

    /// A range of the bytes under the path; `None` when there is nothing. Refused (503) when the
    /// storage is away.
    async fn read(&self, path: &str, range: Range<u64>) -> Result<Option<ByteStream>>;

    /// Removes the bytes under the path, if there are any.
    async fn delete(&self, path: &str) -> Result<()>;

    /// Whether the storage answers.
    async fn check(&self) -> Result<()>;

    /// Whether it is a folder without any content. A bucket is not looked through.
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
    /// What a person should know about it, in sentences.
    pub warnings: Vec<&'static str>,
}

/// The look of a team.
#[derive(Debug, Clone)]
pub struct Look {
    /// Two to five in sRGB; the first is the main one.
    pub colors: Vec<[u8; 3]>,
    pub font: Option<Font>,
    /// Who signs: the handle with its `@`, or the team's name.
    pub signer: String,
    /// An image file.
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
    /// An image file that the text stands on.
    pub photo: Option<Bytes>,
    pub look: Option<Arc<Look>>,
}

/// A card whose text is typeset exactly as given.
#[derive(Debug, Clone)]
pub struct CardRequest {
    pub text: String,
    /// What the background shows; without it and a photo, the style draws its own.
    pub prompt: Option<String>,
    /// An image file as the background.
    pub photo: Option<Bytes>,
    pub style: Style,
    pub width: u32,
    pub height: u32,
    /// (page, pages), from 1.
    pub page: (u32, u32),
    pub look: Option<Arc<Look>>,
}

/// Makes images: an outside provider, or the typographic renderer built in.
#[async_trait]
pub trait ImageGenerator: Send + Sync {
    /// An image for a prompt.
    async fn art(&self, request: ArtRequest) -> Result<Picture>;

    /// Whether a card's text fits, without any cost.
    ///
    /// Refused (400) when it does not fit at the smallest size.
    async fn fits(&self, request: CardRequest) -> Result<()>;

    /// A card with its text. Refused (400) when the text does not fit.
    async fn card(&self, request: CardRequest) -> Result<Picture>;

    /// What [`Self::art`] would make, with its longer side at most so long, without any cost.
    ///
    /// Refused (400) when a provider would draw it from the prompt.
    async fn preview_art(&self, request: ArtRequest, longer: u32) -> Result<Picture>;

    /// What [`Self::card`] would make, with its longer side at most so long, without any cost. A
    /// background that a provider would draw is left plain.
    async fn preview_card(&self, request: CardRequest, longer: u32) -> Result<Picture>;

    /// Checks whether images can be made, without making one.
    async fn check(&self) -> Result<()>;
}

/// Measures image files.
#[async_trait]
pub trait MeasureImages: Send + Sync {
    /// Width and height of an image file as displayed, after it has been decoded completely.
    ///
    /// Refused (400) when it is not an image, has too many pixels, or is broken.
    async fn size(&self, file: PathBuf) -> Result<(u32, u32)>;

    /// The image as displayed, as a JPEG on white whose shorter and longer sides are at most so long.
    ///
    /// Refused (400) when it cannot be decoded.
    async fn jpeg(&self, file: Bytes, shorter: u32, longer: u32) -> Result<Picture>;

    /// The image as displayed, as a small JPEG on white that is at most so wide, and at most three times as
    /// high. Of an animation, its first frame.
    ///
    /// Refused (400) when it cannot be decoded.
    async fn reduced(&self, file: Bytes, width: u32) -> Result<Picture>;
}

/// The result for one text: its vector, or why the model refuses the text.
pub type Embedded = Result<Vec<f32>>;

/// Turns texts into vectors; the smaller the angle between two, the nearer their meanings.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// Only vectors of the same model can be compared.
    fn model(&self) -> &str;

    /// The least cosine with a question at which a text counts as an answer.
    fn least_similarity(&self) -> f64;

    /// The vectors of the texts, in their order, all of one length.
    ///
    /// Refused as a whole when the provider fails; the call may be repeated.
    async fn embed(&self, texts: &[String]) -> Result<Vec<Embedded>>;
}

/// A person's way to the sign-in page of a hosted issuer, and back.
pub struct SignInRequest<'a> {
    pub redirect_uri: &'a str,
    pub state: &'a str,
    pub nonce: &'a str,
    /// The PKCE verifier.
    pub verifier: &'a str,
    /// Whether the issuer asks again who it is.
    pub again: bool,
}

/// How people sign in at a hosted issuer from a browser.
#[async_trait]
pub trait IssuerSignIn: Send + Sync {
    /// The address of the issuer's page for a request.
    async fn page(&self, request: SignInRequest<'_>) -> Result<String>;

    /// The ID token for a code that the page returned. `None` when the issuer refuses the code.
    async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Option<String>>;

    /// A session for e-mail and password, at an issuer without such a page. `None` when they do not
    /// match an account.
    async fn session(&self, email: &str, password: &str) -> Result<Option<String>>;
}
