//! The operations that are tools, with data derived from their schemas on first use.
//!
//! The `tools/list` entry of a tool is rendered once for all callers, so a list only concatenates
//! entries.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use gateway::{Effect, Registered, Registry};
use rmcp::model::{Tool, ToolAnnotations};

use super::{
    absent, apps, compact, lists, rules,
    spelling::{self, RenamedField},
};

/// All tools of a registry, in its order.
pub(super) struct Offered {
    tools: Vec<OfferedTool>,
    by_name: HashMap<&'static str, usize>,
}

/// An operation that is a tool.
pub(super) struct OfferedTool {
    /// The index in the registry's operations.
    index: usize,
    shape: OnceLock<Shape>,
    listed: OnceLock<Box<str>>,
}

/// The facts about the input and output schemas of an operation that each tool call needs.
pub(super) struct Shape {
    /// The fields for which REST accepts null.
    pub(super) nullable: Vec<String>,
    /// The fields that have another name in tools.
    pub(super) renamed: Vec<RenamedField>,
    /// The output field with the rows, if the operation has pages.
    pub(super) rows: Option<String>,
}

impl Offered {
    pub(super) fn new(registry: &Registry) -> Self {
        let operations = registry.operations.iter().enumerate();
        let tools = operations
            .filter(|(_, operation)| operation.spec.tool)
            .map(|(index, _)| OfferedTool {
                index,
                shape: OnceLock::new(),
                listed: OnceLock::new(),
            })
            .collect::<Vec<_>>();
        let by_name = tools.iter().enumerate().flat_map(|(at, tool)| {
            let names = registry.operations[tool.index].spec.names();
            names.map(move |name| (name, at))
        });
        Self {
            by_name: by_name.collect(),
            tools,
        }
    }

    /// Iterates over the tools with their operations.
    pub(super) fn iter_tools<'r>(
        &self,
        registry: &'r Registry,
    ) -> impl Iterator<Item = (&OfferedTool, &'r Registered)> {
        let operation = |tool: &OfferedTool| &registry.operations[tool.index];
        self.tools.iter().map(move |tool| (tool, operation(tool)))
    }

    /// Finds a tool by its name, current or earlier.
    pub(super) fn find_tool<'r>(
        &self,
        registry: &'r Registry,
        name: &str,
    ) -> Option<(&OfferedTool, &'r Registered)> {
        let tool = &self.tools[*self.by_name.get(name)?];
        Some((tool, &registry.operations[tool.index]))
    }
}

impl OfferedTool {
    pub(super) fn shape(&self, operation: &Registered) -> &Shape {
        self.shape.get_or_init(|| Shape {
            nullable: absent::nullable_fields(operation.input_schema())
                .map(str::to_owned)
                .collect(),
            renamed: spelling::renamed_fields(operation.input_schema()),
            rows: lists::rows_field(operation),
        })
    }

    /// Returns the `tools/list` entry of the tool as JSON text, rendered once for all callers.
    pub(super) fn list_entry(&self, operation: &Registered) -> &str {
        self.listed.get_or_init(|| {
            let tool = self.build_tool(operation);
            let text = serde_json::to_string(&tool).expect("a tool is serialisable");
            text.into()
        })
    }

    pub(super) fn build_tool(&self, operation: &Registered) -> Tool {
        let spec = &operation.spec;
        let hints = ToolAnnotations::with_title(spec.title)
            .read_only(!spec.is_recorded())
            .destructive(spec.effect == Effect::Destroy)
            .idempotent(spec.idempotent || !spec.is_recorded())
            .open_world(spec.is_open_world());
        let mut input = operation.input_schema().clone();
        compact::shorten_schema(&mut input, spec.file_params);
        absent::make_optional(&mut input);
        spelling::publish_names(&mut input);
        let mut description = operation.description();
        if spec.quotes {
            description.push_str(rules::QUOTED_TEXTS);
        }
        let tool = Tool::new(spec.name, description, Arc::new(input))
            .with_title(spec.title)
            .with_raw_output_schema(Arc::new(operation.output_schema()))
            .with_annotations(hints);
        let mut tool = apps::link_view(tool, spec);
        if !spec.file_params.is_empty() {
            let meta = tool.meta.get_or_insert_default();
            meta.insert("openai/fileParams".into(), spec.file_params.into());
        }
        tool
    }
}
