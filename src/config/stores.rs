//! The settings of sales stores and ad platforms.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Url;

use super::{Sources, base_url::read_base_url};

/// The accounts to synchronise, and the interval.
#[derive(Debug, Clone, Default)]
pub struct Stores {
    pub hotmart: Option<HotmartAccount>,
    pub meta: Option<MetaAccount>,
    /// The interval of synchronisation; `None` synchronises only on request.
    pub every: Option<Duration>,
}

/// An account at Hotmart.
#[derive(Clone)]
pub struct HotmartAccount {
    /// The base URL, with a slash at the end.
    pub base: Url,
    /// The base URL of the token endpoint, with a slash at the end.
    pub auth_base: Url,
    pub client_id: String,
    pub client_secret: String,
}

impl std::fmt::Debug for HotmartAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HotmartAccount")
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

/// An ad account at Meta.
#[derive(Clone)]
pub struct MetaAccount {
    /// The base URL, with a slash at the end.
    pub base: Url,
    /// The API version, such as `v25.0`.
    pub version: String,
    /// The account id, without `act_`.
    pub account_id: String,
    pub access_token: String,
}

impl std::fmt::Debug for MetaAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MetaAccount")
            .field("base", &self.base.as_str())
            .field("account_id", &self.account_id)
            .finish_non_exhaustive()
    }
}

impl Stores {
    pub(super) fn read(sources: &Sources) -> Result<Self> {
        let minutes = sources.get("PAUTA_SYNC_EVERY").unwrap_or("60");
        let minutes: u64 = minutes
            .parse()
            .ok()
            .filter(|n| *n == 0 || (5..=1_440).contains(n))
            .context("PAUTA_SYNC_EVERY deve ser um número de minutos de 5 a 1440, ou 0")?;
        Ok(Self {
            hotmart: read_hotmart(sources)?,
            meta: read_meta(sources)?,
            every: (minutes > 0).then(|| Duration::from_secs(minutes * 60)),
        })
    }
}

fn read_hotmart(sources: &Sources) -> Result<Option<HotmartAccount>> {
    let id = sources.get("PAUTA_HOTMART_CLIENT_ID");
    let secret = sources.get("PAUTA_HOTMART_CLIENT_SECRET");
    let (client_id, client_secret) = match (id, secret) {
        (None, None) => return Ok(None),
        (Some(id), Some(secret)) => (id, secret),
        _ => bail!("PAUTA_HOTMART_CLIENT_ID e PAUTA_HOTMART_CLIENT_SECRET vão juntos"),
    };
    ensure!(
        is_header_safe(client_id) && is_header_safe(client_secret),
        "PAUTA_HOTMART_CLIENT_ID e PAUTA_HOTMART_CLIENT_SECRET não podem ter espaços"
    );
    let (base, auth) = ("PAUTA_HOTMART_BASE_URL", "PAUTA_HOTMART_AUTH_BASE_URL");
    Ok(Some(HotmartAccount {
        base: read_base_url(sources, base, "https://developers.hotmart.com")?,
        auth_base: read_base_url(sources, auth, "https://api-sec-vlc.hotmart.com")?,
        client_id: client_id.to_owned(),
        client_secret: client_secret.to_owned(),
    }))
}

fn read_meta(sources: &Sources) -> Result<Option<MetaAccount>> {
    let token = sources.get("PAUTA_META_ACCESS_TOKEN");
    let account = sources.get("PAUTA_META_ACCOUNT_ID");
    let (token, account) = match (token, account) {
        (None, None) => return Ok(None),
        (Some(token), Some(account)) => (token, account),
        _ => bail!("PAUTA_META_ACCESS_TOKEN e PAUTA_META_ACCOUNT_ID vão juntos"),
    };
    ensure!(
        is_header_safe(token),
        "PAUTA_META_ACCESS_TOKEN não pode ter espaços"
    );
    let account = account.strip_prefix("act_").unwrap_or(account);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    ensure!(
        digits(account) && account.len() <= 32,
        "PAUTA_META_ACCOUNT_ID deve ser o número da conta de anúncios"
    );
    let version = sources.get("PAUTA_META_API_VERSION").unwrap_or("v25.0");
    let parts = version.strip_prefix('v').and_then(|v| v.split_once('.'));
    ensure!(
        parts.is_some_and(|(major, minor)| digits(major) && digits(minor)),
        "PAUTA_META_API_VERSION deve ser como v25.0"
    );
    Ok(Some(MetaAccount {
        base: read_base_url(sources, "PAUTA_META_BASE_URL", "https://graph.facebook.com")?,
        version: version.to_owned(),
        account_id: account.to_owned(),
        access_token: token.to_owned(),
    }))
}

/// Whether a value may be part of an HTTP header.
fn is_header_safe(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic())
}
