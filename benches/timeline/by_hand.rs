//! Builds batches of events: as the request body of a site, and as rows that are inserted without the
//! service.

use std::{
    path::Path,
    sync::LazyLock,
    time::{Duration, Instant},
};

use anyhow::Result;
use domain::TimelineSessionId;
use pauta::{
    app::{self, SystemClock},
    config::{Config, Sources},
};
use ports::Clock;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

const BATCH: usize = 50;
/// Events per session.
const OF_A_SESSION: usize = 5;
/// The placeholder for the batch number in [`request_body`].
const NUMBER: &str = "@";

/// Returns the session, id and page of each event in a batch.
fn batch_events(batch: &str) -> impl Iterator<Item = (String, String, String)> {
    (0..BATCH).map(move |event| {
        let session = format!("navegador-{batch}-{}", event / OF_A_SESSION);
        (session, format!("e-{event}"), format!("/pagina/{event}"))
    })
}

/// Returns the request body of a batch, as a site sends it.
pub fn request_body(batch: usize) -> String {
    static BODY: LazyLock<String> = LazyLock::new(|| {
        let events: Vec<Value> = batch_events(NUMBER)
            .map(|(session, id, page)| {
                json!({
                    "evento": "visitou_pagina", "sessao": session, "id": id, "lancamento": "vera",
                    "detalhe": {
                        "pagina": page, "utm_source": "instagram", "utm_medium": "social",
                    },
                })
            })
            .collect();
        json!({ "eventos": events }).to_string()
    });
    BODY.replace(NUMBER, &batch.to_string())
}

/// The rows that the service stores for a batch.
pub struct Rows {
    now: i64,
    /// Each session's id, and the name that the browser gave it.
    sessions: Vec<(TimelineSessionId, String)>,
    /// Each event's id and detail.
    events: Vec<(String, String)>,
}

impl Rows {
    pub fn for_batch(batch: usize) -> Self {
        let (now, batch) = (SystemClock.now(), batch.to_string());
        let names = batch_events(&batch)
            .step_by(OF_A_SESSION)
            .map(|(name, ..)| name);
        let detail = |page| {
            format!(
                "{{\"pagina\":\"{page}\",\"utm_medium\":\"social\",\
                 \"utm_source\":\"instagram\"}}"
            )
        };
        Self {
            now,
            sessions: names
                .map(|name| (TimelineSessionId::new(now), name))
                .collect(),
            events: batch_events(&batch)
                .map(|(_, id, page)| (id, detail(page)))
                .collect(),
        }
    }
}

/// A database into which rows are inserted without the service.
pub struct Raw(Connection);

impl Raw {
    pub async fn open(file: &Path) -> Result<Self> {
        let config = Config::read(&Sources::from_pairs([(
            "PAUTA_DATABASE_URL",
            format!("sqlite://{}", file.display()),
        )]))?;
        let db = app::open_database(&config).await?;
        app::migrate(&db).await?;
        drop(db);
        let raw = Connection::open(file)?;
        raw.pragma_update(None, "journal_mode", "WAL")?;
        raw.pragma_update(None, "synchronous", "FULL")?;
        Ok(Self(raw))
    }

    /// Inserts the rows and returns the time it took.
    pub fn insert_rows(&mut self, rows: &Rows, with_sessions: bool) -> Result<Duration> {
        let (began, now) = (Instant::now(), rows.now);
        let tx = self.0.transaction()?;
        if with_sessions {
            let mut insert = tx.prepare_cached(
                "INSERT INTO timeline_sessions (id, session, first_at, last_at)
                 VALUES (?1, ?2, ?3, ?3)",
            )?;
            for (id, name) in &rows.sessions {
                insert.execute(params![id.as_str(), name, now])?;
            }
        }
        {
            let mut insert = tx.prepare_cached(
                "INSERT INTO timeline_events (session_id, id, occurred_at, received_at, kind,
                    launch, channel, detail) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)",
            )?;
            for (at, (id, detail)) in rows.events.iter().enumerate() {
                insert.execute(params![
                    rows.sessions[at / OF_A_SESSION].0.as_str(),
                    id,
                    now,
                    "visitou_pagina",
                    "vera",
                    "social",
                    detail
                ])?;
            }
        }
        tx.commit()?;
        Ok(began.elapsed())
    }
}
