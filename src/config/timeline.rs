//! The settings of the timeline: its secrets, the SNS topics of e-mail events, and the retention.

use anyhow::{Context, Result, bail, ensure};

use super::Sources;

/// The settings of the timeline.
#[derive(Clone)]
pub struct Timeline {
    /// The secret of callers that send events.
    pub token: Option<String>,
    /// The secret of callers that may only read data about a lead.
    pub lead_token: Option<String>,
    pub topics: EmailTopics,
    /// The retention in whole months, not counting the current month.
    pub months: i16,
}

/// The SNS topics that report e-mail deliveries.
#[derive(Debug, Clone, Default)]
pub struct EmailTopics {
    pub arns: Vec<String>,
    /// Hosts with port that may serve the signing certificate, also over http, in addition to the
    /// hosts of AWS.
    pub certificate_hosts: Vec<String>,
    /// Whether SHA-1 signatures are refused.
    pub only_sha256: bool,
}

impl std::fmt::Debug for Timeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Timeline")
            .field("topics", &self.topics)
            .field("months", &self.months)
            .finish_non_exhaustive()
    }
}

impl Timeline {
    pub(super) fn read(sources: &Sources) -> Result<Self> {
        let months = sources.get("PAUTA_TIMELINE_MONTHS").unwrap_or("24");
        let months = months.parse().ok().filter(|n| (1..=240).contains(n));
        let timeline = Self {
            token: read_secret(sources, "PAUTA_JORNADA_TOKEN")?,
            lead_token: read_secret(sources, "PAUTA_JORNADA_LEAD_TOKEN")?,
            topics: EmailTopics::read(sources)?,
            months: months.context("PAUTA_TIMELINE_MONTHS deve ser um número de 1 a 240")?,
        };
        ensure!(
            timeline.token.is_none() || timeline.token != timeline.lead_token,
            "PAUTA_JORNADA_LEAD_TOKEN deve ser outro segredo que PAUTA_JORNADA_TOKEN"
        );
        Ok(timeline)
    }
}

impl EmailTopics {
    fn read(sources: &Sources) -> Result<Self> {
        let arns = read_list(sources, "PAUTA_SNS_TOPIC_ARNS");
        let is_arn = |arn: &String| {
            let parts: Vec<&str> = arn.split(':').collect();
            parts.len() == 6 && parts[0] == "arn" && parts[2] == "sns"
        };
        ensure!(
            arns.iter().all(is_arn),
            "PAUTA_SNS_TOPIC_ARNS deve ser uma lista como arn:aws:sns:us-east-1:123456789012:emails"
        );
        Ok(Self {
            arns,
            certificate_hosts: read_list(sources, "PAUTA_SNS_CERT_HOSTS"),
            only_sha256: match sources.get("PAUTA_SNS_SIGNATURE_VERSION") {
                None | Some("1") => false,
                Some("2") => true,
                Some(_) => bail!("PAUTA_SNS_SIGNATURE_VERSION deve ser 1 ou 2"),
            },
        })
    }
}

/// Reads and validates a secret; `None` if the setting is empty.
fn read_secret(sources: &Sources, name: &str) -> Result<Option<String>> {
    let Some(secret) = sources.get(name).filter(|secret| !secret.is_empty()) else {
        return Ok(None);
    };
    ensure!(
        secret.len() >= 16 && secret.bytes().all(|byte| byte.is_ascii_graphic()),
        "{name} deve ter ao menos 16 caracteres, sem espaços nem acentos; crie um com \
         `openssl rand -hex 32`"
    );
    Ok(Some(secret.to_owned()))
}

fn read_list(sources: &Sources, name: &str) -> Vec<String> {
    let parts = sources.get(name).unwrap_or_default().split(',');
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}
