//! Videos that a provider makes in the background.

use async_trait::async_trait;
use bytes::Bytes;

use crate::ByteStream;
use domain::{Aspect, Error, Result};

/// What a provider offers.
#[derive(Debug, Clone)]
pub struct VideoOffer {
    pub aspects: &'static [Aspect],
    /// Ascending.
    pub seconds: &'static [u32],
    pub default_seconds: u32,
    /// The longest prompt, in UTF-16 code units.
    pub prompt_units: usize,
}

/// An image that the video begins with.
#[derive(Debug, Clone)]
pub struct FirstFrame {
    /// An image file.
    pub bytes: Bytes,
}

/// A request for a video, within what the provider offers.
#[derive(Debug, Clone)]
pub struct VideoRequest {
    pub prompt: String,
    pub aspect: Aspect,
    pub seconds: u32,
    pub first_frame: Option<FirstFrame>,
}

/// Why a provider did not confirm a request.
#[derive(Debug)]
pub enum NotSubmitted {
    /// It had no effect, and may be sent again later.
    Later(Error),
    /// It had no effect, and sending it again does not help.
    Refused(Error),
    /// It may have had an effect.
    Unknown(Error),
}

/// How far a video is.
#[derive(Debug)]
pub enum VideoProgress {
    /// In progress, with the percentage if the provider reports it.
    Running(Option<u8>),
    Completed,
    /// Ended without a video.
    Failed(Error),
    /// The provider does not know it, or not yet.
    Absent,
}

/// Makes videos: an outside provider.
#[async_trait]
pub trait VideoGenerator: Send + Sync {
    /// The name in the configuration.
    fn name(&self) -> &'static str;

    fn offer(&self) -> &VideoOffer;

    /// Asks for a video; the answer is the provider's id of it.
    async fn submit(&self, request: VideoRequest) -> Result<String, NotSubmitted>;

    /// How far a video is. Refused when that is not known at the moment.
    async fn progress(&self, id: &str) -> Result<VideoProgress>;

    /// The bytes of a completed video, from an address that is asked for anew.
    async fn fetch(&self, id: &str) -> Result<ByteStream>;

    /// Asks to stop the making of a video. A video that has ended or is unknown is left as it is.
    async fn cancel(&self, id: &str) -> Result<()>;

    /// Checks whether videos can be made, without making one.
    async fn check(&self) -> Result<()>;
}
