//! The HTTP projection: builds the router from the registry, and converts between HTTP and the
//! gateway's inputs and outputs.
//!
//! The router serves only routes of the registry; a test checks this with an empty registry. The
//! conversions depend on the forms of input and output, and on no area.
//!
//! The request id is the client's if it is plain text, otherwise a new one. `tower-http` would
//! accept any id, so the id, the log line of a request and the headers of every response are set
//! here. Every call, job and provider request has a `tracing` span: a call with the operation, the
//! interface (`door`) and the request id; a job with its name and attempt; a provider request with
//! its host and path. Log lines inside a span include these fields.

mod answer;
mod form;
mod input;
mod link;
mod log;
mod multipart;
mod origin;

use std::time::Instant;

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, Request, State, rejection::RawPathParamsRejection},
    http::{HeaderMap, HeaderName, HeaderValue, Uri, header, request::Parts},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{MethodFilter, MethodRouter, on},
};
use console::Sent;
use gateway::{
    Access, Answer, Attempt, Code, Door, Error, InputForm, Origin, OutputForm, Principal, Refused,
    Registered, Services, Spec, TraceParent, Verb, sign_in_hint,
};
use identity::browser;

pub use answer::{ErrorAnswer, to_response};
pub use input::is_json;
pub use origin::{RequestId, bearer_token, call_origin};

pub(crate) use log::note_caller;

use crate::app::App;
use form::SentForm;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Marks a request that an open page makes without a user action.
const BACKGROUND: HeaderName = HeaderName::from_static("x-pauta-background");

/// Builds the router of the whole registry. A request that matches no route also gets an error
/// object.
pub fn router(app: &App, mcp: &MethodRouter) -> Router {
    let mut router = Router::new();
    for (index, route) in app.gateway.registry.all_entries().enumerate() {
        let served = match route.spec.output {
            OutputForm::JsonRpc => mcp.clone(),
            _ => route_handler(app, index, route),
        };
        for path in std::iter::once(&route.spec.path).chain(route.spec.also_at) {
            router = router.route(path, served.clone());
        }
    }
    let issuer = app.gateway.services.identity.issuer().map(str::to_owned);
    let served = app.clone();
    let absent = move |request: Request| {
        let error = unknown_path_error(request.uri(), issuer.as_deref());
        let response = refuse_request(&served, request, error);
        async { response }
    };
    router
        .fallback(absent)
        .method_not_allowed_fallback(|| async { ErrorAnswer(Error::new(Code::METHOD_NOT_ALLOWED)) })
        .layer(middleware::from_fn_with_state(app.clone(), wrap_response))
}

/// Returns the response to a request that no operation answers: a page for browsers, otherwise an error
/// object.
fn refuse_request(app: &App, request: Request, error: Error) -> Response {
    let (parts, _) = request.into_parts();
    if !is_browser_page(&parts) {
        return ErrorAnswer(error).into_response();
    }
    let mut origin = call_origin(&parts, Door::Console);
    origin.head = origin::request_head(&parts);
    let services = &app.gateway.services;
    answer::console_error(console::answer_refusal(services, &origin, None, error))
}

/// Returns the error for an unknown path. With a hosted issuer, `/auth/v1` is not served, and the error
/// names the issuer's URL.
fn unknown_path_error(uri: &Uri, issuer: Option<&str>) -> Error {
    let error = Error::not_found("endereço");
    match issuer {
        Some(issuer) if uri.path().starts_with("/auth/v1/") => {
            error.with_detail("next", sign_in_hint(issuer).into())
        }
        _ => error,
    }
}

/// Whether a browser requests a URL outside of the interfaces for programs.
fn is_browser_page(parts: &Parts) -> bool {
    let accepted = parts.headers.get_all(header::ACCEPT).iter();
    let accepted: Vec<&str> = accepted.filter_map(|value| value.to_str().ok()).collect();
    let accepts = |media_type| accepted.iter().any(|value| value.contains(media_type));
    let path = parts.uri.path();
    let is_of_programs = ["/api/", "/auth/", "/.well-known/"]
        .iter()
        .any(|prefix| path.starts_with(prefix));
    accepts("text/html") && !accepts("application/json") && !is_of_programs
}

/// Returns the handler of one route.
fn route_handler(app: &App, index: usize, route: &Registered) -> MethodRouter {
    let (app, path) = (app.clone(), route.spec.path);
    let handler = move |params: Result<RawPathParams, RawPathParamsRejection>, request| {
        let app = app.clone();
        async move {
            let route = app.gateway.registry.all_entries().nth(index);
            let mut response = match route {
                Some(route) => serve_route(&app, route, params, request).await,
                None => ErrorAnswer(Error::not_found("endereço")).into_response(),
            };
            response.extensions_mut().insert(log::Route(path));
            response
        }
    };
    on(method_filter(route.spec.verb), handler)
}

fn method_filter(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Put => MethodFilter::PUT,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    }
}

/// Handles one request of an operation or page.
async fn serve_route(
    app: &App,
    route: &Registered,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
) -> Response {
    let spec = &route.spec;
    let (parts, body) = request.into_parts();
    let mut origin = call_origin(&parts, Door::Rest);
    if spec.is_page() {
        origin.head = origin::request_head(&parts);
    }
    if let Access::SharedSecret(secret) = spec.access {
        origin.secret = origin::single_header(&parts.headers, secret.header);
    }
    if spec.is_console() {
        let request = Received {
            params,
            parts: &parts,
            body,
        };
        return serve_console(app, route, request, origin).await;
    }
    let caller = match authenticate(app, spec, &params, &parts).await {
        Ok(caller) => caller,
        Err(refused) => {
            let attempt = Attempt::Operation(spec);
            let gateway = &app.gateway;
            let error = gateway.record_refused_credential(refused, attempt, &origin);
            return answer::error_response(error, spec);
        }
    };
    note_caller(&parts, caller.as_ref());
    let request = Received {
        params,
        parts: &parts,
        body,
    };
    let sent = SentForm::default();
    match invoke_route(app, route, caller.as_ref(), &origin, request, &sent).await {
        Ok(given) => to_response(given),
        Err(error) => answer::error_response(error, spec),
    }
}

/// Authenticates the caller of an operation, or of a page outside the console; `None` if it needs no
/// credential and has none.
async fn authenticate(
    app: &App,
    spec: &Spec,
    params: &Result<RawPathParams, RawPathParamsRejection>,
    parts: &Parts,
) -> Result<Option<Principal>, Refused> {
    let bearer = bearer_token(&parts.headers);
    let caller = match spec.access {
        Access::Public => return Ok(None),
        Access::Webhook | Access::SharedSecret(_) if bearer.is_none() => return Ok(None),
        Access::UploadLink(_) => link::authenticate(app, params, parts).await?,
        Access::Guest(_) if link::is_guest_page(spec) => {
            let cookies = origin::request_head(parts).cookie;
            link::authenticate_guest(app, params, cookies.as_deref()).await?
        }
        _ => app.gateway.authenticate(bearer, Door::Rest).await?,
    };
    Ok(Some(caller))
}

/// A request whose body has not been read yet.
struct Received<'r> {
    params: Result<RawPathParams, RawPathParamsRejection>,
    parts: &'r Parts,
    body: Body,
}

/// Reads the input and runs the operation or page. `sent` receives the text of a submitted form.
async fn invoke_route(
    app: &App,
    route: &Registered,
    caller: Option<&Principal>,
    origin: &Origin,
    request: Received<'_>,
    sent: &SentForm,
) -> Result<Answer, Error> {
    let gateway = &app.gateway;
    let Received {
        params,
        parts,
        body,
    } = request;
    match route.spec.input {
        InputForm::Multipart(file) => {
            let blobs = &gateway.services.blobs;
            let input = multipart::merge_multipart(route, file, params, parts, body, blobs);
            gateway.invoke(route, caller, origin, input).await
        }
        InputForm::File(file) => {
            let blobs = gateway.services.blobs.clone();
            let input = link::receive(route, file, params, parts, body, blobs);
            gateway.invoke(route, caller, origin, input).await
        }
        InputForm::Json
        | InputForm::UrlEncoded
        | InputForm::Ignored
        | InputForm::Fields
        | InputForm::Signed(_) => {
            let mut held = None;
            let input = input::merge_input(app, route, params, parts, body, &mut held, sent);
            gateway.invoke(route, caller, origin, input).await
        }
    }
}

/// Handles a request to the web console. The caller is the member whose session is in the cookie.
/// Forms are accepted from pages of this service only.
async fn serve_console(
    app: &App,
    route: &Registered,
    request: Received<'_>,
    mut origin: Origin,
) -> Response {
    let (spec, services) = (&route.spec, &app.gateway.services);
    let headers = &request.parts.headers;
    origin.door = Door::Console;
    let refused = |caller: Option<&Principal>, error: Error| {
        answer::console_error(console::answer_refusal(services, &origin, caller, error))
    };
    if spec.has_body() && !browser::is_same_origin(services, &origin.head) {
        return refused(None, Error::new(console::CROSS_SITE_FORM));
    }
    let cookies = origin.head.cookie.as_deref();
    let mut guest = None;
    let signed_in = match spec.access {
        Access::Guest(_) => match link::authenticate_guest(app, &request.params, cookies).await {
            Ok(caller) => {
                guest = Some(caller);
                None
            }
            Err(unknown) => {
                let attempt = Attempt::Operation(spec);
                let gateway = &app.gateway;
                let error = gateway.record_refused_credential(unknown, attempt, &origin);
                return answer::console_error(console::answer_guest_refusal(services, &error));
            }
        },
        Access::Browser => match browser::authenticate(services, cookies).await {
            Ok(signed_in) => Some(signed_in),
            Err(unknown) => {
                let error = app.gateway.record_refused_credential(
                    unknown,
                    Attempt::Operation(spec),
                    &origin,
                );
                // The form of an unauthenticated request is neither parsed nor shown again.
                let was_signed_in = browser::was_signed_in(services, cookies);
                let sent = match spec.has_body() {
                    true if was_signed_in => Some(
                        form::read_without_session(&app.intake, headers, request.body)
                            .await
                            .into_sent(),
                    ),
                    true => Some(Sent::Unkept),
                    false => None,
                };
                return answer::console_error(missing_session_response(
                    services,
                    origin,
                    error,
                    sent,
                    was_signed_in,
                ));
            }
        },
        _ => None,
    };
    let member = signed_in.as_ref().map(|signed_in| &signed_in.caller);
    let caller = member.or(guest.as_ref());
    note_caller(request.parts, caller);
    let is_background = headers.contains_key(BACKGROUND);
    let is_away = |given: &Answer| given.status == 503 && !origin.head.partial;
    let away = |sent: SentForm, error: &Error| {
        let sent = spec.has_body().then(|| sent.into_sent());
        answer::console_error(console::answer_outage(services, &origin, error, sent))
    };
    let sent = SentForm::default();
    let mut response = match invoke_route(app, route, caller, &origin, request, &sent).await {
        Ok(given) if is_away(&given) => {
            away(sent, &Error::new(Code::UNAVAILABLE).with_retry_after(1))
        }
        Err(error) if error.code == Code::UNAVAILABLE => away(sent, &error),
        Ok(given) => to_response(answer::compress_page(given, &origin.head)),
        Err(error) if guest.is_some() => {
            answer::console_error(console::answer_guest_refusal(services, &error))
        }
        Err(error) => refused(caller, error),
    };
    if let Some(cookie) = signed_in.and_then(|signed_in| signed_in.renewed)
        && !response.headers().contains_key(header::SET_COOKIE)
        // Event streams and background refreshes do not renew the session, because no user acts.
        && spec.output != OutputForm::EventStream
        && !is_background
        && let Ok(value) = HeaderValue::from_str(&cookie)
    {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

/// Returns the response to a request without a valid session. If the browser had a session before, the
/// response shows the submitted form again.
fn missing_session_response(
    services: &Services,
    mut origin: Origin,
    error: Error,
    sent: Option<Sent>,
    was_signed_in: bool,
) -> console::Refused {
    match sent {
        sent if error.code == Code::UNAVAILABLE => {
            console::answer_outage(services, &origin, &error, sent)
        }
        Some(sent)
            if error.status() == 401
                && !origin.head.partial
                && was_signed_in
                && !sent.is_empty() =>
        {
            console::answer_expired_session(services, &origin, &sent)
        }
        sent => {
            if sent.is_some() {
                // After sign-in, the start page is opened: the URL of a form is not a page.
                origin.head.address = "/".into();
            }
            console::answer_refusal(services, &origin, None, error)
        }
    }
}

/// Builds the error response for a request that no route answers, such as one with an invalid
/// `Host`. Sets the common headers.
pub fn unrouted_error_response(error: Error, asked: &HeaderMap) -> Response {
    let mut response = ErrorAnswer(error).into_response();
    set_common_headers(response.headers_mut(), &RequestId::from_headers(asked));
    response
}

fn set_common_headers(headers: &mut HeaderMap, id: &RequestId) {
    if let Ok(value) = HeaderValue::from_str(&id.0) {
        headers.insert(REQUEST_ID, value);
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
}

/// The paths that balancers and monitors request. They are outside of the quotas, because a
/// balancer sends all of them from one address.
const PROBES: [&str; 2] = ["/api/health", "/readyz"];

/// Middleware for every request: admits the request within the quota of its network, adds the common
/// headers to the response (request id, no caching, no sniffing) and writes the log line.
async fn wrap_response(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let address = origin::client_address(&request, &app.trusted_proxies);
    if let Some(address) = address {
        request.extensions_mut().insert(address);
    }
    let id = RequestId::from_headers(request.headers());
    // Requests are logged only with `RUST_LOG=pauta=debug`.
    let line = tracing::enabled!(tracing::Level::DEBUG).then(|| {
        let path = request.uri().path().to_owned();
        (
            request.method().clone(),
            path,
            origin::trace_parent(request.headers()),
            log::Caller::add_to(request.extensions_mut()),
        )
    });
    request.extensions_mut().insert(id.clone());
    let begun = Instant::now();
    let admitted = match address {
        Some(address) if !PROBES.contains(&request.uri().path()) => {
            let gateway = &app.gateway;
            gateway
                .services
                .quotas
                .admit_request(address.0, gateway.now())
        }
        _ => Ok(()),
    };
    let mut response = match admitted {
        Ok(()) => next.run(request).await,
        Err(over_quota) => refuse_request(&app, request, over_quota),
    };
    set_common_headers(response.headers_mut(), &id);
    if let Some((method, path, trace, caller)) = line {
        let elapsed_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let status = response.status().as_u16();
        let path = log::loggable_path(&path, response.extensions().get());
        let address = address.map(|address| tracing::field::display(address.0));
        tracing::debug!(
            request_id = &*id.0,
            trace_id = trace.as_ref().map(TraceParent::trace_id),
            member = caller.member(),
            agent = caller.agent(),
            address,
            %method,
            path,
            status,
            elapsed_us,
            "pedido"
        );
    }
    response
}
