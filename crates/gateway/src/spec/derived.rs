//! Properties derived from a spec.

use serde_json::{Map, Value};

use super::{Effect, Resource, Spec, Verb};
use crate::{Error, ErrorForm, Execution, FileField, InputForm, OutputForm};

impl Spec {
    /// Returns the name of the operation, then its earlier names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.formerly.iter().copied())
    }

    /// Returns the resources that the input names, each with its input field.
    pub fn named_resources(&self) -> impl Iterator<Item = (Resource, &'static str)> {
        let about = self
            .resource
            .and_then(|(resource, field)| Some((resource, field?)));
        about.into_iter().chain(self.within)
    }

    /// Creates the error (413) for a body over the limit.
    #[must_use]
    pub fn too_large_error(&self) -> Error {
        let mut refused = Error::body_too_large(self.body_limit);
        if let Some((_, code)) = self.oversize {
            refused.code = code;
        }
        refused
    }

    /// Success statuses other than the main one.
    #[must_use]
    pub const fn partial_successes(&self) -> &'static [u16] {
        self.partial
    }

    /// Returns the file field of the input.
    #[must_use]
    pub const fn file_field(&self) -> Option<FileField> {
        match self.input {
            InputForm::Multipart(file) | InputForm::File(file) => Some(file),
            InputForm::Json
            | InputForm::UrlEncoded
            | InputForm::Ignored
            | InputForm::Fields
            | InputForm::Signed(_) => None,
        }
    }

    /// True if the operation is a tool that models may call.
    #[must_use]
    pub const fn is_model_tool(&self) -> bool {
        self.tool && !self.app_only
    }

    /// True if the answer is not JSON.
    #[must_use]
    pub const fn is_page(&self) -> bool {
        !matches!(self.output, OutputForm::Json)
    }

    /// Returns the form of an error with this status. Refusals by the access check use the error
    /// object, because every client has to understand them.
    #[must_use]
    pub const fn error_form(&self, status: u16) -> ErrorForm {
        match (self.errors, status) {
            (ErrorForm::Text, 401 | 403 | 429) if !self.access.is_public() => ErrorForm::Object,
            // A client that requests an image or a video cannot show the text of an error.
            (ErrorForm::Text, 404 | 416 | 500..) if matches!(self.output, OutputForm::Bytes) => {
                ErrorForm::Empty
            }
            (form, _) => form,
        }
    }

    /// True if the route is a page of the web console.
    #[must_use]
    pub const fn is_console(&self) -> bool {
        matches!(self.errors, ErrorForm::Console)
    }

    /// Returns the last segment of the path, which is the file name of a document.
    #[must_use]
    pub fn last_path_segment(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// True if the request has a body.
    #[must_use]
    pub const fn has_body(&self) -> bool {
        matches!(self.verb, Verb::Post | Verb::Put | Verb::Patch)
    }

    /// Returns all error statuses, in ascending order. The spec of a page lists all its error
    /// statuses.
    #[must_use]
    pub fn error_statuses(&self) -> Vec<u16> {
        if self.is_page() {
            return self.fails.to_vec();
        }
        // Every caller may exceed the quota of its network.
        let mut statuses = vec![400, 429, 500, 503];
        if !self.access.is_public() {
            statuses.extend([401, 403]);
        }
        if self.keyed {
            statuses.push(409);
        }
        if self.has_body() {
            statuses.extend([413, 415]);
        }
        statuses.extend(self.fails);
        statuses.sort_unstable();
        statuses.dedup();
        statuses
    }

    #[must_use]
    pub const fn is_write(&self) -> bool {
        !matches!(self.effect, Effect::Read)
    }

    /// True if the outcome is recorded: the operation writes or costs money.
    #[must_use]
    pub const fn is_recorded(&self) -> bool {
        self.is_write() || self.keyed
    }

    /// True if the operation reaches a service outside Pauta, in the call or in a job that the call
    /// starts.
    #[must_use]
    pub const fn is_open_world(&self) -> bool {
        matches!(self.execution, Execution::Outside)
            || self.without_provider.is_some()
            || self.reaches_outside_later
    }

    /// Returns the names between braces in the path.
    pub fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        placeholders(self.path)
    }

    /// Returns the input fields read from the query: all fields outside the path if there is no body,
    /// otherwise the fields that the spec names.
    #[must_use]
    pub fn query_fields(&self, input_schema: &Map<String, Value>) -> Vec<String> {
        if self.has_body() {
            return self.query.iter().map(|name| (*name).into()).collect();
        }
        let properties = input_schema.get("properties").and_then(Value::as_object);
        let names = properties.into_iter().flat_map(Map::keys);
        names
            .filter(|name| self.placeholders().all(|taken| taken != name.as_str()))
            .cloned()
            .collect()
    }

    /// Returns the OpenAPI `operationId`: `listMyTokens` for `list_my_tokens`.
    #[must_use]
    pub fn operation_id(&self) -> String {
        let mut id = String::with_capacity(self.name.len());
        for word in self.name.split('_') {
            let mut letters = word.chars();
            match letters.next() {
                Some(first) if !id.is_empty() => id.extend(first.to_uppercase()),
                Some(first) => id.push(first),
                None => {}
            }
            id.push_str(letters.as_str());
        }
        id
    }
}

fn placeholders(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;

    #[test]
    fn operation_ids_are_camel_case() {
        let spec = Spec::new("get_json_artifact", "", Verb::Get, "/x/{memberId}/y/{id}")
            .access(Access::Public);
        assert_eq!(spec.operation_id(), "getJsonArtifact");
        assert_eq!(spec.placeholders().collect::<Vec<_>>(), ["memberId", "id"]);
    }
}
