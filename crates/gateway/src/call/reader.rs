//! The options of a call in addition to its input, and the hint about signing in.

use serde_json::Value;

use crate::{Answer, Result};

/// The options of a call in addition to its input.
#[derive(Default, Clone, Copy)]
pub struct Reader<'a> {
    /// Computes how many rows fit into an answer, for a caller that accepts only answers of limited
    /// size.
    pub page: Option<FittingPage<'a>>,
    /// Refuses a valid call that a person must confirm first.
    pub confirm: Option<Confirm<'a>>,
}

/// Checks the validated input before the call takes its key and has an effect.
pub type Confirm<'a> = &'a (dyn Fn(&Value) -> Result<()> + Sync);

/// Returns the number of rows of a list that fit the reader's limit; `None` if the whole answer
/// fits.
pub type FittingPage<'a> = &'a (dyn Fn(&Answer) -> Option<usize> + Sync);

/// Sets the `limit` of a list's input.
pub(super) fn with_limit(mut input: Value, rows: usize) -> Value {
    input["limit"] = rows.into();
    input
}

/// Returns the text that explains sign-in at a hosted issuer (Portuguese; published).
#[must_use]
pub fn sign_in_hint(issuer: &str) -> String {
    format!(
        "Entre no provedor de identidade, {issuer}, e envie como `Authorization: Bearer` o token de \
         acesso que ele dá à pessoa."
    )
}
