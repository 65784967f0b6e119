//! Pages with forms that a member can open from the palette and the search.

use crate::view::View;

/// An entry of the palette and of the search, for a page with a form.
pub(crate) struct Action {
    pub name: &'static str,
    /// Synonyms for the search.
    pub also: &'static str,
    pub path: &'static str,
    /// The operation that the form calls. A member who may not call it does not see the action.
    operation: &'static str,
}

const fn new_action(
    name: &'static str,
    also: &'static str,
    path: &'static str,
    operation: &'static str,
) -> Action {
    Action {
        name,
        also,
        path,
        operation,
    }
}

const ACTIONS: [Action; 10] = [
    new_action(
        "Nova demanda",
        "criar demanda nova peça post pauta evento",
        "/demandas/nova",
        "create_demand",
    ),
    new_action(
        "Decidir aprovações",
        "aprovar recusar revisar",
        "/aprovacoes",
        "decide_approval",
    ),
    new_action(
        "Novo projeto",
        "criar projeto",
        "/projetos#novo",
        "create_project",
    ),
    new_action(
        "Novo rascunho de e-mail",
        "criar escrever email",
        "/novo-email",
        "put_email_draft",
    ),
    new_action(
        "Pedir um vídeo",
        "novo reels gerar",
        "/novo-video",
        "start_video_generation",
    ),
    new_action(
        "Nova skill",
        "criar publicar",
        "/nova-skill",
        "publish_skill_version",
    ),
    new_action(
        "Conectar uma rede",
        "instagram tiktok conta conexão",
        "/conexoes",
        "start_oauth_connection",
    ),
    new_action(
        "Conectar um agente",
        "claude chatgpt mcp token",
        "/agentes",
        "create_my_token",
    ),
    new_action(
        "Convidar uma pessoa",
        "novo membro equipe convite",
        "/equipe#convidar",
        "invite_member",
    ),
    new_action(
        "Trocar a minha senha",
        "mudar conta",
        "/conta",
        "change_my_password",
    ),
];

/// Returns the actions whose operations the viewer may call.
pub(crate) fn offered_actions<'a>(
    view: &'a View<'_>,
) -> impl Iterator<Item = &'static Action> + 'a {
    ACTIONS
        .iter()
        .filter(|action| view.may_call(action.operation))
}
