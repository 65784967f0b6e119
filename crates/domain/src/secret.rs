//! Secrets of personal tokens and agents, and hash functions.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// The prefix of every personal token.
pub const TOKEN_PREFIX: &str = "svc_live_";

/// A complete personal token: `svc_live_` + 16 characters + `.` + 43 characters.
#[derive(Clone)]
pub struct TokenSecret(String);

impl TokenSecret {
    /// Generates a token with 96 random bits as its public part and 256 as its secret part.
    #[must_use]
    pub fn generate() -> Self {
        Self(format!(
            "{TOKEN_PREFIX}{}.{}",
            random_text::<12>(),
            random_text::<32>()
        ))
    }

    /// Parses a token from a request; `None` if its format is wrong.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, secret) = text.strip_prefix(TOKEN_PREFIX)?.split_once('.')?;
        is_well_formed(name, secret).then(|| Self(text.into()))
    }

    /// Returns the public part, by which the stored token is found.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.0[..TOKEN_PREFIX.len() + 16]
    }

    /// Returns the SHA-256 of the whole token, in lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        sha256_hex(self.0.as_bytes())
    }

    /// Returns the complete token, which is shown only once.
    #[must_use]
    pub fn reveal(self) -> String {
        self.0
    }
}

/// The prefix of every access token of an agent.
pub const AGENT_PREFIX: &str = "svc_agent_";

/// A complete access token of an agent: `svc_agent_` + 16 characters + `.` + 43 characters.
#[derive(Clone)]
pub struct AgentSecret(String);

impl AgentSecret {
    /// Generates a random token.
    #[must_use]
    pub fn generate() -> Self {
        Self::from_parts(&random_text::<12>(), &random_text::<32>())
    }

    /// Creates the token from these bytes; the same bytes always give the same token.
    #[must_use]
    pub fn from_bytes(name: &[u8; 32], secret: &[u8; 32]) -> Self {
        Self::from_parts(
            &URL_SAFE_NO_PAD.encode(&name[..12]),
            &URL_SAFE_NO_PAD.encode(secret),
        )
    }

    fn from_parts(name: &str, secret: &str) -> Self {
        Self(format!("{AGENT_PREFIX}{name}.{secret}"))
    }

    /// Parses a token from a request; `None` if its format is wrong.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (name, secret) = text.strip_prefix(AGENT_PREFIX)?.split_once('.')?;
        is_well_formed(name, secret).then(|| Self(text.into()))
    }

    /// Returns the public part, by which the stored token is found.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.0[..AGENT_PREFIX.len() + 16]
    }

    /// Returns the SHA-256 of the whole token, in lower-case hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        sha256_hex(self.0.as_bytes())
    }

    /// Returns the complete token, which is sent only to the client.
    #[must_use]
    pub fn reveal(self) -> String {
        self.0
    }
}

/// The length of the secret in a URL, in characters: 256 bits as base64url text.
const LINK_SECRET: usize = 43;

/// The secret in a URL of this service: in the link of a guest, or in the address of a calendar.
#[derive(Clone)]
pub struct LinkSecret(String);

impl LinkSecret {
    /// Generates a secret of 256 random bits.
    #[must_use]
    pub fn generate() -> Self {
        Self(random_text::<32>())
    }

    /// Parses a secret; `None` if its format is wrong.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == LINK_SECRET && is_base64url(text)).then(|| Self(text.into()))
    }

    /// Returns the SHA-256 of the secret, in lower-case hexadecimal. The database stores this hash.
    #[must_use]
    pub fn digest(&self) -> String {
        sha256_hex(self.0.as_bytes())
    }

    /// Returns the secret, which is shown only once.
    #[must_use]
    pub fn reveal(self) -> String {
        self.0
    }
}

/// True if the public and the secret part have the format of a token.
fn is_well_formed(name: &str, secret: &str) -> bool {
    name.len() == 16 && secret.len() == 43 && is_base64url(name) && is_base64url(secret)
}

/// True if the text has only characters of base64url.
pub(crate) fn is_base64url(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Generates `N` random bytes as unpadded base64url text.
///
/// # Panics
///
/// If the operating system provides no randomness.
#[must_use]
pub fn random_text<const N: usize>() -> String {
    URL_SAFE_NO_PAD.encode(random_bytes::<N>())
}

/// Generates `N` random bytes.
///
/// # Panics
///
/// If the operating system provides no randomness.
#[must_use]
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0u8; N];
    getrandom::fill(&mut bytes).expect("the operating system provides randomness");
    bytes
}

/// Returns the SHA-256 hash in lower-case hexadecimal.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 hash as unpadded base64url text: the S256 challenge of a PKCE verifier (RFC
/// 7636, section 4.2).
#[must_use]
pub fn sha256_base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(bytes))
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_token_can_be_parsed() {
        let secret = TokenSecret::generate();
        assert_eq!(secret.prefix().len(), 25);
        let text = secret.clone().reveal();
        assert_eq!(
            TokenSecret::parse(&text)
                .expect("a well-formed token")
                .digest(),
            secret.digest()
        );
    }

    #[test]
    fn a_generated_secret_of_an_address_can_be_parsed_and_other_texts_cannot() {
        let text = LinkSecret::generate().reveal();
        let secret = LinkSecret::parse(&text).expect("a well-formed secret");
        assert_eq!(secret.digest(), sha256_hex(text.as_bytes()));
        let wrong = [
            "",
            &text[1..],
            &format!("{text}a"),
            &text.replacen(&text[..1], ".", 1),
        ];
        for wrong in wrong {
            assert!(LinkSecret::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn texts_of_another_format_are_not_tokens() {
        let text = TokenSecret::generate().reveal();
        assert!(TokenSecret::parse(&text[..text.len() - 1]).is_none());
        assert!(TokenSecret::parse(&text.replace('.', "/")).is_none());
        assert!(TokenSecret::parse(&format!("{text}x")).is_none());
        assert!(TokenSecret::parse("svc_live_").is_none());
    }

    #[test]
    fn sha256_matches_the_standard_example() {
        // The test vector of FIPS 180-4: the one-block message "abc".
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
