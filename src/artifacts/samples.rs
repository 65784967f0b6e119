//! Examples for the operation catalog of the web console.

use std::sync::OnceLock;

use console::{Calls, Sample, Samples};
use gateway::{Input, Registered};
use serde_json::Value;

use super::{cli, curl::curl_command, examples::Example, examples::Examples};

/// The examples of one installation, loaded on first use.
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
    fn find_sample(&self, operation: &str) -> Option<Sample> {
        let examples = self
            .examples
            .get_or_init(|| Examples::read_recorded(&self.public_url));
        let example = examples.find_example(operation)?.clone();
        Some(Sample {
            input: example.input,
            answer: example.answer,
        })
    }

    fn build_calls(&self, operation: &Registered, input: &Input) -> Calls {
        let example = Example {
            input: input.clone(),
            answer: Value::Null,
        };
        Calls {
            curl: curl_command(operation, &example),
            cli: cli::cli_command(operation, input),
        }
    }
}
