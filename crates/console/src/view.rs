//! The context of a page: its viewer, and the operations that it calls.

use domain::{Capability, Member};
use gateway::{CallInput, Context, Error, Input, Principal, Registered, Result};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{area::Table, links, places::Place, waiting::Waiting};

/// One page for one viewer.
pub(crate) struct View<'a> {
    pub ctx: &'a Context<'a>,
    pub caller: &'a Principal,
    /// The position in the stream of changes at which the page was drawn.
    pub since: String,
    /// The work that waits for the viewer, counted for the navigation.
    pub waiting: Waiting,
}

impl<'a> View<'a> {
    pub async fn load(ctx: &'a Context<'a>) -> Result<Self> {
        let mut view = Self {
            ctx,
            caller: ctx.caller()?,
            since: ctx.services.changes.current_position(),
            waiting: Waiting::default(),
        };
        if view.may_call("count_waiting") {
            view.waiting = view.read("count_waiting", json!({})).await?;
        }
        Ok(view)
    }

    /// Creates the context of a fragment for a page of another host, which has no navigation.
    pub fn for_fragment(ctx: &'a Context<'a>) -> Result<Self> {
        Ok(Self {
            ctx,
            caller: ctx.caller()?,
            since: String::new(),
            waiting: Waiting::default(),
        })
    }

    pub fn member(&self) -> &'a Member {
        &self.caller.member
    }

    pub fn has_capability(&self, capability: Capability) -> bool {
        self.caller.has_capability(capability)
    }

    /// Returns true if the member may call this operation.
    pub fn may_call(&self, operation: &str) -> bool {
        self.require_call(operation).is_ok()
    }

    /// Returns the value of a cookie that is not secret, such as a display setting.
    pub fn plain_cookie(&self, name: &str) -> Option<&'a str> {
        let cookies = self.ctx.origin.head.cookie.as_deref()?;
        let mut pairs = cookies
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Returns true if the member sees an entry of the navigation.
    pub fn sees_place(&self, place: &Place) -> bool {
        place.needs.is_empty()
            || place
                .needs
                .iter()
                .any(|needed| self.has_capability(*needed))
    }

    /// Finds the operation with this name.
    pub fn find_operation(&self, name: &str) -> Option<&'a Registered> {
        let table = &self.ctx.services.parts.get::<Table>().registry;
        table.find_operation(name)
    }

    /// Returns the published title of an operation. `None` if the name is unknown.
    pub fn operation_title(&self, name: &str) -> Option<&'static str> {
        self.find_operation(name).map(|found| found.spec.title)
    }

    /// Finds the operation with this name. Fails with 404 if the name is unknown.
    pub fn get_operation(&self, name: &str) -> Result<&'a Registered> {
        self.find_operation(name)
            .ok_or_else(|| Error::not_found("operação"))
    }

    /// Fails with 403 if the member may not call this operation, and with 404 if the name is unknown.
    pub fn require_call(&self, name: &str) -> Result<()> {
        self.caller.authorize(self.get_operation(name)?.spec.access)
    }

    /// Calls an operation without the input fields that are null, and parses the answer.
    pub async fn read<T: DeserializeOwned>(&self, operation: &str, input: Value) -> Result<T> {
        self.call(operation, input_without_nulls(input)).await
    }

    /// Calls an operation and parses the answer.
    pub async fn call<T: DeserializeOwned>(
        &self,
        operation: &str,
        input: impl Into<CallInput>,
    ) -> Result<T> {
        let answer = self.ctx.call(operation, input).await?;
        Ok(serde_json::from_str(&answer.body.into_json_text()?)?)
    }

    /// Puts the base path of the public address before a path of this service, for links and forms.
    pub fn href_to(&self, path: &str) -> String {
        links::href_to(self.ctx.services, path)
    }
}

/// Builds an input from these fields, without null fields.
pub(crate) fn input_without_nulls(fields: Value) -> Input {
    let mut input = match fields {
        Value::Object(fields) => fields,
        _ => Input::new(),
    };
    input.retain(|_, value| !value.is_null());
    input
}
