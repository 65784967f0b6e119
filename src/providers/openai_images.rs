//! Images of the OpenAI Images API, or of any server that speaks it.
//!
//! `POST {base}/v1/images/generations`: <https://platform.openai.com/docs/api-reference/images>.
//! GPT image models take no `response_format`; compatible servers answer `b64_json` or `url`.

use std::{net::IpAddr, time::Duration};

use anyhow::Context;
use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use image::{codecs::jpeg::JpegEncoder, imageops::FilterType};
use reqwest::{Client, Response, StatusCode, Url, header, redirect};
use serde::Deserialize;
use serde_json::json;
use tools::{
    ports::{ArtRequest, CardRequest, ImageGenerator, Picture},
    registry::{Code, Error, Result},
};

use super::{local_images::LocalImages, pictures};

/// An image may take a while; the door waits a little longer than this.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of an answer: an image of 25 MB in base64, and its envelope.
const MOST_BYTES: usize = 36_000_000;
const QUALITY: u8 = 90;

/// The adapter: cards are typeset here, over a background from there.
pub struct OpenAiImages {
    client: Client,
    base: Url,
    key: String,
    model: String,
    local: LocalImages,
}

impl OpenAiImages {
    /// `base` is without `/v1`.
    pub fn new(base: &str, key: String, model: String) -> anyhow::Result<Self> {
        let base =
            Url::parse(base).context("PAUTA_OPENAI_BASE_URL deve ser um endereço http(s)")?;
        let client = Client::builder()
            .timeout(PATIENCE)
            .connect_timeout(Duration::from_secs(10))
            .redirect(redirect::Policy::none())
            .build()?;
        Ok(Self {
            client,
            base,
            key,
            model,
            local: LocalImages,
        })
    }

    async fn generate(&self, prompt: &str, size: (u32, u32), quality: &str) -> Result<Bytes> {
        let url = format!(
            "{}/v1/images/generations",
            self.base.as_str().trim_end_matches('/')
        );
        let request = json!({
            "model": self.model,
            "prompt": prompt,
            "n": 1,
            "size": nearest(size),
            "quality": quality,
            "output_format": "jpeg",
        });
        let sent = self
            .client
            .post(url)
            .bearer_auth(&self.key)
            .json(&request)
            .send()
            .await;
        let answer = sent.map_err(lost)?;
        if !answer.status().is_success() {
            return Err(refusal(answer).await);
        }
        let body = read(answer).await?;
        let answer: Generated =
            serde_json::from_slice(&body).map_err(|_| nonsense("a resposta não é a esperada"))?;
        match answer.data.into_iter().next() {
            Some(Image {
                b64_json: Some(text),
                ..
            }) => Ok(STANDARD
                .decode(text.trim())
                .map_err(|_| nonsense("a imagem não é base64"))?
                .into()),
            Some(Image { url: Some(url), .. }) => self.fetch(&url).await,
            _ => Err(nonsense("a resposta veio sem imagem")),
        }
    }

    /// A URL that the provider returned: its own origin, or a public host over https.
    async fn fetch(&self, url: &str) -> Result<Bytes> {
        let url = Url::parse(url).map_err(|_| nonsense("o endereço da imagem é inválido"))?;
        if url.origin() != self.base.origin() && !is_public(&url).await {
            return Err(nonsense("o endereço da imagem não é público"));
        }
        let answer = self.client.get(url).send().await.map_err(lost)?;
        if !answer.status().is_success() {
            return Err(nonsense("a imagem não pôde ser baixada"));
        }
        read(answer).await
    }
}

#[derive(Deserialize)]
struct Generated {
    data: Vec<Image>,
}

#[derive(Deserialize)]
struct Image {
    b64_json: Option<String>,
    url: Option<String>,
}

#[async_trait]
impl ImageGenerator for OpenAiImages {
    async fn art(&self, request: ArtRequest) -> Result<Picture> {
        let size = (request.width, request.height);
        let bytes = self
            .generate(&request.prompt, size, request.quality)
            .await?;
        fitted(bytes, size).await
    }

    async fn card(&self, request: CardRequest) -> Result<Picture> {
        let Some(prompt) = &request.prompt else {
            return self.local.card(request).await;
        };
        // A text that cannot fit must not cost a background.
        self.local
            .card(CardRequest {
                prompt: None,
                ..request.clone()
            })
            .await?;
        let background = self
            .generate(prompt, (request.width, request.height), "medium")
            .await?;
        self.local.card_over(request, background).await
    }
}

/// The size to ask for, of those that the models draw.
fn nearest((width, height): (u32, u32)) -> &'static str {
    let ratio = f64::from(width) / f64::from(height);
    if ratio > 1.2 {
        "1536x1024"
    } else if ratio < 1.0 / 1.2 {
        "1024x1536"
    } else {
        "1024x1024"
    }
}

/// Filled and cropped to exactly the size asked for, as JPEG for the networks.
async fn fitted(bytes: Bytes, (width, height): (u32, u32)) -> Result<Picture> {
    pictures::run(move || {
        let (_, image) =
            pictures::decode(&bytes).map_err(|_| nonsense("o que veio não é uma imagem"))?;
        let filled = image
            .resize_to_fill(width, height, FilterType::Lanczos3)
            .to_rgb8();
        let mut jpeg = vec![];
        JpegEncoder::new_with_quality(&mut jpeg, QUALITY)
            .encode_image(&filled)
            .map_err(Error::internal)?;
        Ok(Picture {
            bytes: jpeg.into(),
            media_type: "image/jpeg",
            width,
            height,
        })
    })
    .await
}

async fn read(mut answer: Response) -> Result<Bytes> {
    let mut bytes = vec![];
    while let Some(chunk) = answer.chunk().await.map_err(lost)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MOST_BYTES {
            return Err(nonsense("a resposta é grande demais"));
        }
    }
    Ok(bytes.into())
}

/// The call may have had its effect: only a connection that never stood certainly had none.
fn lost(error: reqwest::Error) -> Error {
    if error.is_connect() {
        return Error::new(Code::ProviderFailed).because("O provedor de imagens não responde.");
    }
    Error::new(Code::ProviderTimeout).because("O provedor de imagens não respondeu até o fim.")
}

fn nonsense(what: &str) -> Error {
    Error::new(Code::ProviderFailed).because(format!("O provedor de imagens falhou: {what}."))
}

/// The provider's own refusal, with its code.
async fn refusal(answer: Response) -> Error {
    #[derive(Deserialize)]
    struct Refusal {
        error: Detail,
    }
    #[derive(Deserialize)]
    struct Detail {
        code: Option<String>,
        r#type: Option<String>,
    }
    let status = answer.status();
    let wait = answer.headers().get(header::RETRY_AFTER);
    let wait = wait.and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    let body = read(answer).await.unwrap_or_default();
    let detail = serde_json::from_slice::<Refusal>(&body)
        .ok()
        .map(|refusal| refusal.error);
    let code = detail.and_then(|detail| detail.code.or(detail.r#type));
    let code = code.unwrap_or_else(|| status.as_u16().to_string());
    let (message, next) = match (code.as_str(), status) {
        ("moderation_blocked" | "content_policy_violation", _) => (
            "O provedor recusou o conteúdo do pedido.",
            "Reescreva o `prompt`; repetir igual não adianta.",
        ),
        ("insufficient_quota" | "billing_hard_limit_reached", _) => (
            "A conta no provedor de imagens está sem crédito.",
            "Peça a quem opera o serviço que confira a conta; repetir não adianta.",
        ),
        (_, StatusCode::TOO_MANY_REQUESTS) => (
            "O provedor de imagens está limitando os pedidos.",
            "Espere e tente de novo.",
        ),
        (_, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => (
            "O provedor de imagens não aceitou a chave do serviço.",
            "Peça a quem opera o serviço que confira PAUTA_OPENAI_API_KEY.",
        ),
        _ => (
            "O provedor de imagens recusou o pedido.",
            "Confira o pedido ou tente mais tarde.",
        ),
    };
    let code: String = code.chars().filter(|c| !c.is_control()).take(80).collect();
    let error = Error::new(Code::ProviderFailed)
        .because(message)
        .with("provider_code", code.into())
        .with("next", next.into());
    match wait {
        Some(seconds) => error.retry_after(seconds),
        None => error,
    }
}

/// Whether every address of the host is one of the open internet.
async fn is_public(url: &Url) -> bool {
    let Some(host) = url.host_str().filter(|_| url.scheme() == "https") else {
        return false;
    };
    let port = url.port_or_known_default().unwrap_or(443);
    let host = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned();
    match tokio::net::lookup_host((host, port)).await {
        Ok(addresses) => {
            let mut addresses = addresses.peekable();
            addresses.peek().is_some() && addresses.all(|address| is_open(address.ip()))
        }
        Err(_) => false,
    }
}

fn is_open(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => {
            let [a, b, ..] = ip.octets();
            let shared = a == 100 && (64..128).contains(&b);
            let reserved = a == 0 || a >= 240 || (a == 192 && b == 0) || (a == 198 && b / 2 == 9);
            !(ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_multicast()
                || ip.is_documentation()
                || shared
                || reserved)
        }
        IpAddr::V6(ip) => {
            !(ip.is_loopback()
                || ip.is_unspecified()
                || ip.is_multicast()
                || ip.is_unique_local()
                || ip.is_unicast_link_local())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_asked_for_is_the_nearest_there_is() {
        assert_eq!(nearest((1024, 1536)), "1024x1536");
        assert_eq!(nearest((1080, 1080)), "1024x1024");
        assert_eq!(nearest((2048, 256)), "1536x1024");
    }

    #[test]
    fn addresses_of_closed_networks_are_not_open() {
        for closed in [
            "127.0.0.1",
            "10.1.2.3",
            "169.254.169.254",
            "100.64.0.1",
            "::1",
            "fd00::1",
            "::ffff:10.0.0.1",
        ] {
            assert!(!is_open(closed.parse().expect("an address")), "{closed}");
        }
        assert!(is_open("93.184.216.34".parse().expect("an address")));
    }
}
