//! What people may decide about a publication.

use domain::{PostState as State, text_enum};
use gateway::Result;
use ports::publishing::Prepared;
use store::scheduled_posts::ScheduledPost;

text_enum! {
    /// What a person decides.
    pub enum PublicationAction {
        PublishNow = "publicar_agora",
        Cancel = "cancelar",
        /// It is online, at this link.
        Online = "no_ar",
        /// It is not online.
        TryAgain = "tentar_de_novo",
    }
}

/// The decisions that the state of a publication allows.
pub(super) fn allowed_actions(found: &ScheduledPost) -> Result<Vec<PublicationAction>> {
    use PublicationAction::{Cancel, Online, PublishNow, TryAgain};
    Ok(match found.state {
        State::Scheduled | State::Preparing | State::Ready => vec![PublishNow, Cancel],
        State::Late => vec![PublishNow, TryAgain, Cancel, Online],
        State::Failed => vec![TryAgain, Online],
        // The network may still publish what it has taken, and takes no second request.
        State::Unknown if is_taken(found)? => vec![Online, Cancel],
        State::Unknown => vec![Online, TryAgain, Cancel],
        State::Published if found.link.is_none() => vec![Online],
        State::Published | State::Publishing | State::Checking | State::Canceled => vec![],
    })
}

/// Whether the network has taken the post and publishes it by itself.
pub(super) fn is_taken(found: &ScheduledPost) -> Result<bool> {
    let prepared = found.prepared.as_deref();
    let prepared: Option<Prepared> = prepared.map(serde_json::from_str).transpose()?;
    Ok(prepared.is_some_and(|prepared| prepared.is_taken))
}
