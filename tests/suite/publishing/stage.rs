//! A test stage: a service connected to the double, and a lead who publishes.

use std::{sync::Arc, time::Duration};

use domain::{Role, time::MINUTE};
use pauta::providers::tiktok::TikTok;
use ports::shortvideo::ShortVideo;
use serde_json::{Value, json};
use tools::publishing::shortvideo::Desk;

use super::double::{ACCOUNT, CLIENT, TikTokApi};
use crate::support::{Client, Settings, TestApp};

/// The public URL of the service.
pub const PUBLIC: &str = "https://pauta.test";

pub struct Stage {
    pub api: TikTokApi,
    pub app: TestApp,
    pub lead: Client,
}

impl Stage {
    /// A stage for this fault, with a short timeout if the fault never responds.
    pub async fn for_fault(fault: super::double::Fault) -> Self {
        match fault.hangs() {
            true => Self::with_short_timeout().await,
            false => Self::new().await,
        }
    }

    /// A stage whose app was audited by the provider.
    pub async fn new() -> Self {
        Self::with_audit(true, PUBLIC).await
    }

    /// A stage whose provider timeout is one second.
    pub async fn with_short_timeout() -> Self {
        Self::with_more_settings([("PAUTA_NETWORK_TIMEOUT", "1".into())]).await
    }

    pub async fn with_audit(audited: bool, public_url: &str) -> Self {
        let stage = Self::with_more_settings([
            ("PAUTA_TIKTOK_AUDITED", audited.to_string()),
            ("PAUTA_PUBLIC_URL", public_url.to_owned()),
        ])
        .await;
        stage.api.lock_world().audited = audited;
        stage
    }

    async fn with_more_settings(more: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        let api = TikTokApi::new().await;
        let app = TestApp::with_settings(settings(&api, more)).await;
        api.set_clock(app.app.gateway.services.clock.clone());
        connect_account(&app, ACCOUNT).await;
        let member = app.add_member(Role::Lider).await;
        let lead = app.token_client(&member).await;
        Self { api, app, lead }
    }

    /// Another instance over the same database.
    pub async fn second_instance(&self) -> TestApp {
        self.app.second_instance().await
    }

    /// Another instance over the same database, with this adapter.
    pub async fn second_instance_with_adapter(&self, adapter: Arc<dyn ShortVideo>) -> TestApp {
        let app = self.app.second_instance().await;
        app.with_part(Desk::new(adapter, true))
    }

    pub async fn connect_account(&self, account: &str) {
        connect_account(&self.app, account).await;
    }

    pub async fn disconnect_account(&self) {
        let admin = self.app.as_member(Role::Admin).await;
        let gone = admin.post("/oauth/shortvideo/disconnect", json!({})).await;
        gone.expect(200);
    }

    /// Runs the jobs that are due now.
    pub async fn run_due_jobs(&self) {
        drain_jobs(&self.app).await;
    }

    /// Moves the clock forward minute by minute, and runs the due jobs after each minute.
    pub async fn pass_minutes(&self, minutes: i64) {
        for _ in 0..minutes {
            self.app.advance_clock(MINUTE);
            self.run_due_jobs().await;
        }
    }

    /// Requests the publications, asserts that there is exactly one, and returns it.
    pub async fn only_publication(&self) -> Value {
        let all = super::list_publications(&self.lead, "").await;
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }
}

/// The settings that make a service use the double. Settings in `more` replace them.
pub fn settings(
    api: &TikTokApi,
    more: impl IntoIterator<Item = (&'static str, String)>,
) -> Settings {
    let [key, secret] = CLIENT.map(str::to_owned);
    let mut settings = vec![
        ("PAUTA_PUBLIC_URL", PUBLIC.to_owned()),
        ("PAUTA_TIKTOK_CLIENT_KEY", key),
        ("PAUTA_TIKTOK_CLIENT_SECRET", secret),
        ("PAUTA_TIKTOK_BASE_URL", api.base.clone()),
        ("PAUTA_TIKTOK_AUDITED", "true".to_owned()),
    ];
    settings.extend(more);
    settings
}

/// Connects an account as a new admin in a browser.
pub async fn connect_account(app: &TestApp, account: &str) {
    let admin = app.as_member(Role::Admin).await;
    connect_account_as(app, &admin, account).await;
}

/// Connects an account as this admin in a browser.
pub async fn connect_account_as(app: &TestApp, admin: &Client, account: &str) {
    let started = admin
        .post("/oauth/shortvideo/start", json!({}))
        .await
        .expect(200);
    let url = started.body["url"].as_str().expect("an address").to_owned();
    let (_, query) = url.split_once('?').expect("a query");
    let state = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "state");
    let (_, state) = state.expect("a state");
    let cookie = started.headers["set-cookie"].to_str().expect("text");
    let cookie = cookie.split(';').next().expect("a cookie").to_owned();
    let browser = app.anonymous().with_header("cookie", cookie);
    let path = format!("/oauth/shortvideo/callback?code={account}&state={state}");
    let connected = browser.get(&path).await;
    assert_eq!(connected.status, 200, "{}", connected.text);
}

/// The adapter for TikTok that the service uses.
pub fn tiktok_adapter(base: &str, timeout: Duration) -> Arc<dyn ShortVideo> {
    let base = format!("{base}/").parse().expect("an address");
    Arc::new(TikTok::new(base, timeout).expect("a client"))
}

pub async fn drain_jobs(app: &TestApp) {
    let mut worker = app.app.worker();
    let drained = tokio::time::timeout(Duration::from_secs(60), worker.drain()).await;
    drained
        .expect("the jobs end in time")
        .expect("the database is there");
}
