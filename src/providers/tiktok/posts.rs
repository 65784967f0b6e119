//! Publishes variants as posts with photos or a video, without a person.
//!
//! A video upload is started before the due time, and all chunks but the last one are uploaded. TikTok
//! publishes a video when it has all bytes, so the last chunk is the request that publishes. Sending the
//! last chunk again has no second effect. Photos have no upload: the request that publishes contains
//! their URLs. If its answer is lost, the service cannot find out whether TikTok has accepted the
//! photos.
//!
//! TikTok answers before the post is online. The status of the publication says how it ends:
//! <https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status>.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use domain::{
    channels::SELF_ONLY,
    time::{MINUTE, Millis},
};
use ports::{
    BlobStore,
    publishing::{
        Account, CallLimit, Evidence, ImageLimits, LimitPeriod, NetworkPost, OnlinePost, PostFile,
        PostOptions, PostQuota, Preparation, Prepared, PublishingNetwork, Sent, Step, Trouble,
        Upload,
    },
    shortvideo::{
        Chunks, Creator, PhotoPost, PostInfo, Progress, Received, ShortVideo, UploadChunk,
        VideoPost,
    },
};
use reqwest::Url;

use super::TikTok;
use crate::providers::{
    answers::{refusal, valid_code},
    uploads::Files,
};

const SCOPES: &[&str] = &["video.publish"];
/// JPEG or WebP, up to 20 MB and 1080p.
const IMAGES: ImageLimits = ImageLimits {
    types: &["image/jpeg", "image/webp"],
    most_bytes: 20_000_000,
    sides: (1_080, 1_920),
    purpose: "shortvideo",
};
/// The time before the due time at which the upload of a video starts. It is much shorter than an hour,
/// because an upload expires after an hour and a publication may be late.
const LEAD: Millis = 20 * MINUTE;
/// The limits that TikTok documents for calls per account and minute.
const CREATOR: CallLimit = limit("creator", 20);
const SUBMIT: CallLimit = limit("submit", 6);
const PROGRESS: CallLimit = limit("progress", 30);

const fn limit(call: &'static str, most: usize) -> CallLimit {
    CallLimit {
        call,
        most,
        per: LimitPeriod::AccountMinute,
    }
}

/// The error code for an upload that TikTok no longer accepts.
const EXPIRED: &str = "upload_403";

/// The adapter for posts of variants.
pub struct TikTokPosts {
    api: TikTok,
    files: Files,
    /// True if TikTok has audited the application. TikTok publishes posts of other applications only as
    /// `SELF_ONLY`.
    is_audited: bool,
}

impl TikTokPosts {
    pub fn new(
        base: Url,
        timeout: Duration,
        blobs: Arc<dyn BlobStore>,
        is_audited: bool,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            api: TikTok::new(base, timeout)?,
            files: Files(blobs),
            is_audited,
        })
    }

    /// Reads the options of the account. Refuses options that the account or the application may not
    /// use.
    async fn fetch_options(
        &self,
        account: Account<'_>,
        options: PostOptions<'_>,
    ) -> Result<Creator, Trouble> {
        let privacy = options.privacy.unwrap_or_default();
        if !self.is_audited && privacy != SELF_ONLY {
            let code = "unaudited_client_can_only_post_to_private_accounts";
            return Err(refusal(code, None));
        }
        let creator = self.api.fetch_creator(account.token).await;
        // This request posts nothing, so a lost answer counts as a failed connection.
        let creator = creator.map_err(|trouble| match trouble {
            Trouble::Lost => Trouble::Unreached,
            trouble => trouble,
        })?;
        if !creator.privacy_levels.iter().any(|level| level == privacy) {
            return Err(refusal("privacy_level_option_mismatch", None));
        }
        let most = creator.max_video_seconds;
        if most > 0 && options.seconds.is_some_and(|seconds| seconds > most) {
            return Err(refusal("duration_check_failed", None));
        }
        Ok(creator)
    }

    /// Reads the options of the account and applies them to the post. Refuses a post that the account or
    /// the application may not publish.
    async fn apply_options(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
    ) -> Result<(PostInfo, Creator), Trouble> {
        let options = PostOptions {
            privacy: post.privacy.as_deref(),
            seconds: post.files.iter().filter_map(|file| file.seconds).max(),
        };
        let creator = self.fetch_options(account, options).await?;
        let info = PostInfo {
            caption: post.caption.clone(),
            privacy_level: post.privacy.clone().unwrap_or_default(),
            disable_comment: post.comments_off || creator.comment_disabled,
            brand_organic: post.disclosure.own_brand,
            brand_content: post.disclosure.paid_partnership,
        };
        Ok((info, creator))
    }

    /// Starts the upload of a video at TikTok. Returns the publication id and the upload address, which
    /// are stored for the next steps.
    async fn start_video_upload(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        file: &PostFile,
    ) -> Result<Prepared, Trouble> {
        let (info, creator) = self.apply_options(account, post).await?;
        let video = VideoPost {
            info,
            disable_duet: post.disclosure.duet_off || creator.duet_disabled,
            disable_stitch: post.disclosure.stitch_off || creator.stitch_disabled,
            cover_at: post.cover_at,
            chunks: Chunks::for_size(file.bytes),
        };
        let started = self.api.submit_video(account.token, &video).await?;
        Ok(Prepared {
            whole: Some(started.publish_id),
            upload: Some(Upload {
                size: file.bytes,
                addresses: started.upload_url,
                ..Upload::default()
            }),
            ..Prepared::default()
        })
    }

    /// Sends the chunk after the first `sent` bytes.
    async fn send_chunk(
        &self,
        upload: &Upload,
        file: &PostFile,
        sent: u64,
    ) -> Result<Received, Trouble> {
        let range = Chunks::for_size(file.bytes).range_after(sent);
        let chunk = UploadChunk {
            bytes: self.files.read_range(&file.path, range.clone()).await?,
            range,
            size: file.bytes,
            media_type: file.media_type.clone(),
        };
        self.api.upload_chunk(&upload.addresses, chunk).await
    }
}

/// Converts the progress of a publication to the state of the prepared post.
fn to_preparation(progress: Progress, prepared: &Prepared) -> Preparation {
    let uploaded = match progress {
        Progress::Published { post_id } => return Preparation::Published(post_id),
        Progress::Failed { reason } => return Preparation::Failed { code: reason },
        Progress::Working { uploaded } => uploaded,
    };
    let size = match &prepared.upload {
        Some(upload) if !prepared.is_taken => upload.size,
        _ => return Preparation::Working,
    };
    if uploaded >= size {
        return Preparation::Created(to_taken(prepared));
    }
    match Chunks::for_size(size).range_after(uploaded).end == size {
        true => Preparation::Ready,
        // TikTok may omit the number of uploaded bytes, so a smaller number proves nothing.
        false => Preparation::Working,
    }
}

/// Returns the data to store after TikTok has accepted the post: its publication id, without the upload.
fn to_taken(prepared: &Prepared) -> Prepared {
    Prepared {
        whole: prepared.whole.clone(),
        is_taken: true,
        ..Prepared::default()
    }
}

#[async_trait]
impl PublishingNetwork for TikTokPosts {
    fn downloads_files(&self, has_video: bool) -> bool {
        !has_video
    }

    fn image_limits(&self) -> ImageLimits {
        IMAGES
    }

    fn required_scopes(&self) -> &'static [&'static str] {
        SCOPES
    }

    fn evidence(&self, prepared: &Prepared) -> Evidence {
        match (&prepared.whole, prepared.is_taken) {
            (None, _) => Evidence::Nothing,
            (Some(_), false) => Evidence::Repeatable,
            (Some(_), true) => Evidence::State,
        }
    }

    fn video_lead(&self) -> Millis {
        LEAD
    }

    fn limited_calls(&self, step: Step, has_video: bool, prepared: &Prepared) -> Vec<CallLimit> {
        match step {
            Step::Check | Step::Link => vec![CREATOR],
            Step::Prepare if !has_video => vec![CREATOR],
            Step::Prepare if prepared.whole.is_none() => vec![CREATOR, SUBMIT],
            Step::Prepare => vec![PROGRESS],
            Step::State if prepared.whole.is_some() => vec![PROGRESS],
            // The last chunk of a video goes to the upload address, so it does not count as a call of
            // the API.
            Step::Publish if !has_video => vec![CREATOR, SUBMIT],
            Step::State | Step::Publish => vec![],
        }
    }

    fn allowed_privacy(&self) -> Option<&'static [&'static str]> {
        (!self.is_audited).then_some(&[SELF_ONLY])
    }

    fn checks_options(&self) -> bool {
        true
    }

    async fn check_options(
        &self,
        account: Account<'_>,
        options: PostOptions<'_>,
    ) -> Result<(), Trouble> {
        self.fetch_options(account, options).await.map(drop)
    }

    async fn fetch_quota(&self, _account: Account<'_>) -> Result<Option<PostQuota>, Trouble> {
        Ok(None)
    }

    async fn prepare(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        let file = post.files.first().ok_or(Trouble::Unreached)?;
        if !file.is_video {
            self.apply_options(account, post).await?;
            return Ok(Preparation::Ready);
        }
        let (Some(id), Some(upload)) = (&prepared.whole, &prepared.upload) else {
            let begun = self.start_video_upload(account, post, file).await?;
            return Ok(Preparation::Created(begun));
        };
        if upload.addresses.is_empty() {
            return Ok(Preparation::Expired);
        }
        let sent = match self.api.fetch_progress(account.token, id).await? {
            Progress::Working { uploaded } if uploaded < file.bytes => uploaded,
            progress => return Ok(to_preparation(progress, prepared)),
        };
        let range = Chunks::for_size(file.bytes).range_after(sent);
        if range.end == file.bytes {
            return Ok(Preparation::Ready);
        }
        match self.send_chunk(upload, file, sent).await {
            Ok(Received::Part) => {
                let upload = Upload {
                    sent: range.end,
                    ..upload.clone()
                };
                Ok(Preparation::Created(Prepared {
                    upload: Some(upload),
                    ..prepared.clone()
                }))
            }
            Err(Trouble::Refused { code, .. }) if code == EXPIRED => Ok(Preparation::Expired),
            // The next step requests the number of uploaded bytes.
            Ok(Received::All) => Err(Trouble::Lost),
            Err(Trouble::Refused { code, .. }) if code == "upload_416" => Err(Trouble::Lost),
            Err(trouble) => Err(trouble),
        }
    }

    async fn fetch_state(
        &self,
        account: Account<'_>,
        prepared: &Prepared,
    ) -> Result<Preparation, Trouble> {
        let Some(id) = &prepared.whole else {
            // Photos are sent in one request at the due time, so there is nothing to prepare.
            return Ok(Preparation::Ready);
        };
        let progress = self.api.fetch_progress(account.token, id).await?;
        Ok(to_preparation(progress, prepared))
    }

    async fn publish(
        &self,
        account: Account<'_>,
        post: &NetworkPost,
        prepared: &Prepared,
    ) -> Result<Sent, Trouble> {
        let file = post.files.first().ok_or(Trouble::Unreached)?;
        if !file.is_video {
            let (info, _) = self.apply_options(account, post).await?;
            let photos = PhotoPost {
                info,
                auto_add_music: false,
                links: post.files.iter().map(|file| file.url.clone()).collect(),
            };
            let id = self.api.submit_photos(account.token, &photos).await?;
            return Ok(Sent::Taken(Prepared {
                whole: Some(id),
                is_taken: true,
                ..Prepared::default()
            }));
        }
        let upload = prepared.upload.as_ref().ok_or(Trouble::Unreached)?;
        if upload.addresses.is_empty() {
            return Err(refusal(EXPIRED, None));
        }
        let last = file.bytes.saturating_sub(1);
        match self.send_chunk(upload, file, last).await {
            Ok(Received::All) => Ok(Sent::Taken(to_taken(prepared))),
            // TikTok does not have all other bytes, or already has the last one. The status of the
            // publication decides.
            Ok(Received::Part) => Err(Trouble::Lost),
            Err(Trouble::Refused { code, .. }) if code == "upload_416" => Err(Trouble::Lost),
            Err(trouble) => Err(trouble),
        }
    }

    async fn list_posts(
        &self,
        _account: Account<'_>,
        _since: Millis,
    ) -> Result<Option<Vec<OnlinePost>>, Trouble> {
        // Listing videos needs a separate scope. The status of a publication contains the id of its post
        // instead.
        Ok(None)
    }

    async fn fetch_link(
        &self,
        account: Account<'_>,
        post_id: &str,
        is_video: bool,
    ) -> Result<Option<String>, Trouble> {
        let creator = self.api.fetch_creator(account.token).await?;
        let (Some(name), Some(id)) = (valid_code(&creator.username), valid_code(post_id)) else {
            return Ok(None);
        };
        let kind = if is_video { "video" } else { "photo" };
        Ok(Some(format!("https://www.tiktok.com/@{name}/{kind}/{id}")))
    }

    async fn comment(
        &self,
        _account: Account<'_>,
        _post_id: &str,
        _text: &str,
    ) -> Result<String, Trouble> {
        // The API cannot create comments, and the rules of the channel do not allow a first comment.
        Err(refusal("comments_unsupported", None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn video(size: u64, is_taken: bool) -> Prepared {
        Prepared {
            whole: Some("v_pub_file~v2.1".into()),
            upload: Some(Upload {
                size,
                ..Upload::default()
            }),
            is_taken,
            ..Prepared::default()
        }
    }

    fn state(size: u64, uploaded: u64, is_taken: bool) -> Preparation {
        to_preparation(Progress::Working { uploaded }, &video(size, is_taken))
    }

    #[test]
    fn a_video_is_ready_when_only_its_last_chunk_is_missing() {
        let size = 35 * MIB;
        assert_eq!(state(size, 20 * MIB, false), Preparation::Ready);
        assert_eq!(state(size, 0, false), Preparation::Working);
        assert_eq!(state(5 * MIB, 0, false), Preparation::Ready);
    }

    #[test]
    fn a_video_whose_bytes_have_all_arrived_is_taken() {
        let Preparation::Created(stored) = state(MIB, MIB, false) else {
            panic!("not taken");
        };
        assert!(stored.is_taken && stored.upload.is_none() && stored.whole.is_some());
        assert_eq!(state(MIB, MIB, true), Preparation::Working);
    }
}
