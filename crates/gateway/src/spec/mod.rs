//! The spec of an operation: a constant with its name, route, access and effect, built in steps.

mod derived;
mod effect;
mod link;

use super::{Access, Code, ErrorForm, InputForm, OutputForm, Resource};

pub use effect::{Effect, Execution, Verb};
pub use link::Link;

/// The default limit of a request body, in bytes.
pub const BODY_LIMIT: usize = 1_000_000;

/// The default limit of a body if no credential is required, in bytes.
const PUBLIC_BODY_LIMIT: usize = 16_000;

/// The default maximum number of values in an input, at all levels.
const VALUES: usize = 4_000;

/// The spec of one operation or page.
#[derive(Debug, Clone, Copy)]
pub struct Spec {
    /// The name in snake_case. It is the tool name and, in camelCase, the OpenAPI `operationId`.
    pub name: &'static str,
    /// The title: a few words in Portuguese.
    pub title: &'static str,
    pub verb: Verb,
    pub path: &'static str,
    pub access: Access,
    pub success: u16,
    partial: &'static [u16],
    /// Error statuses in addition to those of every operation with this access. A page lists all of
    /// its error statuses.
    pub fails: &'static [u16],
    pub tool: bool,
    pub effect: Effect,
    pub execution: Execution,
    /// True if repeating a call changes nothing more.
    pub idempotent: bool,
    /// True if the operation takes an idempotency key.
    pub keyed: bool,
    /// True if the route is an extension of the contract.
    pub extension: bool,
    /// True if each read is audited with a row of its own.
    pub audited: bool,
    /// Fields read from the query although the verb has a body.
    pub query: &'static [&'static str],
    /// The kind of resource and the input field with its id; no field if the effect creates the
    /// resource.
    pub resource: Option<(Resource, Option<&'static str>)>,
    /// Hints for wrong field names, and for values that belong to another operation: what to use
    /// instead (Portuguese; sent in the refusal). `*` stands for any position in a list.
    pub hints: &'static [(&'static str, &'static str)],
    /// The resource that contains the resource of the call, and the input field with its id.
    pub within: Option<(Resource, &'static str)>,
    /// The operation that reads the revision which this one compares and sets.
    pub read_by: Option<&'static str>,
    /// Operations that can be called next with a part of this answer.
    pub links: &'static [Link],
    /// True if the call ends the session of its caller.
    pub ends_session: bool,
    /// True if the call may take rights, tokens or sessions away from a member, including the
    /// caller.
    pub locks_out: bool,
    /// True if every caller sees the tool, even in a narrowed list.
    pub always_listed: bool,
    /// True if the answer has images that an agent may look at.
    pub pictures: bool,
    pub input: InputForm,
    pub output: OutputForm,
    errors: ErrorForm,
    /// Aliases of the path.
    pub also_at: &'static [&'static str],
    /// The error code for any invalid input, if the caller must not learn what is wrong with it.
    pub faulty_as: Option<Code>,
    pub body_limit: usize,
    /// The maximum number of values in the input, at all levels.
    pub values: usize,
    /// The field whose length may make a call too large, and the error code for that case.
    pub oversize: Option<(&'static str, Code)>,
    /// A list whose items the operation validates one by one, as [`crate::Items`].
    pub items: Option<&'static str>,
    /// The code of every call if the required outside provider is not configured.
    pub without_provider: Option<Code>,
}

/// A spec without its access.
pub struct Unguarded(Spec);

impl Spec {
    /// Begins a spec. Finish it with `.access(..)`.
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

    /// Publishes the operation as an MCP tool.
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

    /// Sets the error statuses other than 400, 401, 403 and 500.
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

    /// Marks the operation as a read, whatever its verb.
    #[must_use]
    pub const fn reads(self) -> Self {
        Spec {
            effect: Effect::Read,
            keyed: false,
            ..self
        }
    }

    /// Marks the operation as a read that calls a paid provider. It takes an idempotency key, so
    /// that a repeated call is not paid for twice.
    #[must_use]
    pub const fn reads_at_a_cost(self) -> Self {
        Spec {
            effect: Effect::Read,
            execution: Execution::Outside,
            keyed: true,
            ..self
        }
    }

    /// Marks the operation as one that overwrites, removes or publishes data, if its verb does not
    /// imply that.
    #[must_use]
    pub const fn destructive(self) -> Self {
        Spec {
            effect: Effect::Destroy,
            ..self
        }
    }

    /// Omits the idempotency key, because the answer or the input is a secret.
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

    /// Sets the resource of the call and the input field with its id. A replay is refused if the
    /// caller may no longer see the resource.
    #[must_use]
    pub const fn about(self, resource: Resource, field: &'static str) -> Self {
        Spec {
            resource: Some((resource, Some(field))),
            ..self
        }
    }

    /// Sets hints for fields that callers mistake for fields of this operation.
    #[must_use]
    pub const fn hints(self, hints: &'static [(&'static str, &'static str)]) -> Self {
        Spec { hints, ..self }
    }

    /// Sets the kind of resource that the effect creates; its ids are in the answer
    /// (`Operation::affected`).
    #[must_use]
    pub const fn makes(self, resource: Resource) -> Self {
        Spec {
            resource: Some((resource, None)),
            ..self
        }
    }

    /// Sets the resource that contains the resource of the call, and the input field with its id,
    /// which may be absent. A replay is refused if the caller may no longer see the container.
    #[must_use]
    pub const fn within(self, resource: Resource, field: &'static str) -> Self {
        Spec {
            within: Some((resource, field)),
            ..self
        }
    }

    /// Names the operation that reads what this one replaces. The refusal of a stale revision names
    /// it.
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

    /// Sets the maximum number of values in the input, at all levels.
    #[must_use]
    pub const fn values(self, values: usize) -> Self {
        Spec { values, ..self }
    }

    /// Passes the items of this list to the operation in [`crate::Context::items`]. The input has
    /// `null` in place of each item, which the schema must allow.
    #[must_use]
    pub const fn items(self, field: &'static str) -> Self {
        Spec {
            items: Some(field),
            ..self
        }
    }

    /// Refuses a call with this code (413), before any other field error, if this text exceeds the
    /// `maxLength` of its schema or the whole body exceeds its limit.
    #[must_use]
    pub const fn oversize(self, field: &'static str, code: Code) -> Self {
        Spec {
            oversize: Some((field, code)),
            ..self
        }
    }

    /// Marks the operation as one that needs an outside provider. Without it every valid call is
    /// refused with this code, so the published example succeeds only on an installation that has
    /// the provider.
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

    /// Marks the operation as one that ends the session of its caller.
    #[must_use]
    pub const fn ends_session(self) -> Self {
        Spec {
            ends_session: true,
            ..self
        }
    }

    /// Marks the operation as one that may take rights, tokens or sessions away from a member,
    /// including the caller.
    #[must_use]
    pub const fn locks_out(self) -> Self {
        Spec {
            locks_out: true,
            ..self
        }
    }

    /// Publishes the operation as a tool that is listed even in a narrowed list.
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

    /// Sets the form of the input.
    #[must_use]
    pub const fn takes(self, input: InputForm) -> Self {
        Spec { input, ..self }
    }

    /// Sets the form of the answer and the matching form of errors.
    #[must_use]
    pub const fn serves(self, output: OutputForm) -> Self {
        Spec {
            output,
            errors: output.error_form(),
            ..self
        }
    }

    /// Sets only the form of the answer; the form of errors stays.
    #[must_use]
    pub const fn sends(self, output: OutputForm) -> Self {
        Spec { output, ..self }
    }

    /// Answers the operation's own errors as plain text, although the answer is JSON.
    #[must_use]
    pub const fn text_errors(self) -> Self {
        Spec {
            errors: ErrorForm::Text,
            ..self
        }
    }

    /// Answers errors in the OAuth form.
    #[must_use]
    pub const fn oauth_errors(self) -> Self {
        Spec {
            errors: ErrorForm::OAuth,
            ..self
        }
    }

    /// Makes the route a page of the web console: it answers in HTML, even for refusals, and has no
    /// effect of its own. The operation that the page calls performs and audits the action of a
    /// form.
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

    /// Refuses every invalid input with this code.
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
