//! The narrowed MCP addresses that the consent page and the set-up guide suggest.

use domain::{Capabilities, Capability};
use serde::Serialize;

/// A kind of work, and the tools that it usually needs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Workday {
    /// The work that the person does (in Portuguese).
    pub work: &'static str,
    /// The query string that narrows the MCP address to these tools.
    pub query: &'static str,
    /// The capability that most of these tools need.
    #[serde(skip)]
    needs: Capability,
}

/// All suggestions, in the order in which they are shown.
pub const WORKDAYS: [Workday; 9] = [
    workday(
        "escrever e ilustrar",
        "?toolsets=workflow,media,research",
        Capability::Art,
    ),
    workday(
        "comentar e ajustar",
        "?toolsets=workflow,conversation,notifications",
        Capability::Art,
    ),
    workday(
        "coordenar e aprovar",
        "?toolsets=workflow,projects,notifications",
        Capability::Approve,
    ),
    workday(
        "publicar",
        "?toolsets=workflow,publishing",
        Capability::Publish,
    ),
    workday(
        "fazer imagens e vídeos",
        "?toolsets=media,video",
        Capability::Video,
    ),
    workday(
        "cuidar dos e-mails",
        "?toolsets=email_drafts,research,skills",
        Capability::EmailDraftsEdit,
    ),
    workday(
        "acompanhar vendas e lançamentos",
        "?toolsets=launches,sales,subscriptions",
        Capability::Vendas,
    ),
    workday(
        "administrar a equipe e os dados",
        "?toolsets=config,skills,launches,timeline,webhooks",
        Capability::Config,
    ),
    workday("só consultar", "?readonly=true", Capability::TasksView),
];

const fn workday(work: &'static str, query: &'static str, needs: Capability) -> Workday {
    Workday { work, query, needs }
}

/// Returns the suggestions for a member with these capabilities.
pub(super) fn workdays_for(capabilities: Capabilities) -> Vec<Workday> {
    let suits = |day: &Workday| capabilities.contains(day.needs);
    WORKDAYS.into_iter().filter(suits).collect()
}
