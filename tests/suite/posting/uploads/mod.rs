//! Publishing on the networks that take uploads, tested with doubles of their APIs.

mod linkedin;
mod server;
mod storm;
mod youtube;

use std::sync::Arc;

use super::Stage;
use crate::support::TestApp;
use server::{Api, World};

impl<W: World> Stage<Api<W>> {
    /// A stage with the double of a network.
    async fn of_network() -> Self {
        Self::with_world(W::default()).await
    }

    async fn with_world(world: W) -> Self {
        let api = Arc::new(Api::new(world).await);
        let app = TestApp::with_settings(W::settings(&api.base)).await;
        api.lock_world().tokens().clock = Some(app.app.gateway.services.clock.clone());
        Self::connected(api, app, (W::NETWORK, W::ACCOUNT)).await
    }
}
