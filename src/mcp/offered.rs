//! The operations that are tools, with data that is derived from each on first use.
//!
//! The entry of a tool in `tools/list` is rendered once for all callers, so a list is a
//! concatenation.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use gateway::{Effect, Registered, Registry};
use rmcp::model::{Tool, ToolAnnotations};

use super::{absent, apps, compact, lists};

/// The tools of a registry, in its order.
pub(super) struct Offered {
    tools: Vec<OfferedTool>,
    by_name: HashMap<&'static str, usize>,
}

/// One operation that is a tool.
pub(super) struct OfferedTool {
    /// The index in the operations of the registry.
    index: usize,
    shape: OnceLock<Shape>,
    listed: OnceLock<Box<str>>,
}

/// The properties of the schemas that a call needs.
pub(super) struct Shape {
    /// The fields that REST takes as null.
    pub(super) nullable: Vec<String>,
    /// The field of the answer that holds the rows, if the operation answers in pages.
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
            let spec = &registry.operations[tool.index].spec;
            let names = std::iter::once(spec.name).chain(spec.formerly.iter().copied());
            names.map(move |name| (name, at))
        });
        Self {
            by_name: by_name.collect(),
            tools,
        }
    }

    /// Each tool with its operation.
    pub(super) fn of<'r>(
        &self,
        registry: &'r Registry,
    ) -> impl Iterator<Item = (&OfferedTool, &'r Registered)> {
        let operation = |tool: &OfferedTool| &registry.operations[tool.index];
        self.tools.iter().map(move |tool| (tool, operation(tool)))
    }

    /// The tool with this name, current or earlier.
    pub(super) fn find<'r>(
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
            nullable: absent::nullable(operation.input_schema())
                .map(str::to_owned)
                .collect(),
            rows: lists::rows(operation),
        })
    }

    /// The entry of the tool in `tools/list`, as JSON text. It is the same for all callers and
    /// rendered once.
    pub(super) fn listed(&self, operation: &Registered) -> &str {
        self.listed.get_or_init(|| {
            let tool = self.tool(operation);
            let text = serde_json::to_string(&tool).expect("a tool is serialisable");
            text.into()
        })
    }

    pub(super) fn tool(&self, operation: &Registered) -> Tool {
        let spec = &operation.spec;
        let hints = ToolAnnotations::with_title(spec.title)
            .read_only(!spec.is_recorded())
            .destructive(spec.effect == Effect::Destroy)
            .idempotent(spec.idempotent || !spec.is_recorded())
            .open_world(spec.is_open_world());
        let mut input = operation.input_schema().clone();
        compact::shorten(&mut input);
        absent::show(&mut input);
        let tool = Tool::new(spec.name, operation.description(), Arc::new(input))
            .with_title(spec.title)
            .with_raw_output_schema(Arc::new(operation.output_schema()))
            .with_annotations(hints);
        apps::linked(tool)
    }
}
