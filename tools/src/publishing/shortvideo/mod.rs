//! Publishes photos and videos with the connected short-video account.
//!
//! A publication is a row with a state. `publish_shortvideo` stores the row before it calls the
//! provider, and never submits a publication twice. The job `follow_publication` completes it.
//!
//! The states are `submitting` → `uploading` (a video) → `processing` → `published`, `failed` or
//! `unknown`. Everything that can be checked is checked before the submission: media, approval,
//! texts, the options of the account (`creator_info`), the duration of a video, the rate limits of
//! the provider. If a process dies, the row shows what may have happened:
//!
//! - *No row*: nothing was sent, and the idempotency key is free.
//! - *`submitting`*: after five minutes, longer than the operation may run, the publication is
//!   `unknown`. The service never submits it again.
//! - *`uploading`*: the job asks the provider how many bytes it has received, and continues with the
//!   next byte. The provider never publishes a video without all of its bytes, so an upload that is not
//!   complete within an hour has `failed`. Before the last chunk is sent, the row is marked
//!   (`finishing`), because after this chunk only the provider knows the outcome.
//! - *`processing`*: the job requests the status with growing pauses, from 5 seconds to 10 minutes. A
//!   final status ends the publication. Without a final status, the publication is `unknown` after two
//!   days.
//!
//! Each publication has a guard key, derived from its event or, without an event, from its list of
//! media. A unique index allows one open publication per guard key, for all callers, with or without
//! an idempotency key. An unknown publication stays open until a person has checked the account and a
//! call names the publication in `despite_publication_id`. After the publication of an event, the
//! event is `publicado` and cannot be published again. A publication of media without an event stays
//! open after it is published, so that a caller who lost the response does not publish twice; naming
//! it in `despite_publication_id` publishes the media again on purpose.

mod account;
mod approved;
mod asking;
mod desk;
mod follow;
mod get_shortvideo_creator_info;
mod hints;
mod list_shortvideo_publications;
mod meaning;
mod photos;
mod post;
mod publication_view;
mod publish_shortvideo;
mod submit;
mod upload;

pub use desk::Desk;
pub(super) use follow::FollowPublication;
pub use get_shortvideo_creator_info::GetShortvideoCreatorInfo;
pub use list_shortvideo_publications::ListShortvideoPublications;
pub use publish_shortvideo::PublishShortvideo;
pub(super) use submit::AbandonPublication;
