//! The scopes of a personal token.

use serde_json::json;

use domain::{Capabilities, Capability};
use gateway::{Code, Error, Result};

/// The requested scopes, or all available ones if none are requested. Refused (403) when a scope is
/// not available.
pub(super) fn grant(asked: Option<Capabilities>, grantable: Capabilities) -> Result<Capabilities> {
    let asked = asked.unwrap_or(grantable);
    let missing: Vec<Capability> = asked.iter().filter(|c| !grantable.contains(*c)).collect();
    if missing.is_empty() {
        Ok(asked)
    } else {
        Err(Error::new(Code::SCOPE_NOT_GRANTED).with("scopes", json!(missing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Level;

    #[test]
    fn only_what_the_member_has_can_be_granted() {
        let grantable = Capabilities::of_level(Level::Leitor, false);
        assert_eq!(grant(None, grantable).expect("all there is"), grantable);
        let asked = [Capability::Rag, Capability::Art, Capability::Vendas]
            .into_iter()
            .collect();
        let refused = grant(Some(asked), grantable).expect_err("too much");
        assert_eq!(refused.code, Code::SCOPE_NOT_GRANTED);
        let details = refused.body().details.expect("details");
        assert_eq!(details["scopes"], json!(["art", "vendas"]));
    }
}
