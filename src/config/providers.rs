//! The providers of images and embeddings.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Url;

use super::{Sources, base_url::base_url};

/// The provider of images.
#[derive(Debug, Clone)]
pub enum Images {
    Local,
    OpenAi(ImageModel),
}

/// An account at OpenAI, or at a server with a compatible API.
#[derive(Clone)]
pub struct OpenAi {
    /// Without `/v1`, with a slash at the end.
    pub base: Url,
    pub key: String,
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi")
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

/// The Images API of an account.
#[derive(Debug, Clone)]
pub struct ImageModel {
    pub account: OpenAi,
    pub model: String,
    /// How long a request for an image may take.
    pub timeout: Duration,
}

/// The Embeddings API of an account.
#[derive(Debug, Clone)]
pub struct EmbeddingModel {
    pub account: OpenAi,
    pub model: String,
    /// The number of dimensions to request; without it, the model's default.
    pub dimensions: Option<u16>,
    /// How long the embedding of a question may take.
    pub timeout: Duration,
    /// The least cosine at which a passage without any of the words is an answer.
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
                    account: OpenAi::read(sources, "PAUTA_IMAGE_PROVIDER")?,
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
    /// `None` for full-text search alone.
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
            account: OpenAi::read(sources, "PAUTA_EMBEDDING_PROVIDER")?,
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

impl OpenAi {
    /// The account that `setting` needs.
    fn read(sources: &Sources, setting: &str) -> Result<Self> {
        let base = sources.get("PAUTA_OPENAI_BASE_URL");
        let base = base_url(
            "PAUTA_OPENAI_BASE_URL",
            base.unwrap_or("https://api.openai.com"),
        )?;
        let key = sources
            .get("PAUTA_OPENAI_API_KEY")
            .with_context(|| format!("{setting}=openai pede PAUTA_OPENAI_API_KEY"))?
            .trim();
        ensure!(
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_graphic()),
            "PAUTA_OPENAI_API_KEY deve ser uma chave, sem espaços nem quebras de linha"
        );
        Ok(Self {
            base,
            key: key.to_owned(),
        })
    }
}
