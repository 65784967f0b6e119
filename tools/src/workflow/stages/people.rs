//! The people of the team, for the decisions about stages.

use std::collections::HashMap;

use domain::{MemberId, approval::Team};
use gateway::Result;
use store::{Conn, members};

/// The active members of the team: the roles of the members who may approve, and the names of all.
pub(super) struct People {
    pub team: Team,
    names: HashMap<MemberId, String>,
}

impl People {
    pub async fn load(db: &Conn<'_>) -> Result<Self> {
        let members = members::load_team(db).await?;
        let roles = members.iter().map(|(id, _, role)| (id.clone(), *role));
        Ok(Self {
            team: Team::new(roles),
            names: members
                .into_iter()
                .map(|(id, name, _)| (id, name))
                .collect(),
        })
    }

    pub fn is_active(&self, id: &MemberId) -> bool {
        self.names.contains_key(id)
    }

    pub fn may_approve(&self, id: &MemberId) -> bool {
        self.team.contains(id)
    }

    /// Returns the name of an active member; empty for other ids.
    pub fn name(&self, id: &MemberId) -> String {
        self.names.get(id).cloned().unwrap_or_default()
    }
}
