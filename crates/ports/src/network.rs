//! Social networks that accounts are connected to by OAuth 2.0 (RFC 6749).

use async_trait::async_trait;

use domain::Result;

/// The tokens of a connection.
#[derive(Clone, PartialEq, Eq)]
pub struct NetworkTokens {
    pub access: String,
    /// Some networks give none, or only at the first consent.
    pub refresh: Option<String>,
}

impl std::fmt::Debug for NetworkTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NetworkTokens")
    }
}

/// What a network grants.
#[derive(Debug, Clone)]
pub struct Grant {
    pub tokens: NetworkTokens,
    /// Seconds that the access token is valid for.
    pub expires_in: i64,
    /// Seconds that the tokens can be renewed for, if the network says so.
    pub renewable_in: Option<i64>,
    /// The granted scopes, if the network says so.
    pub scopes: Option<Vec<String>>,
}

/// Why there is no grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantFailure {
    /// The network says that the code or the tokens are no longer valid.
    Refused {
        /// The network's own, or of the fault; plain text.
        code: String,
    },
    /// Anything else. The tokens may still be valid.
    Failed {
        code: String,
        /// Seconds that the network asks to wait.
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
    /// Only for display; it is never requested from here.
    pub avatar_url: Option<String>,
}

/// What a person is asked to authorize.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    pub state: &'a str,
    pub redirect_uri: &'a str,
    /// For PKCE (RFC 7636), where the network supports it; its challenge is S256.
    pub verifier: &'a str,
}

/// A network that is registered: this service is an application of it.
#[async_trait]
pub trait Network: Send + Sync {
    /// As paths name it.
    fn name(&self) -> &'static str;

    /// As people name it.
    fn title(&self) -> &'static str;

    /// The scopes that it is asked for.
    fn scopes(&self) -> &'static [&'static str];

    /// The address that the person opens.
    fn authorization_url(&self, asked: Authorization<'_>) -> String;

    /// Exchanges the code of a callback.
    async fn exchange(&self, code: &str, asked: Authorization<'_>) -> Result<Grant, GrantFailure>;

    /// Whether the tokens can be renewed without the person.
    fn can_renew(&self, tokens: &NetworkTokens) -> bool;

    /// Renews the tokens. It may spend the refresh token, so it is never called twice with one.
    async fn renew(&self, tokens: &NetworkTokens) -> Result<Grant, GrantFailure>;

    /// Revokes the tokens; `false` where the network offers no way to.
    async fn revoke(&self, tokens: &NetworkTokens) -> Result<bool, GrantFailure>;

    /// The account of the tokens.
    async fn account(&self, tokens: &NetworkTokens) -> Result<NetworkAccount, GrantFailure>;

    /// Whether the network answers and knows this application.
    async fn check(&self) -> Result<()>;
}
