//! The spec of an operation: name, route, access and effect. A constant, built in steps.

mod derived;
mod effect;
mod link;

use super::{Access, Code, ErrorForm, InputForm, OutputForm, Resource};

pub use effect::{Effect, Execution, Verb};
pub use link::Link;

/// The default limit of a request body, in bytes.
pub const BODY_LIMIT: usize = 1_000_000;

/// The limit of a body without a credential, in bytes.
const PUBLIC_BODY_LIMIT: usize = 16_000;

/// The default number of values in an input, at all levels.
const VALUES: usize = 4_000;

/// The spec of one operation or page.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// snake_case; the tool name, and in camelCase the OpenAPI `operationId`.
    pub name: &'static str,
    /// A few words in Portuguese.
    pub title: &'static str,
    pub verb: Verb,
    pub path: &'static str,
    pub access: Access,
    pub success: u16,
    partial: &'static [u16],
    /// Error statuses beyond those of every operation with this access. A page lists all of them.
    pub fails: &'static [u16],
    pub tool: bool,
    pub effect: Effect,
    pub execution: Execution,
    /// Whether repeating a call changes nothing more.
    pub idempotent: bool,
    /// Whether it takes an idempotency key.
    pub keyed: bool,
    /// Whether the route is an extension of the contract.
    pub extension: bool,
    /// Whether each read is audited on its own.
    pub audited: bool,
    /// Fields that come from the query although the verb has a body.
    pub query: &'static [&'static str],
    /// The kind of resource, and the input field with its id; no field if the effect creates it.
    pub resource: Option<(Resource, Option<&'static str>)>,
    /// Wrong field names, or fields with values that another operation takes, and what to use
    /// instead (Portuguese; told in the refusal). `*` stands for any place in a list.
    pub hints: &'static [(&'static str, &'static str)],
    /// The resource that contains the one of the call, and the input field with its id.
    pub within: Option<(Resource, &'static str)>,
    /// The operation that reads what this one compares and sets.
    pub read_by: Option<&'static str>,
    /// Operations that can be called next with a part of this answer.
    pub links: &'static [Link],
    /// Whether it ends the session of its caller.
    pub ends_session: bool,
    /// Whether it may take rights, tokens or sessions away from a member, including the caller.
    pub locks_out: bool,
    /// Whether every caller sees it as a tool, even in a narrowed list.
    pub always_listed: bool,
    /// Whether its answer has images that an agent may look at.
    pub pictures: bool,
    pub input: InputForm,
    pub output: OutputForm,
    errors: ErrorForm,
    /// Aliases of the path.
    pub also_at: &'static [&'static str],
    /// The error code for any invalid input, where a caller must not learn what is wrong with it.
    pub faulty_as: Option<Code>,
    pub body_limit: usize,
    /// The number of values in the input, at all levels.
    pub values: usize,
    /// The field whose length may make a call too large, and the error code for that.
    pub oversize: Option<(&'static str, Code)>,
    /// A list whose items reach the operation as [`crate::Items`], because it judges them one by one.
    pub items: Option<&'static str>,
    /// The code of every call where the outside provider that it needs is not configured.
    pub without_provider: Option<Code>,
}

/// A spec that still lacks its access.
pub struct Unguarded(Spec);

impl Spec {
    /// The first of two steps; the other is `.access(..)`.
    #[expect(
        clippy::new_ret_no_self,
        reason = "a spec without access must not compile"
    )]
    #[must_use]
    pub const fn new(
        name: &'static str,
        title: &'static str,
        verb: Verb,
        path: &'static str,
    ) -> Unguarded {
        let effect = match verb {
            Verb::Get => Effect::Read,
            Verb::Post => Effect::Write,
            Verb::Put | Verb::Patch | Verb::Delete => Effect::Destroy,
        };
        Unguarded(Spec {
            name,
            title,
            verb,
            path,
            access: Access::Public,
            success: 200,
            partial: &[],
            fails: &[],
            tool: false,
            effect,
            execution: Execution::Local,
            idempotent: matches!(verb, Verb::Get | Verb::Put | Verb::Delete),
            keyed: !matches!(effect, Effect::Read),
            extension: false,
            audited: false,
            query: &[],
            resource: None,
            hints: &[],
            within: None,
            read_by: None,
            links: &[],
            ends_session: false,
            locks_out: false,
            always_listed: false,
            pictures: false,
            input: InputForm::Json,
            output: OutputForm::Json,
            errors: ErrorForm::Object,
            also_at: &[],
            faulty_as: None,
            body_limit: BODY_LIMIT,
            values: VALUES,
            oversize: None,
            items: None,
            without_provider: None,
        })
    }

    /// Publishes it as an MCP tool.
    #[must_use]
    pub const fn tool(self) -> Self {
        Spec { tool: true, ..self }
    }

    #[must_use]
    pub const fn success(self, status: u16) -> Self {
        Spec {
            success: status,
            ..self
        }
    }

    /// Error statuses other than 400, 401, 403 and 500.
    #[must_use]
    pub const fn fails(self, statuses: &'static [u16]) -> Self {
        Spec {
            fails: statuses,
            ..self
        }
    }

    #[must_use]
    pub const fn outside(self) -> Self {
        Spec {
            execution: Execution::Outside,
            ..self
        }
    }

    #[must_use]
    pub const fn idempotent(self) -> Self {
        Spec {
            idempotent: true,
            ..self
        }
    }

    /// Marks it as a read, whatever its verb.
    #[must_use]
    pub const fn reads(self) -> Self {
        Spec {
            effect: Effect::Read,
            keyed: false,
            ..self
        }
    }

    /// Marks it as a read that calls a provider at a cost. It takes an idempotency key, so that a
    /// repeated call is not paid for twice.
    #[must_use]
    pub const fn reads_at_a_cost(self) -> Self {
        Spec {
            effect: Effect::Read,
            execution: Execution::Outside,
            keyed: true,
            ..self
        }
    }

    /// Marks it as overwriting, removing or publishing data, where its verb does not say so.
    #[must_use]
    pub const fn destructive(self) -> Self {
        Spec {
            effect: Effect::Destroy,
            ..self
        }
    }

    /// Takes no idempotency key, because its answer or input is a secret.
    #[must_use]
    pub const fn unkeyed(self) -> Self {
        Spec {
            keyed: false,
            ..self
        }
    }

    #[must_use]
    pub const fn extension(self) -> Self {
        Spec {
            extension: true,
            ..self
        }
    }

    #[must_use]
    pub const fn audited(self) -> Self {
        Spec {
            audited: true,
            ..self
        }
    }

    #[must_use]
    pub const fn query(self, names: &'static [&'static str]) -> Self {
        Spec {
            query: names,
            ..self
        }
    }

    /// Sets the resource of the call, and the input field with its id. A replay is refused to a
    /// caller who may no longer see it.
    #[must_use]
    pub const fn about(self, resource: Resource, field: &'static str) -> Self {
        Spec {
            resource: Some((resource, Some(field))),
            ..self
        }
    }

    /// What to use instead of fields that callers take for this operation's.
    #[must_use]
    pub const fn hints(self, hints: &'static [(&'static str, &'static str)]) -> Self {
        Spec { hints, ..self }
    }

    /// Sets the kind of resource that the effect creates; the ids are in the answer
    /// (`Operation::affected`).
    #[must_use]
    pub const fn makes(self, resource: Resource) -> Self {
        Spec {
            resource: Some((resource, None)),
            ..self
        }
    }

    /// Sets the resource that contains the one of the call, and the input field with its id, which
    /// may be absent. A replay is refused to a caller who may no longer see it.
    #[must_use]
    pub const fn within(self, resource: Resource, field: &'static str) -> Self {
        Spec {
            within: Some((resource, field)),
            ..self
        }
    }

    /// Names the operation that reads what this one replaces. A stale revision is refused with it.
    #[must_use]
    pub const fn read_by(self, operation: &'static str) -> Self {
        Spec {
            read_by: Some(operation),
            ..self
        }
    }

    #[must_use]
    pub const fn links(self, links: &'static [Link]) -> Self {
        Spec { links, ..self }
    }

    /// Sets the body limit, in bytes, for every interface.
    #[must_use]
    pub const fn body_limit(self, bytes: usize) -> Self {
        Spec {
            body_limit: bytes,
            ..self
        }
    }

    /// Sets the number of values that its input may have, at all levels.
    #[must_use]
    pub const fn values(self, values: usize) -> Self {
        Spec { values, ..self }
    }

    /// Gives it the items of this list in [`crate::Context::items`], and `null` for each in its input, which
    /// the schema must let pass.
    #[must_use]
    pub const fn items(self, field: &'static str) -> Self {
        Spec {
            items: Some(field),
            ..self
        }
    }

    /// Refuses (413) with this code, before any other field error, when this text is over the
    /// `maxLength` of its schema or the whole body is over its limit.
    #[must_use]
    pub const fn oversize(self, field: &'static str, code: Code) -> Self {
        Spec {
            oversize: Some((field, code)),
            ..self
        }
    }

    /// Marks it as needing an outside provider. Without that provider every valid call is refused
    /// with this code, so its published example succeeds only on an installation that has one.
    #[must_use]
    pub const fn needs_provider(self, without: Code) -> Self {
        Spec {
            without_provider: Some(without),
            ..self
        }
    }

    /// Adds a success status, such as 207.
    #[must_use]
    pub const fn partial(self, statuses: &'static [u16]) -> Self {
        Spec {
            partial: statuses,
            ..self
        }
    }

    /// Marks it as ending the session of its caller.
    #[must_use]
    pub const fn ends_session(self) -> Self {
        Spec {
            ends_session: true,
            ..self
        }
    }

    /// Marks it as able to take rights, tokens or sessions away from a member, including the
    /// caller.
    #[must_use]
    pub const fn locks_out(self) -> Self {
        Spec {
            locks_out: true,
            ..self
        }
    }

    /// Publishes it as a tool that is listed even in a narrowed list.
    #[must_use]
    pub const fn always_listed(self) -> Self {
        Spec {
            always_listed: true,
            ..self
        }
    }

    #[must_use]
    pub const fn pictures(self) -> Self {
        Spec {
            pictures: true,
            ..self
        }
    }

    /// Sets the form of its input.
    #[must_use]
    pub const fn takes(self, input: InputForm) -> Self {
        Spec { input, ..self }
    }

    /// Sets the form of its answer, and with it that of its errors.
    #[must_use]
    pub const fn serves(self, output: OutputForm) -> Self {
        Spec {
            output,
            errors: output.error_form(),
            ..self
        }
    }

    /// Sets the form of its answer alone; its errors keep theirs.
    #[must_use]
    pub const fn sends(self, output: OutputForm) -> Self {
        Spec { output, ..self }
    }

    /// Answers its own errors as plain text, although its answer is JSON.
    #[must_use]
    pub const fn text_errors(self) -> Self {
        Spec {
            errors: ErrorForm::Text,
            ..self
        }
    }

    /// Answers its errors in the form of OAuth.
    #[must_use]
    pub const fn oauth_errors(self) -> Self {
        Spec {
            errors: ErrorForm::OAuth,
            ..self
        }
    }

    /// Makes it a page of the web console: HTML, also where it is refused, and no effect of its own.
    /// What a form asks for is done, and audited, by the operation that the page calls.
    #[must_use]
    pub const fn console(self) -> Self {
        Spec {
            output: OutputForm::Html,
            errors: ErrorForm::Console,
            effect: Effect::Read,
            execution: Execution::Outside,
            keyed: false,
            extension: true,
            ..self
        }
    }

    /// Adds aliases of the path.
    #[must_use]
    pub const fn also_at(self, paths: &'static [&'static str]) -> Self {
        Spec {
            also_at: paths,
            ..self
        }
    }

    /// Refuses any invalid input with this code.
    #[must_use]
    pub const fn faulty_as(self, code: Code) -> Self {
        Spec {
            faulty_as: Some(code),
            ..self
        }
    }
}

impl Unguarded {
    #[must_use]
    pub const fn access(self, access: Access) -> Spec {
        let body_limit = match access {
            Access::Public => PUBLIC_BODY_LIMIT,
            _ => self.0.body_limit,
        };
        Spec {
            access,
            body_limit,
            ..self.0
        }
    }
}
