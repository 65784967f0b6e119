//! Entries of the operation table.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{Answer, Body, Context, Error, Operation, Page, Result, Spec, render, schema};

pub(super) type Run = for<'a> fn(Value, &'a Context<'a>) -> BoxFuture<'a, Result<Answer>>;
pub(super) type Shorten = fn(&mut Value) -> bool;
pub(super) type Replay =
    for<'a> fn(Value, Answer, &'a Context<'a>) -> BoxFuture<'a, Result<Answer>>;

/// The source of the published description.
#[derive(Clone, Copy)]
pub(super) enum Description {
    /// The doc comment of the operation type.
    Documented(fn() -> String),
    /// A text stored in the entry of a page, because one page type may serve several routes.
    Given(&'static str),
}

impl Description {
    /// Returns the complete description, in Portuguese.
    pub(super) fn text(self) -> String {
        match self {
            Self::Documented(text) => text(),
            Self::Given(text) => text.to_owned(),
        }
    }
}

/// One entry of the operation table.
pub struct Entry {
    pub spec: Spec,
    pub(super) description: Description,
    pub(super) input: fn(&Spec) -> Map<String, Value>,
    pub(super) output: fn() -> Map<String, Value>,
    pub(super) run: Run,
    pub(super) replay: Replay,
    pub(super) shorten: Shorten,
}

impl Entry {
    /// Creates the entry of an operation.
    #[must_use]
    pub const fn for_operation<O: Operation>() -> Self {
        Self {
            spec: O::SPEC,
            description: Description::Documented(schema::operation_description::<O>),
            input: schema::input_schema::<O>,
            output: schema::output_schema::<O::Output>,
            run: |input, ctx| Box::pin(run_operation::<O>(input, ctx)),
            replay: |input, kept, ctx| Box::pin(replay_operation::<O>(input, kept, ctx)),
            shorten: O::omit_separately_readable_parts,
        }
    }

    /// Creates the entry of a page. The description is published, in Portuguese.
    ///
    /// # Panics
    ///
    /// At compile time, if the spec has JSON output or takes an idempotency key.
    #[must_use]
    pub const fn for_page<P: Page>(spec: Spec, description: &'static str) -> Self {
        assert!(spec.is_page() && !spec.keyed);
        Self {
            spec,
            description: Description::Given(description),
            input: schema::input_schema::<P>,
            output: serde_json::Map::new,
            run: |input, ctx| Box::pin(render::run_page::<P>(input, ctx)),
            replay: |_, _, _| Box::pin(std::future::ready(Err(no_replay_error()))),
            shorten: |_| false,
        }
    }

    /// Generates the published input schema on each call.
    #[must_use]
    pub fn input_schema(&self) -> Map<String, Value> {
        (self.input)(&self.spec)
    }
}

fn no_replay_error() -> Error {
    Error::internal("a page has no idempotency key")
}

async fn run_operation<O: Operation>(input: Value, ctx: &Context<'_>) -> Result<Answer> {
    let mut output = parse_permitted::<O>(input, ctx)?.run(ctx).await?;
    let status = O::status(&output);
    let affected = O::affected_ids(&output)
        .into_iter()
        .map(Into::into)
        .collect();
    let headers = O::headers(&output);
    let body = serde_json::to_string(&output)?;
    let short = O::remove_repeated_parts(&mut output)
        .then(|| serde_json::to_string(&output))
        .transpose()?;
    Ok(Answer {
        short,
        affected,
        headers,
        ..Answer::new(status, Body::Json(body))
    })
}

/// Completes the stored response and returns it if the caller may still see the resources of the
/// call.
async fn replay_operation<O: Operation>(
    input: Value,
    kept: Answer,
    ctx: &Context<'_>,
) -> Result<Answer> {
    let operation = parse_permitted::<O>(input, ctx)?;
    let Answer { body, .. } = kept;
    let kept_body = body.into_json_text()?;
    let body = operation.restore_answer(&kept_body)?;
    let short = (body != kept_body).then_some(kept_body);
    Ok(Answer {
        body: Body::Json(body),
        short,
        status: kept.status,
        replayed: kept.replayed,
        affected: kept.affected,
        headers: kept.headers,
    })
}

/// Deserialises the input and checks the capabilities that it requires.
fn parse_permitted<O: Operation>(input: Value, ctx: &Context<'_>) -> Result<O> {
    let operation = O::from_input(input)?;
    let needed = operation.required_capabilities();
    let missing = ctx.caller.and_then(|caller| {
        let mut needed = needed.iter();
        let missing = needed.find(|capability| !caller.has_capability(**capability))?;
        Some((caller, *missing))
    });
    let decisive = missing.map(|(_, capability)| capability);
    if let Some(capability) = decisive.or(needed.first().copied()) {
        let _ = ctx.needed.set(capability);
    }
    match missing {
        Some((caller, capability)) => Err(caller.missing_capability_error(capability)),
        None => Ok(operation),
    }
}
