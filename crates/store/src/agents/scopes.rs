//! Conversion of scopes from and to their columns.

use crate::Result;
use domain::{Capabilities, Capability};

pub(super) fn parse(json: &str) -> Result<Capabilities> {
    Ok(serde_json::from_str::<Vec<Capability>>(json)?
        .into_iter()
        .collect())
}

pub(super) fn to_json(scopes: Capabilities) -> Result<String> {
    Ok(serde_json::to_string(&scopes.iter().collect::<Vec<_>>())?)
}
