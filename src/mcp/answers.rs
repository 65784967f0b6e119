//! Writes the JSON-RPC responses to directly dispatched requests.
//!
//! The gateway's JSON output is copied into the response twice, as an escaped string
//! (`gateway::quote`) and as structured content, and is never parsed.

use std::sync::LazyLock;

use gateway::{Error, Registry, append_quoted};
use rmcp::model::{ListToolsResult, RequestId};
use serde::Serialize;

use super::{
    caller::Caller,
    offered::Offered,
    results::{Called, server_meta, to_error_result},
};

static SERVER: LazyLock<String> =
    LazyLock::new(|| serde_json::to_string(&server_meta()).expect("text is serialisable"));

/// Returns the response with a tool result, as text and as structured content.
pub(super) fn tool_result(id: &RequestId, caller: &Caller<'_>, called: &Called) -> Vec<u8> {
    let Called { body, shown } = called;
    // Escaping the quotes makes the text copy about an eighth longer.
    let mut out = Vec::with_capacity(body.len() * 9 / 4 + 512);
    write_head(&mut out, id);
    out.push(b'{');
    if caller.is_modern {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":[{"type":"text","text":"#);
    append_quoted(body, &mut out);
    out.push(b'}');
    for block in shown {
        out.push(b',');
        write_json(&mut out, block);
    }
    out.extend_from_slice(br#"],"structuredContent":"#);
    out.extend_from_slice(body.as_bytes());
    out.extend_from_slice(br#","isError":false"#);
    if caller.is_modern {
        out.extend_from_slice(br#","_meta":"#);
        out.extend_from_slice(SERVER.as_bytes());
    }
    out.extend_from_slice(b"}}");
    out
}

/// Returns the response for a failed tool call.
pub(super) fn tool_error(id: &RequestId, caller: &Caller<'_>, error: &Error) -> Vec<u8> {
    let mut result = to_error_result(error, caller.request_id());
    if caller.is_modern {
        result.meta = Some(server_meta());
    } else {
        result.result_type = None;
    }
    let mut out = vec![];
    write_head(&mut out, id);
    write_json(&mut out, &result);
    out.push(b'}');
    out
}

/// Returns the response with a result that replaces the tool's result: a task, or a request for input.
pub(super) fn other_result(id: &RequestId, result: &impl Serialize) -> Vec<u8> {
    let mut out = vec![];
    write_head(&mut out, id);
    write_json(&mut out, result);
    out.push(b'}');
    out
}

/// Returns the response with the tools that are visible to the caller.
pub(super) fn tool_list(
    id: &RequestId,
    caller: &Caller<'_>,
    offered: &Offered,
    registry: &Registry,
) -> Vec<u8> {
    let mut list = ListToolsResult::with_all_items(vec![]);
    caller.set_cache(&mut list.ttl_ms, &mut list.cache_scope);
    if !caller.is_modern {
        list.result_type = None;
    }
    let mut out = vec![];
    write_head(&mut out, id);
    write_json(&mut out, &list);
    // The list is the last field of the result, so the tools are inserted before its end.
    let end = b"]}";
    debug_assert!(out.ends_with(end));
    out.truncate(out.len() - end.len());
    let shown = offered
        .iter_tools(registry)
        .filter(|(_, o)| caller.can_see(o));
    for (number, (tool, operation)) in shown.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(tool.list_entry(operation).as_bytes());
    }
    out.extend_from_slice(end);
    out.push(b'}');
    out
}

/// Writes the response up to the start of the result.
fn write_head(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write_json(out, id);
    out.extend_from_slice(br#","result":"#);
}

fn write_json(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("text is written to memory");
}
