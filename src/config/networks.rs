//! The registrations of this service at social networks.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Url;

use super::{Sources, base_url::read_base_url};
use crate::networks::{At, Base, LINKEDIN_VERSION, NETWORKS, NetworkFacts};

/// The registration of this service at one network.
#[derive(Clone)]
pub struct NetworkApp {
    pub facts: &'static NetworkFacts,
    pub client_id: String,
    pub client_secret: String,
    bases: Vec<(Base, Url)>,
    /// The timeout of one request.
    pub timeout: Duration,
}

impl std::fmt::Debug for NetworkApp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkApp")
            .field("name", &self.facts.name)
            .finish_non_exhaustive()
    }
}

impl NetworkApp {
    /// Reads the registration of every network that has client credentials.
    pub(super) fn read(sources: &Sources) -> Result<Vec<Self>> {
        let seconds = sources.get("PAUTA_NETWORK_TIMEOUT").unwrap_or("15");
        let seconds = seconds.parse().ok().filter(|n| (1..=60).contains(n));
        let timeout = seconds.map(Duration::from_secs);
        let timeout =
            timeout.context("PAUTA_NETWORK_TIMEOUT deve ser um número de segundos de 1 a 60")?;
        let apps = NETWORKS
            .iter()
            .map(|facts| read_app(facts, sources, timeout));
        apps.filter_map(Result::transpose).collect()
    }

    /// Returns the URL of an endpoint of the network.
    #[must_use]
    pub fn endpoint_url(&self, At(base, path): At) -> Url {
        let base = self.bases.iter().find(|(name, _)| *name == base);
        let (_, base) = base.expect("every base in the table has a URL");
        base.join(path)
            .expect("the base ends in a slash, and the path is plain")
    }
}

/// Reads the version of LinkedIn's API.
pub(super) fn read_linkedin_version(sources: &Sources) -> Result<String> {
    let version = sources.get("PAUTA_LINKEDIN_VERSION");
    let version = version.unwrap_or(LINKEDIN_VERSION);
    ensure!(
        version.len() == 6 && version.bytes().all(|digit| digit.is_ascii_digit()),
        "PAUTA_LINKEDIN_VERSION deve ser ano e mês, como {LINKEDIN_VERSION}"
    );
    Ok(version.to_owned())
}

/// Reads the maximum number of uploads to YouTube in a day of Pacific time.
pub(super) fn read_youtube_uploads(sources: &Sources) -> Result<usize> {
    let uploads = sources.get("PAUTA_YOUTUBE_UPLOADS_A_DAY").unwrap_or("100");
    let uploads = uploads.parse().ok();
    uploads
        .filter(|uploads| (1..=1_000_000).contains(uploads))
        .context("PAUTA_YOUTUBE_UPLOADS_A_DAY deve ser um número de 1 a 1000000")
}

fn read_app(
    facts: &'static NetworkFacts,
    sources: &Sources,
    timeout: Duration,
) -> Result<Option<NetworkApp>> {
    let setting = |ending: &str| format!("{}_{ending}", facts.settings);
    let (id, secret) = (setting(facts.client_id_setting), setting("CLIENT_SECRET"));
    let credential = |name: &str| {
        let given = sources.get(name).map(str::trim);
        let plain = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        ensure!(
            given.is_none_or(plain),
            "{name} deve ser uma credencial, sem espaços nem quebras de linha"
        );
        Ok(given.map(str::to_owned))
    };
    let (client_id, client_secret) = match (credential(&id)?, credential(&secret)?) {
        (None, None) => return Ok(None),
        (Some(id), Some(secret)) => (id, secret),
        (Some(_), None) => bail!("{id} pede {secret}"),
        (None, Some(_)) => bail!("{secret} pede {id}"),
    };
    let bases = facts.bases.iter().map(|(base, default)| {
        let name = setting(base.setting_suffix());
        Ok((*base, read_base_url(sources, &name, default)?))
    });
    Ok(Some(NetworkApp {
        facts,
        client_id,
        client_secret,
        bases: bases.collect::<Result<_>>()?,
        timeout,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SETTINGS;

    fn is_setting(name: &str) -> bool {
        SETTINGS.iter().any(|(setting, _)| *setting == name)
    }

    #[test]
    fn every_setting_of_every_network_is_known() {
        for facts in NETWORKS {
            let bases = facts.bases.iter().map(|(base, _)| base.setting_suffix());
            for ending in bases.chain([facts.client_id_setting, "CLIENT_SECRET"]) {
                let name = format!("{}_{ending}", facts.settings);
                assert!(is_setting(&name), "{name} is not in SETTINGS");
            }
        }
    }

    #[test]
    fn a_network_needs_both_of_its_credentials() {
        let read = |given: &[(&'static str, &str)]| {
            let given = given
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned()));
            NetworkApp::read(&Sources::from_pairs(given))
        };
        assert!(read(&[]).expect("valid").is_empty());
        let id = ("PAUTA_TIKTOK_CLIENT_KEY", "chave");
        let secret = ("PAUTA_TIKTOK_CLIENT_SECRET", "escondido");
        let apps = read(&[id, secret]).expect("valid");
        assert_eq!(apps[0].facts.name, "shortvideo");
        let url = apps[0].endpoint_url(apps[0].facts.token);
        assert_eq!(url.as_str(), "https://open.tiktokapis.com/v2/oauth/token/");
        assert!(!format!("{apps:?}").contains("escondido"));
        for (given, named) in [
            (&[id][..], "PAUTA_TIKTOK_CLIENT_SECRET"),
            (&[secret], "PAUTA_TIKTOK_CLIENT_KEY"),
            (
                &[id, ("PAUTA_TIKTOK_CLIENT_SECRET", "a b")],
                "PAUTA_TIKTOK_CLIENT_SECRET",
            ),
            (
                &[id, secret, ("PAUTA_TIKTOK_BASE_URL", "x")],
                "PAUTA_TIKTOK_BASE_URL",
            ),
            (&[("PAUTA_NETWORK_TIMEOUT", "0")], "PAUTA_NETWORK_TIMEOUT"),
        ] {
            let refused = read(given).expect_err("refused").to_string();
            assert!(refused.contains(named), "{named}: {refused}");
        }
    }
}
