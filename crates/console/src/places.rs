//! The entries of the navigation.

use domain::Capability;

/// One entry of the navigation, and the pages that belong to it.
pub(crate) struct Place {
    pub path: &'static str,
    pub name: &'static str,
    /// Shown to members with one of these capabilities; to everyone if the list is empty.
    pub needs: &'static [Capability],
    /// The key that, after `g`, leads to it.
    pub key: Option<&'static str>,
    /// Its pages that are not below its path.
    also: &'static [&'static str],
    /// The areas whose content its pages show. They are told of changes there.
    pub shows: &'static [&'static str],
}

/// The navigation: groups, each with the entries of its areas.
pub(crate) type Places = &'static [(&'static str, &'static [&'static [Place]])];

pub(crate) const fn place(
    path: &'static str,
    name: &'static str,
    needs: &'static [Capability],
) -> Place {
    Place {
        path,
        name,
        needs,
        key: None,
        also: &[],
        shows: &[],
    }
}

impl Place {
    pub const fn key(self, key: &'static str) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// Adds pages that are not below its path.
    pub const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    /// Names the areas whose content its pages show.
    pub const fn shows(self, shows: &'static [&'static str]) -> Self {
        Self { shows, ..self }
    }

    /// Whether a page belongs to it. Every path is below `/`, which has no others.
    pub fn holds(&self, path: &str) -> bool {
        let below = |root: &str| {
            let rest = path.strip_prefix(root);
            rest.is_some_and(|rest| rest.is_empty() || root != "/" && rest.starts_with('/'))
        };
        below(self.path) || self.also.iter().copied().any(below)
    }
}

/// The place that a page belongs to.
pub(crate) fn place_of(places: Places, path: &str) -> Option<&'static Place> {
    let mut all = places
        .iter()
        .flat_map(|(_, areas)| areas.iter().copied().flatten());
    all.find(|place| place.holds(path))
}
