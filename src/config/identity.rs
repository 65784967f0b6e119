//! The settings of a hosted session issuer.

use std::time::Duration;

use ::identity::{Entrance, IssuerProfile};
use anyhow::{Context, Result, bail, ensure};
use reqwest::Url;

use super::{Sources, base_url::parse_url};

/// A hosted issuer: Supabase Auth, or any OpenID Connect issuer.
#[derive(Clone)]
pub struct Issuer {
    /// The issuer exactly as its tokens name it (`iss`).
    pub issuer: String,
    pub profile: IssuerProfile,
    /// The URL of the issuer's keys; `None` reads it from the discovery document.
    pub jwks_url: Option<Url>,
    pub hs256_secret: Option<String>,
    /// The secret key of the Supabase Auth admin API.
    pub admin_key: Option<String>,
    /// The client id of this service at an OpenID Connect issuer, for sign-in from a browser.
    pub client_id: Option<String>,
    pub client_secret: Option<String>,
    /// The Supabase key that identifies the project in requests of clients.
    pub publishable_key: Option<String>,
    /// The timeout of each request to the issuer.
    pub timeout: Duration,
}

impl std::fmt::Debug for Issuer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issuer")
            .field("issuer", &self.issuer)
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}

const ISSUER: &str = "PAUTA_IDENTITY_ISSUER";
const OTHERS: [&str; 9] = [
    "PAUTA_IDENTITY_PROFILE",
    "PAUTA_IDENTITY_AUDIENCE",
    "PAUTA_IDENTITY_JWKS_URL",
    "PAUTA_IDENTITY_HS256_SECRET",
    "PAUTA_IDENTITY_ADMIN_KEY",
    "PAUTA_IDENTITY_CLIENT_ID",
    "PAUTA_IDENTITY_CLIENT_SECRET",
    "PAUTA_IDENTITY_PUBLISHABLE_KEY",
    "PAUTA_IDENTITY_TIMEOUT",
];

impl Issuer {
    /// Whether an attacker on the network could change the issuer's responses, because the issuer
    /// is on another machine and its URL is not https.
    #[must_use]
    pub fn is_exposed(&self) -> bool {
        let url = Url::parse(&self.issuer).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let loopback = ["localhost", "127.0.0.1", "[::1]"].contains(&host);
        self.issuer.starts_with("http://") && !loopback
    }

    /// Returns how users sign in from a browser.
    #[must_use]
    pub fn sign_in_method(&self) -> Entrance {
        match (&self.profile, &self.client_id) {
            (IssuerProfile::Supabase, _) => Entrance::Form,
            (IssuerProfile::Oidc { .. }, Some(client_id)) => Entrance::Page {
                client_id: client_id.clone(),
            },
            (IssuerProfile::Oidc { .. }, None) => Entrance::Closed,
        }
    }

    /// Reads the settings; `None` for the embedded identity provider.
    pub(super) fn read(sources: &Sources) -> Result<Option<Self>> {
        let given = |name: &str| sources.get(name).map(str::trim);
        let Some(issuer) = given(ISSUER).filter(|issuer| !issuer.is_empty()) else {
            if let Some(name) = OTHERS.iter().find(|name| given(name).is_some()) {
                bail!("{name} só vale com {ISSUER}, o endereço do provedor de identidade");
            }
            return Ok(None);
        };
        parse_url(ISSUER, issuer)?;
        let supabase = match given("PAUTA_IDENTITY_PROFILE") {
            None => issuer.trim_end_matches('/').ends_with("/auth/v1"),
            Some("supabase") => true,
            Some("oidc") => false,
            Some(_) => bail!("PAUTA_IDENTITY_PROFILE deve ser `supabase` ou `oidc`"),
        };
        let audience = given("PAUTA_IDENTITY_AUDIENCE").filter(|text| !text.is_empty());
        let profile = match (supabase, audience) {
            (true, None | Some("authenticated")) => IssuerProfile::Supabase,
            (true, Some(_)) => bail!(
                "PAUTA_IDENTITY_AUDIENCE não vale com o perfil supabase, que exige `authenticated`; \
                 para outro público, use PAUTA_IDENTITY_PROFILE=oidc"
            ),
            (false, Some(audience)) => IssuerProfile::Oidc {
                audience: audience.to_owned(),
            },
            (false, None) => bail!(
                "PAUTA_IDENTITY_AUDIENCE é obrigatório com {ISSUER}: o público (`aud`) dos tokens \
                 que são para este serviço"
            ),
        };
        let admin_key = validate_secret(
            given("PAUTA_IDENTITY_ADMIN_KEY"),
            "PAUTA_IDENTITY_ADMIN_KEY",
        )?;
        ensure!(
            supabase || admin_key.is_none(),
            "PAUTA_IDENTITY_ADMIN_KEY só vale com o perfil supabase: outros provedores não têm essa \
             interface"
        );
        let key = |name: &str| validate_secret(given(name), name);
        let client_id = key("PAUTA_IDENTITY_CLIENT_ID")?;
        let client_secret = key("PAUTA_IDENTITY_CLIENT_SECRET")?;
        let publishable_key = key("PAUTA_IDENTITY_PUBLISHABLE_KEY")?;
        ensure!(
            !supabase || (client_id.is_none() && client_secret.is_none()),
            "PAUTA_IDENTITY_CLIENT_ID e PAUTA_IDENTITY_CLIENT_SECRET não valem com o perfil supabase, \
             em que a pessoa entra com e-mail e senha"
        );
        ensure!(
            client_id.is_some() || client_secret.is_none(),
            "PAUTA_IDENTITY_CLIENT_SECRET só vale com PAUTA_IDENTITY_CLIENT_ID"
        );
        ensure!(
            supabase || publishable_key.is_none(),
            "PAUTA_IDENTITY_PUBLISHABLE_KEY só vale com o perfil supabase"
        );
        let hs256 = "PAUTA_IDENTITY_HS256_SECRET";
        let hs256_secret = validate_secret(given(hs256), hs256)?;
        ensure!(
            hs256_secret
                .as_ref()
                .is_none_or(|secret| secret.len() >= 32),
            "{hs256} deve ter ao menos 32 caracteres"
        );
        let seconds = given("PAUTA_IDENTITY_TIMEOUT").unwrap_or("5");
        let seconds = seconds.parse().ok().filter(|n| (1..=20).contains(n));
        Ok(Some(Self {
            issuer: issuer.to_owned(),
            profile,
            jwks_url: given("PAUTA_IDENTITY_JWKS_URL")
                .map(|url| parse_url("PAUTA_IDENTITY_JWKS_URL", url))
                .transpose()?,
            hs256_secret,
            admin_key,
            client_id,
            client_secret,
            publishable_key,
            timeout: seconds
                .map(Duration::from_secs)
                .context("PAUTA_IDENTITY_TIMEOUT deve ser um número de segundos de 1 a 20")?,
        }))
    }
}

fn validate_secret(given: Option<&str>, name: &str) -> Result<Option<String>> {
    let Some(secret) = given else { return Ok(None) };
    ensure!(
        !secret.is_empty() && secret.bytes().all(|b| b.is_ascii_graphic()),
        "{name} deve ser uma chave, sem espaços nem quebras de linha"
    );
    Ok(Some(secret.to_owned()))
}
