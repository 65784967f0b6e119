//! Compares one operation on a project with the same compare-and-set written by hand.
//!
//! `cargo bench --bench projects` runs both in this process, in turns, one request at a time. See
//! `benches/README.md`.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use axum::{
    Router,
    body::{Body, to_bytes},
    http::Request,
};
use clap::Parser;
use domain::{
    ProjectId, new_id,
    project::{Notes, Project, ProjectOperation, Title},
};
use gateway::Principal;
use pauta::{
    app::{self, App, SystemClock},
    config::{Config, Sources},
};
use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::{Value, json};
use store::projects;
use tools::operator::{self, NewAdmin};
use tower::ServiceExt;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const EMAIL: &str = "bench@example.org";
/// The number of operations per turn of each side.
const TURN: usize = 50;
/// The maximum median for a project of a thousand items.
const TARGET: Duration = Duration::from_millis(5);

/// The cost of one operation on a project, compared with the same compare-and-set written by hand.
#[derive(Parser)]
struct Options {
    /// Turns of 50 operations for each size of project.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// An empty database for the service alone, such as `postgres://…`; by default SQLite.
    #[arg(long)]
    database: Option<String>,
    /// Set by `cargo bench`. Without it (`cargo test --all-targets`), nothing is measured.
    #[arg(long, hide = true)]
    bench: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let options = Options::parse();
    if !options.bench {
        println!("measured by `cargo bench --bench projects`");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    let by_hand = file("hand.db");
    drop(open_service(&format!("sqlite://{}", by_hand.display())).await?);
    let default = format!("sqlite://{}", file("pauta.db").display());
    let app = open_service(options.database.as_deref().unwrap_or(&default)).await?;
    let caller = operator::principal_by_email(&app.gateway, EMAIL)
        .await
        .map_err(into_anyhow)?;
    println!(
        "{:>6} {:>12} {:>12} {:>7}",
        "items", "by hand ms", "pauta ms", "÷ hand"
    );
    for items in [10, 100, 1_000] {
        let mut hand = ByHand::open(&by_hand, items)?;
        let mut pauta = Service::open(&app, &caller, items).await?;
        let [one, other] = measure_in_turns(options.rounds, &mut hand, &mut pauta).await?;
        let ratio = one.as_secs_f64() / other.as_secs_f64();
        let [one, other] = [one, other].map(|p50| p50.as_secs_f64() * 1e3);
        println!("{items:>6} {one:>12.2} {other:>12.2} {ratio:>7.2}");
        if items == 1_000 {
            let judged = if other < TARGET.as_secs_f64() * 1e3 {
                "met   "
            } else {
                "MISSED"
            };
            println!("{judged} p50 with 1,000 items: {other:.2} ms (under 5)");
            measure_long_history(&mut pauta).await?;
        }
    }
    Ok(())
}

/// Runs both programs alternately, so that the load of the machine affects both, and returns their
/// medians.
async fn measure_in_turns(
    rounds: usize,
    hand: &mut ByHand,
    pauta: &mut Service<'_>,
) -> Result<[Duration; 2]> {
    let (mut one, mut other) = (vec![], vec![]);
    for _ in 0..rounds {
        for _ in 0..TURN {
            let begun = Instant::now();
            hand.update_item()?;
            one.push(begun.elapsed());
        }
        for _ in 0..TURN {
            let begun = Instant::now();
            pauta.update_item().await?;
            other.push(begun.elapsed());
        }
    }
    Ok([median(one), median(other)])
}

/// Compares the median before and after ten thousand more operations on the same project.
async fn measure_long_history(pauta: &mut Service<'_>) -> Result<()> {
    let mut figures = vec![];
    for between in [0, 10_000] {
        for _ in 0..between {
            pauta.update_item().await?;
        }
        let mut taken = vec![];
        for _ in 0..500 {
            let begun = Instant::now();
            pauta.update_item().await?;
            taken.push(begun.elapsed());
        }
        figures.push((pauta.revision, median(taken).as_secs_f64() * 1e3));
    }
    for (revision, p50) in figures {
        println!("       p50 up to revision {revision}: {p50:.2} ms");
    }
    Ok(())
}

fn median(mut taken: Vec<Duration>) -> Duration {
    taken.sort_unstable();
    taken.get(taken.len() / 2).copied().unwrap_or_default()
}

fn into_anyhow(error: impl Into<gateway::Error>) -> anyhow::Error {
    let error = error.into();
    anyhow::anyhow!("{error}: {:?}", std::error::Error::source(&error))
}

async fn open_service(database: &str) -> Result<App> {
    let settings = [
        ("PAUTA_DATABASE_URL", database.to_owned()),
        (
            "PAUTA_SECRET",
            "a secret of this benchmark and no other".into(),
        ),
        ("PAUTA_STORAGE", std::env::temp_dir().display().to_string()),
    ];
    let config = Config::read(&Sources::from_pairs(settings))?;
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let url = "http://127.0.0.1:8080".to_owned();
    let app = app::assemble(&config, db, url, Arc::new(SystemClock)).await?;
    let admin = NewAdmin {
        name: "Bench".into(),
        email: EMAIL.into(),
        financeiro: false,
        password: None,
    };
    operator::create_admin(&app.gateway, admin)
        .await
        .map_err(into_anyhow)?;
    Ok(app)
}

/// Builds a project of ten sections with this many items. Returns the project and the id of an item in
/// the middle.
fn build_project(items: usize) -> Result<(Project, String)> {
    let id = || new_id(1_787_400_000_000);
    let mut project = Project::default();
    let mut apply = |operation| {
        let applied = project.apply(&operation);
        applied
            .map(drop)
            .map_err(|refusal| anyhow::anyhow!("{refusal:?}"))
    };
    let mut middle = String::new();
    for section in 0..10 {
        let section_id = id();
        apply(ProjectOperation::AddSection {
            section_id: section_id.as_str().into(),
            title: Title(format!("Semana {section}")),
            position: None,
        })?;
        for item in 0..items / 10 {
            let item_id = id();
            apply(ProjectOperation::AddItem {
                section_id: section_id.as_str().into(),
                item_id: item_id.as_str().into(),
                title: Title(format!("Gravar a aula {item} na cozinha da escola")),
                notes: Some(Notes(
                    "Luz da manhã; pedir o avental azul à produção.".into(),
                )),
                assignee_member_ids: None,
                due_on: None,
                position: None,
            })?;
            if section == 5 && item == 0 {
                middle = item_id;
            }
        }
    }
    Ok((project, middle))
}

/// Runs operations through the service: router, guard, validation, transaction and audit.
struct Service<'a> {
    router: Router,
    token: String,
    path: String,
    item: String,
    revision: i64,
    _app: &'a App,
}

impl<'a> Service<'a> {
    async fn open(app: &'a App, caller: &Principal, items: usize) -> Result<Self> {
        let gateway = &app.gateway;
        let input = json!({ "label": format!("bench {items}") });
        let made = operator::run_operation(gateway, caller, "create_my_token", input).await;
        let token = made.map_err(into_anyhow)?["token"]
            .as_str()
            .context("a token")?
            .to_owned();
        let (filled, item) = build_project(items)?;
        let tx = gateway.services.db.begin().await?;
        let (db, actor) = (tx.conn(), &caller.member.id);
        let creation = ProjectOperation::CreateProject {
            title: Title("Lançamento".into()),
            notes: Notes(String::new()),
        };
        let id = ProjectId::new(gateway.now());
        let stored = projects::create(&db, id.clone(), &creation, actor, gateway.now()).await;
        let mut stored = stored.map_err(into_anyhow)?;
        stored.project = filled;
        let marker = ProjectOperation::ArchiveProject {};
        let saved = projects::save(&db, &mut stored, &marker, actor, gateway.now()).await;
        saved.map_err(into_anyhow)?;
        tx.commit().await?;
        Ok(Self {
            router: pauta::router(app),
            token,
            path: format!("/api/projects/{id}/operations"),
            item,
            revision: stored.revision.get(),
            _app: app,
        })
    }

    async fn update_item(&mut self) -> Result<()> {
        let body = json!({
            "type": "item.update", "expected_revision": self.revision,
            "payload": { "item_id": self.item, "title": format!("Aula {}", self.revision) },
        });
        let request = Request::post(&self.path)
            .header("host", "127.0.0.1:8080")
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))?;
        let answer = self.router.clone().oneshot(request).await?;
        let status = answer.status();
        let body = to_bytes(answer.into_body(), usize::MAX).await?;
        ensure!(status == 200, "{}", String::from_utf8_lossy(&body));
        let answer: Value = serde_json::from_slice(&body)?;
        self.revision = answer["revision"].as_i64().context("a revision")?;
        Ok(())
    }
}

/// Writes the same rows with the minimum code that keeps them correct: no HTTP, guard or schema.
struct ByHand {
    db: Connection,
    project: String,
    member: String,
    item: String,
    revision: i64,
}

const FILL: &str = "
INSERT INTO projects (id, revision, name, status, sections, items, done, members, created_by,
    created_at, updated_at, document)
VALUES (?1, 1, 'Lançamento', 'ativo', 10, ?2, 0, 0, ?3, 0, 0, ?4)";

const UPDATE: &str = "
UPDATE projects SET revision = revision + 1, updated_at = updated_at + 1, document = ?3
WHERE id = ?1 AND revision = ?2";

const RECORD: &str = "
INSERT INTO project_operations
    (project_id, revision, id, type, payload, actor_member_id, occurred_at)
VALUES (?1, ?2, ?3, 'item.update', ?4, ?5, 0)";

const AUDIT: &str = "
INSERT INTO audit_events (id, occurred_at, auth_method, action, outcome, metadata)
VALUES (?1, 0, 'personal_token', 'apply_project_operation', 'succeeded', '{}')";

impl ByHand {
    fn open(file: &PathBuf, items: usize) -> Result<Self> {
        let db = Connection::open(file)?;
        db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        db.pragma_update(None, "synchronous", "full")?;
        let (filled, item) = build_project(items)?;
        let member = db.query_row("SELECT id FROM members", [], |row| row.get(0))?;
        let project = new_id(1_787_400_000_000);
        db.execute(
            FILL,
            params![
                project,
                i64::try_from(items)?,
                member,
                serde_json::to_string(&filled)?
            ],
        )?;
        Ok(Self {
            db,
            project,
            member,
            item,
            revision: 1,
        })
    }

    fn update_item(&mut self) -> Result<()> {
        let tx = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let document: String = tx
            .prepare_cached("SELECT document FROM projects WHERE id = ?1 AND revision = ?2")?
            .query_row(params![self.project, self.revision], |row| row.get(0))?;
        let mut document: Project = serde_json::from_str(&document)?;
        let title = format!("Aula {}", self.revision);
        let items = document
            .sections
            .iter_mut()
            .flat_map(|section| &mut section.items);
        let mut found = items.filter(|item| item.id.as_str() == self.item);
        found.next().context("the item")?.title.clone_from(&title);
        let document = serde_json::to_string(&document)?;
        let mut update = tx.prepare_cached(UPDATE)?;
        update.execute(params![self.project, self.revision, document])?;
        drop(update);
        self.revision += 1;
        tx.prepare_cached(RECORD)?.execute(params![
            self.project,
            self.revision,
            new_id(self.revision),
            json!({ "item_id": self.item, "title": title }).to_string(),
            self.member
        ])?;
        tx.prepare_cached(AUDIT)?.execute([new_id(self.revision)])?;
        Ok(tx.commit()?)
    }
}
