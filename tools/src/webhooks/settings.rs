//! Checks the settings of a webhook that a caller sends.

use super::{WebhookDelivery, kinds::SentKind};
use domain::{ProjectId, channels::channel_key};
use gateway::{Context, Result};
use store::projects;

/// The checked settings of a webhook: its address, the kinds of its messages, and its filters.
pub(super) struct Settings {
    pub url: String,
    pub kinds: Vec<String>,
    pub description: String,
    pub project_id: Option<ProjectId>,
    pub channel: Option<String>,
}

impl Settings {
    /// Checks the settings. Refuses (400) a URL that the sender does not allow, and (404) a project that
    /// does not exist.
    pub async fn check(
        ctx: &Context<'_>,
        url: String,
        kinds: &[SentKind],
        description: &str,
        project_id: Option<ProjectId>,
        channel: Option<String>,
    ) -> Result<Self> {
        let sender = ctx.services.parts.get::<WebhookDelivery>();
        sender.check_url(&url)?;
        if let Some(id) = &project_id {
            projects::require_exists(&ctx.db(), id).await?;
        }
        Ok(Self {
            url,
            kinds: kinds.iter().map(|kind| kind.as_str().to_owned()).collect(),
            description: description.trim().to_owned(),
            project_id,
            channel: channel.as_deref().map(channel_key),
        })
    }
}
