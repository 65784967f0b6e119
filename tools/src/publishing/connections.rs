//! The connections of the team to social networks: their tokens and the renewal of these tokens.
//!
//! At most networks a renewal uses up the refresh token, so each renewal runs in a separate task, which
//! continues if the caller is dropped. One instance claims the renewal with an `UPDATE` of the version
//! that it read; the other instances wait for the next version. The outcome is stored only while the
//! claim is held. If somebody disconnected or reconnected the account during the renewal, the state of
//! the connection is not changed; new tokens of a disconnected account are revoked.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use tokio::{sync::Mutex, time::sleep};

use domain::{
    ConnectionStatus, Error, random_text,
    time::{DAY, HOUR, MINUTE, Millis, SECOND},
};
use gateway::{Code, Keys, Result};
use ports::{Clock, Grant, GrantFailure, Network, NetworkTokens};
use store::{
    Conn, Db,
    connections::{self, Connection, Renewal, TOKENS, Validity},
    secrets::{self, Sealed},
};

/// The name of an error detail: the URL of the page on which an admin connects the network. Errors for a
/// missing connection contain this detail.
pub const CONNECT_AT: &str = "conectar_em";
/// The console's page of connections, relative to the public URL.
const PAGE: &str = "/conexoes";
/// The minimum remaining lifetime of an access token that is used without renewal.
const MARGIN: Millis = MINUTE;
/// The time for which one instance claims the renewal of tokens. It is longer than any request to a
/// network.
const CLAIM: Millis = 2 * MINUTE;
/// The interval at which a caller checks whether another instance has renewed the tokens.
const LOOK: Duration = Duration::from_millis(100);
/// The maximum number of checks whether another instance has renewed the tokens.
const LOOKS: u32 = 200;
/// The maximum number of attempts to store new tokens. If new tokens are not stored, the connection is
/// lost, because the network has already invalidated the previous tokens.
const STORES: u32 = 5;
/// The pause after the first failed renewal. It doubles with each failure, up to `LONGEST_PAUSE`.
const FIRST_PAUSE: Millis = 15 * SECOND;
const LONGEST_PAUSE: Millis = HOUR;

/// The registered networks, and the tokens of the team's connected accounts.
#[derive(Clone)]
pub struct Connections(Arc<Shared>);

struct Shared {
    networks: Vec<Registered>,
    /// The URL of the page on which an admin connects networks.
    page: String,
    db: Db,
    clock: Arc<dyn Clock>,
    keys: Arc<Keys>,
}

struct Registered {
    network: Arc<dyn Network>,
    /// The lock for the renewal at this network: one caller of this process renews, the others wait
    /// for its result.
    turn: Mutex<()>,
}

/// A valid access token.
pub struct AccessToken {
    pub token: String,
    /// The id of the account at the network.
    pub account_id: String,
    /// The scopes that the account has granted.
    pub scopes: Vec<String>,
    /// The version of the tokens, used by [`Connections::access_token_newer_than`].
    pub version: i64,
}

/// Tokens in the form that is encrypted and stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    access: String,
    refresh: Option<String>,
}

impl Connections {
    #[must_use]
    pub fn new(
        networks: Vec<Arc<dyn Network>>,
        public_url: &str,
        db: Db,
        clock: Arc<dyn Clock>,
        keys: Arc<Keys>,
    ) -> Self {
        let networks = networks.into_iter().map(|network| Registered {
            network,
            turn: Mutex::default(),
        });
        Self(Arc::new(Shared {
            networks: networks.collect(),
            page: format!("{public_url}{PAGE}"),
            db,
            clock,
            keys,
        }))
    }

    /// Iterates over the registered networks, in the order of their registration.
    pub fn networks(&self) -> impl Iterator<Item = &Arc<dyn Network>> {
        self.0.networks.iter().map(|registered| &registered.network)
    }

    /// Returns a registered network. Refuses (404) a name that no registered network has.
    pub fn require_network(&self, name: &str) -> Result<&Arc<dyn Network>> {
        Ok(&self.0.require_registered(name)?.network)
    }

    /// Returns an access token of the team's account at a network. Renews a token that is about to
    /// expire.
    ///
    /// Refuses (404) a network that is not registered or not connected, or that must be connected
    /// again. Fails with `PROVIDER_FAILED` when the token has expired and the network does not renew it
    /// now.
    pub async fn access_token(&self, provider: &str) -> Result<AccessToken> {
        let connection = self.require_active_connection(provider).await?;
        if connection.expires_at - MARGIN > self.0.clock.now() {
            return self.0.to_access_token(&connection);
        }
        // If the renewal fails, a token that has not expired yet is used.
        self.renew_and_read(provider, connection.version, connection.version)
            .await
    }

    /// Returns an access token newer than this version. Used when the network has refused the token of
    /// this version before its expiry.
    ///
    /// Fails like [`Self::access_token`], and with `PROVIDER_FAILED` when no newer token exists.
    pub async fn access_token_newer_than(
        &self,
        provider: &str,
        version: i64,
    ) -> Result<AccessToken> {
        self.renew_and_read(provider, version, version + 1).await
    }

    async fn renew_and_read(
        &self,
        provider: &str,
        version: i64,
        least: i64,
    ) -> Result<AccessToken> {
        // A renewal uses up the refresh token. The task goes on if the caller is dropped, so that
        // the network's answer is not lost.
        let (shared, name) = (self.0.clone(), provider.to_owned());
        let renewing = tokio::spawn(async move { shared.renew_once(&name, version, false).await });
        renewing.await.map_err(Error::internal)??;
        let connection = self.require_active_connection(provider).await?;
        if connection.expires_at > self.0.clock.now() && connection.version >= least {
            return self.0.to_access_token(&connection);
        }
        Err(self.0.not_renewed_error(&connection))
    }

    /// Renews all connections whose renewal is due. The failure of a renewal is stored in its
    /// connection and not returned.
    pub async fn renew_due(&self) -> Result<()> {
        let now = self.0.clock.now();
        for provider in connections::list_due(&self.0.db.reader(), now).await? {
            let Ok(connection) = self.require_active_connection(&provider).await else {
                continue;
            };
            let (shared, version) = (self.0.clone(), connection.version);
            let renewing =
                tokio::spawn(async move { shared.renew_once(&provider, version, true).await });
            renewing.await.map_err(Error::internal)??;
        }
        Ok(())
    }

    /// Finds the active connection to a registered network. Refuses (404) a network without an active
    /// connection.
    async fn require_active_connection(&self, provider: &str) -> Result<Connection> {
        let network = self.require_network(provider)?;
        let found = connections::find(&self.0.db.reader(), provider).await?;
        let again = |next: String| {
            let error = Error::not_found("conexão").with_detail("next", next.into());
            Err(error.with_detail(CONNECT_AT, self.0.page.as_str().into()))
        };
        let title = network.title();
        match found {
            Some(connection) if self.0.current_status(&connection) == ConnectionStatus::Active => {
                Ok(connection)
            }
            Some(connection) if connection.status != ConnectionStatus::Revoked => again(format!(
                "A conexão com {title} expirou: um admin a refaz na console."
            )),
            _ => again(format!("Um admin precisa conectar {title} na console.")),
        }
    }

    /// Returns the current state of a connection. A connection that cannot be renewed expires with its
    /// access token.
    #[must_use]
    pub fn current_status(&self, connection: &Connection) -> ConnectionStatus {
        self.0.current_status(connection)
    }

    /// Stores the tokens of a connection.
    pub(super) async fn store_tokens(
        &self,
        db: &Conn<'_>,
        provider: &str,
        tokens: &NetworkTokens,
    ) -> Result<()> {
        self.0.store_tokens(db, provider, tokens).await
    }

    /// Decrypts the tokens of a connection; `None` if no tokens are stored.
    pub(super) fn decrypt_tokens(&self, connection: &Connection) -> Result<Option<NetworkTokens>> {
        self.0.decrypt_tokens(connection)
    }
}

impl Shared {
    fn require_registered(&self, name: &str) -> Result<&Registered> {
        let mut networks = self.networks.iter();
        let found = networks.find(|registered| registered.network.name() == name);
        found.ok_or_else(|| {
            let next = "`list_connected_accounts` diz quais redes estão registradas.";
            Error::not_found("rede registrada").with_detail("next", next.into())
        })
    }

    fn current_status(&self, connection: &Connection) -> ConnectionStatus {
        let end = connection.renewable_until;
        if connection.status == ConnectionStatus::Active
            && end.is_some_and(|end| end <= self.clock.now())
            && connection.expires_at <= self.clock.now()
        {
            return ConnectionStatus::Expired;
        }
        connection.status
    }

    fn decrypt_tokens(&self, connection: &Connection) -> Result<Option<NetworkTokens>> {
        let Some(sealed) = &connection.sealed else {
            return Ok(None);
        };
        let plain = self.keys.open(TOKENS, &connection.provider, sealed)?;
        let Stored { access, refresh } = serde_json::from_slice(&plain)?;
        Ok(Some(NetworkTokens { access, refresh }))
    }

    fn to_access_token(&self, connection: &Connection) -> Result<AccessToken> {
        let tokens = self.decrypt_tokens(connection)?;
        let tokens = tokens.ok_or_else(|| Error::internal("a connection has no tokens"))?;
        Ok(AccessToken {
            token: tokens.access,
            account_id: connection.account_id.clone(),
            scopes: connection.scopes.clone(),
            version: connection.version,
        })
    }

    async fn store_tokens(
        &self,
        db: &Conn<'_>,
        provider: &str,
        tokens: &NetworkTokens,
    ) -> Result<()> {
        let plain = serde_json::to_vec(&Stored {
            access: tokens.access.clone(),
            refresh: tokens.refresh.clone(),
        })?;
        let record = Sealed {
            purpose: TOKENS.into(),
            id: provider.into(),
            kid: self.keys.active_key_id().into(),
            sealed: self.keys.seal(TOKENS, provider, &plain)?,
        };
        Ok(secrets::save_record(db, &record).await?)
    }

    /// Renews the tokens of this version, once across all callers and instances.
    ///
    /// A failure of the network is recorded and not returned. `ahead` is true if no caller waits
    /// for the renewal.
    async fn renew_once(&self, provider: &str, version: i64, ahead: bool) -> Result<()> {
        let registered = self.require_registered(provider)?;
        let _turn = registered.turn.lock().await;
        let id = random_text::<12>();
        let renewal = Renewal { provider, id: &id };
        for _ in 0..LOOKS {
            let found = connections::find(&self.db.reader(), provider).await?;
            let now = self.clock.now();
            let due = |connection: &Connection| {
                connection.version == version
                    && connection.status == ConnectionStatus::Active
                    // After a failure, the next attempt waits until `renew_at`. A renewal ahead of
                    // expiry always waits until `renew_at`, because another instance may have renewed
                    // the tokens meanwhile.
                    && (connection.renew_at <= now || (!ahead && connection.failures == 0))
            };
            let Some(connection) = found.filter(due) else {
                return Ok(());
            };
            let tokens = self.decrypt_tokens(&connection)?;
            let Some(tokens) = tokens.filter(|tokens| registered.network.can_renew(tokens)) else {
                return Ok(());
            };
            let tx = self.db.begin().await?;
            let claimed =
                connections::claim_renewal(&tx.conn(), &renewal, version, now, now + CLAIM).await?;
            tx.commit().await?;
            if claimed {
                let granted = registered.network.renew_tokens(&tokens).await;
                return self
                    .store_outcome(registered, &renewal, &connection, &tokens, granted)
                    .await;
            }
            if ahead {
                return Ok(());
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Stores the outcome of a renewal, with retries. If the claim was lost, discards the new
    /// tokens.
    async fn store_outcome(
        &self,
        registered: &Registered,
        renewal: &Renewal<'_>,
        connection: &Connection,
        tokens: &NetworkTokens,
        granted: std::result::Result<Grant, GrantFailure>,
    ) -> Result<()> {
        let granted = granted.map(|mut grant| {
            // Networks that do not rotate the refresh token omit it from the renewal response.
            grant.tokens.refresh = grant.tokens.refresh.or_else(|| tokens.refresh.clone());
            grant
        });
        let mut pause = LOOK;
        for attempt in 1.. {
            match self
                .try_store_outcome(renewal, connection, registered, &granted)
                .await
            {
                Ok(true) => break,
                // The account was disconnected or connected again meanwhile, so the new tokens are
                // not needed.
                Ok(false) => {
                    if let Ok(grant) = &granted {
                        self.revoke_if_disconnected(registered, connection, &grant.tokens)
                            .await?;
                    }
                    break;
                }
                Err(error) if attempt == STORES => return Err(error),
                Err(_) => sleep(pause).await,
            }
            pause *= 2;
        }
        Ok(())
    }

    /// Stores the outcome of a renewal once. Returns `false` if the claim was lost and nothing was
    /// stored.
    async fn try_store_outcome(
        &self,
        renewal: &Renewal<'_>,
        connection: &Connection,
        registered: &Registered,
        granted: &std::result::Result<Grant, GrantFailure>,
    ) -> Result<bool> {
        let now = self.clock.now();
        let tx = self.db.begin().await?;
        let db = tx.conn();
        let held = match granted {
            Ok(grant) => {
                let scopes = grant.scopes.as_ref().unwrap_or(&connection.scopes);
                let until = connection.renewable_until;
                let validity = grant_validity(&*registered.network, grant, scopes, until, now);
                let held = connections::complete_renewal(&db, renewal, &validity).await?;
                if held {
                    self.store_tokens(&db, renewal.provider, &grant.tokens)
                        .await?;
                }
                held
            }
            Err(GrantFailure::Refused { code }) => {
                tracing::warn!(
                    network = renewal.provider,
                    code,
                    "uma conexão com rede social venceu"
                );
                connections::mark_expired(&db, renewal, code).await?
            }
            Err(GrantFailure::Failed { code, retry_after }) => {
                let failures = u32::try_from(connection.failures)
                    .unwrap_or(u32::MAX)
                    .min(20);
                let pause = (FIRST_PAUSE << failures).min(LONGEST_PAUSE);
                let asked = retry_after.unwrap_or_default().min(86_400);
                let asked = i64::try_from(asked).unwrap_or_default() * SECOND;
                let again = now + pause.max(asked);
                connections::record_failed_renewal(&db, renewal, code, again).await?;
                true
            }
        };
        tx.commit().await?;
        Ok(held)
    }

    /// Revokes new tokens at the network if the account was disconnected during the renewal.
    async fn revoke_if_disconnected(
        &self,
        registered: &Registered,
        connection: &Connection,
        tokens: &NetworkTokens,
    ) -> Result<()> {
        let now = connections::find(&self.db.reader(), &connection.provider).await?;
        if now.is_some_and(|now| now.status == ConnectionStatus::Revoked) {
            let _ = registered.network.revoke_tokens(tokens).await;
        }
        Ok(())
    }

    /// Builds the error for tokens that the network did not renew.
    fn not_renewed_error(&self, connection: &Connection) -> Error {
        let code = connection.last_error.clone().unwrap_or_default();
        let wait = (connection.renew_at - self.clock.now()) / SECOND;
        Error::new(Code::PROVIDER_FAILED)
            .because(
                "A rede social não renovou a conexão agora; ela continua, e há nova tentativa.",
            )
            .with_detail("provider_code", code.into())
            .with_retry_after(u64::try_from(wait).unwrap_or_default().clamp(1, 3_600))
    }
}

/// Returns the expiry of a grant, and the time of its renewal: after three quarters of its lifetime.
pub(super) fn grant_validity<'a>(
    network: &dyn Network,
    grant: &Grant,
    scopes: &'a [String],
    renewable_until: Option<Millis>,
    now: Millis,
) -> Validity<'a> {
    let expires_at = now + grant.expires_in * SECOND;
    let renewable = network.can_renew(&grant.tokens);
    // Without a separate refresh token, the access token must be renewed while it is valid.
    let itself = grant.tokens.refresh.is_none();
    let said = grant.renewable_in.map(|seconds| now + seconds * SECOND);
    Validity {
        scopes,
        expires_at,
        renewable_until: match itself {
            true => Some(expires_at),
            false => said.or(renewable_until),
        },
        renew_at: match renewable {
            true => now + (grant.expires_in * SECOND / 4 * 3).min(300 * DAY),
            false => Millis::MAX,
        },
    }
}
