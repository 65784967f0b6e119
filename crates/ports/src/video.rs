//! Video generation, which runs in the background at a provider.

use async_trait::async_trait;
use bytes::Bytes;

use crate::ByteStream;
use domain::{Aspect, Error, Result};

/// The options and limits of a video provider.
#[derive(Debug, Clone)]
pub struct VideoOffer {
    pub aspects: &'static [Aspect],
    /// The available durations in seconds, ascending.
    pub seconds: &'static [u32],
    pub default_seconds: u32,
    /// The maximum length of a prompt, in UTF-16 code units.
    pub prompt_units: usize,
}

/// The image that becomes the first frame of the video.
#[derive(Debug, Clone)]
pub struct FirstFrame {
    /// The bytes of an image file.
    pub bytes: Bytes,
}

/// A request for a video within the limits of the provider's [`VideoOffer`].
#[derive(Debug, Clone)]
pub struct VideoRequest {
    pub prompt: String,
    pub aspect: Aspect,
    pub seconds: u32,
    pub first_frame: Option<FirstFrame>,
}

/// The reason why a provider did not confirm a request.
#[derive(Debug)]
pub enum NotSubmitted {
    /// The request had no effect and may be sent again later.
    Later(Error),
    /// The request had no effect, and sending it again does not help.
    Refused(Error),
    /// The request may have had an effect.
    Unknown(Error),
}

/// The state of a video generation at the provider.
#[derive(Debug)]
pub enum VideoProgress {
    /// In progress, with the percentage if the provider reports it.
    Running(Option<u8>),
    Completed,
    /// The generation ended without a video.
    Failed(Error),
    /// The provider does not know the video (yet).
    Absent,
}

/// Generates videos through an external provider.
#[async_trait]
pub trait VideoGenerator: Send + Sync {
    /// Returns the name of the provider in the configuration.
    fn name(&self) -> &'static str;

    fn offer(&self) -> &VideoOffer;

    /// Submits a request. Returns the provider's id of the video.
    async fn submit_request(&self, request: VideoRequest) -> Result<String, NotSubmitted>;

    /// Fetches the state of a video. Fails if the state is temporarily unavailable.
    async fn fetch_progress(&self, id: &str) -> Result<VideoProgress>;

    /// Downloads a completed video. If the provider issues download URLs, each call requests a new
    /// one.
    async fn download_video(&self, id: &str) -> Result<ByteStream>;

    /// Asks the provider to cancel a video generation. Has no effect if the generation has ended or
    /// is unknown.
    async fn cancel_generation(&self, id: &str) -> Result<()>;

    /// Checks whether videos can be generated, without generating one.
    async fn check_available(&self) -> Result<()>;
}
