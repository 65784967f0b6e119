//! Examples of operations that need an outside provider (`Spec::needs_provider`).
//!
//! The examples run with doubles of the providers, so that their answers can be recorded. A demo
//! has no provider: there the same calls may be refused as the spec says.

use std::sync::Arc;

use domain::time::Millis;
use gateway::{Code, Error, ErrorForm, Operation, Result};
use pauta::artifacts::{Example, RECORDED_URL};
use ports::{TopicMessage, Topics};
use serde_json::{Value, json};
use tools::timeline::ReceiveEmailDeliveryEvents;

use super::examples::{call_by_rest, start_stage_without_providers};
use crate::{
    networks::{Networks, connect_account},
    publishing::{ACCOUNT, CLIENT, TikTokApi, connect_account_as},
    script::double::{Dialect as Text, Reply, TextApi},
    support::{Client, Settings, TestApp, examples::example_input},
    videos::double::{Dialect as Video, VideoApi},
};

/// The doubles of the outside providers. Each runs until the test ends.
pub(super) struct Providers {
    networks: Networks,
    tiktok: TikTokApi,
    text: TextApi,
    video: VideoApi,
}

impl Providers {
    pub(super) async fn new() -> Self {
        let text = TextApi::new().await;
        text.set_handler(
            |asked| async move { Reply::from_json(script_about_fish(asked.is_draft)) },
        );
        Self {
            networks: Networks::new().await,
            tiktok: TikTokApi::new().await,
            text,
            video: VideoApi::new(Video::OpenAi).await,
        }
    }

    /// Returns the settings of a service whose examples all succeed.
    pub(super) fn settings(&self) -> Settings {
        let [key, secret] = CLIENT.map(str::to_owned);
        let mut settings = self.networks.example_settings();
        settings.extend(self.text.settings(Text::OpenAi));
        settings.extend(self.video.settings());
        settings.push(("PAUTA_JORNADA_LEAD_TOKEN", LEAD_TOKEN.into()));
        settings.extend([
            ("PAUTA_TIKTOK_CLIENT_KEY", key),
            ("PAUTA_TIKTOK_CLIENT_SECRET", secret),
            ("PAUTA_TIKTOK_BASE_URL", self.tiktok.base.clone()),
            ("PAUTA_TIKTOK_AUDITED", "true".to_owned()),
        ]);
        settings
    }

    /// Sets up the resources that the examples need and a demo does not have.
    pub(super) async fn prepare_resources(&self, app: &TestApp, session: &Client) {
        self.tiktok
            .set_clock(app.app.gateway.services.clock.clone());
        self.tiktok.lock_world().verified_prefix = format!("{RECORDED_URL}/");
        connect_account_as(app, session, ACCOUNT).await;
        let connected = connect_account(app, &self.networks, session, "linkedin").await;
        connected.expect(200);
    }
}

/// Returns a script about the first document of every demo.
fn script_about_fish(is_draft: bool) -> Value {
    let claim = "O peixe está no ponto quando o centro marca 63 °C.";
    if !is_draft {
        let judged =
            json!({ "numero": 1, "afirmacao": claim, "situacao": "sustentada", "fontes": [1] });
        return json!({ "afirmacoes": [judged] });
    }
    let block = |texto: &str, visual: &str, segundos: u32| json!({ "texto": texto, "visual": visual, "segundos": segundos });
    let blocks = [
        block(
            "Faça dois ou três talhos de cada lado.",
            "A faca na pele do peixe",
            10,
        ),
        block(
            "Forno a 200 °C, até as lascas se soltarem.",
            "O peixe no forno",
            12,
        ),
        block(
            "Na dúvida, meça: 63 °C no centro.",
            "O termômetro espetado",
            8,
        ),
    ];
    json!({
        "titulo": "Peixe inteiro, sem medo",
        "gancho": "Como saber se o peixe assou?",
        "blocos": blocks,
        "cta": "Salve para o próximo domingo.",
        "fontes": [1],
        "afirmacoes": [claim],
    })
}

/// The shared secret of the operation that reads leads.
pub(super) const LEAD_TOKEN: &str = "segredo-dos-exemplos";

/// Adds the doubles that no setting can configure.
pub(super) fn with_doubles(app: TestApp) -> TestApp {
    app.with_part::<Arc<dyn Topics>>(Arc::new(Topic))
}

/// A topic that accepts only the signature of the example.
struct Topic;

#[async_trait::async_trait]
impl Topics for Topic {
    async fn verify_message(&self, message: &TopicMessage, _: Millis) -> Result<()> {
        let example = example_input(ReceiveEmailDeliveryEvents::SPEC.name);
        match message.signature == example["Signature"] {
            true => Ok(()),
            false => Err(Error::new(Code::UNAUTHENTICATED)),
        }
    }

    async fn confirm_subscription(&self, _: &TopicMessage) -> Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn without_its_provider_every_example_is_refused_as_its_spec_says() {
    let (app, helena) = start_stage_without_providers().await;
    for operation in &app.app.gateway.registry.operations {
        let Some(code) = operation.spec.without_provider else {
            continue;
        };
        let example = Example {
            input: example_input(operation.spec.name),
            answer: Value::Null,
        };
        let client = helena.client_for(&app, operation).await;
        let answer = call_by_rest(&client, operation, &example).await;
        let answer = answer.expect(code.status());
        if operation.spec.error_form(code.status()) == ErrorForm::Object {
            answer.expect_refusal(code.status(), code.as_str());
        }
    }
}
