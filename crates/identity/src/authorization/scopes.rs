//! OAuth scopes. A scope is a level, which stands for all its capabilities, or a single capability.

use domain::{Capabilities, Capability, Level};

/// The scopes that clients request by default; the member can reduce them on the consent page.
pub(super) const SUPPORTED: [&str; 5] = ["leitor", "criador", "lider", "admin", "vendas"];

/// Returns the `scope` of the challenge to a caller without a credential.
#[must_use]
pub fn challenge_scope() -> String {
    SUPPORTED.join(" ")
}

/// Returns the capabilities that a client requests. Unknown scopes such as `offline_access` are ignored.
/// Without any known scope, the client requests all capabilities.
pub(super) fn requested_capabilities(text: Option<&str>) -> Capabilities {
    let names = text.unwrap_or_default().split(' ');
    let asked: Capabilities = names.flat_map(|name| parse_scope(name).iter()).collect();
    if asked.is_empty() {
        Capabilities::of_level(Level::Admin, true)
    } else {
        asked
    }
}

/// Returns the capabilities that a client requests by name and that are not in `granted`. Ignores
/// levels, because a level includes capabilities that the client may not need.
///
/// Most clients request all scopes in [`SUPPORTED`], and therefore also `vendas`. Such a request counts
/// as a request for `vendas` only if it also names each capability in `granted`. The challenge of a
/// rejected call names these capabilities, and the client copies its scope.
pub(super) fn capabilities_requested_by_name(
    text: Option<&str>,
    granted: Capabilities,
) -> Capabilities {
    let names: Vec<&str> = text.unwrap_or_default().split(' ').collect();
    let single = named_capabilities(text);
    let is_usual = SUPPORTED.iter().all(|name| names.contains(name));
    let counted = if is_usual && !single.includes(granted) {
        single.without([Capability::Vendas].into_iter().collect())
    } else {
        single
    };
    counted.without(granted)
}

/// Returns the capabilities that a scope lists by name.
pub(super) fn named_capabilities(text: Option<&str>) -> Capabilities {
    let names = text.unwrap_or_default().split(' ');
    names.filter_map(|name| name.parse().ok()).collect()
}

fn parse_scope(name: &str) -> Capabilities {
    if let Ok(level) = name.parse::<Level>() {
        return Capabilities::of_level(level, false);
    }
    name.parse::<Capability>().into_iter().collect()
}

/// Returns the shortest scope for these capabilities: the highest level whose capabilities are all
/// granted, and the granted capabilities beyond that level.
pub(super) fn shortest_scope(granted: Capabilities) -> String {
    let whole = Level::ALL.iter().rev().find(|level| {
        let of_level = Capabilities::of_level(**level, false);
        of_level.intersection(granted) == of_level
    });
    let level = whole.copied().unwrap_or(Level::Nenhum);
    let of_level = Capabilities::of_level(level, false);
    let beyond = granted.iter().filter(|c| !of_level.contains(*c));
    let mut names: Vec<&str> = beyond.map(Capability::as_str).collect();
    if level > Level::Nenhum {
        names.insert(0, level.as_str());
    }
    names.join(" ")
}

/// Returns the description of a capability for users.
#[must_use]
pub fn capability_label(capability: Capability) -> &'static str {
    capability.label()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_stands_for_all_levels_below_it() {
        let lider = requested_capabilities(Some("openid lider offline_access"));
        assert_eq!(lider, Capabilities::of_level(Level::Lider, false));
        assert_eq!(shortest_scope(lider), "lider");
        assert_eq!(
            requested_capabilities(Some("criador publish"))
                .iter()
                .count(),
            18
        );
    }

    #[test]
    fn the_scope_text_of_a_grant_parses_to_the_same_grant() {
        let all = Capabilities::of_level(Level::Lider, true);
        let some: Capabilities = all.iter().filter(|c| *c != Capability::Publish).collect();
        assert!(
            shortest_scope(some).starts_with("criador approve"),
            "{}",
            shortest_scope(some)
        );
        assert_eq!(requested_capabilities(Some(&shortest_scope(some))), some);
        assert_eq!(
            shortest_scope([Capability::Rag].into_iter().collect()),
            "rag"
        );
    }

    #[test]
    fn without_a_known_scope_everything_is_requested() {
        for asked_for in [None, Some(""), Some("offline_access email")] {
            assert!(requested_capabilities(asked_for).contains(Capability::Vendas));
        }
    }
}
