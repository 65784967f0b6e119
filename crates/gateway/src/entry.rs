//! The table of operations as plain data, and its prepared form.

use futures::future::BoxFuture;
use jsonschema::Validator;
use serde_json::{Map, Value};

use domain::{VISIBLE, VISIBLE_ANYWHERE};

use super::{Answer, Context, Error, Operation, RawRoute, Result, Spec, schema};

type Run = for<'a> fn(Value, &'a Context<'a>) -> BoxFuture<'a, Result<Answer>>;
type Shorten = fn(&mut Value) -> bool;
type Replay = for<'a> fn(Value, Answer, &'a Context<'a>) -> BoxFuture<'a, Result<Answer>>;

/// One row of the table.
pub struct Entry {
    pub spec: Spec,
    description: fn() -> String,
    input: fn(&Spec) -> Map<String, Value>,
    output: fn() -> Map<String, Value>,
    pub(super) run: Run,
    pub(super) replay: Replay,
    shorten: Shorten,
}

impl Entry {
    /// The row of an operation.
    #[must_use]
    pub const fn of<O: Operation>() -> Self {
        Self {
            spec: O::SPEC,
            description: schema::description::<O>,
            input: schema::input::<O>,
            output: schema::output::<O::Output>,
            run: |input, ctx| Box::pin(run::<O>(input, ctx)),
            replay: |input, kept, ctx| Box::pin(replay::<O>(input, kept, ctx)),
            shorten: O::shorten,
        }
    }

    /// The published input schema; rendered anew at each call.
    #[must_use]
    pub fn input_schema(&self) -> Map<String, Value> {
        (self.input)(&self.spec)
    }
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
        status,
        body,
        short,
        replayed: false,
        affected,
    })
}

/// Gives a kept answer again, whole, to a caller who may still see what it is about.
async fn replay<O: Operation>(input: Value, kept: Answer, ctx: &Context<'_>) -> Result<Answer> {
    let operation = permitted::<O>(input, ctx)?;
    operation.still_visible(ctx).await?;
    let body = operation.complete(&kept.body)?;
    let short = (body != kept.body).then_some(kept.body);
    Ok(Answer {
        body,
        short,
        ..kept
    })
}

/// The operation, when the caller has the rights that its input asks for.
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

/// The schema has been checked; what still fails is a rule that the schema cannot state.
fn read<O: Operation>(input: Value) -> Result<O> {
    serde_json::from_value(input)
        .map_err(|_| Error::invalid("entrada", "type", "não pôde ser lida como esta operação"))
}

/// The published schema with the one rule that it states less of than is enforced.
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

/// An operation, ready to serve: its documents rendered and its validator built.
pub struct Registered {
    pub spec: Spec,
    /// The whole doc comment, in Portuguese.
    pub description: String,
    pub input_schema: Map<String, Value>,
    /// The shape of the answer, with its doc comment as description.
    pub output_schema: Map<String, Value>,
    pub(super) validator: Validator,
    pub(super) run: Run,
    pub(super) replay: Replay,
    shorten: Shorten,
}

impl Registered {
    /// What the answer is, in a few words.
    #[must_use]
    pub fn output_description(&self) -> Option<&str> {
        self.output_schema
            .get("description")
            .and_then(Value::as_str)
    }

    /// The answer without what can be read elsewhere; `None` where there is no such thing.
    #[must_use]
    pub fn shortened(&self, body: &str) -> Option<String> {
        let mut answer = serde_json::from_str(body).ok()?;
        (self.shorten)(&mut answer).then(|| answer.to_string())
    }
}

/// The table, prepared once at start.
pub struct Registry {
    pub operations: Vec<Registered>,
    pub raw: &'static [RawRoute],
}

impl Registry {
    /// Renders the schemas and builds the validators.
    ///
    /// # Panics
    /// When an operation's schema is not a schema, which the contract tests rule out.
    #[must_use]
    pub fn new(table: &[Entry], raw: &'static [RawRoute]) -> Self {
        let prepare = |entry: &Entry| {
            let input_schema = entry.input_schema();
            let validator = jsonschema::draft202012::options()
                .should_validate_formats(true)
                .build(&enforced(Value::Object(input_schema.clone())))
                .expect("schemars writes valid schemas");
            Registered {
                spec: entry.spec,
                description: (entry.description)(),
                output_schema: (entry.output)(),
                input_schema,
                validator,
                run: entry.run,
                replay: entry.replay,
                shorten: entry.shorten,
            }
        };
        Self {
            operations: table.iter().map(prepare).collect(),
            raw,
        }
    }

    /// The operation with this snake_case name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Registered> {
        self.operations
            .iter()
            .find(|operation| operation.spec.name == name)
    }
}
