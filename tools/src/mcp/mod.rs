//! The entry of the MCP endpoint in the table of areas. The MCP projection of the service answers
//! the JSON-RPC messages, and calls the gateway for each tool. The area has one operation, which
//! draws the fragments of the views of MCP Apps.

mod draw_view;

use schemars::JsonSchema;
use serde::Deserialize;

use gateway::{
    Access, Area, Context, Entry, Error, OutputForm, Page, Part, Reply, Result, Spec, Verb,
};
use identity::authorization::ALIAS;

use draw_view::DrawView;
pub use draw_view::{DrawViews, ViewDrawer};

/// A JSON-RPC message.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PostMcp {}

impl Page for PostMcp {
    async fn run(self, _: &Context<'_>) -> Result<Reply> {
        Err(Error::internal("the MCP projection answers its messages"))
    }
}

const POST_MCP: Entry = Entry::for_page::<PostMcp>(
    Spec::new(
        "post_mcp",
        "Chamar uma ferramenta por MCP",
        Verb::Post,
        "/api/mcp",
    )
    .access(Access::AnyMember)
    .serves(OutputForm::JsonRpc)
    // Also accepts a trailing slash, which people often type.
    .also_at(&[ALIAS, "/api/mcp/", "/mcp/"])
    .unkeyed()
    .partial(&[202])
    .fails(&[400, 401, 403, 404, 405, 413, 415, 500]),
    "Uma mensagem JSON-RPC 2.0 do Model Context Protocol, sem estado entre chamadas. As ferramentas \
     são as operações deste contrato que têm `x-mcp-tool`, com a mesma permissão, revisão e \
     idempotência.",
);

/// The area of the MCP endpoint.
pub static AREA: Area = Area::new("mcp", "O mesmo registro de operações como ferramentas MCP.")
    .required_parts(&[Part::of_type::<ViewDrawer>("ViewDrawer")])
    .announces_nothing()
    .operations(&[Entry::for_operation::<DrawView>()])
    .pages(&[POST_MCP]);
