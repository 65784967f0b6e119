//! The chapters of the table.

use domain::text_enum;

text_enum! {
    /// A chapter of the catalog, and the name of a toolset.
    pub enum Area {
        System = "system",
        Auth = "auth",
        Artifacts = "artifacts",
        Mcp = "mcp",
        Access = "access",
        Workflow = "workflow",
        Media = "media",
        Config = "config",
        EmailDrafts = "email_drafts",
        Members = "members",
        Skills = "skills",
        Research = "research",
        Projects = "projects",
    }
}

impl Area {
    /// What the area is about, for people.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Area::System => "Estado do serviço.",
            Area::Auth => "Entrada, renovação e encerramento de sessões; convites e senhas.",
            Area::Artifacts => "Documentos públicos para agentes e integradores.",
            Area::Mcp => "O mesmo registro de operações como ferramentas MCP.",
            Area::Access => "Identidade, tokens pessoais, níveis de acesso, auditoria e catálogo.",
            Area::Workflow => "Demandas, rascunhos, envio, aprovação e calendário editorial.",
            Area::Media => "Imagens e vídeos: envio, lista, ordem nos eventos e links assinados.",
            Area::Config => "Configuração versionada e seu histórico.",
            Area::EmailDrafts => "Rascunhos de e-mail: HTML, metadados e edição sem sobrescrita.",
            Area::Members => "Membros da equipe: convite, papel, senha e desligamento.",
            Area::Skills => "Skills da equipe: versões publicadas, também por MCP.",
            Area::Research => "Pesquisa na base de conhecimento da equipe.",
            Area::Projects => {
                "Projetos colaborativos: seções e itens, mudados por operações com histórico."
            }
        }
    }
}
