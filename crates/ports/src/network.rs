//! Social networks whose accounts are connected by OAuth 2.0 (RFC 6749).

use async_trait::async_trait;

use domain::Result;

/// The OAuth tokens of a connection.
#[derive(Clone, PartialEq, Eq)]
pub struct NetworkTokens {
    pub access: String,
    /// The refresh token. Some networks issue none, or only at the first consent.
    pub refresh: Option<String>,
}

impl std::fmt::Debug for NetworkTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NetworkTokens")
    }
}

/// The token response of a network.
#[derive(Debug, Clone)]
pub struct Grant {
    pub tokens: NetworkTokens,
    /// The lifetime of the access token, in seconds.
    pub expires_in: i64,
    /// The time for which the tokens can be renewed, in seconds, if the network states it.
    pub renewable_in: Option<i64>,
    /// The granted scopes, if the network states them.
    pub scopes: Option<Vec<String>>,
}

/// The reason why a call to a network failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantFailure {
    /// The network no longer accepts the code or the tokens.
    Refused {
        /// The network's error code, or a code for a local failure; plain text.
        code: String,
    },
    /// Any other failure. The tokens may still be valid.
    Failed {
        code: String,
        /// Seconds to wait before a retry, if the network states it.
        retry_after: Option<u64>,
    },
}

impl GrantFailure {
    #[must_use]
    pub fn from_code(code: impl Into<String>) -> Self {
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

/// The account of a connection at a network.
#[derive(Debug, Clone)]
pub struct NetworkAccount {
    pub id: String,
    pub display_name: String,
    /// The URL of the avatar, for display only: the service never fetches it.
    pub avatar_url: Option<String>,
}

/// The parameters of an authorization request.
#[derive(Debug, Clone, Copy)]
pub struct Authorization<'a> {
    pub state: &'a str,
    pub redirect_uri: &'a str,
    /// The PKCE code verifier (RFC 7636), for networks that support PKCE with S256.
    pub verifier: &'a str,
}

/// A social network at which this service is registered as an OAuth application.
#[async_trait]
pub trait Network: Send + Sync {
    /// Returns the name of the network in URL paths.
    fn name(&self) -> &'static str;

    /// Returns the name of the network for users.
    fn title(&self) -> &'static str;

    /// Returns the scopes that the service requests.
    fn scopes(&self) -> &'static [&'static str];

    /// Builds the URL at which the user authorizes the service.
    fn authorization_url(&self, asked: Authorization<'_>) -> String;

    /// Exchanges the authorization code of a callback for tokens.
    async fn exchange_code(
        &self,
        code: &str,
        asked: Authorization<'_>,
    ) -> Result<Grant, GrantFailure>;

    /// True if the tokens can be renewed without a new authorization by the user.
    fn can_renew(&self, tokens: &NetworkTokens) -> bool;

    /// Renews the tokens. A renewal may invalidate the refresh token, so never use a refresh token
    /// twice.
    async fn renew_tokens(&self, tokens: &NetworkTokens) -> Result<Grant, GrantFailure>;

    /// Revokes the tokens. Returns `false` if the network does not support revocation.
    async fn revoke_tokens(&self, tokens: &NetworkTokens) -> Result<bool, GrantFailure>;

    /// Fetches the account to which the tokens belong.
    async fn fetch_account(&self, tokens: &NetworkTokens) -> Result<NetworkAccount, GrantFailure>;

    /// Checks whether the network answers and recognises this application.
    async fn check_available(&self) -> Result<()>;
}
