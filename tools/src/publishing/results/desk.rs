use std::sync::Arc;

use ports::figures::PostFigures;

/// A network whose API returns the figures of posts, such as reach and likes.
#[derive(Clone)]
pub struct FiguresNetwork {
    /// The name of the network, which is the channel of its variants.
    pub name: &'static str,
    /// The name of the connection of this network.
    pub connection: &'static str,
    pub api: Arc<dyn PostFigures>,
}

/// The networks whose APIs return the figures of posts.
#[derive(Clone)]
pub struct ResultsDesk {
    pub(super) networks: Vec<FiguresNetwork>,
}

impl ResultsDesk {
    /// Returns the names of the networks.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.networks.iter().map(|network| network.name).collect()
    }

    #[must_use]
    pub fn new(networks: Vec<FiguresNetwork>) -> Self {
        Self { networks }
    }
}
