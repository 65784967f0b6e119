//! Answers the requests that are handled without the protocol library (`direct.rs`).

use std::sync::Arc;

use axum::{http::request::Parts, response::Response};
use gateway::{Principal, Progress};

use super::{
    answers,
    call::{Outcome, answer_call},
    caller::Caller,
    challenge,
    direct::{Asked, Direct},
    extensions::MessageSize,
    narrowing::Narrowing,
    offered::Offered,
    progress::{self, Reply},
};
use crate::{app::App, intake::Given};

/// A request with everything that its response needs. It outlives the handler of the connection if
/// the response is an event stream.
pub(super) struct DirectRequest {
    pub(super) app: App,
    pub(super) offered: Arc<Offered>,
    pub(super) parts: Parts,
    pub(super) principal: Principal,
    pub(super) narrowing: Narrowing,
    pub(super) direct: Direct,
    pub(super) size: MessageSize,
}

impl DirectRequest {
    pub(super) async fn respond(self, arguments: Option<Given>) -> Response {
        match progress::expected_token(&self.parts, &self.direct.meta) {
            None => {
                let reply = self.answer(arguments, Progress::default()).await;
                reply.into_response()
            }
            Some(token) => {
                let (progress, listener) = Progress::with_listener();
                let work = Box::pin(self.answer(arguments, progress));
                progress::respond_with_steps(work, listener, token).await
            }
        }
    }

    async fn answer(self, arguments: Option<Given>, progress: Progress) -> Reply {
        let Self {
            app,
            offered,
            parts,
            principal,
            narrowing,
            direct:
                Direct {
                    id,
                    asked,
                    meta,
                    is_modern,
                },
            size,
        } = self;
        let registry = &app.gateway.registry;
        let caller = Caller {
            app: &app,
            principal: &principal,
            parts: &parts,
            narrowing: &narrowing,
            meta: &meta,
            is_modern,
            progress,
        };
        let found = match &asked {
            Asked::List => None,
            Asked::Call(name) => offered.find_tool(registry, name),
        };
        let Some(tool) = found else {
            let message = answers::tool_list(&id, &caller, &offered, registry);
            return Reply {
                message,
                refusal: None,
            };
        };
        let mut refusal = None;
        let message = match answer_call(&caller, tool, arguments, size, None).await {
            Outcome::Called(called) => answers::tool_result(&id, &caller, &called),
            Outcome::Started(task) => answers::other_result(&id, &task),
            Outcome::InputRequired(asked) => answers::other_result(&id, &asked),
            Outcome::Failed(error) => {
                let url = &app.gateway.services.public_url;
                let message_id = serde_json::to_value(&id).unwrap_or_default();
                let request = (&parts, &message_id, url.as_str());
                refusal = challenge::insufficient_scope_for_input(&principal, &error, request);
                answers::tool_error(&id, &caller, &error)
            }
        };
        Reply { message, refusal }
    }
}
