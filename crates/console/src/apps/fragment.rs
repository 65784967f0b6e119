//! A fragment of a view, and the methods with which the fragment is drawn.

use gateway::{Input, Result, coerce};
use serde::de::DeserializeOwned;

use crate::view::View;

/// A fragment of a view: the path and query after the document's URI, and the caller.
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

    /// Returns the public address of the service. Links begin with it, because the fragment is shown on
    /// a page of another host.
    pub fn base(&self) -> &'a str {
        &self.view.ctx.services.public_url
    }

    /// Returns the fields of the query, converted to the types of the operation's input schema.
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
