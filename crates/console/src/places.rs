//! The entries of the navigation.

use domain::Capability;

use crate::waiting::Waiting;

/// One entry of the navigation, and the pages that belong to it.
pub(crate) struct Place {
    pub path: &'static str,
    pub name: &'static str,
    /// A member needs one of these capabilities to see the entry. Everyone sees it if the list is empty.
    pub needs: &'static [Capability],
    /// The second key of the shortcut that opens the entry. The first key is `g`.
    pub key: Option<&'static str>,
    /// Selects the number beside the entry: the items on its pages that wait for the viewer.
    pub counts: Option<fn(&Waiting) -> i64>,
    /// Pages of this entry whose paths are not below the path of the entry.
    also: &'static [&'static str],
    /// The areas whose content the pages of the entry show. A change in one of these areas notifies the
    /// pages.
    pub shows: &'static [&'static str],
}

/// The navigation: groups of entries.
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
        counts: None,
        also: &[],
        shows: &[],
    }
}

impl Place {
    pub const fn with_key(self, key: &'static str) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// Sets the number beside the entry.
    pub const fn with_count(self, counts: fn(&Waiting) -> i64) -> Self {
        Self {
            counts: Some(counts),
            ..self
        }
    }

    /// Adds pages whose paths are not below the path of the entry.
    pub const fn with_paths(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    /// Sets the areas whose content the pages of the entry show.
    pub const fn with_areas(self, shows: &'static [&'static str]) -> Self {
        Self { shows, ..self }
    }

    /// Returns true if a page belongs to this entry. For the entry `/`, pages below its path do not
    /// count, because every path begins with `/`.
    pub fn contains_page(&self, path: &str) -> bool {
        let below = |root: &str| {
            let rest = path.strip_prefix(root);
            rest.is_some_and(|rest| rest.is_empty() || root != "/" && rest.starts_with('/'))
        };
        below(self.path) || self.also.iter().copied().any(below)
    }
}

/// Returns the entry to which a page belongs.
pub(crate) fn find_place(places: Places, path: &str) -> Option<&'static Place> {
    let mut all = places
        .iter()
        .flat_map(|(_, areas)| areas.iter().copied().flatten());
    all.find(|place| place.contains_page(path))
}
