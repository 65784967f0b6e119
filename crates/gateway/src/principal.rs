//! Authenticated callers and their rights.

use super::{Access, Code, Error, Result};
use domain::{Capabilities, Capability, Lack, Level, SessionId, TokenId};
use store::members::Member;

/// The name of the authentication method of sessions in the audit trail.
const SESSION: &str = "session";
const TOKEN: &str = "personal_token";
const AGENT: &str = "connected_agent";

/// A credential.
#[derive(Debug, Clone)]
pub enum Credential {
    /// An interactive session. Signing out revokes its family of refresh tokens.
    Session { family_id: Option<SessionId> },
    /// A personal token.
    Token { id: TokenId, scopes: Capabilities },
    /// An access token of a connected agent. The audit trail records its id like that of a personal
    /// token.
    Agent { id: TokenId, scopes: Capabilities },
}

/// The owner of an authentic credential that is refused, for example because it has expired, was
/// revoked, is used at the wrong endpoint, or has reached its quota.
#[derive(Debug)]
pub struct Known {
    pub member: Member,
    /// The id of the token; `None` for a session.
    pub token_id: Option<TokenId>,
    /// True if the token belongs to a connected agent.
    pub is_agent: bool,
}

impl Known {
    pub(crate) fn from_caller(caller: &Principal) -> Self {
        Self {
            member: caller.member.clone(),
            token_id: caller.token_id().cloned(),
            is_agent: caller.agent_id().is_some(),
        }
    }

    pub fn auth_method(&self) -> &'static str {
        match self.token_id {
            None => SESSION,
            Some(_) if self.is_agent => AGENT,
            Some(_) => TOKEN,
        }
    }
}

/// A refused credential. `Gateway::record_refused_credential` audits the refusal and creates the error for the
/// caller.
#[derive(Debug)]
pub struct Refused {
    pub error: Error,
    pub known: Option<Box<Known>>,
    /// True if the request had no credential.
    pub is_absent: bool,
}

impl Refused {
    pub fn with_owner(error: Error, known: Known) -> Self {
        Self {
            error,
            known: Some(Box::new(known)),
            is_absent: false,
        }
    }

    /// The error (401) of a request without a credential.
    #[must_use]
    pub fn missing_credential() -> Self {
        Self {
            is_absent: true,
            ..Error::new(Code::UNAUTHENTICATED).into()
        }
    }

    /// True if the owner of the credential is known.
    #[must_use]
    pub fn has_known_owner(&self) -> bool {
        self.known.is_some()
    }
}

impl From<store::Failure> for Refused {
    fn from(failure: store::Failure) -> Self {
        Error::from(failure).into()
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self {
            error,
            known: None,
            is_absent: false,
        }
    }
}

/// An active member with a valid credential. Only authentication creates a `Principal`.
#[derive(Debug, Clone)]
pub struct Principal {
    pub member: Member,
    pub credential: Credential,
    pub capabilities: Capabilities,
}

impl Principal {
    pub fn new(member: Member, credential: Credential) -> Self {
        let capabilities = match &credential {
            Credential::Session { .. } => member.session_capabilities(),
            Credential::Token { scopes, .. } | Credential::Agent { scopes, .. } => {
                scopes.intersection(member.token_capabilities())
            }
        };
        Self {
            member,
            credential,
            capabilities,
        }
    }

    #[must_use]
    pub fn has_capability(&self, capability: Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// Checks an access rule: first whether a session is required, then the capability. Errors are
    /// returned in this order.
    pub fn authorize(&self, access: Access) -> Result<()> {
        if access.requires_session() && !self.is_session() {
            return Err(Error::new(Code::SESSION_REQUIRED));
        }
        match access.capabilities() {
            [first, ..]
                if !access
                    .capabilities()
                    .iter()
                    .any(|c| self.has_capability(*c)) =>
            {
                Err(self.missing_capability_error(*first))
            }
            _ => Ok(()),
        }
    }

    /// The reason why this caller lacks a capability.
    ///
    /// If a token or an agent lacks a capability that its member may grant, the reason is the
    /// credential and not the member's role, because the member can grant the capability without
    /// anybody else.
    #[must_use]
    pub fn lack_reason(&self, capability: Capability) -> Lack {
        let member = &self.member;
        let is_within_api_level = member.token_capabilities().contains(capability);
        match self.credential {
            Credential::Token { .. } if is_within_api_level => Lack::Token,
            Credential::Agent { .. } if is_within_api_level => Lack::Agent,
            Credential::Token { .. } | Credential::Agent { .. }
                if member.session_capabilities().contains(capability) =>
            {
                Lack::ApiLevel
            }
            _ => Lack::Role,
        }
    }

    /// The error (403) for a capability that this caller lacks.
    #[must_use]
    pub fn missing_capability_error(&self, capability: Capability) -> Error {
        Error::capability_required(capability, self.lack_reason(capability))
    }

    /// The session that sign-out ends; `None` for tokens and for bearer tokens of a hosted issuer.
    #[must_use]
    pub fn session_id(&self) -> Option<&SessionId> {
        match &self.credential {
            Credential::Session { family_id } => family_id.as_ref(),
            Credential::Token { .. } | Credential::Agent { .. } => None,
        }
    }

    #[must_use]
    pub fn is_session(&self) -> bool {
        matches!(self.credential, Credential::Session { .. })
    }

    /// The access level that applies to this credential.
    #[must_use]
    pub fn effective_level(&self) -> Level {
        match self.credential {
            Credential::Session { .. } => self.member.role.level(),
            Credential::Token { .. } | Credential::Agent { .. } => {
                self.member.effective_api_level()
            }
        }
    }

    #[must_use]
    pub fn token_id(&self) -> Option<&TokenId> {
        match &self.credential {
            Credential::Session { .. } => None,
            Credential::Token { id, .. } | Credential::Agent { id, .. } => Some(id),
        }
    }

    /// The id of the connected agent that calls; `None` for sessions and personal tokens.
    #[must_use]
    pub fn agent_id(&self) -> Option<&TokenId> {
        match &self.credential {
            Credential::Agent { id, .. } => Some(id),
            Credential::Session { .. } | Credential::Token { .. } => None,
        }
    }

    #[must_use]
    pub fn auth_method(&self) -> &'static str {
        match self.credential {
            Credential::Session { .. } => SESSION,
            Credential::Token { .. } => TOKEN,
            Credential::Agent { .. } => AGENT,
        }
    }

    /// The capability that the access rule requires and that the member could grant to this agent
    /// but has not granted. `None` if the caller is not an agent, the operation requires a session,
    /// the agent may already call the operation, or the member cannot grant the capability.
    #[must_use]
    pub fn grantable_capability(&self, access: Access) -> Option<Capability> {
        if !matches!(self.credential, Credential::Agent { .. })
            || access.requires_session()
            || self.authorize(access).is_ok()
        {
            return None;
        }
        let ceiling = self.member.token_capabilities();
        let mut needed = access.capabilities().iter().copied();
        needed.find(|capability| ceiling.contains(*capability))
    }
}
