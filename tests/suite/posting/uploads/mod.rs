//! Publishing on the networks that take uploads, tested with doubles of their APIs.

mod linkedin;
mod server;
mod storm;
mod tiktok;
mod youtube;

use std::sync::Arc;

use super::Stage;
use crate::support::TestApp;
use server::{Api, World};

impl<W: World> Stage<Api<W>> {
    /// Creates a stage with the double of the network `W`.
    async fn with_network_double() -> Self {
        Self::with_world(W::default()).await
    }

    async fn with_world(world: W) -> Self {
        Self::with_settings(world, []).await
    }

    /// Creates a stage whose service has these additional settings.
    async fn with_settings(
        world: W,
        more: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Self {
        let api = Arc::new(Api::new(world).await);
        let mut settings = W::settings(&api.base);
        for (name, value) in more {
            settings.retain(|(known, _)| *known != name);
            settings.push((name, value.to_owned()));
        }
        let app = TestApp::with_settings(settings).await;
        api.lock_world().tokens().clock = Some(app.app.gateway.services.clock.clone());
        Self::connected(api, app, (W::NETWORK, W::CONNECTION, W::ACCOUNT)).await
    }
}
