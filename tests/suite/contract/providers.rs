//! Examples of operations that need an outside provider (`Spec::needs_provider`).
//!
//! The examples run with doubles of the providers, so that their answers can be recorded. A demo has
//! no provider: there the same calls may be refused as the spec says.

use gateway::ErrorForm;
use pauta::artifacts::{Example, RECORDED_URL};
use serde_json::Value;

use super::examples::{over_rest, stage_without};
use crate::{
    networks::{Networks, connect},
    publishing::{ACCOUNT, CLIENT, TikTokApi, connect_as},
    support::{Client, Settings, TestApp, examples::input},
};

/// The doubles. Each runs until the test ends.
pub(super) struct Providers {
    networks: Networks,
    tiktok: TikTokApi,
}

impl Providers {
    pub(super) async fn new() -> Self {
        Self {
            networks: Networks::new().await,
            tiktok: TikTokApi::new().await,
        }
    }

    /// The settings of a service whose examples all succeed.
    pub(super) fn settings(&self) -> Settings {
        let [key, secret] = CLIENT.map(str::to_owned);
        let mut settings = self.networks.example_settings();
        settings.extend([
            ("PAUTA_TIKTOK_CLIENT_KEY", key),
            ("PAUTA_TIKTOK_CLIENT_SECRET", secret),
            ("PAUTA_TIKTOK_BASE_URL", self.tiktok.base.clone()),
            ("PAUTA_TIKTOK_AUDITED", "true".to_owned()),
        ]);
        settings
    }

    /// What the examples find there, beyond what every demo has.
    pub(super) async fn prepare(&self, app: &TestApp, session: &Client) {
        self.tiktok.runs_by(app.app.gateway.services.clock.clone());
        self.tiktok.world().verified_prefix = format!("{RECORDED_URL}/");
        connect_as(app, session, ACCOUNT).await;
        let connected = connect(app, &self.networks, session, "linkedin").await;
        connected.expect(200);
    }
}

#[tokio::test]
async fn without_its_provider_every_example_is_refused_as_its_spec_says() {
    let (app, helena) = stage_without().await;
    for operation in &app.app.gateway.registry.operations {
        let Some(code) = operation.spec.without_provider else {
            continue;
        };
        let example = Example {
            input: input(operation.spec.name),
            answer: Value::Null,
        };
        let client = helena.client(&app, operation).await;
        let answer = over_rest(&client, operation, &example).await;
        let answer = answer.expect(code.status());
        if operation.spec.error_form(code.status()) == ErrorForm::Object {
            answer.refused(code.status(), code.as_str());
        }
    }
}
