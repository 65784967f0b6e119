//! Publishes photos and videos with the connected short-video account.
//!
//! A publication is a row with a state. `publish_shortvideo` stores it before it calls the
//! provider, and never submits it twice. The job `follow_publication` completes it.

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
