//! Writes the answers to directly dispatched requests as JSON text.
//!
//! The gateway's JSON is written into the response once as a string (`gateway::quote`) and once as
//! structured content, and is never parsed.

use std::sync::LazyLock;

use gateway::{Error, Registry, quote};
use rmcp::model::{InputRequiredResult, ListToolsResult, RequestId};
use serde::Serialize;

use super::{
    caller::Caller,
    offered::Offered,
    results::{Called, failure, server},
};

static SERVER: LazyLock<String> =
    LazyLock::new(|| serde_json::to_string(&server()).expect("text is serialisable"));

/// The response with the result of a tool, as text and as structured content.
pub(super) fn called(id: &RequestId, caller: &Caller<'_>, called: &Called) -> Vec<u8> {
    let Called { body, shown } = called;
    // The text copy escapes quotes, which adds about an eighth.
    let mut out = Vec::with_capacity(body.len() * 9 / 4 + 512);
    begin(&mut out, id);
    out.push(b'{');
    if caller.is_modern {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":[{"type":"text","text":"#);
    quote(body, &mut out);
    out.push(b'}');
    for block in shown {
        out.push(b',');
        write(&mut out, block);
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

/// The response with a refusal by the tool.
pub(super) fn refused(id: &RequestId, caller: &Caller<'_>, error: &Error) -> Vec<u8> {
    let mut result = failure(error);
    if caller.is_modern {
        result.meta = Some(server());
    } else {
        result.result_type = None;
    }
    let mut out = vec![];
    begin(&mut out, id);
    write(&mut out, &result);
    out.push(b'}');
    out
}

/// The response that asks the user for something first.
pub(super) fn asked(id: &RequestId, asked: &InputRequiredResult) -> Vec<u8> {
    let mut out = vec![];
    begin(&mut out, id);
    write(&mut out, asked);
    out.push(b'}');
    out
}

/// The response with the tools that the caller sees.
pub(super) fn listed(
    id: &RequestId,
    caller: &Caller<'_>,
    offered: &Offered,
    registry: &Registry,
) -> Vec<u8> {
    let mut list = ListToolsResult::with_all_items(vec![]);
    caller.hold(&mut list.ttl_ms, &mut list.cache_scope);
    if !caller.is_modern {
        list.result_type = None;
    }
    let mut out = vec![];
    begin(&mut out, id);
    write(&mut out, &list);
    // The list is the last field of the result.
    let end = b"]}";
    debug_assert!(out.ends_with(end));
    out.truncate(out.len() - end.len());
    let shown = offered.of(registry).filter(|(_, o)| caller.sees(o));
    for (number, (tool, operation)) in shown.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(tool.listed(operation).as_bytes());
    }
    out.extend_from_slice(end);
    out.push(b'}');
    out
}

/// Everything before the result.
fn begin(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    write(out, id);
    out.extend_from_slice(br#","result":"#);
}

fn write(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("text is written to memory");
}
