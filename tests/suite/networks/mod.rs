//! Connections to social networks: OAuth, token renewal, and secrecy of the tokens.

mod connecting;
pub mod double;
mod outcomes;
mod renewal;
mod secrets;
mod states;

use domain::Role;
use serde_json::{Value, json};
use store::members::Member;

use crate::support::{Answer, Client, Settings, TestApp};
pub use double::{Call, Fault, Networks};

pub const NETWORKS: [&str; 4] = ["shortvideo", "instagram", "youtube", "linkedin"];

/// A service whose networks are all served by the double, and a session of an admin.
pub struct Stage {
    pub app: TestApp,
    pub networks: Networks,
    pub admin: Client,
    pub member: Member,
}

impl Stage {
    pub async fn new() -> Self {
        Self::with_more_settings([]).await
    }

    pub async fn with_more_settings(
        more: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let networks = Networks::new().await;
        let mut settings: Settings = networks.settings();
        settings.push(("PAUTA_PUBLIC_URL", "https://pauta.test".into()));
        settings.extend(more);
        let app = TestApp::with_settings(settings).await;
        let member = app.add_member(Role::Admin).await;
        Self {
            admin: app.session_client(&member).await,
            app,
            networks,
            member,
        }
    }

    /// Connects an account through the whole OAuth flow.
    pub async fn connect_account(&self, network: &str) -> Answer {
        connect_account(&self.app, &self.networks, &self.admin, network).await
    }

    /// The account of a network in the list of accounts, or `null`.
    pub async fn load_account(&self, network: &str) -> Value {
        let listed = self.admin.get("/oauth/_accounts").await.expect(200).body;
        let accounts = listed["accounts"].as_array().expect("accounts").iter();
        let mut found = accounts.filter(|account| account["provider"] == network);
        found.next().cloned().unwrap_or_default()
    }

    pub fn connections(&self) -> &tools::publishing::Connections {
        connections(&self.app)
    }
}

pub fn connections(app: &TestApp) -> &tools::publishing::Connections {
    app.app.gateway.services.parts.get()
}

/// The authorization URL and the cookie that `start_connecting` returned.
pub struct Started {
    pub url: String,
    /// The value of the `Cookie` header that a browser would send.
    pub cookie: String,
    pub set_cookie: String,
}

pub async fn start_connecting(client: &Client, network: &str) -> Started {
    let path = format!("/oauth/{network}/start");
    let answer = client.post(&path, json!({})).await.expect(200);
    let set_cookie = answer.headers["set-cookie"]
        .to_str()
        .expect("text")
        .to_owned();
    Started {
        url: answer.body["url"].as_str().expect("an address").to_owned(),
        cookie: set_cookie.split(';').next().expect("a pair").to_owned(),
        set_cookie,
    }
}

/// Requests the callback with this cookie, as a browser does after the network's redirect.
pub async fn request_callback(app: &TestApp, path: &str, cookie: &str) -> Answer {
    app.anonymous()
        .with_header("cookie", cookie)
        .get(path)
        .await
}

/// Connects an account through the whole OAuth flow.
pub async fn connect_account(
    app: &TestApp,
    networks: &Networks,
    client: &Client,
    network: &str,
) -> Answer {
    let started = start_connecting(client, network).await;
    let path = networks.authorize(&started.url).await;
    request_callback(app, &path, &started.cookie).await
}
