//! Who calls, and what they may do right now.

use super::{Access, Code, Error, Result};
use crate::{
    domain::{Capabilities, Capability, Level, MemberId, Role},
    store::members::Member,
};

/// What was presented.
#[derive(Debug, Clone)]
pub enum Credential {
    /// An interactive session; the family ends with sign-out.
    Session { family_id: Option<String> },
    /// A personal token.
    Token { id: String, scopes: Capabilities },
}

/// An active member with a valid credential. Only authentication makes one.
#[derive(Debug, Clone)]
pub struct Principal {
    pub member: Member,
    pub credential: Credential,
    pub capabilities: Capabilities,
}

impl Principal {
    pub(crate) fn new(member: Member, credential: Credential) -> Self {
        let capabilities = match &credential {
            Credential::Session { .. } => member.session_capabilities(),
            Credential::Token { scopes, .. } => scopes.intersection(member.token_capabilities()),
        };
        Self {
            member,
            credential,
            capabilities,
        }
    }

    #[must_use]
    pub fn may(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Session-only, then capability: the order in which refusals are told.
    pub fn authorize(&self, access: Access) -> Result<()> {
        if access.session_only() && !self.is_session() {
            return Err(Error::new(Code::SessionRequired));
        }
        match access.capabilities() {
            [first, ..] if !access.capabilities().iter().any(|c| self.may(*c)) => {
                Err(Error::capability(*first))
            }
            _ => Ok(()),
        }
    }

    #[must_use]
    pub fn is_session(&self) -> bool {
        matches!(self.credential, Credential::Session { .. })
    }

    /// The level in force for this credential.
    #[must_use]
    pub fn effective_level(&self) -> Level {
        match self.credential {
            Credential::Session { .. } => self.member.role.level(),
            Credential::Token { .. } => self.member.effective_api_level(),
        }
    }

    #[must_use]
    pub fn token_id(&self) -> Option<&str> {
        match &self.credential {
            Credential::Session { .. } => None,
            Credential::Token { id, .. } => Some(id),
        }
    }

    #[must_use]
    pub fn auth_method(&self) -> &'static str {
        if self.is_session() {
            "session"
        } else {
            "personal_token"
        }
    }

    #[must_use]
    pub fn member_id(&self) -> MemberId {
        MemberId::from(self.member.id.as_str())
    }

    /// Whether this member sees every event, or only their own.
    #[must_use]
    pub fn sees_all_events(&self) -> bool {
        self.member.role >= Role::Lider
    }
}
