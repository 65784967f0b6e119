//! The line of a request in the log: its path without secrets, and its caller.

use std::sync::{Arc, OnceLock};

use axum::http::{Extensions, request::Parts};
use domain::is_id;
use gateway::Principal;

/// The caller of a request, which is known only after the authentication. It is an extension of
/// requests that are logged.
#[derive(Clone, Default)]
pub(super) struct Caller(Arc<OnceLock<Ids>>);

struct Ids {
    member: String,
    agent: Option<String>,
}

impl Caller {
    pub fn add_to(extensions: &mut Extensions) -> Self {
        let caller = Self::default();
        extensions.insert(caller.clone());
        caller
    }

    pub fn member(&self) -> Option<&str> {
        Some(&self.0.get()?.member)
    }

    pub fn agent(&self) -> Option<&str> {
        self.0.get()?.agent.as_deref()
    }
}

/// Stores the caller of a request for its line in the log.
pub(crate) fn note_caller(parts: &Parts, caller: Option<&Principal>) {
    if let Some(caller) = caller
        && let Some(noted) = parts.extensions.get::<Caller>()
    {
        let _ = noted.0.set(Ids {
            member: caller.member.id.as_str().to_owned(),
            agent: caller.agent_id().map(|id| id.as_str().to_owned()),
        });
    }
}

/// The matched route pattern.
#[derive(Clone, Copy)]
pub(super) struct Route(pub &'static str);

/// Returns the path for the log: the route with its ids filled in. Other placeholders stay unfilled,
/// because a caller can send anything there, even a credential.
pub(super) fn loggable_path(path: &str, route: Option<&Route>) -> String {
    let parts = path.split('/').take(8);
    let shown: Vec<&str> = match route {
        Some(Route(route)) => route.split('/').zip(parts).map(fill_id).collect(),
        None => parts
            .map(|part| if is_loggable(part) { part } else { "*" })
            .collect(),
    };
    shown.join("/")
}

fn fill_id<'a>((name, given): (&'a str, &'a str)) -> &'a str {
    if name.starts_with('{') && is_id(given) {
        given
    } else {
        name
    }
}

fn is_loggable(part: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    is_id(part) || (part.len() <= 32 && part.bytes().all(plain))
}
