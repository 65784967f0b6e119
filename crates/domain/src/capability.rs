//! Capabilities: the rights that a credential grants.

use super::{Level, Role, text_enum};

text_enum! {
    /// A right that an operation can require. The variants are in the order of the catalog.
    pub enum Capability {
        ConfigView = "config_view",
        TasksView = "tasks_view",
        SkillsView = "skills_view",
        ProjectsView = "projects_view",
        ReelsView = "reels_view",
        ConnectionsView = "connections_view",
        EmailDraftsView = "email_drafts_view",
        Analytics = "analytics",
        Rag = "rag",
        Art = "art",
        Carousel = "carousel",
        DraftSave = "draft_save",
        Enviar = "enviar",
        EmailDraftsEdit = "email_drafts_edit",
        ProjectsEdit = "projects_edit",
        Roteiro = "roteiro",
        Video = "video",
        Approve = "approve",
        TasksAssign = "tasks_assign",
        Publish = "publish",
        ProjectsManage = "projects_manage",
        ProjectsAuditView = "projects_audit_view",
        Delete = "delete",
        Config = "config",
        Connections = "connections",
        TeamAdmin = "team_admin",
        Members = "members",
        Vendas = "vendas",
    }
}

impl Capability {
    /// Returns the lowest level that includes the capability; `None` if only the member flag
    /// `financeiro` grants it.
    #[must_use]
    pub const fn min_level(self) -> Option<Level> {
        use Capability as C;
        match self {
            C::ConfigView
            | C::TasksView
            | C::SkillsView
            | C::ProjectsView
            | C::ReelsView
            | C::ConnectionsView
            | C::EmailDraftsView
            | C::Analytics
            | C::Rag => Some(Level::Leitor),
            C::Art
            | C::Carousel
            | C::DraftSave
            | C::Enviar
            | C::EmailDraftsEdit
            | C::ProjectsEdit
            | C::Roteiro
            | C::Video => Some(Level::Criador),
            C::Approve
            | C::TasksAssign
            | C::Publish
            | C::ProjectsManage
            | C::ProjectsAuditView
            | C::Delete => Some(Level::Lider),
            C::Config | C::Connections | C::TeamAdmin | C::Members => Some(Level::Admin),
            C::Vendas => None,
        }
    }
}

impl Capability {
    /// Returns the roles that grant the capability, or the member flag that grants it.
    #[must_use]
    pub fn granting_roles(self) -> Vec<&'static str> {
        let Some(least) = self.min_level() else {
            return vec!["financeiro"];
        };
        let roles = Role::ALL.iter().filter(|role| role.level() >= least);
        roles.map(|role| role.as_str()).collect()
    }
}

impl Capability {
    /// Returns the description of the capability for users (Portuguese). It names everything that the
    /// capability allows, in particular every write.
    #[must_use]
    pub const fn label(self) -> &'static str {
        use Capability as C;
        match self {
            C::ConfigView => "Ler a configuração da equipe",
            C::TasksView => "Ler a agenda, os eventos e as tarefas, e ver quem é da equipe",
            C::SkillsView => "Ler as skills publicadas",
            C::ProjectsView => "Ler os projetos",
            C::ReelsView => "Ver os vídeos em produção",
            C::ConnectionsView => "Ver as redes sociais conectadas e os vídeos publicados nelas",
            C::EmailDraftsView => "Ler os rascunhos de e-mail",
            C::Analytics => "Ver resultados e melhores horários",
            C::Rag => "Pesquisar na base de conhecimento",
            C::Art => "Gerar imagens, e ver, enviar e trocar a mídia dos eventos",
            C::Carousel => "Gerar carrosséis",
            C::DraftSave => "Escrever legendas, mudar eventos em preparo e comentar",
            C::Enviar => "Enviar eventos para aprovação e retirá-los dela",
            C::EmailDraftsEdit => "Escrever rascunhos de e-mail",
            C::ProjectsEdit => "Mudar projetos",
            C::Roteiro => "Escrever roteiros",
            C::Video => "Gerar e cancelar vídeos",
            C::Approve => "Aprovar, recusar e reabrir eventos, e comentar",
            C::TasksAssign => "Criar demandas, remarcar e atribuir",
            C::Publish => "Publicar nas redes, ou marcar como publicado",
            C::ProjectsManage => "Administrar projetos e quem participa deles",
            C::ProjectsAuditView => "Ver o histórico dos projetos",
            C::Delete => "Apagar rascunhos de e-mail",
            C::Config => "Mudar a configuração, as skills e os painéis da equipe",
            C::Connections => "Conectar e desconectar redes sociais",
            C::TeamAdmin => "Administrar os acessos da equipe",
            C::Members => "Convidar e desligar pessoas",
            C::Vendas => {
                "Ver vendas, lançamentos e assinaturas, com os valores; ver pelo e-mail o perfil de uma \
                 pessoa (o que comprou, páginas que visitou, enquetes, e-mails); e registrar por que uma \
                 assinatura foi cancelada"
            }
        }
    }

    /// True if the capability gives access to money and personal data, which a user must grant
    /// explicitly.
    #[must_use]
    pub const fn is_sensitive(self) -> bool {
        matches!(self, Capability::Vendas)
    }
}

/// A set of capabilities, iterated in catalog order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities(u64);

impl Capabilities {
    /// Returns the capabilities of a level. `vendas` requires the flag `financeiro` and any level above
    /// `nenhum`.
    #[must_use]
    pub fn of_level(level: Level, financeiro: bool) -> Self {
        Capability::ALL
            .iter()
            .copied()
            .filter(|capability| match capability.min_level() {
                Some(least) => level >= least,
                None => financeiro && level > Level::Nenhum,
            })
            .collect()
    }

    #[must_use]
    pub fn contains(self, capability: Capability) -> bool {
        self.0 & (1 << capability as u64) != 0
    }

    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the capabilities of this set that are not in `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// True if the set has all capabilities of `other`.
    #[must_use]
    pub fn includes(self, other: Self) -> bool {
        self.intersection(other) == other
    }

    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Capability> {
        Capability::ALL
            .iter()
            .copied()
            .filter(move |c| self.contains(*c))
    }
}

impl FromIterator<Capability> for Capabilities {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        Self(
            capabilities
                .into_iter()
                .fold(0, |set, c| set | 1 << c as u64),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_level_has_all_capabilities_of_the_levels_below_it() {
        for pair in Level::ALL.windows(2) {
            let (below, above) = (
                Capabilities::of_level(pair[0], true),
                Capabilities::of_level(pair[1], true),
            );
            assert_eq!(below.intersection(above), below);
        }
    }

    #[test]
    fn only_the_financeiro_flag_grants_vendas() {
        assert!(!Capabilities::of_level(Level::Admin, false).contains(Capability::Vendas));
        assert!(Capabilities::of_level(Level::Leitor, true).contains(Capability::Vendas));
        assert!(Capabilities::of_level(Level::Nenhum, true).is_empty());
    }
}
