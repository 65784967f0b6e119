//! The networks on which the service publishes variants.

use std::sync::Arc;

use domain::time::Millis;
use ports::publishing::PublishingNetwork;

/// A network on which the service publishes.
#[derive(Clone)]
pub struct PostNetwork {
    /// The name of the network, which is the channel of its variants.
    pub name: &'static str,
    /// The name of the connection of this network.
    pub connection: &'static str,
    /// The name of the network that users see.
    pub title: &'static str,
    pub api: Arc<dyn PublishingNetwork>,
}

/// The networks on which the service publishes, and the maximum delay of a publication.
#[derive(Clone)]
pub struct PostDesk {
    pub(super) networks: Vec<PostNetwork>,
    /// The time after its hour in which a variant is still published without asking a person.
    late_after: Millis,
}

impl PostDesk {
    #[must_use]
    pub fn new(networks: Vec<PostNetwork>, late_after: Millis) -> Self {
        Self {
            networks,
            late_after,
        }
    }

    /// Returns the levels of privacy that the application may set on a channel; `None` if it may set all.
    pub(crate) fn allowed_privacy(&self, channel: &str) -> Option<&'static [&'static str]> {
        self.find(channel)?.api.allowed_privacy()
    }

    /// Returns the instant from which a post of this hour is late.
    pub(super) fn late_at(&self, due_at: Millis) -> Millis {
        due_at + self.late_after
    }

    pub(super) fn find(&self, name: &str) -> Option<&PostNetwork> {
        self.networks.iter().find(|network| network.name == name)
    }
}
