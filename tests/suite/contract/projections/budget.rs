//! The size of the list of tools. An agent reads this list at the beginning of every conversation.

use domain::{Level, Role};
use serde_json::{Value, json};

use crate::{contract::list_tools, support::TestApp};

/// The maximum bytes of one tool.
const ONE: usize = 1_900;
/// The maximum of `apply_project_operation`, which lists the fields of 21 types of operations.
const OPERATIONS_OF_A_PROJECT: usize = 3_000;
/// The maximum of `put_variants`, which has the options of all networks.
const OPTIONS_OF_ALL_NETWORKS: usize = 2_100;

/// A caller, and the maximum bytes of name, description and input schema of all its tools.
struct Budget {
    role: Role,
    financeiro: bool,
    bytes: usize,
}

/// With the tokenizer o200k, a list has about 4 bytes per token. The limits are therefore about
/// 7,000 tokens for a criador, 9,300 for a lider, 11,000 for an admin, and 13,000 for an admin with
/// access to sales.
const BUDGETS: [Budget; 4] = [
    budget(Role::Criador, false, 27_850),
    budget(Role::Lider, false, 37_100),
    budget(Role::Admin, false, 44_000),
    budget(Role::Admin, true, 52_000),
];

const fn budget(role: Role, financeiro: bool, bytes: usize) -> Budget {
    Budget {
        role,
        financeiro,
        bytes,
    }
}

#[tokio::test]
async fn the_tools_of_each_caller_fit_into_their_budget() {
    let app = TestApp::new().await;
    let mut wrong = vec![];
    for Budget {
        role,
        financeiro,
        bytes: most,
    } in BUDGETS
    {
        let member = app.add_member_with(role, Level::Admin, financeiro).await;
        let tools = list_tools(&app.token_client(&member).await).await;
        let bytes: usize = tools.iter().filter(is_for_models).map(bytes_read).sum();
        let who = format!("{role}, financeiro {financeiro}");
        if bytes > most {
            wrong.push(format!(
                "the tools of {who} take {bytes} of {most} bytes: shorten the texts of the new tool, \
                 then raise the budget by what it takes"
            ));
        }
        // A budget far above the actual size would hide the growth of the list.
        if bytes * 100 < most * 97 {
            wrong.push(format!("lower the budget of {who} to {bytes}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("; "));
}

#[tokio::test]
async fn every_tool_fits_into_its_budget() {
    let app = TestApp::new().await;
    for tool in &list_tools(&super::client_with_every_tool(&app).await).await {
        let budget = match tool["name"].as_str() {
            Some("apply_project_operation") => OPERATIONS_OF_A_PROJECT,
            Some("put_variants") => OPTIONS_OF_ALL_NETWORKS,
            _ => ONE,
        };
        let bytes = bytes_read(tool);
        assert!(
            bytes <= budget,
            "{} takes {bytes} of {budget} bytes",
            tool["name"]
        );
    }
}

/// The guide suggests a narrowed address for each kind of working day. Every suggestion must be
/// valid and show at most 28 tools, and together they must show every tool.
#[tokio::test]
async fn the_suggested_addresses_show_few_tools() {
    let app = TestApp::new().await;
    let client = super::client_with_every_tool(&app).await;
    let all = client.tool_names().await;
    let guide = app
        .anonymous()
        .get("/api/ai/mcp-setup.md")
        .await
        .expect(200)
        .text;
    let rows = guide
        .lines()
        .skip_while(|line| !line.starts_with("| dia de trabalho |"));
    let queries: Vec<&str> = rows
        .take_while(|line| line.starts_with('|'))
        .filter_map(|line| line.split_once("`?")?.1.split_once('`'))
        .map(|(query, _)| query)
        .collect();
    assert!(queries.len() >= 6, "{queries:?}");
    let mut shown = std::collections::BTreeSet::new();
    for query in queries {
        let tools = client.with_mcp_query(query).tool_names().await;
        if query.contains("toolsets=") {
            assert!(tools.len() <= 28, "{query}: {} tools", tools.len());
            shown.extend(tools);
        } else {
            assert!(tools.len() < all.len(), "{query}");
        }
    }
    let missing: Vec<_> = all.iter().filter(|tool| !shown.contains(*tool)).collect();
    assert!(missing.is_empty(), "in no suggestion: {missing:?}");
}

/// Returns false for the tools of views, which hosts hide from the model.
fn is_for_models(tool: &&Value) -> bool {
    tool["_meta"]["ui"]["visibility"] != json!(["app"])
}

/// Returns the bytes of the parts of a tool that every host shows to its model.
fn bytes_read(tool: &Value) -> usize {
    let read = json!({
        "name": tool["name"],
        "description": tool["description"],
        "inputSchema": tool["inputSchema"],
    });
    read.to_string().len()
}
