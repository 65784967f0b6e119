//! Publishes approved variants at their hour, through the connections of the team.
//!
//! The publication of a variant is a row of `publications` with a state. The job
//! `schedule_publications` creates the row when the variant is approved, and cancels it when the approval
//! ends. The job `advance_publication` carries out one step after the other, and commits before and after
//! each call to the network. The states are:
//!
//! - *`scheduled`*: the publication waits until shortly before its hour.
//! - *`preparing`*: the network gets the files, which only the account can see. This may be repeated.
//! - *`ready`*: the post waits for its hour. Then the job reads the quota. The transaction that moves
//!   the row to `publishing` checks once more that piece and variant are unchanged and approved, and
//!   that publishing is not paused.
//! - *`publishing`*: the request that makes the post public may have been sent. It is never repeated
//!   unless the network proves that nothing was posted. A job that finds a row in this state concludes
//!   that the run before was interrupted.
//! - *`checking`*: the answer to the request was lost. The state of the prepared post at the network
//!   shows whether the post is online or can no longer become so. If the network shows neither within
//!   ten minutes, the publication is `unknown`. A post that the network has accepted and publishes later
//!   stays in this state for at most two days.
//! - *`published`*: the post is online. Further steps read the link and add the first comment. When all
//!   variants of a piece are published, by the service or by hand, the piece becomes `publicado`.
//! - *`unknown`*: a person must check the account. The service requests the state for three more days
//!   from a network that reports it.
//! - *`late`*: nothing was sent until too long after the hour. A person decides.
//! - *`failed`*, *`canceled`*: nothing was posted.
//!
//! The steps after a lost answer depend on the evidence that the network gives
//! ([`ports::publishing::Evidence`]):
//!
//! - Instagram reports the state of the prepared post. When a person tries again after `unknown`, the
//!   same prepared post is published: Instagram does not publish it twice, even if the person was wrong.
//! - YouTube keeps the video private until it is published, and a repeated publishing request has no
//!   second effect. So the request is repeated while the video is private.
//! - TikTok accepts a post and publishes it later; its state is requested until it is final. A video is
//!   published when its last chunk arrives, and sending this chunk again has no second effect. If the
//!   answer for photos is lost, TikTok gives no evidence.
//! - LinkedIn gives no evidence. After a lost answer a person must decide; the message warns that a
//!   second request may create a second post. The service repeats nothing without this decision.
//!
//! Prepared posts of publications that end without a post are deleted at the network (`prepared.rs`).

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
pub(crate) use follow::{announce_published, has_offline_variants, publish_if_online};
pub use list_publications::ListPublications;
pub use pause_publishing::PausePublishing;
pub(crate) use publishers::Publishers;
pub(super) use reconcile::SchedulePublications;
pub(super) use stored_post::StoredPost;
