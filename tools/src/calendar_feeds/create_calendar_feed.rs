use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MOST_FEEDS, TOO_MANY_CALENDAR_FEEDS, feed_view::CalendarFeedView, hints};
use domain::{
    CalendarFeedId, Capability, EventStatus, FEED_STATUSES, FeedFilter, LinkSecret, MOST_TAG,
    MemberId, ProjectId, VISIBLE,
};
use gateway::{Access, Code, Context, Error, Operation, Result, Spec, Verb};
use identity::{
    calendar_feed::{RESOURCE, calendar_path},
    signed_in_at,
};
use store::{
    calendar_feeds::{self, CalendarFeed},
    members, projects,
};

/// Cria um calendário da agenda num endereço secreto, que o seu programa de calendário assina.
///
/// Mostra as peças com data que você pode ver na hora de cada leitura. Sem filtro, todas elas. O
/// endereço aparece só nesta resposta.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CreateCalendarFeed {
    /// O nome do calendário no programa.
    #[schemars(length(min = 1, max = 80), regex(pattern = *VISIBLE))]
    nome: String,
    /// Só as peças que você criou ou de que é responsável.
    #[serde(default)]
    minhas: bool,
    /// Só este status, e as arquivadas, que o programa risca.
    #[schemars(extend("enum" = FEED_STATUSES))]
    status: Option<EventStatus>,
    /// Só este canal.
    #[schemars(length(min = 1, max = 60), regex(pattern = *VISIBLE))]
    channel: Option<String>,
    /// Só os desta pessoa: `id` de `list_team`.
    assignee_id: Option<MemberId>,
    /// Só este tipo (etiqueta editorial).
    #[schemars(length(min = 1, max = MOST_TAG), regex(pattern = *VISIBLE))]
    tipo: Option<String>,
    /// Só as peças dos itens deste projeto.
    project_id: Option<ProjectId>,
    /// Texto de título, legenda, etiqueta ou responsável.
    #[schemars(length(min = 1, max = 200), regex(pattern = *VISIBLE))]
    q: Option<String>,
}

/// Calendário criado.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CalendarFeedCreated {
    ok: bool,
    /// O endereço inteiro: guarde agora, não aparece de novo. Quem o tem lê o calendário.
    url: String,
    calendario: CalendarFeedView,
}

impl Operation for CreateCalendarFeed {
    const SPEC: Spec = Spec::new(
        "create_calendar_feed",
        "Criar calendário",
        Verb::Post,
        "/api/calendarios",
    )
    .access(Access::Session(Capability::TasksView))
    .makes(RESOURCE)
    .success(201)
    .fails(&[404, 409])
    .extension()
    .unkeyed()
    .hints(hints::CREATE);
    type Output = CalendarFeedCreated;

    fn affected_ids(output: &CalendarFeedCreated) -> Vec<&str> {
        vec![output.calendario.id()]
    }

    fn required_capabilities(&self) -> Vec<Capability> {
        let of_project = self.project_id.iter().map(|_| Capability::ProjectsView);
        of_project.collect()
    }

    async fn run(self, ctx: &Context<'_>) -> Result<CalendarFeedCreated> {
        let db = ctx.db();
        if let Some(id) = &self.assignee_id {
            members::require(&db, id).await?;
        }
        if let Some(id) = &self.project_id {
            projects::require_exists(&db, id).await?;
        }
        let caller = ctx.caller()?;
        let member_id = &caller.member.id;
        // Locks the member, so that only one call at a time counts the calendars of the member, and the
        // member cannot leave meanwhile.
        members::lock_member(&db, member_id).await?;
        if !members::require(&db, member_id).await?.active {
            return Err(Error::new(Code::NOT_A_MEMBER));
        }
        signed_in_at(&db, caller).await?;
        let in_force = calendar_feeds::list_in_force(&db, member_id).await?;
        if in_force.len() >= MOST_FEEDS {
            return Err(Error::new(TOO_MANY_CALENDAR_FEEDS));
        }
        let trimmed = |text: Option<String>| text.map(|text| text.trim().to_owned());
        let secret = LinkSecret::generate();
        let feed = CalendarFeed {
            id: CalendarFeedId::new(ctx.now),
            member_id: member_id.clone(),
            name: self.nome.trim().to_owned(),
            filter: FeedFilter {
                own: self.minhas,
                status: self.status,
                channel: trimmed(self.channel),
                assignee_id: self.assignee_id,
                tag: trimmed(self.tipo),
                project_id: self.project_id,
                text: trimmed(self.q),
            },
            created_at: ctx.now,
            last_read_at: None,
            revoked_at: None,
        };
        calendar_feeds::insert(&db, &feed, &secret.digest()).await?;
        let path = calendar_path(&secret.reveal());
        Ok(CalendarFeedCreated {
            ok: true,
            url: format!("{}{path}", ctx.services.public_url),
            calendario: feed.into(),
        })
    }
}
