//! The fields of a form, kept for the page that says that the database is away.

use axum::{
    body::{Body, Bytes, HttpBody, to_bytes},
    http::{header, request::Parts},
};
use console::Sent;
use gateway::Spec;

/// The longest form that is kept, in bytes.
const LONGEST: usize = 1_000_000;
const FORM: &[u8] = b"application/x-www-form-urlencoded";

/// The form in a request, and its body as it came. `None` for a request without a body.
///
/// The body is read only where its length is told and small.
pub(super) async fn keep(spec: &Spec, parts: &Parts, body: Body) -> (Option<Kept>, Body) {
    if !spec.has_body() {
        return (None, body);
    }
    let form = parts.headers.get(header::CONTENT_TYPE);
    let is_form = form.is_some_and(|form| form.as_bytes().starts_with(FORM));
    let most = LONGEST.min(spec.body_limit);
    let length = body.size_hint().upper();
    let fits =
        length.is_some_and(|length| usize::try_from(length).is_ok_and(|length| length <= most));
    if !is_form || !fits {
        return (Some(Kept(None)), body);
    }
    match to_bytes(body, most).await {
        Ok(bytes) => (Some(Kept(Some(bytes.clone()))), Body::from(bytes)),
        // Whoever reads the body is told.
        Err(error) => {
            let failed = futures::stream::once(async move { Err::<Bytes, _>(error) });
            (Some(Kept(None)), Body::from_stream(failed))
        }
    }
}

/// A form that was kept, unparsed.
pub(super) struct Kept(Option<Bytes>);

impl From<Kept> for Sent {
    fn from(Kept(bytes): Kept) -> Self {
        match bytes {
            Some(bytes) => Self::Fields(form_urlencoded::parse(&bytes).into_owned().collect()),
            None => Self::Unkept,
        }
    }
}
