//! A test stage: a service connected to the double, and a lead.

use std::sync::Arc;

use domain::{
    Format, Role, VariantId,
    time::{HOUR, MINUTE},
    variant::{PublishMode, Variant, VariantContent},
};
use serde_json::{Value, json};

use super::double::{ACCOUNT, CLIENT, InstagramApi};
use crate::{
    publishing::upload_file,
    support::{Client, Settings, TestApp},
};

/// The public URL of the service.
pub const PUBLIC: &str = "https://pauta.test";

pub struct Stage<A = InstagramApi> {
    pub api: Arc<A>,
    pub app: TestApp,
    pub lead: Client,
    /// The name of the network, which is also the channel of its variants.
    pub network: &'static str,
    /// The name of the connection to the network.
    pub connection: &'static str,
}

impl Stage {
    pub async fn new() -> Self {
        Self::with_more_settings([]).await
    }

    pub async fn with_more_settings(
        more: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let api = Arc::new(InstagramApi::new().await);
        let app = TestApp::with_settings(settings(&api.base, more)).await;
        api.set_clock(app.app.gateway.services.clock.clone());
        let anonymous = app.anonymous();
        api.set_fetcher(move |url| {
            let client = anonymous.clone();
            Box::pin(async move {
                let path = url.strip_prefix(PUBLIC).unwrap_or("/elsewhere").to_owned();
                let answer = client.get(&path).await;
                let kind = answer.headers.get("content-type");
                let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
                (answer.status, kind.to_owned(), answer.bytes)
            })
        });
        Self::connected(api, app, ("instagram", "instagram", ACCOUNT)).await
    }
}

impl<A> Stage<A> {
    /// Returns a stage with a connected account of this network.
    pub async fn connected(
        api: Arc<A>,
        app: TestApp,
        (network, connection, account): (&'static str, &'static str, &str),
    ) -> Self {
        connect_account(&app, connection, account).await;
        let member = app.add_member(Role::Lider).await;
        let lead = app.token_client(&member).await;
        Self {
            api,
            app,
            lead,
            network,
            connection,
        }
    }

    pub async fn connect_account(&self, account: &str) {
        connect_account(&self.app, self.connection, account).await;
    }

    pub async fn disconnect_account(&self) {
        let admin = self.app.as_member(Role::Admin).await;
        let path = format!("/oauth/{}/disconnect", self.connection);
        admin.post(&path, json!({})).await.expect(200);
    }

    pub async fn run_due_jobs(&self) {
        crate::publishing::drain_jobs(&self.app).await;
    }

    /// Moves the clock forward minute by minute, and runs the due jobs after each minute.
    pub async fn pass_minutes(&self, minutes: i64) {
        for _ in 0..minutes {
            self.app.advance_clock(MINUTE);
            self.run_due_jobs().await;
        }
    }

    /// Creates an approved piece, due in an hour, with these variants. Returns its id and those of the
    /// variants.
    pub async fn create_approved(
        &self,
        caption: &str,
        files: &[Vec<u8>],
        variants: &[(Format, VariantContent)],
    ) -> (String, Vec<VariantId>) {
        let piece = self.create_piece(caption, files).await;
        let mut ids = vec![];
        for (format, content) in variants {
            ids.push(self.add_variant(&piece, *format, content.clone()).await);
        }
        self.approve(&piece).await;
        self.run_due_jobs().await;
        (piece, ids)
    }

    /// Creates a piece with these files, due in an hour.
    pub async fn create_piece(&self, caption: &str, files: &[Vec<u8>]) -> String {
        let lead = &self.lead;
        let id = lead.create_demand(json!({ "channel": self.network })).await;
        for file in files {
            upload_file(lead, file, Some(&id)).await;
        }
        let revision = lead.load_event(&id).await["api_revision"].clone();
        let drafted = json!({ "event_id": id, "caption": caption, "expected_revision": revision });
        lead.post("/api/draft", drafted).await.expect(200);
        let due = self.app.now() + HOUR;
        self.app
            .execute_statement(
                &format!("UPDATE events SET due_at = {due} WHERE id = $1"),
                [id.clone()],
            )
            .await;
        id
    }

    pub async fn add_variant(
        &self,
        piece: &str,
        format: Format,
        content: VariantContent,
    ) -> VariantId {
        let now = self.app.now();
        let tx = self.app.begin().await;
        let event = store::events::find(&tx.conn(), &piece.into()).await;
        let event = event.expect("the database").expect("the piece");
        let variant = Variant {
            id: VariantId::new(now),
            event_id: event.id.clone(),
            channel: self.network.into(),
            format,
            content,
            due_at: None,
            publish: PublishMode::Automatic,
            revision: domain::Revision::new(1),
            approved_revision: None,
            refused_revision: None,
            changed_by: event.created_by.clone(),
            created_at: now,
            updated_at: now,
        };
        let inserted = store::variants::insert(&tx.conn(), &variant).await;
        inserted.expect("inserted");
        tx.commit().await.expect("committed");
        variant.id
    }

    /// Changes the variant in the database and increases its revision, as the operation does.
    pub async fn change_variant(&self, id: &VariantId, caption: &str) {
        let tx = self.app.begin().await;
        let found = store::variants::find(&tx.conn(), id).await;
        let mut variant = found.expect("the database").expect("the variant");
        variant.content.caption = Some(caption.into());
        variant.revision = domain::Revision::new(variant.revision.get() + 1);
        let changed = store::variants::update(&tx.conn(), &variant).await;
        changed.expect("changed");
        tx.commit().await.expect("committed");
    }

    /// Approves the current revision of a variant.
    pub async fn approve_variant(&self, id: &VariantId) {
        let sql = "UPDATE event_variants SET approved_revision = revision WHERE id = $1";
        self.app
            .execute_statement(sql, [id.as_str().to_owned()])
            .await;
    }

    /// Sends a piece for approval and approves it. Returns the answer of the approval.
    pub async fn approve(&self, piece: &str) -> Value {
        let lead = &self.lead;
        let revision = lead.load_event(piece).await["api_revision"].clone();
        let sent = json!({ "event_id": piece, "expected_revision": revision });
        lead.post("/api/enviar", sent).await.expect(200);
        let decided = json!({ "event_id": piece, "action": "aprovar" });
        lead.post("/api/aprovar", decided).await.expect(200).body
    }

    pub async fn reopen(&self, piece: &str) {
        let revision = self.lead.load_event(piece).await["api_revision"].clone();
        let reopened = json!({ "expected_revision": revision, "motivo": "Trocar" });
        let path = format!("/api/eventos/{piece}/reabrir");
        self.lead.post(&path, reopened).await.expect(200);
    }

    /// Returns all publications, oldest first.
    pub async fn publications(&self) -> Vec<Row> {
        let sql = "SELECT state, code, comment_state, link, provider_code FROM publications
            WHERE variant_id IS NOT NULL ORDER BY created_at, id";
        let rows = self.app.query_rows(sql.into()).await;
        let text = |row: &sea_orm::QueryResult, name: &str| {
            row.try_get::<Option<String>>("", name).expect("text")
        };
        let rows = rows.iter().map(|row| Row {
            state: text(row, "state").expect("a state"),
            code: text(row, "code"),
            comment: text(row, "comment_state").expect("a state"),
            link: text(row, "link"),
            provider_code: text(row, "provider_code"),
        });
        rows.collect()
    }

    /// Asserts that there is exactly one publication, and returns it.
    pub async fn publication(&self) -> Row {
        let mut all = self.publications().await;
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    pub async fn status(&self, piece: &str) -> Value {
        self.lead.load_event(piece).await["status"].clone()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub state: String,
    pub code: Option<String>,
    pub comment: String,
    pub link: Option<String>,
    pub provider_code: Option<String>,
}

/// The settings that make a service use the double.
pub fn settings(base: &str, more: impl IntoIterator<Item = (&'static str, String)>) -> Settings {
    let [id, secret] = CLIENT.map(str::to_owned);
    let mut settings = vec![
        ("PAUTA_PUBLIC_URL", PUBLIC.to_owned()),
        ("PAUTA_INSTAGRAM_CLIENT_ID", id),
        ("PAUTA_INSTAGRAM_CLIENT_SECRET", secret),
        ("PAUTA_INSTAGRAM_BASE_URL", base.to_owned()),
        ("PAUTA_INSTAGRAM_TOKEN_BASE_URL", base.to_owned()),
        ("PAUTA_NETWORK_TIMEOUT", "1".to_owned()),
    ];
    settings.extend(more);
    settings
}

async fn connect_account(app: &TestApp, network: &str, account: &str) {
    let admin = app.as_member(Role::Admin).await;
    let started = crate::networks::start_connecting(&admin, network).await;
    let (_, query) = started.url.split_once('?').expect("a query");
    let state = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "state");
    let (_, state) = state.expect("a state");
    let path = format!("/oauth/{network}/callback?code={account}&state={state}");
    let connected = crate::networks::request_callback(app, &path, &started.cookie).await;
    assert_eq!(connected.status, 200, "{}", connected.text);
}
