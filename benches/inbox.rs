//! Measures the inbox of approvals and the page of a guest, over REST through the router.
//!
//! `cargo bench --bench inbox -- 200`: the number of events that wait for a decision, of 20,000 events.
//! Every third of them waits for the caller, and the others wait for another lead. They have 5,000
//! remarks. With `--profile dev`, only the ratios between the figures are meaningful. For PostgreSQL,
//! set `PAUTA_BENCH_DATABASE_URL=postgres://…/db` to an empty database.

#[path = "support/config.rs"]
mod config;

use std::{fmt::Write, sync::Arc, time::Instant};

use anyhow::{Context, Result, ensure};
use axum::{
    Router,
    body::Body,
    http::{Request, header},
};
use domain::GUEST_PREFIX;
use identity::browser::cookie_for_session_token;
use pauta::app::{self, App, SystemClock};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use tools::operator::{self, NewAdmin};
use tower::ServiceExt;

const EMAIL: &str = "ana@example.org";
const EVENTS: usize = 20_000;
const REMARKS: usize = 5_000;
/// 2026-11-01T03:00:00Z.
const NOVEMBER: i64 = 1_793_502_000_000;
const HOUR: i64 = 3_600_000;
const OTHER: &str = "0198c0de-0000-7000-8001-000000000001";
const PROJECT: &str = "0198c0de-0000-7000-8002-000000000001";
/// Items of the project, each with ten events.
const ITEMS: usize = 500;
const ROUNDS: usize = 60;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this program without the flag.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let waiting = arguments.iter().find_map(|one| one.parse().ok());
    let directory = tempfile::tempdir()?;
    let config = config::config(directory.path())?;
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let clock = Arc::new(SystemClock);
    let app = app::assemble(&config, db, "http://127.0.0.1:8080".into(), clock).await?;
    let admin = NewAdmin {
        name: "Ana".into(),
        email: EMAIL.into(),
        financeiro: false,
        password: None,
    };
    operator::create_admin(&app.gateway, admin).await?;
    let measured = Measured::open(app).await?;
    measured
        .insert_team_and_events(waiting.unwrap_or(200))
        .await?;
    measured.insert_project().await?;
    if std::env::var_os("PAUTA_BENCH_DATABASE_URL").is_some() {
        // A PostgreSQL server does this by itself within minutes.
        measured.execute("ANALYZE").await?;
    }
    measured.measure().await
}

struct Measured {
    app: App,
    router: Router,
    me: String,
    bearer: String,
    cookie: String,
}

impl Measured {
    async fn open(app: App) -> Result<Self> {
        let caller = operator::principal_by_email(&app.gateway, EMAIL).await?;
        let bearer = operator::open_session(&app.gateway, &caller).await?;
        let cookie = cookie_for_session_token(&app.gateway.services, &bearer)?;
        let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
        Ok(Self {
            router: pauta::router(&app),
            me: caller.member.id.to_string(),
            app,
            bearer,
            cookie,
        })
    }

    async fn execute(&self, statements: &str) -> Result<()> {
        let tx = self.app.gateway.services.db.begin().await?;
        tx.conn().execute_unprepared(statements).await?;
        Ok(tx.commit().await?)
    }

    async fn insert_team_and_events(&self, waiting: usize) -> Result<()> {
        let me = &self.me;
        self.execute(&format!(
            "INSERT INTO members VALUES ('{OTHER}', '{OTHER}', 'Bia', 'bia@example.org', 'lider',
                'lider', FALSE, TRUE, FALSE, 0, 0)"
        ))
        .await?;
        let plan = |who: &str| {
            json!({ "regra": "r", "impedidos": [], "etapas": [{ "nome": "Texto", "membros": [who],
                "papel": null, "convidados": false, "exige": "um", "prazo_horas_uteis": null,
                "avisar": [], "ao_vencer": "segurar" }] })
        };
        let caption = "Pão de fermentação natural, com casca crocante. ".repeat(12);
        for first in (0..EVENTS).step_by(500) {
            let mut tables = [
                "INSERT INTO events (id, api_revision, title, channel, status, description, due_at,
                    agenda_at, created_by, created_at, updated_at) VALUES ",
                "INSERT INTO event_texts (event_id, searched) VALUES ",
                "INSERT INTO event_people (event_id, member_id, agenda_at, is_open, is_assigned)
                    VALUES ",
            ]
            .map(String::from);
            let mut approvals = String::new();
            for n in first..EVENTS.min(first + 500) {
                let comma = if n == first { "" } else { ", " };
                let (id, due_at) = (event_id(n), NOVEMBER + n as i64 * HOUR);
                let status = match (n < waiting, n % 2) {
                    (true, _) => "em aprovação",
                    (false, 0) => "publicado",
                    (false, _) => "em progresso",
                };
                write!(
                    tables[0],
                    "{comma}('{id}', 2, 'Peça {n}', 'instagram', '{status}', '{caption}', {due_at},
                     {due_at}, '{me}', 0, 0)"
                )?;
                write!(tables[1], "{comma}('{id}', 'peca {n}')")?;
                let owner = if n % 100 == 0 { me } else { OTHER };
                let is_open = status != "publicado";
                write!(
                    tables[2],
                    "{comma}('{id}', '{owner}', {due_at}, {is_open}, TRUE)"
                )?;
                if n < waiting {
                    let plan = plan(if n % 3 == 0 { me } else { OTHER });
                    write!(
                        approvals,
                        "; INSERT INTO approvals (event_id, plan, stage, revision, entered_at)
                         VALUES ('{id}', '{plan}', 0, 2, 0)"
                    )?;
                }
            }
            self.execute(&(tables.join(";\n") + &approvals)).await?;
        }
        let mut remarks = String::from(
            "INSERT INTO remarks (id, event_id, thread_id, author_id, text, read_revision,
                created_at, for_guests) VALUES ",
        );
        for n in 0..REMARKS {
            let comma = if n == 0 { "" } else { ", " };
            // Two answers follow each first remark.
            let (id, thread) = (remark_id(n), remark_id(n / 3 * 3));
            let event = event_id(n / 3 % waiting);
            write!(
                remarks,
                "{comma}('{id}', '{event}', '{thread}', '{me}', 'Trocar a foto {n}.', 2, {n}, {})",
                n % 2 == 0
            )?;
        }
        self.execute(&remarks).await
    }

    /// Inserts a project with many items. Only a few of the events of these items are due in November,
    /// the month that is shown.
    async fn insert_project(&self) -> Result<()> {
        let items: Vec<Value> = (0..ITEMS)
            .map(|item| {
                let events: Vec<String> = (0..10).map(|n| event_id(item * 10 + n)).collect();
                json!({ "id": remark_id(item), "title": "Item", "notes": "n".repeat(400),
                    "status": "aberto", "assignee_member_ids": [], "due_on": null,
                    "event_ids": events })
            })
            .collect();
        let mut project = serde_json::to_value(domain::project::Project::default())?;
        project["sections"] = json!([{ "id": remark_id(1), "title": "Seção", "items": items }]);
        let me = &self.me;
        self.execute(&format!(
            "INSERT INTO projects (id, revision, name, status, sections, items, done, members,
                created_by, created_at, updated_at, document)
             VALUES ('{PROJECT}', 1, 'Projeto', 'ativo', 1, {ITEMS}, 0, 0, '{me}', 0, 0,
                '{project}')"
        ))
        .await
    }

    async fn measure(&self) -> Result<()> {
        let link = self
            .post(
                "/api/convidados",
                &json!({ "nome": "Rita", "contato": "rita@example.org",
                "direito": "decidir", "project_id": PROJECT, "mes": "2026-11" }),
            )
            .await?;
        let chosen: Vec<String> = (0..40).map(event_id).collect();
        let few = self
            .post(
                "/api/convidados",
                &json!({ "nome": "Rui", "contato": "rui@example.org",
                "direito": "decidir", "pecas": chosen }),
            )
            .await?;
        let secret = |link: &Value| -> Result<String> {
            let url = link["url"].as_str().context("a link")?;
            Ok(url.rsplit('/').next().unwrap_or_default().to_owned())
        };
        let session = format!("Bearer {}", self.bearer);
        let guest = |link: &Value| {
            Ok::<_, anyhow::Error>(format!("Bearer {GUEST_PREFIX}{}", secret(link)?))
        };
        let one = format!("/api/comentarios?event_id={}", event_id(0));
        println!("| read | bytes | p50 ms | p90 ms |\n|---|---|---|---|");
        for (what, path, bearer) in [
            ("20 that wait for me", "/api/aprovacoes?limit=20", &session),
            (
                "100 that wait for me",
                "/api/aprovacoes?limit=100",
                &session,
            ),
            (
                "20 that wait for anybody",
                "/api/aprovacoes?limit=20&de_quem=todos",
                &session,
            ),
            (
                "20 of the agenda, to compare",
                "/api/eventos?limit=20",
                &session,
            ),
            ("the counts of the console", "/api/espera", &session),
            ("my day", "/api/meu-dia", &session),
            ("open remarks, 50", "/api/comentarios?limit=50", &session),
            ("remarks of one piece", &one, &session),
            (
                "a guest's month of a project",
                "/api/convidado/pecas",
                &guest(&link)?,
            ),
            ("a guest's 40 pieces", "/api/convidado/pecas", &guest(&few)?),
            ("the console's inbox", "/aprovacoes", &String::new()),
        ] {
            let (mut times, mut bytes) = (vec![], 0);
            for _ in 0..ROUNDS {
                let began = Instant::now();
                bytes = self.get(path, bearer).await?;
                times.push(began.elapsed().as_secs_f64() * 1_000.0);
            }
            times.sort_by(f64::total_cmp);
            let at = |share: usize| times[(ROUNDS - 1) * share / 100];
            println!("| {what} | {bytes} | {:.2} | {:.2} |", at(50), at(90));
        }
        Ok(())
    }

    /// Requests a path and returns the length of the response body. With an empty `bearer`, the request
    /// has the session cookie instead, for a page of the console.
    async fn get(&self, path: &str, bearer: &str) -> Result<usize> {
        let mut request = Request::get(path).header(header::HOST, "127.0.0.1:8080");
        request = match bearer {
            "" => request.header(header::COOKIE, &self.cookie),
            _ => request.header(header::AUTHORIZATION, bearer),
        };
        let answer = self
            .router
            .clone()
            .oneshot(request.body(Body::empty())?)
            .await?;
        ensure!(
            answer.status() == 200,
            "{path} refused: {}",
            answer.status()
        );
        Ok(axum::body::to_bytes(answer.into_body(), usize::MAX)
            .await?
            .len())
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let request = Request::post(path)
            .header(header::HOST, "127.0.0.1:8080")
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, format!("Bearer {}", self.bearer))
            .body(Body::from(body.to_string()))?;
        let answer = self.router.clone().oneshot(request).await?;
        let bytes = axum::body::to_bytes(answer.into_body(), usize::MAX).await?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

fn event_id(n: usize) -> String {
    format!("0198c0de-0000-7000-8000-{n:012x}")
}

fn remark_id(n: usize) -> String {
    format!("0198c0de-0000-7000-8003-{n:012x}")
}
