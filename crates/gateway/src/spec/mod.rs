//! The spec of an operation: a constant with its name, route, access and effect, built in steps.

mod derived;
mod effect;
mod link;

use super::{Access, Announcement, Code, ErrorForm, InputForm, OutputForm, Resource};

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
    /// True if only the views of MCP Apps call the tool. Hosts hide it from the model.
    pub app_only: bool,
    /// True if this call makes a job publish on a network, or send a message to a webhook on
    /// request. Messages that only announce a change do not count.
    pub reaches_outside_later: bool,
    /// Earlier names of the tool. Calls with these names still work; lists show only `name`.
    pub formerly: &'static [&'static str],
    pub effect: Effect,
    pub execution: Execution,
    /// True if a repeated call has no further effect.
    pub idempotent: bool,
    /// True if the operation takes an idempotency key.
    pub keyed: bool,
    /// True if the route extends the original API contract. OpenAPI marks it with `x-extension`.
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
    /// The operation that reads the revision that this operation compares and sets.
    pub read_by: Option<&'static str>,
    /// Operations that can be called next with a part of this answer.
    pub links: &'static [Link],
    /// True if the call ends the session of its caller.
    pub ends_session: bool,
    /// True if the call may take rights, tokens, sessions or calls away from a member, including the
    /// caller.
    pub locks_out: bool,
    /// True if every caller sees the tool, even in a narrowed list.
    pub always_listed: bool,
    /// The announcements that a successful call writes to the outbox; `None` if the spec does not
    /// declare them.
    pub announces: Option<&'static [Announcement]>,
    /// True if the answer has images that an agent may look at.
    pub pictures: bool,
    /// The question that a person answers before the call, if the client can show forms (Portuguese).
    pub question: Option<&'static str>,
    /// True if an outside call stops when its caller disconnects before the first effect of the
    /// call.
    pub stoppable: bool,
    /// True if the answer quotes people, pages or documents: text that an agent must not obey.
    pub quotes: bool,
    /// True if the operation generates an image, a video or audio. The directory profile of MCP
    /// leaves such tools out.
    pub generates_media: bool,
    /// Fields that a host may fill with a file of the conversation.
    pub file_params: &'static [&'static str],
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
    /// The error code of every valid call if the required outside provider is not configured.
    pub without_provider: Option<Code>,
}

/// A spec without its access.
pub struct Unguarded(Spec);

impl Spec {
    /// Begins a spec. Finish it with `.access(..)`:
    ///
    /// ```
    /// use gateway::{Access, Spec, Verb};
    ///
    /// const SPEC: Spec = Spec::new("list_notes", "Listar notas", Verb::Get, "/api/notas")
    ///     .access(Access::AnyMember)
    ///     .tool();
    /// assert!(SPEC.tool && !SPEC.keyed);
    /// ```
    ///
    /// A spec without access does not compile:
    ///
    /// ```compile_fail,E0308
    /// use gateway::{Spec, Verb};
    ///
    /// const SPEC: Spec = Spec::new("list_notes", "Listar notas", Verb::Get, "/api/notas");
    /// ```
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
            app_only: false,
            reaches_outside_later: false,
            formerly: &[],
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
            announces: None,
            pictures: false,
            question: None,
            stoppable: false,
            quotes: false,
            generates_media: false,
            file_params: &[],
            input: InputForm::Json,
            output: OutputForm::Json,
            errors: ErrorForm::Object,
            also_at: &[],
            faulty_as: None,
            body_limit: BODY_LIMIT,
            values: VALUES,
            oversize: None,
            without_provider: None,
        })
    }
}

/// Defines methods that set the named fields of a spec and leave the others.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) => { $($set:tt)* })*) => {
        impl Spec {$(
            $(#[$doc])*
            #[must_use]
            pub const fn $name(self, $($argument: $type),*) -> Self {
                Spec { $($set)*, ..self }
            }
        )*}
    };
}

setters! {
    /// Publishes the operation as an MCP tool.
    tool() => { tool: true }

    /// Publishes the operation as an MCP tool for the views of MCP Apps only. Hosts hide it from
    /// the model. A narrowed list contains it too, because a hidden tool uses no context of the
    /// model.
    app_tool() => { tool: true, app_only: true, always_listed: true }

    /// Keeps the earlier names of a renamed tool callable, for clients that still use them.
    formerly(names: &'static [&'static str]) => { formerly: names }

    /// Marks the operation as one that may make a job reach a service outside Pauta.
    reaches_outside_later() => { reaches_outside_later: true }

    success(status: u16) => { success: status }

    /// Sets the error statuses other than 400, 401, 403 and 500.
    fails(statuses: &'static [u16]) => { fails: statuses }

    outside() => { execution: Execution::Outside }

    idempotent() => { idempotent: true }

    /// Marks the operation as a read, independently of its verb.
    reads() => { effect: Effect::Read, keyed: false }

    /// Marks the operation as a read that calls a paid provider. It takes an idempotency key, so
    /// that a repeated call is not paid for twice.
    reads_at_a_cost() => { effect: Effect::Read, execution: Execution::Outside, keyed: true }

    /// Marks the operation as one that overwrites, removes or publishes data, if its verb does not
    /// imply that.
    destructive() => { effect: Effect::Destroy }

    /// Omits the idempotency key, because the answer or the input is a secret.
    unkeyed() => { keyed: false }

    extension() => { extension: true }

    audited() => { audited: true }

    query(names: &'static [&'static str]) => { query: names }

    /// Sets the resource of the call and the input field with its id. A replay is refused if the
    /// caller may no longer see the resource.
    about(resource: Resource, field: &'static str) => { resource: Some((resource, Some(field))) }

    /// Sets hints for fields that callers mistake for fields of this operation.
    hints(hints: &'static [(&'static str, &'static str)]) => { hints }

    /// Sets the kind of resource that the effect creates; its ids are in the answer
    /// (`Operation::affected_ids`).
    makes(resource: Resource) => { resource: Some((resource, None)) }

    /// Sets the resource that contains the resource of the call, and the input field with its id.
    /// The field may be absent from the input. A replay is refused if the caller may no longer see
    /// the container.
    within(resource: Resource, field: &'static str) => { within: Some((resource, field)) }

    /// Sets the operation that reads the value to replace. A `STALE_REVISION` error names that
    /// operation.
    read_by(operation: &'static str) => { read_by: Some(operation) }

    links(links: &'static [Link]) => { links }

    /// Sets the body limit, in bytes, for every interface.
    body_limit(bytes: usize) => { body_limit: bytes }

    /// Sets the maximum number of values in the input, at all levels.
    values(values: usize) => { values }

    /// Refuses a call with this code (413), before any other field error, if this text exceeds the
    /// `maxLength` of its schema or the whole body exceeds its limit.
    oversize(field: &'static str, code: Code) => { oversize: Some((field, code)) }

    /// Marks the operation as one that needs an outside provider. Without the provider, every valid
    /// call is refused with this code, so the published example succeeds only on an installation
    /// that has the provider.
    needs_provider(without: Code) => { without_provider: Some(without) }

    /// Sets further success statuses, such as 207.
    partial(statuses: &'static [u16]) => { partial: statuses }

    /// Marks the operation as one that ends the session of its caller.
    ends_session() => { ends_session: true }

    /// Marks the operation as one that may take rights, tokens or sessions away from a member,
    /// including the caller.
    locks_out() => { locks_out: true }

    /// Publishes the operation as a tool that is listed even in a narrowed list.
    always_listed() => { always_listed: true }

    /// Sets the announcements of a successful call. Their rows are about the resource of the call.
    announces(what: &'static [Announcement]) => { announces: Some(what) }

    /// Declares that a successful call announces nothing. An area can declare this for all its
    /// operations ([`crate::Area::announces_nothing`]).
    announces_nothing() => { announces: Some(&[]) }

    pictures() => { pictures: true }

    /// Sets the question that a person must answer before a call that cannot be undone. The
    /// question is sent only to clients that declare form elicitation.
    asks_first(question: &'static str) => { question: Some(question) }

    /// Marks an outside operation that stops when its caller disconnects before its first effect.
    /// Its `run` wraps the work before that effect in [`crate::Context::until_caller_leaves`].
    stoppable() => { stoppable: true }

    /// Marks the operation as one whose answer quotes people, pages or documents. Its tool says that
    /// these texts are data, not orders.
    quotes() => { quotes: true }

    /// Marks the operation as one that generates an image, a video or audio.
    generates_media() => { generates_media: true }

    /// Names the fields that a host may fill with a file of the conversation.
    file_params(fields: &'static [&'static str]) => { file_params: fields }

    /// Sets the form of the input.
    takes(input: InputForm) => { input }

    /// Sets the form of the answer and the matching form of errors.
    serves(output: OutputForm) => { output, errors: output.error_form() }

    /// Sets only the form of the answer; the form of errors stays.
    sends(output: OutputForm) => { output }

    /// Answers the operation's own errors as plain text, although the answer is JSON.
    text_errors() => { errors: ErrorForm::Text }

    /// Answers errors in the OAuth form.
    oauth_errors() => { errors: ErrorForm::OAuth }

    /// Makes the route a page of the web console: it answers in HTML, even for refusals, and has no
    /// effect of its own. The operation that the page calls performs and audits the action of a
    /// form.
    console() => {
        output: OutputForm::Html,
        errors: ErrorForm::Console,
        effect: Effect::Read,
        execution: Execution::Outside,
        keyed: false,
        extension: true
    }

    /// Adds aliases of the path.
    also_at(paths: &'static [&'static str]) => { also_at: paths }

    /// Refuses every invalid input with this code.
    faulty_as(code: Code) => { faulty_as: Some(code) }
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
