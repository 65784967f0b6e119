//! A fragment of a view, and what its drawing may use.

use gateway::{Input, Result, coerce};
use serde::de::DeserializeOwned;

use crate::view::View;

/// A fragment of a view: the part of its URI after the document's, and the caller.
pub(super) struct Fragment<'a> {
    pub view: View<'a>,
    pub path: &'a str,
    query: &'a str,
}

impl<'a> Fragment<'a> {
    pub fn new(view: View<'a>, address: &'a str) -> Self {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        Self { view, path, query }
    }

    /// The public address of the service. Links begin with it, because another host shows the
    /// fragment.
    pub fn base(&self) -> &'a str {
        &self.view.ctx.services.public_url
    }

    /// The fields of the query, converted by the input schema of the operation.
    pub fn query_input(&self, operation: &str) -> Result<Input> {
        let schema = self.view.get_operation(operation)?.input_schema();
        let fields = url::form_urlencoded::parse(self.query.as_bytes());
        let fields = fields.map(|(name, value)| {
            let value = coerce(schema, &name, value.into_owned());
            (name.into_owned(), value)
        });
        Ok(fields.collect())
    }

    /// Calls an operation with the fields of the query.
    pub async fn read_with_query<T: DeserializeOwned>(&self, operation: &str) -> Result<T> {
        let input = self.query_input(operation)?;
        self.view.call(operation, input).await
    }
}
