//! The table of operations: its entries, and the registry prepared from them.

use futures::future::BoxFuture;
use jsonschema::Validator;
use serde_json::{Map, Value};

use domain::{VISIBLE, VISIBLE_ANYWHERE};

use super::{
    Answer, Body, Context, Error, Operation, OutputForm, Page, Result, Spec, render, schema,
};

type Run = for<'a> fn(Value, &'a Context<'a>) -> BoxFuture<'a, Result<Answer>>;
type Shorten = fn(&mut Value) -> bool;
type Replay = for<'a> fn(Value, Answer, &'a Context<'a>) -> BoxFuture<'a, Result<Answer>>;

/// The source of the published description.
enum Description {
    /// The doc comment of the operation.
    Documented(fn() -> String),
    /// Text beside the spec of a page, because one page type may serve several routes.
    Given(&'static str),
}

/// One entry of the table.
pub struct Entry {
    pub spec: Spec,
    description: Description,
    input: fn(&Spec) -> Map<String, Value>,
    output: fn() -> Map<String, Value>,
    pub(super) run: Run,
    pub(super) replay: Replay,
    shorten: Shorten,
}

impl Entry {
    /// The entry of an operation.
    #[must_use]
    pub const fn of<O: Operation>() -> Self {
        Self {
            spec: O::SPEC,
            description: Description::Documented(schema::description::<O>),
            input: schema::input::<O>,
            output: schema::output::<O::Output>,
            run: |input, ctx| Box::pin(run::<O>(input, ctx)),
            replay: |input, kept, ctx| Box::pin(replay::<O>(input, kept, ctx)),
            shorten: O::shorten,
        }
    }

    /// The entry of a page. The description is published, in Portuguese.
    ///
    /// # Panics
    ///
    /// At compile time, when the spec answers in JSON or takes an idempotency key.
    #[must_use]
    pub const fn page<P: Page>(spec: Spec, description: &'static str) -> Self {
        assert!(spec.is_page() && !spec.keyed);
        Self {
            spec,
            description: Description::Given(description),
            input: schema::input::<P>,
            output: serde_json::Map::new,
            run: |input, ctx| Box::pin(render::run::<P>(input, ctx)),
            replay: |_, _, _| Box::pin(std::future::ready(Err(no_replay()))),
            shorten: |_| false,
        }
    }

    /// The published input schema, rendered at each call.
    #[must_use]
    pub fn input_schema(&self) -> Map<String, Value> {
        (self.input)(&self.spec)
    }
}

fn no_replay() -> Error {
    Error::internal("a page has no idempotency key")
}

async fn run<O: Operation>(input: Value, ctx: &Context<'_>) -> Result<Answer> {
    let mut output = permitted::<O>(input, ctx)?.run(ctx).await?;
    let status = O::status(&output);
    let affected = O::affected(&output).map(Into::into);
    let body = serde_json::to_string(&output)?;
    let short = O::abridge(&mut output)
        .then(|| serde_json::to_string(&output))
        .transpose()?;
    Ok(Answer {
        short,
        affected,
        ..Answer::of(status, Body::Json(body))
    })
}

/// Returns the stored answer, completed, to a caller who may still see the resources of the call.
async fn replay<O: Operation>(input: Value, kept: Answer, ctx: &Context<'_>) -> Result<Answer> {
    let operation = permitted::<O>(input, ctx)?;
    let Answer { body, .. } = kept;
    let kept_body = body.json()?;
    let body = operation.complete(&kept_body)?;
    let short = (body != kept_body).then_some(kept_body);
    Ok(Answer {
        body: Body::Json(body),
        short,
        status: kept.status,
        replayed: kept.replayed,
        affected: kept.affected,
    })
}

/// Reads the operation, and checks the capabilities that its input needs.
fn permitted<O: Operation>(input: Value, ctx: &Context<'_>) -> Result<O> {
    let operation: O = read(input)?;
    let needed = operation.needs();
    let missing = ctx.caller.and_then(|caller| {
        let mut needed = needed.iter();
        needed.find(|capability| !caller.may(**capability))
    });
    if let Some(capability) = missing.or(needed.first()) {
        let _ = ctx.needed.set(*capability);
    }
    missing.map_or(Ok(operation), |missing| Err(Error::capability(*missing)))
}

/// Deserialises a validated input. It fails only on rules that a schema cannot state.
fn read<O: Operation>(input: Value) -> Result<O> {
    serde_json::from_value(input)
        .map_err(|_| Error::invalid("entrada", "type", "não pôde ser lida como esta operação"))
}

/// The schema that is enforced: the published one, with one rule that is stricter than published.
fn enforced(mut schema: Value) -> Value {
    match &mut schema {
        Value::String(pattern) if *pattern == *VISIBLE => pattern.clone_from(&VISIBLE_ANYWHERE),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = enforced(item.take())),
        Value::Object(map) => map
            .values_mut()
            .for_each(|value| *value = enforced(value.take())),
        _ => {}
    }
    schema
}

/// An operation, ready to serve: its schemas rendered and its validator built.
pub struct Registered {
    pub spec: Spec,
    /// The whole doc comment, in Portuguese.
    pub description: String,
    pub input_schema: Map<String, Value>,
    /// The schema of the answer, with its doc comment as description.
    pub output_schema: Map<String, Value>,
    pub(super) validator: Validator,
    pub(super) run: Run,
    pub(super) replay: Replay,
    shorten: Shorten,
}

impl Registered {
    /// A short description of the answer.
    #[must_use]
    pub fn output_description(&self) -> Option<&str> {
        self.output_schema
            .get("description")
            .and_then(Value::as_str)
    }

    /// The answer without what can be read elsewhere; `None` where there is nothing to leave out.
    #[must_use]
    pub fn shortened(&self, body: &str) -> Option<String> {
        let mut answer = serde_json::from_str(body).ok()?;
        (self.shorten)(&mut answer).then(|| answer.to_string())
    }
}

/// The table, prepared once at startup.
pub struct Registry {
    /// Operations with JSON input and output.
    pub operations: Vec<Registered>,
    /// Pages: the routes that only HTTP serves.
    pub pages: Vec<Registered>,
}

impl Registry {
    /// Renders the schemas and builds the validators.
    ///
    /// # Panics
    ///
    /// When an operation's schema is not a valid schema. The contract tests rule that out.
    #[must_use]
    pub fn new<'e>(operations: &[Entry], pages: impl IntoIterator<Item = &'e Entry>) -> Self {
        let prepare = |entry: &Entry| {
            let input_schema = entry.input_schema();
            let validator = jsonschema::draft202012::options()
                .should_validate_formats(true)
                .build(&enforced(Value::Object(input_schema.clone())))
                .expect("schemars writes valid schemas");
            Registered {
                spec: entry.spec,
                description: match entry.description {
                    Description::Documented(text) => text(),
                    Description::Given(text) => text.to_owned(),
                },
                output_schema: (entry.output)(),
                input_schema,
                validator,
                run: entry.run,
                replay: entry.replay,
                shorten: entry.shorten,
            }
        };
        Self {
            operations: operations.iter().map(prepare).collect(),
            pages: pages.into_iter().map(prepare).collect(),
        }
    }

    /// All operations and pages.
    pub fn all(&self) -> impl Iterator<Item = &Registered> {
        self.operations.iter().chain(&self.pages)
    }

    /// The path of the MCP endpoint; empty when the table has none.
    #[must_use]
    pub fn mcp_path(&self) -> &'static str {
        self.json_rpc().map_or("", |page| page.spec.path)
    }

    /// The page that speaks JSON-RPC.
    #[must_use]
    pub fn json_rpc(&self) -> Option<&Registered> {
        let is_json_rpc = |page: &&Registered| page.spec.output == OutputForm::JsonRpc;
        self.pages.iter().find(is_json_rpc)
    }

    /// The operation or page with this snake_case name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Registered> {
        self.all().find(|operation| operation.spec.name == name)
    }
}
