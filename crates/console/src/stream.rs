//! The stream that notifies open pages of changes.

use futures::{StreamExt, stream};
use gateway::{
    Code, Content, Context, Entry, Error, OutputForm, Page, Reply, Result, Spec, Watcher,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    area::{Table, page_spec},
    live::{Listening, Live},
};

/// The stream of changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Stream {
    /// Até onde a página já sabe do que mudou; sem isso, só o que muda a partir de agora.
    desde: Option<String>,
}

const ROUTE: Spec = page_spec("console_live", "Mudanças ao vivo", "/vivo")
    .sends(OutputForm::EventStream)
    .fails(&[429]);

pub(crate) const STREAM: Entry = Entry::for_page::<Stream>(
    ROUTE,
    "Avisa as páginas abertas quando algo muda, por eventos do servidor.",
);

impl Page for Stream {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let live = ctx.services.parts.get::<Live>();
        let caller = ctx.caller()?;
        let registry = ctx.services.parts.get::<Table>().registry.clone();
        let changes = &ctx.services.changes;
        let watcher = Watcher::new(changes, registry, caller.clone(), self.desde.as_deref());
        let session = caller.session_id();
        let session = session.ok_or_else(|| Error::new(Code::UNAUTHENTICATED))?;
        let listening = live.open_stream(session.to_string(), watcher)?;
        let events = stream::unfold(listening, Listening::next_event);
        let events = events.map(|text| Ok(text.into())).boxed();
        // The header makes proxies forward each event at once.
        Ok(Reply::new(Content::Stream(events)).with_header("x-accel-buffering", "no"))
    }
}
