//! Makes the double of TikTok's Content Posting API usable in the tests of uploads, by implementing
//! [`World`].

use axum::body::Body;
use hyper::{Request, Response};

use super::super::server::{Call, Online, Received, Tokens, World};
use crate::{
    publishing::double::{self, ACCOUNT, CLIENT, error_response},
    support::Settings,
};

#[derive(Default)]
pub struct TikTokWorld {
    pub api: double::World,
    tokens: Tokens,
}

impl World for TikTokWorld {
    const NETWORK: &'static str = "tiktok";
    const CONNECTION: &'static str = "shortvideo";
    const HAS_COMMENTS: bool = false;
    const ACCOUNT: &'static str = ACCOUNT;
    const PRIVACY: Option<&'static str> = Some("PUBLIC_TO_EVERYONE");

    fn settings(base: &str) -> Settings {
        let [key, secret] = CLIENT.map(str::to_owned);
        vec![
            ("PAUTA_PUBLIC_URL", crate::posting::stage::PUBLIC.to_owned()),
            ("PAUTA_TIKTOK_CLIENT_KEY", key),
            ("PAUTA_TIKTOK_CLIENT_SECRET", secret),
            ("PAUTA_TIKTOK_BASE_URL", base.to_owned()),
            ("PAUTA_TIKTOK_AUDITED", "true".to_owned()),
            ("PAUTA_NETWORK_TIMEOUT", "1".to_owned()),
        ]
    }

    fn tokens(&mut self) -> &mut Tokens {
        &mut self.tokens
    }

    /// Maps the requests of TikTok to the common kinds: `Ask` reads the options of the account, the last
    /// `Chunk` publishes a video, and `Publish` publishes photos.
    fn call_of(&self, request: &Received) -> Option<Call> {
        Some(match double::Call::of_path(&request.path)? {
            double::Call::Creator => Call::Ask,
            double::Call::Photos => Call::Publish,
            double::Call::Video => Call::Begin,
            double::Call::Upload => Call::Chunk,
            double::Call::Status => Call::State,
            double::Call::Figures => Call::Figures,
            double::Call::Token | double::Call::Other => Call::Other,
        })
    }

    fn handle(&mut self, _call: Call, request: &Received) -> Response<Body> {
        let Some(call) = double::Call::of_path(&request.path) else {
            return error_response(404, "not_found");
        };
        self.api.clock = self.tokens.clock.clone();
        self.api.tokens = self.tokens.issued.clone();
        let mut built = Request::builder()
            .method(request.method.as_str())
            .uri(request.uri());
        for (name, value) in &request.headers {
            built = built.header(name, value);
        }
        let (parts, ()) = built.body(()).expect("well-formed").into_parts();
        let (path, body, base) = (&request.path, &request.body, &request.origin);
        let answer = self.api.handle_call(call, &parts, path, body, base);
        self.tokens.issued = self.api.tokens.clone();
        answer
    }

    fn error(status: u16, code: &str) -> Response<Body> {
        error_response(status, code)
    }

    fn online(&self, caption: &str) -> Vec<Online> {
        let posts = self.api.online_effects(caption).into_iter();
        let online = posts.map(|post| Online {
            id: post.post_id.to_string(),
            comments: 0,
        });
        online.collect()
    }

    /// Returns 0, because TikTok never publishes an incomplete upload and deletes it after an hour.
    fn unseen(&self, _caption: &str) -> usize {
        0
    }
}
