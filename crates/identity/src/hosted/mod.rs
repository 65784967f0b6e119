//! Sessions of a hosted issuer: Supabase Auth, or any OpenID Connect issuer.
//!
//! A key id pins the key, and the key its algorithm, so a token chooses neither. Only HS256 without
//! a published key may be checked with the legacy secret.
//!
//! The bearer of an issuer has no family here, but the session of a browser has. What opens a new
//! way in compares `sessions_valid_after` with the value that the session was judged by. Issuers
//! give whole seconds, so a session of the same second counts as issued before.

mod claims;
mod key_cache;
mod key_set;
mod sign_in;

use std::sync::Arc;

use domain::time::Millis;
use gateway::{Code, Error, Result};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use ports::{IssuerSignIn, KeyPublisher};

use crate::session::has_critical_header;
use claims::AUTHENTICATED;
use key_cache::KeyCache;

pub(crate) use claims::Claims;
pub use key_set::KeySet;
pub(crate) use sign_in::{authenticate, member, refusal};

/// The claims that a session must have, in addition to issuer and times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssuerProfile {
    /// The configured audience.
    Oidc { audience: String },
    /// Audience and role `authenticated`, and a person who is not anonymous.
    Supabase,
}

/// The way in which people sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entrance {
    /// People cannot sign in from a browser: the issuer does not know this service as a client.
    Closed,
    /// With e-mail and password in a form of this service; the issuer checks them.
    Form,
    /// On a page of the issuer, which knows this service by this client id.
    Page { client_id: String },
}

/// Verifies the sessions of the configured issuer.
pub struct HostedSessions {
    pub(crate) issuer: String,
    profile: IssuerProfile,
    keys: Arc<KeyCache>,
    /// The secret that signed the sessions of Supabase Auth before it used key pairs.
    legacy: Option<DecodingKey>,
    pub(crate) entrance: Entrance,
    pub(crate) at_issuer: Arc<dyn IssuerSignIn>,
}

impl HostedSessions {
    #[must_use]
    pub fn new<A: KeyPublisher + IssuerSignIn + 'static>(
        issuer: String,
        profile: IssuerProfile,
        legacy_secret: Option<&str>,
        entrance: Entrance,
        adapter: Arc<A>,
    ) -> Self {
        Self {
            issuer,
            profile,
            keys: Arc::new(KeyCache::new(adapter.clone())),
            legacy: legacy_secret.map(|secret| DecodingKey::from_secret(secret.as_bytes())),
            entrance,
            at_issuer: adapter,
        }
    }

    /// Verifies a session of this issuer and returns its claims. The caller must check whether it
    /// has expired.
    ///
    /// Refused (401) when signature, issuer, audience or role is not valid, when the session begins
    /// after `now`, and when its header requires an extension (`crit`); (500) when its key is
    /// unknown and the issuer does not answer.
    pub(crate) async fn check(&self, token: &str, now: Millis) -> Result<Claims> {
        let audience = match &self.profile {
            IssuerProfile::Oidc { audience } => audience,
            IssuerProfile::Supabase => AUTHENTICATED,
        };
        let claims = self.claims(token, audience, now).await?;
        if self.profile == IssuerProfile::Supabase && !claims.is_of_a_signed_in_person() {
            return Err(Error::new(Code::UNAUTHENTICATED));
        }
        Ok(claims)
    }

    /// Verifies a token of this issuer for this audience and returns its claims.
    pub(crate) async fn claims(&self, token: &str, audience: &str, now: Millis) -> Result<Claims> {
        let refused = || Error::new(Code::UNAUTHENTICATED);
        if has_critical_header(token) {
            return Err(refused());
        }
        let header = decode_header(token).map_err(|_| refused())?;
        if !is_of_a_session(&header) {
            return Err(refused());
        }
        let key = match header.kid.as_deref() {
            // Symmetric keys are never published, so there is nothing to fetch.
            Some(kid) if header.alg == Algorithm::HS256 => self.keys.cached(kid),
            Some(kid) => self.keys.find(kid, now).await?,
            None => None,
        };
        // The key determines the algorithm; the token does not.
        let read = match (&key, &self.legacy) {
            (Some(key), _) => decode(token, &key.decoding, &self.rules(key.algorithm, audience)),
            (None, Some(secret)) if header.alg == Algorithm::HS256 => {
                decode(token, secret, &self.rules(Algorithm::HS256, audience))
            }
            (None, _) => return Err(refused()),
        };
        let claims: Claims = read.map_err(|_| refused())?.claims;
        let holds =
            claims.iss == self.issuer && claims.names_a_subject() && !claims.begins_after(now);
        if holds { Ok(claims) } else { Err(refused()) }
    }

    fn rules(&self, algorithm: Algorithm, audience: &str) -> Validation {
        let mut rules = Validation::new(algorithm);
        rules.set_issuer(&[&self.issuer]);
        rules.set_audience(&[audience]);
        rules.required_spec_claims = ["iss", "aud", "sub", "exp"].map(Into::into).into();
        // The library would use the machine's clock, but the service has its own.
        rules.validate_exp = false;
        rules
    }
}

/// The refusal if nobody can sign in from a browser.
pub(crate) fn closed() -> Error {
    Error::new(Code::PROVIDER_NOT_CONFIGURED)
        .because(
            "Esta instalação não deixa entrar pelo navegador: falta PAUTA_IDENTITY_CLIENT_ID, o nome \
             deste serviço no provedor de identidade.",
        )
        .with(
            "next",
            "Peça a quem opera o serviço que o cadastre no provedor de identidade.".into(),
        )
}

/// True if the token has no type, or the type of a JWT or of an access token (RFC 9068). Other
/// tokens, such as logout tokens, are signed with the same keys.
fn is_of_a_session(header: &Header) -> bool {
    let types = ["jwt", "at+jwt", "application/at+jwt"];
    header.typ.as_deref().is_none_or(|typ| {
        types
            .iter()
            .any(|expected| expected.eq_ignore_ascii_case(typ))
    })
}
