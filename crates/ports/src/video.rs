//! Generation of videos, which a provider makes in the background.

use async_trait::async_trait;
use bytes::Bytes;

use crate::ByteStream;
use domain::{Aspect, Error, Result};

/// The options and limits of a provider.
#[derive(Debug, Clone)]
pub struct VideoOffer {
    pub aspects: &'static [Aspect],
    /// The durations in seconds, ascending.
    pub seconds: &'static [u32],
    pub default_seconds: u32,
    /// The maximum length of a prompt, in UTF-16 code units.
    pub prompt_units: usize,
}

/// An image that is the first frame of the video.
#[derive(Debug, Clone)]
pub struct FirstFrame {
    /// The bytes of an image file.
    pub bytes: Bytes,
}

/// A request for a video that respects the provider's [`VideoOffer`].
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
    /// The request had no effect and may be sent again later.
    Later(Error),
    /// The request had no effect, and sending it again does not help.
    Refused(Error),
    /// The request may have had an effect.
    Unknown(Error),
}

/// The state of a video at the provider.
#[derive(Debug)]
pub enum VideoProgress {
    /// In progress, with the percentage if the provider reports it.
    Running(Option<u8>),
    Completed,
    /// Ended without a video.
    Failed(Error),
    /// The provider does not know the video, or not yet.
    Absent,
}

/// Generates videos with an outside provider.
#[async_trait]
pub trait VideoGenerator: Send + Sync {
    /// The name in the configuration.
    fn name(&self) -> &'static str;

    fn offer(&self) -> &VideoOffer;

    /// Requests a video; returns the provider's id of it.
    async fn submit(&self, request: VideoRequest) -> Result<String, NotSubmitted>;

    /// The state of a video. Refused when the state is unavailable at the moment.
    async fn progress(&self, id: &str) -> Result<VideoProgress>;

    /// Downloads a completed video. If the provider issues download addresses, each call requests a
    /// new one.
    async fn fetch(&self, id: &str) -> Result<ByteStream>;

    /// Asks the provider to stop a video. A video that has ended or is unknown stays as it is.
    async fn cancel(&self, id: &str) -> Result<()>;

    /// Checks whether videos can be made, without making one.
    async fn check(&self) -> Result<()>;
}
