//! The stream that notifies open pages of changes.

use futures::{StreamExt, stream};
use gateway::{
    Content, Context, Credential, Entry, OutputForm, Page, Principal, Reply, Result, Spec, Watcher,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::{Table, page},
    live::{Listening, Live},
};

/// The stream of changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Stream {
    /// Até onde a página já sabe do que mudou; sem isso, só o que muda a partir de agora.
    desde: Option<String>,
}

const ROUTE: Spec = page("console_live", "Mudanças ao vivo", "/vivo")
    .sends(OutputForm::EventStream)
    .fails(&[429]);

pub(crate) const STREAM: Entry = Entry::page::<Stream>(
    ROUTE,
    "Avisa as páginas abertas quando algo muda, por eventos do servidor.",
);

impl Page for Stream {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let live = ctx.services.parts.get::<Live>();
        let caller = ctx.caller()?;
        let registry = ctx.services.parts.get::<Table>().registry.as_ref();
        let changes = &ctx.services.changes;
        let watcher = Watcher::new(changes, registry, caller.clone(), self.desde.as_deref());
        let listening = live.listen(session(caller), watcher)?;
        let events = stream::unfold(listening, Listening::next);
        let events = events.map(|text| Ok(text.into())).boxed();
        // Proxies must not wait for more before they pass an event on.
        Ok(Reply::new(Content::Stream(events)).header("x-accel-buffering", "no"))
    }
}

/// Names a session: its family, or with a hosted issuer its member.
fn session(caller: &Principal) -> String {
    match &caller.credential {
        Credential::Session {
            family_id: Some(family),
        } => family.to_string(),
        _ => caller.member.id.to_string(),
    }
}
