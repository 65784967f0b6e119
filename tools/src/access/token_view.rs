//! A personal token as shown in responses.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::daily_use::DailyUse;
use domain::{
    Capability, TokenId, text_enum,
    time::{Millis, Timestamp},
};
use store::{budgets::BudgetState, tokens::Token};

text_enum! {
    /// The state of a personal token, computed when it is read.
    pub enum TokenStatus {
        Active = "active",
        Expired = "expired",
        Revoked = "revoked",
    }
}

impl TokenStatus {
    pub(super) fn from_token(token: &Token, now: Millis) -> Self {
        if token.revoked_at.is_some() {
            Self::Revoked
        } else if token.expires_at <= now {
            Self::Expired
        } else {
            Self::Active
        }
    }
}

/// Metadados de um token pessoal, sem o segredo.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TokenView {
    pub(super) id: TokenId,
    label: String,
    /// Parte pública do token.
    prefix: String,
    /// Permissões pedidas na criação; o nível de API e o papel limitam as que valem agora.
    scopes: Vec<Capability>,
    created_at: Timestamp,
    expires_at: Timestamp,
    /// Último uso, aproximado.
    last_used_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    pub(super) status: TokenStatus,
    uso_hoje: DailyUse,
}

impl TokenView {
    /// Builds the view. `uses` contains the daily limits and today's use, by token.
    pub(super) fn from_token(
        token: Token,
        uses: &HashMap<TokenId, BudgetState>,
        now: Millis,
    ) -> Self {
        Self {
            uso_hoje: uses.get(&token.id).copied().unwrap_or_default().into(),
            status: TokenStatus::from_token(&token, now),
            id: token.id,
            label: token.label,
            prefix: token.prefix,
            scopes: token.scopes.iter().collect(),
            created_at: Timestamp(token.created_at),
            expires_at: Timestamp(token.expires_at),
            last_used_at: token.last_used_at.map(Timestamp),
            revoked_at: token.revoked_at.map(Timestamp),
        }
    }
}

/// Token depois da revogação.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenRevoked {
    pub(super) ok: bool,
    pub(super) token: TokenView,
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Capabilities, MemberId};

    #[test]
    fn a_revoked_token_that_has_expired_counts_as_revoked() {
        let mut token = Token {
            id: TokenId::default(),
            member_id: MemberId::default(),
            label: String::new(),
            prefix: String::new(),
            secret_sha256: String::new(),
            scopes: Capabilities::default(),
            created_at: 0,
            expires_at: 10,
            last_used_at: None,
            revoked_at: None,
        };
        assert_eq!(TokenStatus::from_token(&token, 9), TokenStatus::Active);
        assert_eq!(TokenStatus::from_token(&token, 10), TokenStatus::Expired);
        token.revoked_at = Some(5);
        assert_eq!(TokenStatus::from_token(&token, 10), TokenStatus::Revoked);
    }
}
