//! Authenticated callers and their rights.

use super::{Access, Code, Error, Result};
use domain::{
    Capabilities, Capability, Guest, GuestLinkId, GuestRight, Lack, Level, MemberId, SessionId,
    TokenId,
};
use store::members::Member;

/// The name of the authentication method of sessions in the audit trail.
const SESSION: &str = "session";
const TOKEN: &str = "personal_token";
const AGENT: &str = "connected_agent";
const GUEST: &str = "guest";

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
    /// The link of a guest, who acts for the member who made the link. It grants no capability, and
    /// only operations for guests accept it.
    Guest(Guest),
}

/// The error code for a guest who calls an operation that is not for this guest, and for anyone
/// else who calls an operation for guests.
pub const GUEST_RIGHT_REQUIRED: Code = Code::new(
    "GUEST_RIGHT_REQUIRED",
    403,
    "Este link de convidado não dá direito a isto.",
)
.with_next_step("Peça a quem mandou o link.");

/// The error code for a guest who has not entered the code of the link.
pub const GUEST_CODE_REQUIRED: Code = Code::new(
    "GUEST_CODE_REQUIRED",
    403,
    "Este link pede um código de seis números.",
)
.with_next_step("Abra o link no navegador e informe o código que veio à parte.");

/// The owner of an authentic credential that is refused, for example because it has expired, was
/// revoked, is used at the wrong endpoint, or has reached its quota.
#[derive(Debug)]
pub struct Known {
    pub member: Member,
    /// The id of the token or of the guest's link; `None` for a session.
    pub credential_id: Option<TokenId>,
    pub auth_method: &'static str,
}

impl Known {
    pub(crate) fn from_caller(caller: &Principal) -> Self {
        Self {
            member: caller.member.clone(),
            credential_id: caller.credential_id(),
            auth_method: caller.auth_method(),
        }
    }

    /// Creates the known owner of a session.
    #[must_use]
    pub fn by_session(member: Member) -> Self {
        Self {
            member,
            credential_id: None,
            auth_method: SESSION,
        }
    }

    /// Creates the known owner of a personal token.
    #[must_use]
    pub fn by_token(member: Member, id: TokenId) -> Self {
        Self {
            member,
            credential_id: Some(id),
            auth_method: TOKEN,
        }
    }

    /// Creates the known owner of an agent's token: the member who connected the agent.
    #[must_use]
    pub fn by_agent(member: Member, id: TokenId) -> Self {
        Self {
            member,
            credential_id: Some(id),
            auth_method: AGENT,
        }
    }

    /// Creates the known owner of a guest's link: the member who made the link.
    #[must_use]
    pub fn by_guest(member: Member, link_id: &GuestLinkId) -> Self {
        Self {
            member,
            credential_id: Some(link_id.as_str().into()),
            auth_method: GUEST,
        }
    }
}

/// A refused credential. `Gateway::record_refused_credential` audits the refusal and creates the
/// error for its caller.
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

    /// Creates the error (401) of a request without a credential.
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
            Credential::Guest(_) => Capabilities::default(),
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
        match (&self.credential, access) {
            (Credential::Guest(guest), Access::Guest(right)) => {
                return authorize_guest(guest, right);
            }
            (Credential::Guest(_), _) | (_, Access::Guest(_)) => {
                return Err(Error::new(GUEST_RIGHT_REQUIRED));
            }
            _ => {}
        }
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

    /// Returns the reason why this caller lacks a capability.
    ///
    /// If a token or an agent lacks a capability that its member may grant, the reason is the
    /// credential and not the member's role, because the member alone can grant the capability.
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

    /// Creates the error (403) for a capability that this caller lacks.
    #[must_use]
    pub fn missing_capability_error(&self, capability: Capability) -> Error {
        Error::capability_required(capability, self.lack_reason(capability))
    }

    /// Returns the session that sign-out ends; `None` for tokens and for bearer tokens of a hosted
    /// issuer.
    #[must_use]
    pub fn session_id(&self) -> Option<&SessionId> {
        match &self.credential {
            Credential::Session { family_id } => family_id.as_ref(),
            Credential::Token { .. } | Credential::Agent { .. } | Credential::Guest(_) => None,
        }
    }

    #[must_use]
    pub fn is_session(&self) -> bool {
        matches!(self.credential, Credential::Session { .. })
    }

    /// Returns the access level that applies to this credential.
    #[must_use]
    pub fn effective_level(&self) -> Level {
        match self.credential {
            Credential::Session { .. } => self.member.role.level(),
            Credential::Token { .. } | Credential::Agent { .. } => {
                self.member.effective_api_level()
            }
            Credential::Guest(_) => Level::Nenhum,
        }
    }

    #[must_use]
    pub fn token_id(&self) -> Option<&TokenId> {
        match &self.credential {
            Credential::Session { .. } | Credential::Guest(_) => None,
            Credential::Token { id, .. } | Credential::Agent { id, .. } => Some(id),
        }
    }

    /// Returns the guest who makes the call; `None` for members.
    #[must_use]
    pub fn guest(&self) -> Option<&Guest> {
        match &self.credential {
            Credential::Guest(guest) => Some(guest),
            Credential::Session { .. } | Credential::Token { .. } | Credential::Agent { .. } => {
                None
            }
        }
    }

    /// Returns the owner of the caller's idempotency keys: the member or, for a guest, the link. So the
    /// keys of two guests of one member never collide.
    #[must_use]
    pub fn key_owner(&self) -> MemberId {
        match self.guest() {
            Some(guest) => guest.link_id.as_str().into(),
            None => self.member.id.clone(),
        }
    }

    /// Returns the id of the token, agent or guest's link, for the audit trail; `None` for sessions.
    #[must_use]
    pub fn credential_id(&self) -> Option<TokenId> {
        match self.guest() {
            Some(guest) => Some(guest.link_id.as_str().into()),
            None => self.token_id().cloned(),
        }
    }

    /// Returns the id of the connected agent that calls; `None` for sessions and personal tokens.
    #[must_use]
    pub fn agent_id(&self) -> Option<&TokenId> {
        match &self.credential {
            Credential::Agent { id, .. } => Some(id),
            Credential::Session { .. } | Credential::Token { .. } | Credential::Guest(_) => None,
        }
    }

    #[must_use]
    pub fn auth_method(&self) -> &'static str {
        match self.credential {
            Credential::Session { .. } => SESSION,
            Credential::Token { .. } => TOKEN,
            Credential::Agent { .. } => AGENT,
            Credential::Guest(_) => GUEST,
        }
    }

    /// Returns the capability that the access rule requires and that the member could grant to this
    /// agent but has not granted. `None` if the caller is not an agent, the operation requires a
    /// session, the agent may already call the operation, or the member cannot grant the
    /// capability.
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

fn authorize_guest(guest: &Guest, right: Option<GuestRight>) -> Result<()> {
    match right {
        None => Ok(()),
        Some(_) if guest.needs_code => Err(Error::new(GUEST_CODE_REQUIRED)),
        Some(right) if guest.right < right => Err(Error::new(GUEST_RIGHT_REQUIRED)),
        Some(_) => Ok(()),
    }
}
