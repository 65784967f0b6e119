use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{desk::ResultsDesk, view::ResultView};
use crate::{
    figures::{Period, Span},
    project_pieces::load_project_event_ids,
    visibility,
};
use domain::{
    Capability, Cursor, EventId, Limit, ListPage, ProjectId, PublicationId, ReadingAge,
    ResultMeasure, channels::channel_key, time::Millis,
};
use gateway::{Access, Context, Operation, Result, Spec, Verb};
use store::post_results::{self, Filter};

/// Lista os posts que o serviço publicou e o que deram (30 dias): o que funcionou.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListResults {
    #[serde(flatten)]
    period: Period,
    /// Só deste evento.
    event_id: Option<EventId>,
    /// Só este canal.
    #[schemars(length(min = 1, max = 60))]
    channel: Option<String>,
    /// Só deste projeto.
    projeto_id: Option<ProjectId>,
    /// Do maior ao menor; ausente, os mais novos.
    ordem: Option<ResultMeasure>,
    /// A leitura que ordena; ausente, a última.
    idade: Option<ReadingAge>,
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
    cursor: Option<Cursor>,
}

/// Uma página de resultados.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Results {
    resultados: Vec<ResultView>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

impl Operation for ListResults {
    const SPEC: Spec = Spec::new(
        "list_results",
        "Listar resultados",
        Verb::Get,
        "/api/resultados",
    )
    .access(Access::Member(Capability::Analytics))
    .fails(&[404])
    .extension()
    .quotes()
    .tool();
    type Output = Results;

    async fn run(self, ctx: &Context<'_>) -> Result<Results> {
        let after: Option<(i64, Millis, PublicationId)> = self
            .cursor
            .as_ref()
            .map(Cursor::decode_position)
            .transpose()?;
        let db = ctx.db();
        let published = match &self.event_id {
            Some(id) => {
                visibility::require_event(ctx, id).await?;
                self.period.requested_span(ctx.now)?
            }
            None => Some(self.period.span_or_last_30_days(ctx.now)?),
        };
        let events = match &self.projeto_id {
            Some(id) => Some(load_project_event_ids(&db, id).await?),
            None => None,
        };
        let desk = ctx.services.parts.find::<ResultsDesk>();
        let filter = Filter {
            event_id: self.event_id,
            events,
            published: published.map(Span::start_and_end),
            networks: desk.map(ResultsDesk::names).unwrap_or_default(),
            network: self.channel.as_deref().map(channel_key),
            visible_to: visibility::visible_to(ctx)?.cloned(),
            age: self.idade,
            by: self.ordem.unwrap_or(ResultMeasure::Published),
            after,
        };
        let rows = post_results::list(&db, filter, self.limit.fetch_limit()).await?;
        let page = ListPage::from_fetched_rows(rows, self.limit, |row| {
            (row.measured, row.finished_at, row.id.clone())
        });
        let ids: Vec<PublicationId> = page.rows.iter().map(|row| row.id.clone()).collect();
        let readings = post_results::load(&db, &ids).await?;
        let views = page.rows.into_iter();
        Ok(Results {
            resultados: views.map(|post| ResultView::new(post, &readings)).collect(),
            next_cursor: page.next_cursor,
        })
    }
}
