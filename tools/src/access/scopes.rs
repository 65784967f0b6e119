//! The scopes of a personal token.

use serde_json::json;

use crate::{
    domain::{Capabilities, Capability, UnknownText},
    registry::{Code, Error, Result},
};

/// The capabilities that the scopes name; 400 when one names none.
pub(super) fn read(scopes: &[String]) -> Result<Capabilities> {
    let named: Result<_, UnknownText> = scopes.iter().map(|scope| scope.parse()).collect();
    named.map_err(|_| Error::invalid("scopes", "enum", "só pode conter permissões do catálogo"))
}

/// What is asked for, or all there is; 403 when more is asked for than there is.
pub(super) fn grant(asked: Option<Capabilities>, grantable: Capabilities) -> Result<Capabilities> {
    let asked = asked.unwrap_or(grantable);
    let missing: Vec<Capability> = asked.iter().filter(|c| !grantable.contains(*c)).collect();
    if missing.is_empty() {
        Ok(asked)
    } else {
        Err(Error::new(Code::ScopeNotGranted).with("scopes", json!(missing)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Level;

    #[test]
    fn only_what_the_member_has_can_be_granted() {
        let grantable = Capabilities::of_level(Level::Leitor, false);
        assert_eq!(grant(None, grantable).expect("all there is"), grantable);
        let asked = read(&["rag".into(), "art".into(), "vendas".into()]).expect("known");
        let refused = grant(Some(asked), grantable).expect_err("too much");
        assert_eq!(refused.code, Code::ScopeNotGranted);
        let details = refused.body().details.expect("details");
        assert_eq!(details["scopes"], json!(["art", "vendas"]));
    }

    #[test]
    fn what_the_catalog_does_not_know_is_a_fault_of_the_input() {
        let refused = read(&["rag".into(), "root".into()]).expect_err("unknown");
        assert_eq!(refused.code, Code::InvalidInput);
    }
}
