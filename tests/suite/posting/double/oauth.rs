//! The OAuth calls of the double.

use std::collections::BTreeMap;

use axum::body::Body;
use hyper::{Response, http::request::Parts};
use serde_json::json;

use super::{CLIENT, World, error_response, ok_response};

const LIFETIME: i64 = 5_183_944;

impl World {
    /// Exchanges a code, which is the id of an account, and renews and describes tokens.
    pub(super) fn handle_oauth(
        &mut self,
        parts: &Parts,
        path: &str,
        body: &[u8],
    ) -> Response<Body> {
        let query = parts.uri.query().unwrap_or_default();
        let fields: BTreeMap<String, String> = match path {
            "/oauth/access_token" => form_urlencoded::parse(body).into_owned().collect(),
            _ => form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        };
        let field = |name: &str| fields.get(name).map_or("", String::as_str);
        let refused = || error_response(400, 190, 0, false);
        if path == "/oauth/access_token" {
            let right = [field("client_id"), field("client_secret")] == CLIENT;
            if !right || !field("code").starts_with("1784") {
                return error_response(400, 101, 0, false);
            }
            let token = self.issue_token(field("code"));
            return ok_response(&json!({
                "access_token": token, "user_id": field("code"),
                "permissions": "instagram_business_basic,instagram_business_content_publish",
            }));
        }
        let Some(account) = self.account_of(field("access_token")) else {
            return refused();
        };
        if path == "/me" {
            return ok_response(&json!({ "user_id": account, "username": "cozinha", "id": "9" }));
        }
        let token = self.issue_token(&account);
        ok_response(&json!({
            "access_token": token, "token_type": "bearer", "expires_in": LIFETIME,
        }))
    }

    fn issue_token(&mut self, account: &str) -> String {
        let token = format!("IGAA{:032}", self.tokens.len() + 1);
        let until = self.now() + LIFETIME * 1_000;
        self.tokens
            .insert(token.clone(), (account.to_owned(), until));
        token
    }

    pub(super) fn account_of(&self, token: &str) -> Option<String> {
        let found = self.tokens.get(token);
        let found = found.filter(|(_, until)| *until > self.now());
        found.map(|(account, _)| account.clone())
    }
}
