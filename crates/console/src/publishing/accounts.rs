//! Reads the connected accounts of networks, so that pages offer only actions that can succeed.

use gateway::Result;
use serde::Deserialize;
use serde_json::json;

use super::networks;
use crate::view::View;

/// The only network on which the service publishes.
const PUBLISHES: &str = "shortvideo";

/// The registered networks and the connected accounts. Empty if the viewer may not see them.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Networks {
    #[serde(default)]
    providers: Vec<String>,
    #[serde(default)]
    accounts: Vec<Account>,
}

#[derive(Debug, Deserialize)]
struct Account {
    provider: String,
    display_name: String,
    status: String,
}

impl Networks {
    /// Reads the accounts. Empty for a viewer who may not see them.
    pub async fn read(view: &View<'_>) -> Result<Self> {
        if !view.may_call("list_connected_accounts") {
            return Ok(Self::default());
        }
        view.read("list_connected_accounts", json!({})).await
    }

    /// Returns the name of the connected account for this channel.
    pub fn account_name(&self, channel: &str) -> Option<&str> {
        let provider = networks::channel_provider(channel)?;
        let mut accounts = self.accounts.iter();
        let account =
            accounts.find(|account| account.provider == provider && account.status == "active")?;
        Some(&account.display_name)
    }

    /// Returns true if the service can publish on this channel now: it supports the channel, and an
    /// account is connected.
    pub fn can_publish(&self, channel: &str) -> bool {
        Self::supports_channel(channel) && self.account_name(channel).is_some()
    }

    /// Returns true if the service can publish on this channel once an account is connected.
    pub fn supports_channel(channel: &str) -> bool {
        networks::channel_provider(channel) == Some(PUBLISHES)
    }

    /// Returns true if an account of this channel can be connected without changing settings.
    pub fn is_registered(&self, channel: &str) -> bool {
        let provider = networks::channel_provider(channel);
        provider.is_some_and(|name| self.providers.iter().any(|provider| provider == name))
    }
}
