use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    actions::{PublicationAction, allowed_actions},
    advance::AdvancePublication,
    meaning::Cause,
    view::ScheduledView,
};
use crate::{
    publishing::{PUBLICATION, PUBLICATION_STATE},
    visibility,
};
use domain::{Capability, PostState as State, PublicationId, VISIBLE};
use gateway::{Access, Context, Error, Operation, Result, Spec, Verb, jobs::Job};
use store::{
    events,
    scheduled_posts::{self, ScheduledPost, Step},
};

/// Decide sobre a publicação de uma variante: `publicar_agora`, `cancelar`, `no_ar` (com o link) ou
/// `tentar_de_novo`.
///
/// `unknown` só com uma pessoa que olhou a conta.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DecidePublication {
    /// Id da publicação.
    publication_id: PublicationId,
    /// A decisão.
    action: PublicationAction,
    /// O endereço do post no ar, com `https://`.
    #[schemars(length(min = 9, max = 2000), regex(pattern = *VISIBLE))]
    link: Option<String>,
}

/// Decisão registrada.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicationDecided {
    ok: bool,
    publication: ScheduledView,
}

impl Operation for DecidePublication {
    const SPEC: Spec = Spec::new(
        "decide_publication",
        "Decidir sobre uma publicação",
        Verb::Post,
        "/api/publicacoes/{publication_id}/decisao",
    )
    .access(Access::Member(Capability::Publish))
    .about(PUBLICATION, "publication_id")
    .fails(&[404])
    .extension()
    .destructive()
    .reaches_outside_later()
    .asks_first("Decidir sobre esta publicação? O que vai ao ar não volta por aqui.")
    .announces_nothing()
    .tool();
    type Output = PublicationDecided;

    async fn run(self, ctx: &Context<'_>) -> Result<PublicationDecided> {
        let (db, id, now) = (ctx.db(), &self.publication_id, ctx.now);
        let absent = || Error::not_found_in("publicação", "list_publications");
        let found = scheduled_posts::find(&db, id).await?.ok_or_else(absent)?;
        if let Some(member) = visibility::visible_to(ctx)? {
            let filter = scheduled_posts::Filter {
                id: Some(id.clone()),
                visible_to: Some(member.clone()),
                ..Default::default()
            };
            if scheduled_posts::list(&db, filter, 1).await?.is_empty() {
                return Err(absent());
            }
        }
        let is_allowed = allowed_actions(&found)?.contains(&self.action);
        let is_done = match self.action {
            _ if !is_allowed => false,
            PublicationAction::PublishNow => {
                scheduled_posts::set_due(&db, id, found.state, (now, true), now).await?
            }
            PublicationAction::Cancel => {
                let step = Step {
                    code: Some(Cause::Canceled.code()),
                    ..Step::default()
                };
                let states = (found.state, State::Canceled);
                scheduled_posts::record_step(&db, id, states, step, now).await?
            }
            PublicationAction::Online => {
                let link = parse_link(self.link.as_deref())?;
                scheduled_posts::record_online(&db, id, &link, now).await?
            }
            PublicationAction::TryAgain => {
                let to = match found.state {
                    // The prepared post is published again. Networks that support this do not publish
                    // it twice.
                    State::Unknown => State::Ready,
                    _ => State::Scheduled,
                };
                scheduled_posts::reopen(&db, id, (found.state, to), now).await?
            }
        };
        if !is_done {
            return Err(state_error(&found)?);
        }
        let advance = AdvancePublication { id: id.clone() };
        advance
            .enqueue_or_bring_forward(&ctx.services.queue, &db, now)
            .await?;
        let publication = scheduled_posts::find(&db, id).await?.ok_or_else(absent)?;
        let piece = events::find(&db, &publication.event_id).await?;
        let title = piece.map(|piece| piece.title).unwrap_or_default();
        Ok(PublicationDecided {
            ok: true,
            publication: ScheduledView::from_stored(publication, title)?,
        })
    }
}

/// Parses the link of a post. Refuses (400) a link that is not an https URL.
fn parse_link(link: Option<&str>) -> Result<String> {
    let refused = |message| Err(Error::invalid_field("link", "format", message));
    let Some(link) = link.map(str::trim) else {
        return refused("é necessário com `no_ar`");
    };
    match Url::parse(link) {
        Ok(url) if url.scheme() == "https" && url.host_str().is_some() => Ok(url.into()),
        _ => refused("precisa ser um endereço `https://`"),
    }
}

fn state_error(found: &ScheduledPost) -> Result<Error> {
    let allowed: Vec<&str> = allowed_actions(found)?
        .into_iter()
        .map(PublicationAction::as_str)
        .collect();
    Ok(Error::new(PUBLICATION_STATE)
        .with_detail("status", found.state.as_str().into())
        .with_detail("actions", allowed.into()))
}
