//! The settings of image and embedding providers.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Url;

use super::{Sources, base_url::read_base_url};

/// The provider that generates images.
#[derive(Debug, Clone)]
pub enum Images {
    Local,
    OpenAi(ImageModel),
}

/// An account at a provider, or at a server with a compatible API.
#[derive(Clone)]
pub struct ProviderAccount {
    /// The base URL, without the API version and with a slash at the end.
    pub base: Url,
    pub key: String,
}

impl std::fmt::Debug for ProviderAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderAccount")
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

/// The names of the settings of an account.
#[derive(Debug, Clone, Copy)]
pub(super) struct AccountSettings {
    pub base: &'static str,
    pub default_base: &'static str,
    pub key: &'static str,
}

/// OpenAI, or a server with a compatible API.
pub(super) const OPENAI: AccountSettings = AccountSettings {
    base: "PAUTA_OPENAI_BASE_URL",
    default_base: "https://api.openai.com",
    key: "PAUTA_OPENAI_API_KEY",
};

/// The Images API of an account.
#[derive(Debug, Clone)]
pub struct ImageModel {
    pub account: ProviderAccount,
    pub model: String,
    /// The timeout of an image request.
    pub timeout: Duration,
}

/// The Embeddings API of an account.
#[derive(Debug, Clone)]
pub struct EmbeddingModel {
    pub account: ProviderAccount,
    pub model: String,
    /// The number of dimensions to request; without it, the model's default.
    pub dimensions: Option<u16>,
    /// The timeout for embedding a search query.
    pub timeout: Duration,
    /// The minimum cosine similarity for a passage that contains no word of the query.
    pub least_similarity: f64,
}

impl Images {
    pub(super) fn read(sources: &Sources) -> Result<Self> {
        match sources.get("PAUTA_IMAGE_PROVIDER") {
            None | Some("local") => Ok(Self::Local),
            Some("openai") => {
                let seconds = sources.get("PAUTA_IMAGE_TIMEOUT").unwrap_or("120");
                let seconds = seconds.parse().ok().filter(|n| (1..=200).contains(n));
                let model = sources.get("PAUTA_OPENAI_IMAGE_MODEL");
                Ok(Self::OpenAi(ImageModel {
                    account: ProviderAccount::read(sources, OPENAI, "PAUTA_IMAGE_PROVIDER=openai")?,
                    model: model.unwrap_or("gpt-image-2").to_owned(),
                    timeout: seconds
                        .map(Duration::from_secs)
                        .context("PAUTA_IMAGE_TIMEOUT deve ser um número de segundos de 1 a 200")?,
                }))
            }
            Some(_) => bail!("PAUTA_IMAGE_PROVIDER deve ser `local` ou `openai`"),
        }
    }
}

impl EmbeddingModel {
    /// Reads the settings; `None` disables search by meaning, and only full-text search remains.
    pub(super) fn read(sources: &Sources) -> Result<Option<Self>> {
        match sources.get("PAUTA_EMBEDDING_PROVIDER") {
            None | Some("nenhum") => return Ok(None),
            Some("openai") => {}
            Some(_) => bail!("PAUTA_EMBEDDING_PROVIDER deve ser `nenhum` ou `openai`"),
        }
        let model = sources.get("PAUTA_OPENAI_EMBEDDING_MODEL");
        let dimensions = sources.get("PAUTA_OPENAI_EMBEDDING_DIMENSIONS");
        let dimensions = dimensions.map(|text| {
            let count = text.parse().ok().filter(|n| (1..=4096).contains(n));
            count.context("PAUTA_OPENAI_EMBEDDING_DIMENSIONS deve ser um número de 1 a 4096")
        });
        let seconds = sources.get("PAUTA_EMBEDDING_TIMEOUT").unwrap_or("3");
        let seconds = seconds.parse().ok().filter(|n| (1..=20).contains(n));
        let least = sources.get("PAUTA_EMBEDDING_SIMILARITY").unwrap_or("0.3");
        let least = least.parse().ok().filter(|n| (0.0..=1.0).contains(n));
        Ok(Some(Self {
            account: ProviderAccount::read(sources, OPENAI, "PAUTA_EMBEDDING_PROVIDER=openai")?,
            model: model.unwrap_or("text-embedding-3-small").to_owned(),
            dimensions: dimensions.transpose()?,
            timeout: seconds
                .map(Duration::from_secs)
                .context("PAUTA_EMBEDDING_TIMEOUT deve ser um número de segundos de 1 a 20")?,
            least_similarity: least
                .context("PAUTA_EMBEDDING_SIMILARITY deve ser um número de 0 a 1, como 0.3")?,
        }))
    }
}

impl ProviderAccount {
    /// Reads the account that a choice such as `PAUTA_TEXT_PROVIDER=openai` requires.
    pub(super) fn read(sources: &Sources, settings: AccountSettings, choice: &str) -> Result<Self> {
        let AccountSettings {
            base: base_name,
            default_base,
            key: key_name,
        } = settings;
        let base = read_base_url(sources, base_name, default_base)?;
        let key = sources
            .get(key_name)
            .with_context(|| format!("{choice} pede {key_name}"))?
            .trim();
        ensure!(
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_graphic()),
            "{key_name} deve ser uma chave, sem espaços nem quebras de linha"
        );
        Ok(Self {
            base,
            key: key.to_owned(),
        })
    }
}
