//! Requests whose path contains the credential: uploads to a signed link, whose body is one file, and
//! the pages of a guest link.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::request::Parts,
};
use futures::StreamExt;
use gateway::{
    Access, CallInput, Code, Error, FileField, FileReceiver, Principal, Refused, Registered,
    Result, Spec, coerce,
};
use identity::{
    browser,
    guest_link::{GUEST_COOKIE, guest_path},
};
use ports::BlobStore;

use super::{
    input::{insert_field, read_path_and_query},
    origin::single_header,
};
use crate::app::App;

/// The maximum pause between two chunks of an upload.
const PAUSE: Duration = Duration::from_secs(30);
/// Each header with the input field that it sets. The header is ignored if the operation does not have
/// that field.
const HEADERS: [(&str, &str); 2] = [
    ("upload-offset", "upload_offset"),
    ("tus-resumable", "tus_resumable"),
];

/// Authenticates the caller by the path and query of the link.
pub(super) async fn authenticate(
    app: &App,
    params: &Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
) -> Result<Principal, Refused> {
    let id = find_param(params, "uploadId");
    let query = parts.uri.query().unwrap_or_default();
    let mut query = form_urlencoded::parse(query.as_bytes());
    let signature = query.find(|(name, _)| name == "sig");
    let signature = signature.map(|(_, value)| value).unwrap_or_default();
    let gateway = &app.gateway;
    let authenticator = &gateway.authenticator;
    authenticator
        .authenticate_upload(&gateway.services, id, &signature)
        .await
}

/// The parameter of the path with the secret of a guest's link.
const GUEST_LINK: &str = "link";

/// True if the route is a page of a guest's link, and not an operation that takes the secret as a
/// bearer token.
pub(super) fn is_guest_page(spec: &Spec) -> bool {
    matches!(spec.access, Access::Guest(_)) && spec.placeholders().any(|name| name == GUEST_LINK)
}

/// Authenticates a guest by the path of a page and its cookies.
pub(super) async fn authenticate_guest(
    app: &App,
    params: &Result<RawPathParams, RawPathParamsRejection>,
    cookies: Option<&str>,
) -> Result<Principal, Refused> {
    let gateway = &app.gateway;
    let secret = find_param(params, GUEST_LINK);
    let path = guest_path(secret);
    let proof = browser::find_cookie(&gateway.services, cookies, GUEST_COOKIE, &path);
    let authenticator = &gateway.authenticator;
    authenticator
        .authenticate_guest(&gateway.services, secret, proof)
        .await
}

/// Returns a parameter of the path; an empty text if the parameter is missing.
fn find_param<'p>(
    params: &'p Result<RawPathParams, RawPathParamsRejection>,
    wanted: &str,
) -> &'p str {
    let mut params = params.iter().flatten();
    let found = params.find(|(name, _)| *name == wanted);
    found.map_or("", |(_, value)| value)
}

/// Reads the input from the path, the query and the headers, and the body as one file.
pub(super) async fn receive(
    operation: &Registered,
    file_field: FileField,
    params: Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
    body: Body,
    blobs: Arc<dyn BlobStore>,
) -> Result<CallInput> {
    let mut fields = read_path_and_query(operation, params, parts)?;
    let schema = operation.input_schema();
    for (header, field) in HEADERS {
        if schema
            .get("properties")
            .is_some_and(|known| known.get(field).is_some())
            && let Some(text) = single_header(&parts.headers, header)
        {
            insert_field(&mut fields, field, coerce(schema, field, text))?;
        }
    }
    let mut receiver = FileReceiver::new(file_field, String::new(), blobs);
    let mut chunks = body.into_data_stream();
    loop {
        let next = tokio::time::timeout(PAUSE, chunks.next()).await;
        match next.map_err(|_| Error::new(Code::REQUEST_TIMEOUT))? {
            None => break,
            Some(chunk) => {
                let incomplete =
                    |_| Error::invalid_field(file_field.name, "file", "não chegou inteiro");
                receiver.push(&chunk.map_err(incomplete)?).await?;
            }
        }
    }
    Ok(CallInput::Upload {
        fields,
        file: Some(receiver.finish().await?),
    })
}
