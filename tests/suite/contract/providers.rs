//! Examples of operations that need an outside provider (`Spec::needs_provider`).
//!
//! The examples run with doubles of the providers, so that their answers can be recorded. A demo has
//! no provider: there the same calls may be refused as the spec says.

use std::sync::Arc;

use domain::time::Millis;
use gateway::{Code, Error, ErrorForm, Operation, Result};
use pauta::artifacts::Example;
use ports::{TopicMessage, Topics};
use serde_json::Value;
use tools::timeline::ReceiveEmailDeliveryEvents;

use super::examples::{over_rest, stage_with};
use crate::support::{Settings, TestApp, examples::input};

/// The settings of a service whose examples all succeed. Each double runs until the test ends.
pub(super) async fn settings() -> Settings {
    vec![("PAUTA_JORNADA_LEAD_TOKEN", LEAD_TOKEN.into())]
}

/// The secret with which the examples read about a lead.
pub(super) const LEAD_TOKEN: &str = "segredo-dos-exemplos";

/// The service with doubles that no setting configures.
pub(super) fn with_doubles(app: TestApp) -> TestApp {
    app.with_part::<Arc<dyn Topics>>(Arc::new(Topic))
}

/// A topic that has signed the example, and nothing else.
struct Topic;

#[async_trait::async_trait]
impl Topics for Topic {
    async fn verify(&self, message: &TopicMessage, _: Millis) -> Result<()> {
        let example = input(ReceiveEmailDeliveryEvents::SPEC.name);
        match message.signature == example["Signature"] {
            true => Ok(()),
            false => Err(Error::new(Code::UNAUTHENTICATED)),
        }
    }

    async fn confirm(&self, _: &TopicMessage) -> Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn without_its_provider_every_example_is_refused_as_its_spec_says() {
    let (app, helena) = stage_with(vec![]).await;
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
