//! The examples in the form that the catalog of the web console shows.

use std::sync::OnceLock;

use console::{Calls, Sample, Samples};
use gateway::{Input, Registered};
use serde_json::Value;

use super::{cli, curl::curl, examples::Example, examples::Examples};

/// The examples of one installation, read when they are first shown.
pub struct CatalogSamples {
    public_url: String,
    examples: OnceLock<Examples>,
}

impl CatalogSamples {
    #[must_use]
    pub fn new(public_url: String) -> Self {
        Self {
            public_url,
            examples: OnceLock::new(),
        }
    }
}

impl Samples for CatalogSamples {
    fn of(&self, operation: &str) -> Option<Sample> {
        let examples = self
            .examples
            .get_or_init(|| Examples::read(&self.public_url));
        let example = examples.of(operation)?.clone();
        Some(Sample {
            input: example.input,
            answer: example.answer,
        })
    }

    fn calls(&self, operation: &Registered, input: &Input) -> Calls {
        let example = Example {
            input: input.clone(),
            answer: Value::Null,
        };
        Calls {
            curl: curl(operation, &example),
            cli: cli::command(operation, input),
        }
    }
}
