//! Scopes: levels, which include all of their capabilities, and single capabilities.

use domain::{Capabilities, Capability, Level};

/// The default scopes of a request; the person narrows them on the consent page.
pub(super) const SUPPORTED: [&str; 5] = ["leitor", "criador", "lider", "admin", "vendas"];

/// The scopes in the challenge to a caller without a credential.
#[must_use]
pub fn challenge() -> String {
    SUPPORTED.join(" ")
}

/// The capabilities that a client requests. Unknown scopes, such as `offline_access`, are ignored;
/// without a known scope the client requests everything.
pub(super) fn asked(text: Option<&str>) -> Capabilities {
    let names = text.unwrap_or_default().split(' ');
    let asked: Capabilities = names.flat_map(|name| one(name).iter()).collect();
    if asked.is_empty() {
        Capabilities::of_level(Level::Admin, true)
    } else {
        asked
    }
}

/// The capabilities that a client requests by name and does not have. A level is not counted,
/// because it asks for whatever it includes and says nothing about this client.
///
/// Most clients always request all offered scopes, which include `vendas`. It counts only if the
/// earlier grant is named too, as in the challenge of a refused call.
pub(super) fn asked_by_name(text: Option<&str>, granted: Capabilities) -> Capabilities {
    let names: Vec<&str> = text.unwrap_or_default().split(' ').collect();
    let single = named(text);
    let is_usual = SUPPORTED.iter().all(|name| names.contains(name));
    let counted = if is_usual && !single.includes(granted) {
        single.without([Capability::Vendas].into_iter().collect())
    } else {
        single
    };
    counted.without(granted)
}

/// The capabilities that a scope names individually.
pub(super) fn named(text: Option<&str>) -> Capabilities {
    let names = text.unwrap_or_default().split(' ');
    names.filter_map(|name| name.parse().ok()).collect()
}

fn one(name: &str) -> Capabilities {
    if let Ok(level) = name.parse::<Level>() {
        return Capabilities::of_level(level, false);
    }
    name.parse::<Capability>().into_iter().collect()
}

/// The shortest text for these capabilities: the highest level that is granted completely, and the
/// capabilities beyond it.
pub(super) fn text(granted: Capabilities) -> String {
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

/// The description of a capability, as shown to people.
#[must_use]
pub fn label(capability: Capability) -> &'static str {
    capability.label()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_stands_for_all_levels_below_it() {
        let lider = asked(Some("openid lider offline_access"));
        assert_eq!(lider, Capabilities::of_level(Level::Lider, false));
        assert_eq!(text(lider), "lider");
        assert_eq!(asked(Some("criador publish")).iter().count(), 18);
    }

    #[test]
    fn the_text_of_a_grant_reads_back_as_the_grant() {
        let all = Capabilities::of_level(Level::Lider, true);
        let some: Capabilities = all.iter().filter(|c| *c != Capability::Publish).collect();
        assert!(text(some).starts_with("criador approve"), "{}", text(some));
        assert_eq!(asked(Some(&text(some))), some);
        assert_eq!(text([Capability::Rag].into_iter().collect()), "rag");
    }

    #[test]
    fn nothing_of_ours_asks_for_everything() {
        for asked_for in [None, Some(""), Some("offline_access email")] {
            assert!(asked(asked_for).contains(Capability::Vendas));
        }
    }
}
