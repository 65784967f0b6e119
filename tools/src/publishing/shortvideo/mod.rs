//! Publishes photos and videos with the connected short-video account.
//!
//! A publication is a row with a state. `publish_shortvideo` stores it before it calls the
//! provider, and never submits it twice. The job `follow_publication` completes it.
//!
//! The states are `submitting` → `uploading` (a video) → `processing` → `published`, `failed` or
//! `unknown`. Everything that can be checked is checked first: media, approval, texts, the options
//! of the account (`creator_info`), the length of a video, the calls that the provider allows.
//! Wherever a process dies, the row says what may have happened:
//!
//! - *Before the row*: nothing was sent, and the key of the call is free.
//! - *`submitting`*: after five minutes, longer than the operation may run, the publication is
//!   `unknown`. It is never submitted again by the service.
//! - *`uploading`*: the job asks the provider how many bytes it has, and continues from there.
//!   Without all of its bytes a video is never published, so an upload that is not complete within
//!   the hour has `failed`. Before the last chunk is sent the row says so (`finishing`), because
//!   after that chunk only the provider knows.
//! - *`processing`*: the job asks with growing pauses, from 5 seconds to 10 minutes, for two days.
//!   The answer of the provider ends the publication. Silence does not: after two days it is
//!   `unknown`.
//!
//! Each publication has a guard: its event, or else its list of media. A unique index permits one
//! open publication for each guard, for all callers and with or without a key. An unknown one stays
//! open until a person has looked and says so by naming it (`despite_publication_id`). A published
//! one of an event ends with the status of the event, `publicado`, which cannot be published. One
//! of media without an event stays open too, so that a caller who lost the answer does not publish
//! twice; naming it repeats it on purpose.

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
mod video;

pub use desk::Desk;
pub(super) use follow::FollowPublication;
pub use get_shortvideo_creator_info::GetShortvideoCreatorInfo;
pub use list_shortvideo_publications::ListShortvideoPublications;
pub use publish_shortvideo::PublishShortvideo;
pub(super) use submit::AbandonPublication;
