//! What every page has: its viewer, and the operations that it may call.

use domain::{Capability, Member};
use gateway::{Context, Principal, Registered, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{area::Table, links, places::Place};

/// One page for one member.
pub(crate) struct View<'a> {
    pub ctx: &'a Context<'a>,
    pub caller: &'a Principal,
    /// From when on changes are news to this page.
    pub since: String,
}

impl<'a> View<'a> {
    pub fn of(ctx: &'a Context<'a>) -> Result<Self> {
        Ok(Self {
            ctx,
            caller: ctx.caller()?,
            since: ctx.services.changes.now(),
        })
    }

    pub fn member(&self) -> &'a Member {
        &self.caller.member
    }

    pub fn may(&self, capability: Capability) -> bool {
        self.caller.may(capability)
    }

    /// Whether the member may call this operation, judged by the table alone.
    pub fn may_call(&self, operation: &str) -> bool {
        let found = self.operation(operation);
        found.is_some_and(|found| self.caller.authorize(found.spec.access).is_ok())
    }

    /// Whether an entry of the navigation is for this member.
    pub fn offers(&self, place: &Place) -> bool {
        place.needs.is_empty() || place.needs.iter().any(|needed| self.may(*needed))
    }

    /// An operation of the table.
    pub fn operation(&self, name: &str) -> Option<&'a Registered> {
        let table = &self.ctx.services.parts.get::<Table>().registry;
        table
            .operations
            .iter()
            .find(|known| known.spec.name == name)
    }

    /// Reads the answer of an operation.
    pub async fn read<T: DeserializeOwned>(&self, operation: &str, input: Value) -> Result<T> {
        let answer = self.ctx.read(operation, input).await?;
        Ok(serde_json::from_value(answer)?)
    }

    /// The address of a path of this service, for links and forms.
    pub fn at(&self, path: &str) -> String {
        links::at(self.ctx.services, path)
    }
}
