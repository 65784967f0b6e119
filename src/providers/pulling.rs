//! HTTP requests to the stores and ad platforms from which data is pulled, and parsers that their
//! adapters share.

use bytes::Bytes;
use gateway::{Code, Error, Result};
use reqwest::{RequestBuilder, Response, header};
use serde::de::DeserializeOwned;

use super::outgoing;

/// Maximum bytes of a page.
const MOST_BYTES: usize = 16_000_000;
/// Maximum seconds of `Retry-After` that are passed on; a longer wait is reduced to this.
const LONGEST_WAIT: u64 = 3_600;

/// Why a page could not be read.
pub(super) enum Failure {
    /// The provider rejects the credential (401).
    Unauthorized(Error),
    Other(Error),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unauthorized(error) | Failure::Other(error) => error,
        }
    }
}

/// A provider: its name and the settings that error messages mention.
#[derive(Clone, Copy)]
pub(super) struct Provider {
    pub name: &'static str,
    pub settings: &'static str,
}

impl Provider {
    /// Sends a request and parses the JSON response.
    pub async fn send<T: DeserializeOwned>(self, request: RequestBuilder) -> Result<T, Failure> {
        let answer = outgoing::send(request).await;
        let answer = answer.map_err(|error| Failure::Other(self.to_provider_error(&error)))?;
        let status = answer.status().as_u16();
        if !answer.status().is_success() {
            let error = self.status_error(&answer);
            return Err(match status {
                401 => Failure::Unauthorized(error),
                _ => Failure::Other(error),
            });
        }
        let body = self.read_body(answer).await.map_err(Failure::Other)?;
        let malformed = |_| Failure::Other(self.malformed_error("a resposta não é a esperada"));
        serde_json::from_slice(&body).map_err(malformed)
    }

    async fn read_body(self, mut answer: Response) -> Result<Bytes> {
        let mut bytes = vec![];
        while let Some(chunk) = answer
            .chunk()
            .await
            .map_err(|error| self.to_provider_error(&error))?
        {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(self.malformed_error("a resposta é grande demais"));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.into())
    }

    fn to_provider_error(self, error: &reqwest::Error) -> Error {
        let name = self.name;
        if error.is_connect() || error.is_builder() {
            return Error::new(Code::PROVIDER_FAILED).because(format!("{name} não responde."));
        }
        Error::new(Code::PROVIDER_TIMEOUT).because(format!("{name} não respondeu até o fim."))
    }

    /// Returns the error for a response that does not match the provider's API.
    pub fn malformed_error(self, fault: &str) -> Error {
        Error::new(Code::PROVIDER_FAILED).because(format!("{} falhou: {fault}.", self.name))
    }

    /// Returns the error for an error status. The body is ignored, because it may quote a credential.
    fn status_error(self, answer: &Response) -> Error {
        let (name, settings) = (self.name, self.settings);
        let status = answer.status().as_u16();
        let message = match status {
            401 => format!("{name} não aceitou a credencial do serviço; confira {settings}."),
            403 => format!("{name} não permite isto à credencial do serviço."),
            429 => format!("{name} está limitando os pedidos."),
            500.. => format!("{name} está com falha."),
            _ => format!("{name} recusou o pedido."),
        };
        let error = Error::new(Code::PROVIDER_FAILED)
            .because(message)
            .with_detail("provider_code", status.to_string().into());
        let wait = answer.headers().get(header::RETRY_AFTER);
        let wait = wait.and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
        match (status, wait) {
            (_, Some(seconds)) => error.with_retry_after(seconds.clamp(1, LONGEST_WAIT)),
            (429, None) => error.with_retry_after(60),
            _ => error,
        }
    }
}

/// Converts a decimal number such as `1234.5` to cents, rounded to the nearest.
pub(super) fn parse_cents(number: &str) -> Option<i64> {
    let (sign, digits) = match number.trim().strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, number.trim()),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 12 || !plain(whole) || !plain(decimals) {
        return None;
    }
    let mut fraction = decimals.bytes().map(|b| i64::from(b - b'0'));
    let mut next = || fraction.next().unwrap_or(0);
    let (tens, ones, rest) = (next(), next(), next());
    let cents = whole.parse::<i64>().ok()? * 100 + tens * 10 + ones + i64::from(rest >= 5);
    Some(sign * cents)
}

/// Parses a currency code such as `BRL`.
pub(super) fn parse_currency(code: &str) -> Option<String> {
    let code = code.trim().to_ascii_uppercase();
    (code.len() == 3 && code.bytes().all(|b| b.is_ascii_uppercase())).then_some(code)
}

/// Removes control characters from a provider's text and truncates it to `most` characters; `None`
/// if nothing remains.
pub(super) fn clean_text(text: Option<&str>, most: usize) -> Option<String> {
    let text: String = text?
        .chars()
        .filter(|c| !c.is_control())
        .take(most)
        .collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_read_exactly() {
        for (text, value) in [
            ("497", 49_700),
            ("497.5", 49_750),
            ("1234.56", 123_456),
            ("0.005", 1),
            ("19.994", 1_999),
            ("-3.10", -310),
        ] {
            assert_eq!(parse_cents(text), Some(value), "{text}");
        }
        for text in ["", "1,5", "1.2.3", "NaN", "1e3", "9999999999999"] {
            assert_eq!(parse_cents(text), None, "{text}");
        }
    }
}
