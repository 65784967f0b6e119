//! Publishes approved variants at their hour, through the connections of the team.
//!
//! The publication of a variant is a row of `publications` with a state. The job
//! `schedule_publications` creates it when the variant is approved, and cancels it when the approval
//! ends. The job `advance_publication` moves it on, one step at a time, and commits before and after
//! each call to the network:
//!
//! - *`scheduled`*: waits until shortly before its hour.
//! - *`preparing`*: the network gets the files, which nobody sees. This may be repeated.
//! - *`ready`*: waits for its hour. Then the quota is read, and the transaction that moves to
//!   `publishing` checks once more that piece and variant are unchanged and approved, and that
//!   publishing is not paused.
//! - *`publishing`*: the one request that others can see may have been sent. It is never repeated
//!   unless the network proves that nothing was posted. A job that finds this state was interrupted.
//! - *`checking`*: the answer was lost. The network's state of the prepared post decides: it is online,
//!   or it cannot be any more. If neither is known after ten minutes, the publication is `unknown`. A post
//!   that the network has taken and publishes by itself is here for two days at most.
//! - *`published`*: link and first comment follow, as steps of their own. When all variants of a piece are
//!   published, by the service or by hand, the piece is `publicado`.
//! - *`unknown`*: a person looks. The service still asks a network that tells something, for three days.
//! - *`late`*: nothing was sent until too long after the hour. A person decides.
//! - *`failed`*, *`canceled`*: nothing was posted.
//!
//! What follows a lost answer depends on what the network can say ([`ports::publishing::Evidence`]):
//!
//! - Instagram tells the state of the prepared post. When a person tries again after `unknown`, the same
//!   prepared post is published: the network does not publish it twice, even if the person was wrong.
//! - YouTube keeps the video private until it is published, and publishing it again has no second
//!   effect. So the request is repeated while the video is private.
//! - TikTok takes a post and publishes it by itself; its state is read until it ends. A video waits
//!   without its last chunk, and sending that again has no second effect. Of photos whose answer is lost,
//!   TikTok tells nothing.
//! - LinkedIn tells nothing. A lost answer asks a person, who is told that a second request may make a
//!   second post. The service repeats nothing by itself.
//!
//! What a network keeps of a publication that ends without a post is deleted there (`prepared.rs`).

mod actions;
mod advance;
mod check;
mod decide_publication;
mod desk;
mod files;
mod follow;
mod late;
mod list_publications;
mod meaning;
mod network;
mod pause_publishing;
mod prepare;
mod prepared;
mod publish;
mod publishers;
mod reconcile;
mod steps;
mod stored_post;
mod view;

pub(super) use advance::AdvancePublication;
pub use decide_publication::DecidePublication;
pub use desk::{PostDesk, PostNetwork};
pub(crate) use follow::{announce_published, has_channels_left, publish_if_online};
pub use list_publications::ListPublications;
pub use pause_publishing::PausePublishing;
pub(crate) use publishers::Publishers;
pub(super) use reconcile::SchedulePublications;
pub(super) use stored_post::StoredPost;
