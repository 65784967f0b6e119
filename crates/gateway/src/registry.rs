//! The registry of operations. Schemas and validators are built on first use.
//!
//! Starting the service builds no schema and no validator. A test builds all of them, so that an
//! invalid schema is found by the test.

use std::{collections::HashMap, sync::OnceLock};

use domain::{VISIBLE, VISIBLE_ANYWHERE};
use jsonschema::Validator;
use serde_json::{Map, Value};

use super::{
    Announcement, Area, Entry, OutputForm, Spec,
    entry::{Description, Replay, Run, Shorten},
};

/// An operation or page in the registry.
pub struct Registered {
    pub area: &'static Area,
    pub spec: Spec,
    description: Description,
    input: fn(&Spec) -> Map<String, Value>,
    output: fn() -> Map<String, Value>,
    input_schema: OnceLock<Map<String, Value>>,
    validator: OnceLock<Validator>,
    pub(super) run: Run,
    pub(super) replay: Replay,
    shorten: Shorten,
}

impl Registered {
    fn from_entry(area: &'static Area, entry: &Entry) -> Self {
        Self {
            area,
            spec: entry.spec,
            description: entry.description,
            input: entry.input,
            output: entry.output,
            input_schema: OnceLock::new(),
            validator: OnceLock::new(),
            run: entry.run,
            replay: entry.replay,
            shorten: entry.shorten,
        }
    }

    /// Returns the announcements that a successful call writes to the outbox.
    #[must_use]
    pub fn announces(&self) -> &'static [Announcement] {
        self.spec.announces.unwrap_or_default()
    }

    /// True if the spec or the area declares the announcements of a successful call, even if there
    /// are none.
    #[must_use]
    pub fn says_what_it_announces(&self) -> bool {
        self.spec.announces.is_some() || self.area.announces_nothing
    }

    /// Returns the complete doc comment, in Portuguese, generated on each call.
    #[must_use]
    pub fn description(&self) -> String {
        self.description.text()
    }

    /// Returns the published input schema.
    pub fn input_schema(&self) -> &Map<String, Value> {
        self.input_schema.get_or_init(|| (self.input)(&self.spec))
    }

    /// Returns the output schema, with the doc comment of the output as description, generated on each
    /// call.
    #[must_use]
    pub fn output_schema(&self) -> Map<String, Value> {
        (self.output)()
    }

    /// Returns the validator of the input.
    ///
    /// # Panics
    ///
    /// If the input schema is not a valid schema. A test builds every validator.
    pub fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| {
            jsonschema::draft202012::options()
                .should_validate_formats(true)
                .build(&to_enforced_schema(Value::Object((self.input)(&self.spec))))
                .expect("schemars writes valid schemas")
        })
    }

    /// True if the input schema or the validator has been built.
    #[must_use]
    pub fn is_built(&self) -> bool {
        self.input_schema.get().is_some() || self.validator.get().is_some()
    }

    /// Returns the response without the parts that can be read through another operation; `None` if
    /// there are no such parts.
    #[must_use]
    pub fn shorten_answer(&self, body: &str) -> Option<String> {
        let mut answer = serde_json::from_str(body).ok()?;
        (self.shorten)(&mut answer).then(|| answer.to_string())
    }
}

/// Converts the published schema to the enforced one, which applies the rule for visible text to
/// all of Unicode (`VISIBLE_ANYWHERE`).
fn to_enforced_schema(mut schema: Value) -> Value {
    match &mut schema {
        Value::String(pattern) if *pattern == *VISIBLE => pattern.clone_from(&VISIBLE_ANYWHERE),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = to_enforced_schema(item.take())),
        Value::Object(map) => map
            .values_mut()
            .for_each(|value| *value = to_enforced_schema(value.take())),
        _ => {}
    }
    schema
}

/// All operations and pages.
#[derive(Default)]
pub struct Registry {
    /// The published areas, in catalog order.
    pub areas: Vec<&'static Area>,
    /// The operations, with JSON input and output.
    pub operations: Vec<Registered>,
    /// The pages: routes that only HTTP serves.
    pub pages: Vec<Registered>,
    /// The pages of the web console, which are not part of the published interface.
    pub console: Vec<Registered>,
    by_name: HashMap<&'static str, Place>,
}

/// The position of an entry: its list, and its index in that list.
#[derive(Clone, Copy)]
enum Place {
    Operation(usize),
    Page(usize),
    Console(usize),
}

impl Registry {
    /// Creates the registry of these areas.
    #[must_use]
    pub fn new(areas: impl IntoIterator<Item = &'static Area>) -> Self {
        let with = |registry: Self, area: &'static Area| {
            registry.with_area(area, area.operations, area.pages)
        };
        areas.into_iter().fold(Self::default(), with)
    }

    /// Adds an area with these operations and pages.
    #[must_use]
    pub fn with_area<'o, 'p>(
        mut self,
        area: &'static Area,
        operations: impl IntoIterator<Item = &'o Entry>,
        pages: impl IntoIterator<Item = &'p Entry>,
    ) -> Self {
        self.areas.push(area);
        self.add_entries(
            area,
            operations,
            |registry| &mut registry.operations,
            Place::Operation,
        );
        self.add_entries(area, pages, |registry| &mut registry.pages, Place::Page);
        self
    }

    /// Adds the web console.
    #[must_use]
    pub fn with_console<'e>(
        mut self,
        area: &'static Area,
        pages: impl IntoIterator<Item = &'e Entry>,
    ) -> Self {
        self.add_entries(
            area,
            pages,
            |registry| &mut registry.console,
            Place::Console,
        );
        self
    }

    fn add_entries<'e>(
        &mut self,
        area: &'static Area,
        entries: impl IntoIterator<Item = &'e Entry>,
        list: fn(&mut Self) -> &mut Vec<Registered>,
        place: fn(usize) -> Place,
    ) {
        for entry in entries {
            let at = list(self).len();
            list(self).push(Registered::from_entry(area, entry));
            let names = entry.spec.names();
            self.by_name.extend(names.map(|name| (name, place(at))));
        }
    }

    /// Returns all operations, pages and console pages.
    pub fn all_entries(&self) -> impl Iterator<Item = &Registered> {
        self.operations
            .iter()
            .chain(&self.pages)
            .chain(&self.console)
    }

    /// Returns the path of the MCP endpoint; empty if the registry has none.
    #[must_use]
    pub fn mcp_path(&self) -> &'static str {
        self.json_rpc_page().map_or("", |page| page.spec.path)
    }

    /// Returns the page whose output is JSON-RPC.
    #[must_use]
    pub fn json_rpc_page(&self) -> Option<&Registered> {
        let is_json_rpc = |page: &&Registered| page.spec.output == OutputForm::JsonRpc;
        self.pages.iter().find(is_json_rpc)
    }

    /// Returns the operation or page with this name, current or earlier, in snake_case.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Registered> {
        self.by_name.get(name).map(|place| self.entry_at(*place))
    }

    /// Returns the operation with this name, current or earlier, in snake_case.
    #[must_use]
    pub fn find_operation(&self, name: &str) -> Option<&Registered> {
        match self.by_name.get(name)? {
            Place::Operation(at) => Some(&self.operations[*at]),
            Place::Page(_) | Place::Console(_) => None,
        }
    }

    /// Returns the entry with this name that a console page may call: an operation or a console page.
    #[must_use]
    pub fn find_callable(&self, name: &str) -> Option<&Registered> {
        let place = self.by_name.get(name)?;
        (!matches!(place, Place::Page(_))).then(|| self.entry_at(*place))
    }

    fn entry_at(&self, place: Place) -> &Registered {
        match place {
            Place::Operation(at) => &self.operations[at],
            Place::Page(at) => &self.pages[at],
            Place::Console(at) => &self.console[at],
        }
    }
}
