//! Examples of operations that need an outside provider (`Spec::needs_provider`).
//!
//! The examples run with doubles of the providers, so that their answers can be recorded. A demo has
//! no provider: there the same calls may be refused as the spec says.

use gateway::ErrorForm;
use pauta::artifacts::Example;
use serde_json::Value;

use super::examples::{over_rest, stage_without};
use crate::{
    networks::{Networks, connect},
    support::{Client, Settings, TestApp, examples::input},
};

/// The doubles. Each runs until the test ends.
pub(super) struct Providers {
    networks: Networks,
}

impl Providers {
    pub(super) async fn new() -> Self {
        Self {
            networks: Networks::new().await,
        }
    }

    /// The settings of a service whose examples all succeed.
    pub(super) fn settings(&self) -> Settings {
        self.networks.example_settings()
    }

    /// What the examples find there, beyond what every demo has.
    pub(super) async fn prepare(&self, app: &TestApp, session: &Client) {
        for network in ["shortvideo", "linkedin"] {
            let connected = connect(app, &self.networks, session, network).await;
            connected.expect(200);
        }
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
