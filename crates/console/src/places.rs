//! The entries of the navigation.

use domain::Capability;

/// One entry of the navigation.
pub(crate) struct Place {
    pub path: &'static str,
    pub name: &'static str,
    /// Shown to members with one of these capabilities; to everyone if the list is empty.
    pub needs: &'static [Capability],
}

/// The navigation: groups, each with the entries of its areas.
pub(crate) type Places = &'static [(&'static str, &'static [&'static [Place]])];

pub(crate) const fn place(
    path: &'static str,
    name: &'static str,
    needs: &'static [Capability],
) -> Place {
    Place { path, name, needs }
}
