//! The choices that the consent page offers, and the capabilities that a decision grants. This module
//! does no I/O.
//!
//! The page renders the offer, and the submitted form is checked against it. The rules are tested
//! for every role, flag, level and scope.
//!
//! Each level has its own list of capabilities, all checked by default. The stylesheet shows only
//! the list of the chosen level, and only that list counts. Publishing, and capabilities for money
//! and personal data, are in no list. If a request names single capabilities that an agent of the
//! same member and client does not have, it extends that agent, as after a 403: the `scope` of the
//! challenge names the granted and the missing capabilities. A request with levels only never
//! extends an agent, because every sign-in on another machine sends one.

use super::scopes;
use domain::{AgentId, Capabilities, Capability, Level};
use store::agents::Agent;

/// The levels that a page can offer, each with its own list of capabilities.
pub(super) const LEVELS: [Level; 4] = [Level::Leitor, Level::Criador, Level::Lider, Level::Admin];

/// The choices that a consent page offers.
pub(super) enum Offer {
    /// A choice of level, each with a list of capabilities that can be unchecked.
    Levels(Capabilities),
    /// More capabilities for an existing agent of this client.
    More(Box<StepUp>),
}

/// An existing agent whose client now requests more than was granted.
pub(super) struct StepUp {
    /// The agent to extend; if several have the same capabilities, the newest one.
    pub agent: Agent,
    /// The number of agents with these capabilities. If there are several, it is unknown which one
    /// sent the request, so none is replaced.
    pub alike: usize,
    pub before: Capabilities,
    pub new: Capabilities,
}

/// The choices that a member submits.
#[derive(Default)]
pub(super) struct Choice {
    pub level: Option<Level>,
    /// The checked capabilities in the list of each level, in the order of [`LEVELS`].
    pub lists: [Capabilities; LEVELS.len()],
    /// The checked capabilities outside the lists of levels, or those of an extension.
    pub marked: Capabilities,
}

impl Offer {
    /// Creates the offer for a scope. `may` contains the capabilities that the member may grant, and
    /// `active` the member's agents of this client.
    pub(super) fn for_scope(scope: Option<&str>, may: Capabilities, active: Vec<Agent>) -> Self {
        match StepUp::for_scope(scope, may, active) {
            Some(step_up) => Self::More(Box::new(step_up)),
            None => Self::Levels(scopes::requested_capabilities(scope).intersection(may)),
        }
    }

    /// Returns all capabilities that the offer can grant.
    pub(super) fn grantable(&self) -> Capabilities {
        match self {
            Self::Levels(grantable) => *grantable,
            Self::More(step_up) => step_up.before.union(step_up.new),
        }
    }

    /// Returns the id of the agent to extend.
    pub(super) fn extended_agent_id(&self) -> Option<&AgentId> {
        match self {
            Self::Levels(_) => None,
            Self::More(step_up) => Some(&step_up.agent.id),
        }
    }

    /// Returns the id of the agent that the new agent can replace.
    pub(super) fn replaceable_agent_id(&self) -> Option<AgentId> {
        match self {
            Self::Levels(_) => None,
            Self::More(step_up) => step_up.replaceable_agent().map(|agent| agent.id.clone()),
        }
    }

    /// True if the offer extends no agent, or if the grant contains a capability that the agent does
    /// not have yet. A grant that adds nothing is refused, because the client would repeat its
    /// request.
    pub(super) fn adds_capability(&self, granted: Capabilities) -> bool {
        match self {
            Self::Levels(_) => true,
            Self::More(step_up) => !granted.intersection(step_up.new).is_empty(),
        }
    }

    /// Returns the capabilities that the choices grant.
    pub(super) fn capabilities_for(&self, choice: &Choice) -> Capabilities {
        let chosen = match (self, choice.level) {
            (Self::More(_), _) => choice.marked,
            (Self::Levels(_), level) => {
                let level = level.unwrap_or(Level::Nenhum);
                let place = LEVELS.iter().position(|other| *other == level);
                let list = place.map_or(Capabilities::default(), |place| choice.lists[place]);
                let listed = list.intersection(Capabilities::of_level(level, false));
                let apart = choice.marked.iter().filter(|c| fits_level(*c, level));
                let apart = apart.filter(|c| is_chosen_separately(*c)).collect();
                listed
                    .iter()
                    .filter(|c| !is_chosen_separately(*c))
                    .collect::<Capabilities>()
                    .union(apart)
            }
        };
        chosen.intersection(self.grantable())
    }
}

impl StepUp {
    fn for_scope(scope: Option<&str>, may: Capabilities, active: Vec<Agent>) -> Option<Self> {
        let asked = scopes::requested_capabilities(scope);
        let extended = active.into_iter().filter_map(|agent| {
            let before = agent.scopes.intersection(may);
            let new = scopes::capabilities_requested_by_name(scope, before).intersection(may);
            let is_more = !before.is_empty() && asked.includes(before) && !new.is_empty();
            is_more.then_some(Self {
                agent,
                alike: 1,
                before,
                new,
            })
        });
        let mut extended: Vec<Self> = extended.collect();
        // A person may have connected the same client on several machines. A scope that names single
        // capabilities extends the agent that has these capabilities already.
        let named = scopes::named_capabilities(scope);
        if extended.iter().any(|one| named.includes(one.before)) {
            extended.retain(|one| named.includes(one.before));
        }
        // Agents on other machines may have fewer capabilities, so the agents with the most are
        // used.
        let most = extended.iter().map(|one| one.before.iter().count()).max();
        let most = extended
            .into_iter()
            .filter(|one| Some(one.before.iter().count()) == most);
        let most: Vec<Self> = most.collect();
        let alike = most.len();
        most.into_iter().last().map(|one| Self { alike, ..one })
    }

    /// Returns the capabilities that are checked by default: the capabilities granted before and the new
    /// ones, except new ones for money and personal data.
    pub(super) fn default_selection(&self) -> Capabilities {
        let plain = self.new.iter().filter(|c| !c.is_sensitive()).collect();
        self.before.union(plain)
    }

    /// Returns the agent that the new agent can replace.
    pub(super) fn replaceable_agent(&self) -> Option<&Agent> {
        (self.alike == 1).then_some(&self.agent)
    }
}

/// True if a capability is chosen separately, because no level includes it.
pub(super) fn is_chosen_separately(capability: Capability) -> bool {
    capability == Capability::Publish || capability.is_sensitive()
}

/// True if a capability can be granted together with a level.
fn fits_level(capability: Capability, level: Level) -> bool {
    capability.min_level().is_none_or(|least| least <= level)
}

/// Returns the levels that add at least one capability.
pub(super) fn levels_adding_capabilities(grantable: Capabilities) -> Vec<Level> {
    let adds = |level: &Level| grantable.iter().any(|c| c.min_level() == Some(*level));
    LEVELS.into_iter().filter(adds).collect()
}

/// Returns the level selected by default: `Criador`, or the highest level below it, otherwise the lowest
/// level offered.
pub(super) fn default_level(levels: &[Level]) -> Option<Level> {
    let usual = levels
        .iter()
        .copied()
        .filter(|l| *l <= Level::Criador)
        .max();
    usual.or(levels.first().copied())
}

/// Returns the capabilities in the list of a level, all checked by default.
pub(super) fn capabilities_listed_for_level(grantable: Capabilities, level: Level) -> Capabilities {
    let of_level = grantable.intersection(Capabilities::of_level(level, false));
    of_level
        .iter()
        .filter(|c| !is_chosen_separately(*c))
        .collect()
}

#[cfg(test)]
mod tests;
