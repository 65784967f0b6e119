//! The members of the team.

use crate::{Capabilities, Capability, Code, Level, MemberId, Role, UserId, time::Millis};

/// A member, with the fields that the domain rules need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub id: MemberId,
    pub user_id: UserId,
    pub name: String,
    pub email: String,
    pub role: Role,
    pub api_access_level: Level,
    pub financeiro: bool,
    pub active: bool,
    /// True from the start of offboarding until its cleanup has finished.
    pub cleanup_pending: bool,
    /// Sessions issued before this instant are invalid.
    pub sessions_valid_after: Millis,
    pub created_at: Millis,
}

impl Member {
    /// Returns the API level, capped by the role.
    #[must_use]
    pub fn effective_api_level(&self) -> Level {
        self.api_access_level.min(self.role.level())
    }

    /// Returns the capabilities that the member's personal tokens can have at most.
    #[must_use]
    pub fn token_capabilities(&self) -> Capabilities {
        Capabilities::of_level(self.effective_api_level(), self.financeiro)
    }

    #[must_use]
    pub fn session_capabilities(&self) -> Capabilities {
        Capabilities::of_level(self.role.level(), self.financeiro)
    }

    /// True if the member may see e-mail drafts, and the threads about them.
    #[must_use]
    pub fn sees_email_drafts(&self) -> bool {
        self.session_capabilities()
            .contains(Capability::EmailDraftsView)
    }

    /// True if the member sees all events; other members see only their own events.
    #[must_use]
    pub fn sees_all_events(&self) -> bool {
        self.role >= Role::Lider
    }
}

pub const EMAIL_IN_USE: Code =
    Code::new("EMAIL_IN_USE", 409, "Já existe um membro com este e-mail.");

pub const ACCOUNT_NOT_LINKED: Code = Code::new(
    "ACCOUNT_NOT_LINKED",
    409,
    "Ainda não se sabe qual é a conta desta pessoa no provedor de identidade.",
)
.with_next_step(
    "Ela passa a ser conhecida quando a pessoa entra pela primeira vez; até lá, defina a senha no \
     próprio provedor.",
);
