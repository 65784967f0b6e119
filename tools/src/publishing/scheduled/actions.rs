//! The decisions that people may make about a publication.

use domain::{PostState as State, text_enum};
use gateway::Result;
use ports::publishing::Prepared;
use store::scheduled_posts::ScheduledPost;

text_enum! {
    /// A decision of a person about a publication.
    pub enum PublicationAction {
        PublishNow = "publicar_agora",
        Cancel = "cancelar",
        /// The person states that the post is online at a link.
        Online = "no_ar",
        /// The person states that the post is not online.
        TryAgain = "tentar_de_novo",
    }
}

/// Returns the decisions that the state of a publication allows.
pub(super) fn allowed_actions(found: &ScheduledPost) -> Result<Vec<PublicationAction>> {
    use PublicationAction::{Cancel, Online, PublishNow, TryAgain};
    Ok(match found.state {
        State::Scheduled | State::Preparing | State::Ready => vec![PublishNow, Cancel],
        State::Late => vec![PublishNow, TryAgain, Cancel, Online],
        State::Failed => vec![TryAgain, Online],
        // The network may still publish the post that it has accepted, and refuses a second request.
        State::Unknown if is_taken(found)? => vec![Online, Cancel],
        State::Unknown => vec![Online, TryAgain, Cancel],
        State::Published if found.link.is_none() => vec![Online],
        State::Published | State::Publishing | State::Checking | State::Canceled => vec![],
    })
}

/// Returns true if the network has accepted the post and will publish it without a further request.
pub(super) fn is_taken(found: &ScheduledPost) -> Result<bool> {
    let prepared = found.prepared.as_deref();
    let prepared: Option<Prepared> = prepared.map(serde_json::from_str).transpose()?;
    Ok(prepared.is_some_and(|prepared| prepared.is_taken))
}
