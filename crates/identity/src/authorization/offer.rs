//! The offer on the consent page, and the grant that results from a decision. This module does no
//! I/O.
//!
//! The page renders what this module offers, and the form is judged by it. Its properties are
//! tested for every role, flag, level and scope.
//!
//! Each level has a list of its own, all of it ticked. The stylesheet shows the list of the level
//! that is chosen, and only that one counts. Publishing, and money with personal data, are in no
//! list. A request that names single capabilities beyond all that an agent of the same member and
//! client has extends that agent, as after a 403: the challenge names what is granted and what is
//! missing. Levels alone never do, because every sign-in on another machine asks for them.

use super::scopes;
use domain::{AgentId, Capabilities, Capability, Level};
use store::agents::Agent;

/// The levels that a page can offer, each with its own list of permissions.
pub(super) const LEVELS: [Level; 4] = [Level::Leitor, Level::Criador, Level::Lider, Level::Admin];

/// The offer of a page.
pub(super) enum Offer {
    /// A choice of level, with a list of permissions that can be unmarked.
    Levels(Capabilities),
    /// More capabilities for an existing agent of this client.
    More(Box<StepUp>),
}

/// An agent whose client now requests more than it was granted.
pub(super) struct StepUp {
    /// The agent whose grant is extended; the newest if several have the same grant.
    pub agent: Agent,
    /// The number of agents with this grant. If there are several, the one that requests more is
    /// unknown, so none is replaced.
    pub alike: usize,
    pub before: Capabilities,
    pub new: Capabilities,
}

/// The choice of a person.
#[derive(Default)]
pub(super) struct Choice {
    pub level: Option<Level>,
    /// The marked capabilities in the list of each level, in the order of [`LEVELS`].
    pub lists: [Capabilities; LEVELS.len()],
    /// The marked capabilities outside the levels, or in an extension.
    pub marked: Capabilities,
}

impl Offer {
    /// The offer to a person who may grant `may` and whose agents of this client are `active`.
    pub(super) fn of(scope: Option<&str>, may: Capabilities, active: Vec<Agent>) -> Self {
        match StepUp::of(scope, may, active) {
            Some(step_up) => Self::More(Box::new(step_up)),
            None => Self::Levels(scopes::asked(scope).intersection(may)),
        }
    }

    /// All capabilities that can be granted.
    pub(super) fn grantable(&self) -> Capabilities {
        match self {
            Self::Levels(grantable) => *grantable,
            Self::More(step_up) => step_up.before.union(step_up.new),
        }
    }

    /// The agent to extend.
    pub(super) fn extends(&self) -> Option<&AgentId> {
        match self {
            Self::Levels(_) => None,
            Self::More(step_up) => Some(&step_up.agent.id),
        }
    }

    /// The agent that the new one can replace.
    pub(super) fn replaces(&self) -> Option<AgentId> {
        match self {
            Self::Levels(_) => None,
            Self::More(step_up) => step_up.replaces().map(|agent| agent.id.clone()),
        }
    }

    /// True if a grant includes a new capability, or the offer has none. Otherwise the client would
    /// ask again.
    pub(super) fn extends_by(&self, granted: Capabilities) -> bool {
        match self {
            Self::Levels(_) => true,
            Self::More(step_up) => !granted.intersection(step_up.new).is_empty(),
        }
    }

    /// The capabilities that a choice grants.
    pub(super) fn granted(&self, choice: &Choice) -> Capabilities {
        let chosen = match (self, choice.level) {
            (Self::More(_), _) => choice.marked,
            (Self::Levels(_), level) => {
                let level = level.unwrap_or(Level::Nenhum);
                let place = LEVELS.iter().position(|other| *other == level);
                let list = place.map_or(Capabilities::default(), |place| choice.lists[place]);
                let listed = list.intersection(Capabilities::of_level(level, false));
                let apart = choice.marked.iter().filter(|c| fits(*c, level));
                let apart = apart.filter(|c| is_apart(*c)).collect();
                listed
                    .iter()
                    .filter(|c| !is_apart(*c))
                    .collect::<Capabilities>()
                    .union(apart)
            }
        };
        chosen.intersection(self.grantable())
    }
}

impl StepUp {
    fn of(scope: Option<&str>, may: Capabilities, active: Vec<Agent>) -> Option<Self> {
        let asked = scopes::asked(scope);
        let extended = active.into_iter().filter_map(|agent| {
            let before = agent.scopes.intersection(may);
            let new = scopes::asked_by_name(scope, before).intersection(may);
            let is_more = !before.is_empty() && asked.includes(before) && !new.is_empty();
            is_more.then_some(Self {
                agent,
                alike: 1,
                before,
                new,
            })
        });
        let mut extended: Vec<Self> = extended.collect();
        // A client that names its capabilities one by one means the agent that has them, not an
        // agent on another machine.
        let named = scopes::named(scope);
        if extended.iter().any(|one| named.includes(one.before)) {
            extended.retain(|one| named.includes(one.before));
        }
        // An agent on another machine may have been granted less.
        let most = extended.iter().map(|one| one.before.iter().count()).max();
        let most = extended
            .into_iter()
            .filter(|one| Some(one.before.iter().count()) == most);
        let most: Vec<Self> = most.collect();
        let alike = most.len();
        most.into_iter().last().map(|one| Self { alike, ..one })
    }

    /// The capabilities marked in advance: those granted before and the new ones. New capabilities
    /// for money and personal data are not marked.
    pub(super) fn marked(&self) -> Capabilities {
        let plain = self.new.iter().filter(|c| !c.is_sensitive()).collect();
        self.before.union(plain)
    }

    /// The agent that the new one can replace.
    pub(super) fn replaces(&self) -> Option<&Agent> {
        (self.alike == 1).then_some(&self.agent)
    }
}

/// True if a capability is a separate choice that no level includes.
pub(super) fn is_apart(capability: Capability) -> bool {
    capability == Capability::Publish || capability.is_sensitive()
}

/// Whether a capability can be granted together with a level.
fn fits(capability: Capability, level: Level) -> bool {
    capability.min_level().is_none_or(|least| least <= level)
}

/// The levels that add a capability.
pub(super) fn levels(grantable: Capabilities) -> Vec<Level> {
    let adds = |level: &Level| grantable.iter().any(|c| c.min_level() == Some(*level));
    LEVELS.into_iter().filter(adds).collect()
}

/// The level chosen in advance: `Criador`, or the highest level below it; otherwise the lowest one
/// available.
pub(super) fn proposed(levels: &[Level]) -> Option<Level> {
    let usual = levels
        .iter()
        .copied()
        .filter(|l| *l <= Level::Criador)
        .max();
    usual.or(levels.first().copied())
}

/// The list of a level. All of it is marked in advance.
pub(super) fn list(grantable: Capabilities, level: Level) -> Capabilities {
    let of_level = grantable.intersection(Capabilities::of_level(level, false));
    of_level.iter().filter(|c| !is_apart(*c)).collect()
}

#[cfg(test)]
mod tests;
