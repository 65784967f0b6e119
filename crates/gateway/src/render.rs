//! Renders the reply of a page as a response, and evaluates the client's conditional headers.
//!
//! Conditional requests, ranges and encodings are handled here for every page. The crates `headers`
//! and `http-range-header` were evaluated and not used: both reject a suffix range that is longer
//! than the content. RFC 9110, section 14.1.2, requires the whole content in this case.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use serde_json::Value;
use sync_wrapper::SyncWrapper;

use super::{
    Answer, Body, Code, Content, Context, Document, Encoding, Error, Headers, Outgoing, Page,
    Rendered, Reply, RequestHead, Result, Services, offload, request_head::Wanted,
};

/// The `Retry-After` of the response while the storage is empty, in seconds.
const RETRY: u64 = 5;

/// Renders a reply as a response.
async fn render_reply(reply: Reply, ctx: &Context<'_>) -> Result<Answer> {
    let head = &ctx.origin.head;
    let media_type = ctx.spec.output.media_type();
    let (status, headers, content) = match reply.content {
        Content::Text(_) if is_known(reply.etag.as_ref(), head) => {
            (304, vec![], Outgoing::Whole(Bytes::new()))
        }
        Content::Text(text) => {
            let kind = vec![(
                "content-type",
                format!("{media_type}; charset=utf-8").into(),
            )];
            (reply.status, kind, Outgoing::Whole(into_bytes(text)))
        }
        Content::Redirect(to) => {
            let to = vec![("location", to.into())];
            (reply.status, to, Outgoing::Whole(Bytes::new()))
        }
        Content::Stream(stream) => {
            let kind = vec![("content-type", media_type.into())];
            let stream = Outgoing::Stream(SyncWrapper::new(stream));
            (reply.status, kind, stream)
        }
        Content::Document(document) => render_document(document, head).await?,
        Content::Blob {
            path,
            sha256,
            length,
            media_type,
        } => render_blob(ctx, &path, &sha256, length, media_type).await?,
    };
    let etag = reply.etag.map(|etag| ("etag", etag.into()));
    let headers = headers.into_iter().chain(etag).chain(reply.headers);
    let headers = headers.collect();
    Ok(Answer::new(
        status,
        Body::Page(Rendered { headers, content }),
    ))
}

/// True if the client already has the text with this `ETag`.
fn is_known(etag: Option<&String>, head: &RequestHead) -> bool {
    etag.is_some_and(|etag| head.has_any_etag(std::slice::from_ref(etag)))
}

/// Runs a page. The table entry of the page points to this function.
pub(super) async fn run_page<P: Page>(input: Value, ctx: &Context<'_>) -> Result<Answer> {
    let page: P = serde_json::from_value(input).map_err(|_| {
        Error::invalid_field("entrada", "type", "não pôde ser lida como esta página")
    })?;
    render_reply(page.run(ctx).await?, ctx).await
}

fn into_bytes(text: Cow<'static, str>) -> Bytes {
    match text {
        Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
        Cow::Owned(text) => text.into(),
    }
}

/// Returns the `ETag` of a document. Each encoding has its own.
fn document_etag(document: &dyn Document, encoding: Encoding) -> String {
    let suffix = match encoding {
        Encoding::Identity => "",
        Encoding::Gzip => "-gzip",
        Encoding::Brotli => "-br",
    };
    format!("\"{}{suffix}\"", &document.sha256()[..32])
}

async fn render_document(
    document: Arc<dyn Document>,
    head: &RequestHead,
) -> Result<(u16, Headers, Outgoing)> {
    let media_type = document.media_type();
    let encoding = head.choose_encoding(media_type);
    let all = [Encoding::Identity, Encoding::Gzip, Encoding::Brotli];
    let mut headers: Headers = vec![
        ("cache-control", "public, max-age=300".into()),
        ("vary", "accept-encoding".into()),
        ("etag", document_etag(&*document, encoding).into()),
    ];
    if head.has_any_etag(&all.map(|encoding| document_etag(&*document, encoding))) {
        return Ok((304, headers, Outgoing::Whole(Bytes::new())));
    }
    headers.push((
        "content-type",
        if media_type.starts_with("text/") {
            format!("{media_type}; charset=utf-8").into()
        } else {
            media_type.into()
        },
    ));
    match encoding {
        Encoding::Identity => {}
        Encoding::Gzip => headers.push(("content-encoding", "gzip".into())),
        Encoding::Brotli => headers.push(("content-encoding", "br".into())),
    }
    let bytes = if document.is_ready(encoding) {
        document.encoded_content(encoding)
    } else {
        offload(move || document.encoded_content(encoding)).await?
    };
    Ok((200, headers, Outgoing::Whole(bytes)))
}

async fn render_blob(
    ctx: &Context<'_>,
    path: &str,
    sha256: &str,
    length: u64,
    media_type: String,
) -> Result<(u16, Headers, Outgoing)> {
    let head = &ctx.origin.head;
    let etag = format!("\"{sha256}\"");
    let mut headers: Headers = vec![
        ("etag", etag.clone().into()),
        ("accept-ranges", "bytes".into()),
    ];
    let nothing = Outgoing::Whole(Bytes::new());
    if head.has_any_etag(std::slice::from_ref(&etag)) {
        return Ok((304, headers, nothing));
    }
    let (status, from, to) = match head.requested_range(&etag, length) {
        Wanted::Whole => (200, 0, length),
        Wanted::Part(from, to) => {
            let part = format!("bytes {from}-{}/{length}", to - 1);
            headers.push(("content-range", part.into()));
            (206, from, to)
        }
        Wanted::Unsatisfiable => {
            headers.push(("content-range", format!("bytes */{length}").into()));
            return Ok((416, headers, nothing));
        }
    };
    let stream = ctx.services.blobs.read_range(path, from..to).await?;
    let Some(stream) = stream else {
        return Err(empty_storage_error(ctx.services)
            .await?
            .unwrap_or_else(|| Error::not_found("arquivo")));
    };
    headers.push(("content-length", (to - from).to_string().into()));
    headers.push(("content-type", media_type.into()));
    Ok((status, headers, Outgoing::Stream(SyncWrapper::new(stream))))
}

/// Creates the error (503) for a missing file if the storage is an empty folder, for example
/// because its disk is not mounted. `None` if the storage has content, because then only this file
/// is missing.
pub async fn empty_storage_error(services: &Services) -> Result<Option<Error>> {
    let is_empty = services.blobs.is_empty().await?;
    Ok(is_empty.then(|| Error::new(Code::STORAGE_UNAVAILABLE).with_retry_after(RETRY)))
}
