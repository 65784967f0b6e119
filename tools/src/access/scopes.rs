//! The scopes of a personal token.

use serde_json::json;

use domain::{Capabilities, Capability};
use gateway::{Code, Error, Result};

/// Returns the requested scopes, or all available ones if none are requested. Refuses (403) a scope
/// that is not available.
pub(super) fn require_grantable_scopes(
    asked: Option<Capabilities>,
    grantable: Capabilities,
) -> Result<Capabilities> {
    let asked = asked.unwrap_or(grantable);
    let missing: Vec<Capability> = asked.iter().filter(|c| !grantable.contains(*c)).collect();
    if missing.is_empty() {
        Ok(asked)
    } else {
        Err(Error::new(Code::SCOPE_NOT_GRANTED).with_detail("scopes", json!(missing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Level;

    #[test]
    fn only_capabilities_of_the_member_can_be_granted() {
        let grantable = Capabilities::of_level(Level::Leitor, false);
        assert_eq!(
            require_grantable_scopes(None, grantable).expect("all scopes"),
            grantable
        );
        let asked = [Capability::Rag, Capability::Art, Capability::Vendas]
            .into_iter()
            .collect();
        let refused = require_grantable_scopes(Some(asked), grantable)
            .expect_err("a scope that is not available");
        assert_eq!(refused.code, Code::SCOPE_NOT_GRANTED);
        let details = refused.body().details.expect("details");
        assert_eq!(details["scopes"], json!(["art", "vendas"]));
    }
}
