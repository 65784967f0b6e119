//! The settings of the text provider.

use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::{
    Sources,
    providers::{AccountSettings, OPENAI, ProviderAccount},
};

const ANTHROPIC: AccountSettings = AccountSettings {
    base: "PAUTA_ANTHROPIC_BASE_URL",
    default_base: "https://api.anthropic.com",
    key: "PAUTA_ANTHROPIC_API_KEY",
};

/// The APIs that generate texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextApi {
    /// The Chat Completions API of OpenAI, or of a compatible server.
    OpenAi,
    /// The Messages API of Anthropic.
    Anthropic,
}

/// The account and model that generate texts.
#[derive(Debug, Clone)]
pub struct TextModel {
    pub api: TextApi,
    pub account: ProviderAccount,
    pub model: String,
    /// The timeout of a script, including its verification.
    pub timeout: Duration,
}

impl TextModel {
    /// Reads the settings; `None` if no provider of texts is configured.
    pub(super) fn read(sources: &Sources) -> Result<Option<Self>> {
        let (api, settings, model_name) = match sources.get("PAUTA_TEXT_PROVIDER") {
            None | Some("nenhum") => return Ok(None),
            Some("openai") => (TextApi::OpenAi, OPENAI, "PAUTA_OPENAI_TEXT_MODEL"),
            Some("anthropic") => (TextApi::Anthropic, ANTHROPIC, "PAUTA_ANTHROPIC_TEXT_MODEL"),
            Some(_) => bail!("PAUTA_TEXT_PROVIDER deve ser `nenhum`, `openai` ou `anthropic`"),
        };
        let choice = match api {
            TextApi::OpenAi => "PAUTA_TEXT_PROVIDER=openai",
            TextApi::Anthropic => "PAUTA_TEXT_PROVIDER=anthropic",
        };
        let account = ProviderAccount::read(sources, settings, choice)?;
        let model = sources.get(model_name).map(str::trim);
        let model = model.filter(|model| !model.is_empty());
        let seconds = sources.get("PAUTA_TEXT_TIMEOUT").unwrap_or("40");
        let seconds = seconds.parse().ok().filter(|n| (1..=40).contains(n));
        Ok(Some(Self {
            api,
            account,
            model: model
                .with_context(|| format!("{choice} pede {model_name}, o modelo que escreve"))?
                .to_owned(),
            timeout: seconds
                .map(Duration::from_secs)
                .context("PAUTA_TEXT_TIMEOUT deve ser um número de segundos de 1 a 40")?,
        }))
    }
}
