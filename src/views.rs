//! Draws the fragments of the views of MCP Apps with the console's functions.

use console::draw_fragment;
use futures::future::BoxFuture;
use gateway::{Context, Result};
use tools::mcp::DrawViews;

/// Draws the views with the code of the console.
pub struct ConsoleViews;

impl DrawViews for ConsoleViews {
    fn draw_fragment<'a>(
        &'a self,
        ctx: &'a Context<'a>,
        uri: &'a str,
    ) -> BoxFuture<'a, Result<String>> {
        Box::pin(draw_fragment(ctx, uri))
    }
}
