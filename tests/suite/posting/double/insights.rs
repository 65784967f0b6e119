//! The insights of posts in the double, built after the documentation and after failures of the real
//! API.

use axum::body::Body;
use domain::time::DAY;
use hyper::{Response, http::request::Parts};
use serde_json::{Value, json};

use super::{World, error_response, error_with_message, ok_response};

/// The insights that the double returns for every post.
pub struct Insights {
    /// The figures that the double returns. The response omits all others.
    pub figures: Vec<(&'static str, Value)>,
    /// The metrics that the posts do not have. A request for them is refused.
    pub unsupported: Vec<&'static str>,
    pub wording: Wording,
    /// True if the account has not granted the permission to read insights.
    pub forbidden: bool,
    /// True if fewer than five accounts have seen the post; the API then refuses to return its insights.
    pub few_viewers: bool,
    /// The `metric` parameter of each request.
    pub asked: Vec<String>,
}

/// How the error message of a refusal states which metrics the post does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// The message names the first metric that the post does not have.
    NamesFirst,
    /// The message lists the metrics that the post has.
    ListsValid,
    /// The message names all metrics of the request.
    NamesAll,
}

impl Default for Insights {
    fn default() -> Self {
        Self {
            figures: ["reach", "views", "likes", "comments", "shares", "saved"]
                .iter()
                .zip(10..)
                .map(|(name, value)| (*name, json!(value)))
                .collect(),
            unsupported: vec![],
            wording: Wording::NamesFirst,
            forbidden: false,
            few_viewers: false,
            asked: vec![],
        }
    }
}

impl World {
    pub(super) fn handle_insights(
        &mut self,
        account: &str,
        parts: &Parts,
        path: &str,
    ) -> Response<Body> {
        let query = parts.uri.query().unwrap_or_default();
        let mut fields = form_urlencoded::parse(query.as_bytes());
        let asked = fields.find(|(name, _)| name == "metric");
        let asked = asked.map(|(_, value)| value.into_owned());
        let Some(asked) = asked.filter(|asked| !asked.is_empty()) else {
            return error_response(400, 100, 0, false);
        };
        self.insights.asked.push(asked.clone());
        let id = path.trim_start_matches("/v25.0/");
        let id = id.trim_end_matches("/insights");
        let post = self.posts.iter().find(|post| post.id == id);
        let post = post.filter(|post| post.account == account);
        let Some(post) = post.filter(|post| !post.is_story || self.now() < post.at + DAY) else {
            return error_response(400, 100, 33, false);
        };
        if self.insights.forbidden {
            let message = "(#10) Application does not have permission for this action";
            return error_with_message(403, (10, 0), false, message);
        }
        let names: Vec<&str> = asked.split(',').collect();
        let known: &[&str] = match post.is_story {
            true => &["reach", "views", "shares", "replies"],
            false => &["reach", "views", "likes", "comments", "shares", "saved"],
        };
        let refused = names
            .iter()
            .find(|name| !known.contains(name) || self.insights.unsupported.contains(name));
        if let Some(name) = refused {
            let valid = known.iter();
            let valid = valid.filter(|name| !self.insights.unsupported.contains(name));
            let valid: Vec<&str> = valid.copied().collect();
            let message = match self.insights.wording {
                Wording::NamesFirst => format!(
                    "(#100) The Media Insights API does not support the {name} metric for this media \
                     product type."
                ),
                Wording::ListsValid => format!(
                    "(#100) metric[0] must be one of the following values: {}",
                    valid.join(", ")
                ),
                Wording::NamesAll => {
                    format!("(#100) Not all of {} are supported here", names.join(", "))
                }
            };
            return error_with_message(400, (100, 0), false, &message);
        }
        if self.insights.few_viewers {
            let message = "(#10) Not enough viewers for the media to show insights";
            return error_with_message(400, (10, 0), false, message);
        }
        let figures = self.insights.figures.iter();
        let figures = figures.filter(|(name, _)| names.contains(name));
        let data = figures.map(|(name, value)| {
            json!({ "name": name, "period": "lifetime", "values": [{ "value": value }],
                "title": name, "id": format!("{id}/insights/{name}/lifetime") })
        });
        ok_response(&json!({ "data": data.collect::<Vec<_>>() }))
    }
}
