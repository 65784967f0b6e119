//! The connections of the team, their tokens, and the renewal of the tokens.
//!
//! A renewal spends the refresh token at most networks, so it runs on a task of its own, which a
//! caller who leaves does not end. Among instances the renewal is claimed with one `UPDATE` of the
//! version that was read; the others wait for the next version. The outcome is written under the
//! claim: a connection that was disconnected or made again since keeps its state, and tokens that
//! came too late for a disconnected one are revoked.

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

/// The detail of a refusal caused by a missing connection: the address at which an admin connects.
pub const CONNECT_AT: &str = "conectar_em";
/// The console's page of connections, relative to the public address.
const PAGE: &str = "/conexoes";
/// The minimum time for which a used access token must still be valid.
const MARGIN: Millis = MINUTE;
/// How long a claim to renew lasts. It is longer than any request to a network.
const CLAIM: Millis = 2 * MINUTE;
/// How often a caller checks whether another instance has renewed, and the maximum number of
/// checks.
const LOOK: Duration = Duration::from_millis(100);
const LOOKS: u32 = 200;
/// Attempts to store new tokens. Losing them would lose the connection, because the network has
/// already replaced the old ones.
const STORES: u32 = 5;
/// The pause after a failed renewal. It doubles with each failure, up to the longest pause.
const FIRST_PAUSE: Millis = 15 * SECOND;
const LONGEST_PAUSE: Millis = HOUR;

/// The registered networks, and the tokens of the team's connected accounts.
#[derive(Clone)]
pub struct Connections(Arc<Shared>);

struct Shared {
    networks: Vec<Registered>,
    /// The page on which an admin connects networks.
    page: String,
    db: Db,
    clock: Arc<dyn Clock>,
    keys: Arc<Keys>,
}

struct Registered {
    network: Arc<dyn Network>,
    /// In this process, one caller at a time renews the tokens of this network. The others wait for
    /// its result.
    turn: Mutex<()>,
}

/// A valid access token.
pub struct AccessToken {
    pub token: String,
    /// The id of the account at the network.
    pub account_id: String,
    /// The version of the tokens, used by [`Connections::newer_than`].
    pub version: i64,
}

/// Tokens in the form in which they are encrypted.
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

    /// The registered networks, in the order of the table.
    pub fn networks(&self) -> impl Iterator<Item = &Arc<dyn Network>> {
        self.0.networks.iter().map(|registered| &registered.network)
    }

    /// A registered network. Refused (404) when none has this name.
    pub fn network(&self, name: &str) -> Result<&Arc<dyn Network>> {
        Ok(&self.0.registered(name)?.network)
    }

    /// An access token of the team's account at a network. It is renewed first if it is about to
    /// expire.
    ///
    /// Refused (404) when the network is not registered or not connected, or must be connected
    /// again. Refused with `PROVIDER_FAILED` when the token has expired and the network does not
    /// renew it now.
    pub async fn access_token(&self, provider: &str) -> Result<AccessToken> {
        let connection = self.connected(provider).await?;
        if connection.expires_at - MARGIN > self.0.clock.now() {
            return self.0.access(&connection);
        }
        // If the renewal fails, a token that has not expired yet is used.
        self.renew(provider, connection.version, connection.version)
            .await
    }

    /// An access token newer than this version. The network has refused this version before its
    /// expiry.
    ///
    /// Refused like [`Self::access_token`], and with `PROVIDER_FAILED` when there is no newer
    /// token.
    pub async fn newer_than(&self, provider: &str, version: i64) -> Result<AccessToken> {
        self.renew(provider, version, version + 1).await
    }

    async fn renew(&self, provider: &str, version: i64, least: i64) -> Result<AccessToken> {
        // A renewal uses up the refresh token. The task goes on if the caller is dropped, so that
        // the network's answer is not lost.
        let (shared, name) = (self.0.clone(), provider.to_owned());
        let renewing = tokio::spawn(async move { shared.renew(&name, version, false).await });
        renewing.await.map_err(Error::internal)??;
        let connection = self.connected(provider).await?;
        if connection.expires_at > self.0.clock.now() && connection.version >= least {
            return self.0.access(&connection);
        }
        Err(self.0.not_now(&connection))
    }

    /// Renews the connections that are due. A failure is recorded at its connection and not
    /// returned.
    pub async fn renew_due(&self) -> Result<()> {
        let now = self.0.clock.now();
        for provider in connections::due(&self.0.db.reader(), now).await? {
            let Ok(connection) = self.connected(&provider).await else {
                continue;
            };
            let (shared, version) = (self.0.clone(), connection.version);
            let renewing =
                tokio::spawn(async move { shared.renew(&provider, version, true).await });
            renewing.await.map_err(Error::internal)??;
        }
        Ok(())
    }

    /// The active connection to a registered network.
    async fn connected(&self, provider: &str) -> Result<Connection> {
        let network = self.network(provider)?;
        let found = connections::find(&self.0.db.reader(), provider).await?;
        let again = |next: String| {
            let error = Error::not_found("conexão").with("next", next.into());
            Err(error.with(CONNECT_AT, self.0.page.as_str().into()))
        };
        let title = network.title();
        match found {
            Some(connection) if self.0.status(&connection) == ConnectionStatus::Active => {
                Ok(connection)
            }
            Some(connection) if connection.status != ConnectionStatus::Revoked => again(format!(
                "A conexão com {title} expirou: um admin a refaz na console."
            )),
            _ => again(format!("Um admin precisa conectar {title} na console.")),
        }
    }

    /// The current state of a connection. One that cannot be renewed expires with its access token.
    #[must_use]
    pub fn status(&self, connection: &Connection) -> ConnectionStatus {
        self.0.status(connection)
    }

    /// Stores the tokens of a connection.
    pub(super) async fn put(
        &self,
        db: &Conn<'_>,
        provider: &str,
        tokens: &NetworkTokens,
    ) -> Result<()> {
        self.0.put(db, provider, tokens).await
    }

    /// The tokens of a connection, if it has any.
    pub(super) fn tokens(&self, connection: &Connection) -> Result<Option<NetworkTokens>> {
        self.0.tokens(connection)
    }
}

impl Shared {
    fn registered(&self, name: &str) -> Result<&Registered> {
        let mut networks = self.networks.iter();
        let found = networks.find(|registered| registered.network.name() == name);
        found.ok_or_else(|| {
            let next = "`list_connected_accounts` diz quais redes estão registradas.";
            Error::not_found("rede registrada").with("next", next.into())
        })
    }

    fn status(&self, connection: &Connection) -> ConnectionStatus {
        let end = connection.renewable_until;
        if connection.status == ConnectionStatus::Active
            && end.is_some_and(|end| end <= self.clock.now())
            && connection.expires_at <= self.clock.now()
        {
            return ConnectionStatus::Expired;
        }
        connection.status
    }

    fn tokens(&self, connection: &Connection) -> Result<Option<NetworkTokens>> {
        let Some(sealed) = &connection.sealed else {
            return Ok(None);
        };
        let plain = self.keys.open(TOKENS, &connection.provider, sealed)?;
        let Stored { access, refresh } = serde_json::from_slice(&plain)?;
        Ok(Some(NetworkTokens { access, refresh }))
    }

    fn access(&self, connection: &Connection) -> Result<AccessToken> {
        let tokens = self.tokens(connection)?;
        let tokens = tokens.ok_or_else(|| Error::internal("a connection has no tokens"))?;
        Ok(AccessToken {
            token: tokens.access,
            account_id: connection.account_id.clone(),
            version: connection.version,
        })
    }

    async fn put(&self, db: &Conn<'_>, provider: &str, tokens: &NetworkTokens) -> Result<()> {
        let plain = serde_json::to_vec(&Stored {
            access: tokens.access.clone(),
            refresh: tokens.refresh.clone(),
        })?;
        let record = Sealed {
            purpose: TOKENS.into(),
            id: provider.into(),
            kid: self.keys.active_key().into(),
            sealed: self.keys.seal(TOKENS, provider, &plain)?,
        };
        Ok(secrets::put(db, &record).await?)
    }

    /// Renews the tokens of this version once across all callers and instances.
    ///
    /// A failure of the network is recorded and not returned. `ahead` marks a renewal that no
    /// caller waits for.
    async fn renew(&self, provider: &str, version: i64, ahead: bool) -> Result<()> {
        let registered = self.registered(provider)?;
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
                    // expiry always waits for it, because another instance may have renewed since.
                    && (connection.renew_at <= now || (!ahead && connection.failures == 0))
            };
            let Some(connection) = found.filter(due) else {
                return Ok(());
            };
            let tokens = self.tokens(&connection)?;
            let Some(tokens) = tokens.filter(|tokens| registered.network.can_renew(tokens)) else {
                return Ok(());
            };
            let tx = self.db.begin().await?;
            let claimed =
                connections::claim(&tx.conn(), &renewal, version, now, now + CLAIM).await?;
            tx.commit().await?;
            if claimed {
                let granted = registered.network.renew(&tokens).await;
                return self
                    .finish(registered, &renewal, &connection, &tokens, granted)
                    .await;
            }
            if ahead {
                return Ok(());
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    /// Stores the outcome of a renewal.
    async fn finish(
        &self,
        registered: &Registered,
        renewal: &Renewal<'_>,
        connection: &Connection,
        tokens: &NetworkTokens,
        granted: std::result::Result<Grant, GrantFailure>,
    ) -> Result<()> {
        let granted = granted.map(|mut grant| {
            // Networks that keep the refresh token do not send it again.
            grant.tokens.refresh = grant.tokens.refresh.or_else(|| tokens.refresh.clone());
            grant
        });
        let mut pause = LOOK;
        for attempt in 1.. {
            match self.store(renewal, connection, registered, &granted).await {
                Ok(true) => break,
                // The account was disconnected or connected again meanwhile, so the new tokens are
                // not needed.
                Ok(false) => {
                    if let Ok(grant) = &granted {
                        self.discard(registered, connection, &grant.tokens).await?;
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

    /// Stores the outcome. Returns `false` when the claim was lost and nothing was stored.
    async fn store(
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
                let validity = validity(&*registered.network, grant, scopes, until, now);
                let held = connections::renewed(&db, renewal, &validity).await?;
                if held {
                    self.put(&db, renewal.provider, &grant.tokens).await?;
                }
                held
            }
            Err(GrantFailure::Refused { code }) => {
                tracing::warn!(
                    network = renewal.provider,
                    code,
                    "uma conexão com rede social venceu"
                );
                connections::expire(&db, renewal, code).await?
            }
            Err(GrantFailure::Failed { code, retry_after }) => {
                let failures = u32::try_from(connection.failures)
                    .unwrap_or(u32::MAX)
                    .min(20);
                let pause = (FIRST_PAUSE << failures).min(LONGEST_PAUSE);
                let asked = retry_after.unwrap_or_default().min(86_400);
                let asked = i64::try_from(asked).unwrap_or_default() * SECOND;
                let again = now + pause.max(asked);
                connections::not_renewed(&db, renewal, code, again).await?;
                true
            }
        };
        tx.commit().await?;
        Ok(held)
    }

    /// Revokes tokens that arrived after the connection was revoked.
    async fn discard(
        &self,
        registered: &Registered,
        connection: &Connection,
        tokens: &NetworkTokens,
    ) -> Result<()> {
        let now = connections::find(&self.db.reader(), &connection.provider).await?;
        if now.is_some_and(|now| now.status == ConnectionStatus::Revoked) {
            let _ = registered.network.revoke(tokens).await;
        }
        Ok(())
    }

    /// The error while the network does not renew the tokens.
    fn not_now(&self, connection: &Connection) -> Error {
        let code = connection.last_error.clone().unwrap_or_default();
        let wait = (connection.renew_at - self.clock.now()) / SECOND;
        Error::new(Code::PROVIDER_FAILED)
            .because(
                "A rede social não renovou a conexão agora; ela continua, e há nova tentativa.",
            )
            .with("provider_code", code.into())
            .retry_after(u64::try_from(wait).unwrap_or_default().clamp(1, 3_600))
    }
}

/// The expiry of a grant, and the time of its renewal: after three quarters of its lifetime.
pub(super) fn validity<'a>(
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
