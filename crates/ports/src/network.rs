//! Social networks whose accounts are connected by OAuth 2.0 (RFC 6749).

use async_trait::async_trait;

use domain::Result;

/// The tokens of a connection.
#[derive(Clone, PartialEq, Eq)]
pub struct NetworkTokens {
    pub access: String,
    /// Some networks issue no refresh token, or only at the first consent.
    pub refresh: Option<String>,
}

impl std::fmt::Debug for NetworkTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NetworkTokens")
    }
}

/// The answer to a code exchange or a renewal.
#[derive(Debug, Clone)]
pub struct Grant {
    pub tokens: NetworkTokens,
    /// Seconds until the access token expires.
    pub expires_in: i64,
    /// Seconds during which the tokens can be renewed, if the network says so.
    pub renewable_in: Option<i64>,
    /// The granted scopes, if the network says so.
    pub scopes: Option<Vec<String>>,
}

/// Why a call to a network failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantFailure {
    /// The network says that the code or the tokens are no longer valid.
    Refused {
        /// The network's error code, or a code for the local fault; plain text.
        code: String,
    },
    /// Any other failure. The tokens may still be valid.
    Failed {
        code: String,
        /// Seconds to wait before a retry, if the network says so.
        retry_after: Option<u64>,
    },
}

impl GrantFailure {
    #[must_use]
    pub fn failed(code: impl Into<String>) -> Self {
        Self::Failed {
            code: code.into(),
            retry_after: None,
        }
    }

    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused { code } | Self::Failed { code, .. } => code,
        }
    }
}

/// An account at a network.
#[derive(Debug, Clone)]
pub struct NetworkAccount {
    pub id: String,
    pub display_name: String,
    /// For display only; the service never fetches it.
    pub avatar_url: Option<String>,
}

/// The parameters of an authorization request.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    pub state: &'a str,
    pub redirect_uri: &'a str,
    /// The PKCE verifier (RFC 7636), for networks that support PKCE; the challenge method is S256.
    pub verifier: &'a str,
}

/// A network at which this service is registered as an application.
#[async_trait]
pub trait Network: Send + Sync {
    /// The name in paths.
    fn name(&self) -> &'static str;

    /// The name shown to people.
    fn title(&self) -> &'static str;

    /// The scopes that the service requests.
    fn scopes(&self) -> &'static [&'static str];

    /// The URL that the person opens to authorize the service.
    fn authorization_url(&self, asked: Authorization<'_>) -> String;

    /// Exchanges the code of a callback.
    async fn exchange(&self, code: &str, asked: Authorization<'_>) -> Result<Grant, GrantFailure>;

    /// Whether the tokens can be renewed without a new authorization by the person.
    fn can_renew(&self, tokens: &NetworkTokens) -> bool;

    /// Renews the tokens. A renewal may consume the refresh token, so never use one twice.
    async fn renew(&self, tokens: &NetworkTokens) -> Result<Grant, GrantFailure>;

    /// Revokes the tokens; `false` when the network does not support it.
    async fn revoke(&self, tokens: &NetworkTokens) -> Result<bool, GrantFailure>;

    /// The account that the tokens belong to.
    async fn account(&self, tokens: &NetworkTokens) -> Result<NetworkAccount, GrantFailure>;

    /// Whether the network answers and recognises this application.
    async fn check(&self) -> Result<()>;
}
