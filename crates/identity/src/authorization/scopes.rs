//! Scopes: levels, which stand for all of their capabilities, and single capabilities.

use domain::{Capabilities, Capability, Level};

/// The default scopes of a request; the person narrows them on the consent page.
pub(super) const SUPPORTED: [&str; 5] = ["leitor", "criador", "lider", "admin", "vendas"];

/// The scopes of the challenge to a caller without a credential.
#[must_use]
pub fn challenge() -> String {
    SUPPORTED.join(" ")
}

/// What a client asks for. Scopes that are not ours, such as `offline_access`, are ignored; without
/// any of ours it asks for everything.
pub(super) fn asked(text: Option<&str>) -> Capabilities {
    let names = text.unwrap_or_default().split(' ');
    let asked: Capabilities = names.flat_map(|name| one(name).iter()).collect();
    if asked.is_empty() {
        Capabilities::of_level(Level::Admin, true)
    } else {
        asked
    }
}

fn one(name: &str) -> Capabilities {
    if let Ok(level) = name.parse::<Level>() {
        return Capabilities::of_level(level, false);
    }
    name.parse::<Capability>().into_iter().collect()
}

/// The shortest text that stands for these capabilities: the highest level of which all are granted,
/// and what goes beyond it.
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

/// What a capability allows, as a person reads it.
#[must_use]
pub fn label(capability: Capability) -> &'static str {
    use Capability as C;
    match capability {
        C::ConfigView => "Ler a configuração da equipe",
        C::TasksView => "Ler a agenda, os eventos e as tarefas",
        C::SkillsView => "Ler as skills publicadas",
        C::ProjectsView => "Ler os projetos",
        C::ReelsView => "Ver os vídeos em produção",
        C::ConnectionsView => "Ver as redes sociais conectadas",
        C::EmailDraftsView => "Ler os rascunhos de e-mail",
        C::Analytics => "Ver resultados e melhores horários",
        C::Rag => "Pesquisar na base de conhecimento",
        C::Art => "Gerar imagens",
        C::Carousel => "Gerar carrosséis",
        C::DraftSave => "Escrever legendas e mudar eventos em preparo",
        C::Enviar => "Enviar eventos para aprovação",
        C::EmailDraftsEdit => "Escrever rascunhos de e-mail",
        C::ProjectsEdit => "Mudar projetos",
        C::Roteiro => "Escrever roteiros",
        C::Video => "Gerar vídeos",
        C::Approve => "Aprovar e recusar eventos",
        C::TasksAssign => "Criar demandas, remarcar e atribuir",
        C::Publish => "Publicar, ou marcar como publicado",
        C::ProjectsManage => "Administrar projetos e quem participa deles",
        C::ProjectsAuditView => "Ver o histórico dos projetos",
        C::Delete => "Apagar",
        C::Config => "Mudar a configuração e as skills da equipe",
        C::Connections => "Conectar e desconectar redes sociais",
        C::TeamAdmin => "Administrar os acessos da equipe",
        C::Members => "Convidar e desligar pessoas",
        C::Vendas => "Ver os números de vendas",
    }
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
