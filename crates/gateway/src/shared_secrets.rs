//! Shared secrets with which other services authenticate themselves.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The secrets by the names of their settings. Only their hashes are kept in memory.
#[derive(Default)]
pub struct SharedSecrets(BTreeMap<&'static str, [u8; 32]>);

impl SharedSecrets {
    /// Adds the secret of a setting. If it is absent or empty, no request matches the setting.
    #[must_use]
    pub fn with_secret(mut self, setting: &'static str, secret: Option<&str>) -> Self {
        if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
            self.0.insert(setting, sha256(secret));
        }
        self
    }

    /// True if `given` is the secret of the setting. The comparison takes constant time.
    #[must_use]
    pub fn matches(&self, setting: &str, given: Option<&str>) -> bool {
        let (Some(secret), Some(given)) = (self.0.get(setting), given) else {
            return false;
        };
        secret.ct_eq(&sha256(given)).into()
    }
}

fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_is_unset_or_empty_matches_nothing() {
        let secrets = SharedSecrets::default()
            .with_secret("SET", Some("the secret"))
            .with_secret("EMPTY", Some(""))
            .with_secret("UNSET", None);
        assert!(secrets.matches("SET", Some("the secret")));
        for setting in ["EMPTY", "UNSET", "UNKNOWN"] {
            for given in [None, Some(""), Some("the secret")] {
                assert!(!secrets.matches(setting, given), "{setting}");
            }
        }
        for given in [None, Some(""), Some("the secre"), Some("the secret ")] {
            assert!(!secrets.matches("SET", given), "{given:?}");
        }
    }
}
