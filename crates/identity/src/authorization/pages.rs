//! The HTML pages, which have no scripts.

use std::sync::LazyLock;

use minijinja::{
    AutoEscape, Environment,
    value::{Serde, Value},
};
use serde::Serialize;

use domain::{Error, sha256_base64url};
use gateway::{Content, Reply, Result};

const STYLE: &str = include_str!("pages/style.css");

static PAGES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut pages = Environment::new();
    pages.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, text) in [
        ("frame", include_str!("pages/frame.html")),
        ("sign_in", include_str!("pages/sign_in.html")),
        ("password", include_str!("pages/password.html")),
        ("consent", include_str!("pages/consent.html")),
        ("refused", include_str!("pages/refused.html")),
    ] {
        pages
            .add_template(name, text)
            .unwrap_or_else(|error| panic!("{error:#}"));
    }
    pages.add_global("style", STYLE);
    pages
});

/// Returns the content security policy of a page. `targets` are the destinations of its forms.
fn content_security_policy(targets: &str) -> String {
    static HASH: LazyLock<String> = LazyLock::new(|| {
        let digest = sha256_base64url(STYLE.as_bytes());
        digest.replace('-', "+").replace('_', "/") + "="
    });
    format!(
        "default-src 'none'; style-src 'sha256-{}'; form-action {targets}; base-uri 'none'; \
         frame-ancestors 'none'",
        *HASH
    )
}

/// Renders a page. Its forms may be submitted to this service and then be redirected to `target`.
pub(super) fn render_template(
    name: &str,
    shown: impl Serialize,
    target: Option<&str>,
) -> Result<Reply> {
    let rendered = PAGES
        .get_template(name)
        .and_then(|page| page.render(Value::from(Serde(shown))));
    let text = rendered.map_err(Error::internal)?;
    let targets = match target {
        Some(target) => format!("'self' {target}"),
        None => "'self'".into(),
    };
    Ok(Reply::new(Content::Text(text.into()))
        .with_header("content-security-policy", content_security_policy(&targets))
        // With this referrer policy, browsers send the `Origin` of forms on these pages.
        .with_header("referrer-policy", "same-origin"))
}

/// Renders the error page.
pub(super) fn render_error(error: &Error) -> Result<Reply> {
    render_error_with_link(error, None)
}

/// Renders the error page with a link to the client: the name of its host, and the URL.
pub(super) fn render_error_with_link(error: &Error, client: Option<(&str, &str)>) -> Result<Reply> {
    #[derive(Serialize)]
    struct Refused<'a> {
        message: &'a str,
        client: Option<(&'a str, &'a str)>,
    }
    if let Some(source) = std::error::Error::source(error) {
        tracing::info!(code = error.code.as_str(), %source, "uma autorização foi recusada");
    }
    let message = error.message();
    let reply = render_template("refused", Refused { message, client }, None)?;
    Ok(with_error_status(reply, error))
}

/// Sets the status of an error on a page.
pub(super) fn with_error_status(reply: Reply, error: &Error) -> Reply {
    let reply = reply.with_status(error.status());
    match error.retry_after_seconds() {
        Some(seconds) => reply.with_header("retry-after", seconds.to_string()),
        None => reply,
    }
}

/// Returns the text of an error, for display in a form.
pub(super) fn problem_text(error: &Error) -> String {
    match error.retry_after_seconds() {
        Some(seconds) => format!("Tentativas demais. Espere {seconds} segundos e tente de novo."),
        None => error.message().to_owned(),
    }
}
