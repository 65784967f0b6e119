//! Names roles, levels and capabilities in words.

use domain::{Capabilities, Capability, Level, Role};
use identity::authorization::capability_label;
use maud::{Markup, html};

use crate::text;

pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::Criador => "Criador",
        Role::Lider => "Líder",
        Role::Admin => "Admin",
    }
}

pub(super) fn role_text(role: Role) -> &'static str {
    match role {
        Role::Criador => "escreve e envia para aprovação",
        Role::Lider => "também aprova, atribui e publica",
        Role::Admin => "também cuida da equipe e da configuração",
    }
}

pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Nenhum => "Nenhum",
        Level::Leitor => "Só ler",
        Level::Criador => "Ler e criar",
        Level::Lider => "Ler, criar e coordenar",
        Level::Admin => "Tudo, inclusive administrar",
    }
}

/// Draws the scopes of a token or agent: a summary that opens the list of capabilities.
pub(super) fn draw_scopes(granted: &[Capability]) -> Markup {
    let set: Capabilities = granted.iter().copied().collect();
    html! {
        details class="scopes" {
            summary { (grant_title(set)) }
            ul { @for one in set.iter() { li { (capability_label(one)) } } }
        }
    }
}

/// Names the highest level whose capabilities are all granted, and the number of capabilities beyond
/// this level.
fn grant_title(granted: Capabilities) -> String {
    let is_whole = |level: &&Level| {
        let of_level = Capabilities::of_level(**level, false);
        !of_level.is_empty() && of_level.intersection(granted) == of_level
    };
    let count = granted.iter().count();
    let Some(whole) = Level::ALL.iter().rev().find(is_whole) else {
        return match count {
            1 => "1 permissão".into(),
            _ => format!("{count} permissões"),
        };
    };
    let of_level = Capabilities::of_level(*whole, false).iter().count();
    match count - of_level {
        0 => level_name(*whole).into(),
        1 if granted.contains(Capability::Vendas) => {
            format!("{}, além de ver vendas", level_name(*whole))
        }
        1 => format!("{} e mais 1 permissão", level_name(*whole)),
        more => format!("{} e mais {more} permissões", level_name(*whole)),
    }
}

/// Draws a status as a coloured word.
pub(super) fn draw_status(status: &str) -> Markup {
    let (class, word) = match status {
        "active" => ("badge good", "ativo"),
        "expired" => ("badge wait", "vencido"),
        "revoked" => ("badge", "revogado"),
        other => ("badge", other),
    };
    html! { span class=(class) { (word) } }
}

/// Describes the time of the last use.
pub(super) fn last_use_text(at: Option<&str>) -> String {
    at.map_or_else(|| "nunca".into(), text::format_iso_moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_is_described_by_its_level() {
        let lider = Capabilities::of_level(Level::Lider, false);
        assert_eq!(grant_title(lider), "Ler, criar e coordenar");
        assert_eq!(
            grant_title(Capabilities::of_level(Level::Leitor, true)),
            "Só ler, além de ver vendas"
        );
        assert_eq!(
            grant_title([Capability::Rag].into_iter().collect()),
            "1 permissão"
        );
        assert_eq!(grant_title(Capabilities::default()), "0 permissões");
    }
}
