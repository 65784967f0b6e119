use std::sync::Arc;

use ports::figures::PostFigures;

/// A network that says what came of posts.
#[derive(Clone)]
pub struct FiguresNetwork {
    /// The name of the network, which is the channel of its variants.
    pub name: &'static str,
    /// The name of its connection.
    pub connection: &'static str,
    pub api: Arc<dyn PostFigures>,
}

/// The networks that say what came of posts.
#[derive(Clone)]
pub struct ResultsDesk {
    pub(super) networks: Vec<FiguresNetwork>,
}

impl ResultsDesk {
    /// The names of these networks.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.networks.iter().map(|network| network.name).collect()
    }

    #[must_use]
    pub fn new(networks: Vec<FiguresNetwork>) -> Self {
        Self { networks }
    }
}
