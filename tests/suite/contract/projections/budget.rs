//! The size of the list of tools. An agent reads this list at the beginning of every conversation.

use serde_json::json;

use super::client_with_every_tool;
use crate::{contract::list_tools, support::TestApp};

/// The maximum bytes of name, description and input schema of all tools: about 14,500 tokens of the
/// tokenizer o200k, at 4.13 bytes a token.
const ALL: usize = 59_849;
/// The maximum bytes of one tool.
const ONE: usize = 1_900;
const OPERATIONS_OF_A_PROJECT: usize = 3_750;
/// The maximum bytes of `apply_project_operations`, whose fields have shorter descriptions.
const OPERATIONS_IN_A_CALL: usize = 2_600;

#[tokio::test]
async fn the_tools_fit_into_their_budget() {
    let app = TestApp::new().await;
    let tools = list_tools(&client_with_every_tool(&app).await).await;
    let mut all = 0;
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        let read = json!({
            "name": name,
            "description": tool["description"],
            "inputSchema": tool["inputSchema"],
        });
        let bytes = read.to_string().len();
        let budget = match name {
            "apply_project_operation" => OPERATIONS_OF_A_PROJECT,
            "apply_project_operations" => OPERATIONS_IN_A_CALL,
            _ => ONE,
        };
        assert!(bytes <= budget, "{name} takes {bytes} of {budget} bytes");
        all += bytes;
    }
    assert!(
        all <= ALL,
        "the tools take {all} of {ALL} bytes: shorten the texts of the new tool, then raise `ALL` by their size"
    );
}
