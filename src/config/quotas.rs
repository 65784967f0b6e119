//! The quotas of calls within ten minutes.

use anyhow::{Context, Result};
use gateway::QuotaLimits;

use super::Sources;

pub(super) fn read(sources: &Sources) -> Result<QuotaLimits> {
    let default = QuotaLimits::default();
    Ok(QuotaLimits {
        credential: read_limit(sources, "PAUTA_QUOTA_CREDENTIAL", default.credential)?,
        member: read_limit(sources, "PAUTA_QUOTA_MEMBER", default.member)?,
        address: read_limit(sources, "PAUTA_QUOTA_ADDRESS", default.address)?,
    })
}

/// Reads a limit. `0` disables the limit.
fn read_limit(sources: &Sources, name: &str, default: Option<i64>) -> Result<Option<i64>> {
    let Some(text) = sources.get(name) else {
        return Ok(default);
    };
    let limit = text
        .parse()
        .ok()
        .filter(|n| (0..=1_000_000_000).contains(n));
    let limit: i64 = limit.with_context(|| {
        format!(
            "{name} deve ser o número de chamadas em dez minutos, de 1 a 1000000000, ou 0 para não \
             limitar"
        )
    })?;
    Ok((limit > 0).then_some(limit))
}
