//! The people who can decide about a piece.

use std::collections::BTreeMap;

use crate::{MemberId, Role};

/// The active members whose role may approve, with their roles.
#[derive(Debug, Clone, Default)]
pub struct Team(BTreeMap<MemberId, Role>);

impl Team {
    /// Creates the team from the active members. Leaves out members whose role may not approve.
    #[must_use]
    pub fn new(active: impl IntoIterator<Item = (MemberId, Role)>) -> Self {
        let able = active.into_iter().filter(|(_, role)| may_approve(*role));
        Self(able.collect())
    }

    /// True if this member is active and may approve.
    #[must_use]
    pub fn contains(&self, id: &MemberId) -> bool {
        self.0.contains_key(id)
    }

    pub(super) fn role_of(&self, id: &MemberId) -> Option<Role> {
        self.0.get(id).copied()
    }

    pub(super) fn with_role(&self, role: Role) -> impl Iterator<Item = &MemberId> {
        let members = self.0.iter().filter(move |(_, held)| **held == role);
        members.map(|(id, _)| id)
    }
}

/// True if members with this role may approve.
pub(super) fn may_approve(role: Role) -> bool {
    role >= Role::Lider
}

/// The person who makes a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider<'a> {
    Member(&'a MemberId),
    /// A person outside the team, who decides through a link that this member made.
    Guest {
        invited_by: &'a MemberId,
    },
}

impl<'a> Decider<'a> {
    /// Returns the member who decides, or in whose name the guest decides.
    pub(super) fn member(self) -> &'a MemberId {
        match self {
            Self::Member(id) | Self::Guest { invited_by: id } => id,
        }
    }
}

/// A person whose approval counts towards a stage. All guests of a stage together count as one
/// person.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Voter {
    Member(MemberId),
    Guest,
}

impl From<Decider<'_>> for Voter {
    fn from(decider: Decider<'_>) -> Self {
        match decider {
            Decider::Member(id) => Self::Member(id.clone()),
            Decider::Guest { .. } => Self::Guest,
        }
    }
}
