//! Creates the database: one team with its tokens and events. `pauta migrate` creates the tables,
//! and SQL fills them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, anyhow, ensure};
use by_hand::{fold_text, sha256_hex};
use rusqlite::{Connection, params};
use sea_orm::ConnectionTrait;
use serde_json::json;
use store::Db;

use crate::process;

/// 2026-08-22T10:00:00Z, in milliseconds.
const NOW: i64 = 1_787_400_000_000;
const HOUR: i64 = 3_600_000;
const MEMBERS: usize = 11;
/// How many members, including the admin, may approve.
const LEADERS: usize = 5;
/// The number of sets of events that scenarios write to.
pub const SETS: usize = 3;
/// Media per event.
const SLIDES: usize = 3;

/// Copies of the same database, one for each server that writes.
pub struct Data {
    pub folder: PathBuf,
    /// The path of the service's binary.
    pub binary: PathBuf,
    pub for_hand: PathBuf,
    pub for_sqlx: PathBuf,
    pub for_pauta: PathBuf,
    pub for_typescript: PathBuf,
    pub for_fastmcp: PathBuf,
    /// With PostgreSQL, the databases of the server by hand and of the service.
    pub on_server: Option<[String; 2]>,
    /// Tokens of the members who may approve and edit every event.
    pub tokens: Vec<String>,
    /// The ids of the drafts that the write scenarios change: one set for each scenario, with one
    /// draft for each connection and one for the check before the measurement.
    pub drafts: [Vec<String>; SETS],
    /// The revision of every event, which is also the length of its history.
    pub revision: i64,
}

impl Data {
    pub fn create(
        folder: &Path,
        binary: &Path,
        [events, history]: [usize; 2],
        connections: usize,
    ) -> Result<Self> {
        let first = folder.join("first.db");
        // The service is not ready while its database names media and the media folder is empty. No
        // scenario downloads media.
        fs::create_dir_all(folder.join("media/sha256/00"))?;
        let migrated = process::pauta_command(binary, &first)
            .arg("migrate")
            .output()?;
        ensure!(
            migrated.status.success(),
            "pauta migrate: {}",
            String::from_utf8_lossy(&migrated.stderr)
        );
        let mut db = Connection::open(&first)?;
        let tx = db.transaction()?;
        let tokens = insert_team(&tx)?;
        let mut drafts = vec![];
        for n in 0..events {
            let status = event_status(n);
            insert_event(&tx, n, status, history)?;
            if status == "em progresso" && drafts.len() < SETS * (connections + 1) {
                drafts.push(event_id(n));
            }
        }
        tx.execute_batch(PEOPLE)?;
        tx.commit()?;
        let sets: Vec<Vec<String>> = drafts.chunks(connections + 1).map(<[_]>::to_vec).collect();
        let drafts = <[_; SETS]>::try_from(sets);
        let drafts = drafts.map_err(|_| anyhow!("too few events to write to"))?;
        // Moves the WAL into the database file, so that copying this file is enough.
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        drop(db);
        let names = [
            "hand.db",
            "sqlx.db",
            "pauta.db",
            "typescript.db",
            "fastmcp.db",
        ];
        let copies = names.map(|name| folder.join(name));
        for copy in &copies {
            fs::copy(&first, copy).context("the database cannot be copied")?;
        }
        let [for_hand, for_sqlx, for_pauta, for_typescript, for_fastmcp] = copies;
        Ok(Self {
            folder: folder.into(),
            binary: binary.into(),
            for_hand,
            for_sqlx,
            for_pauta,
            for_typescript,
            for_fastmcp,
            on_server: None,
            tokens,
            drafts,
            revision: i64::try_from(history)?,
        })
    }
}

/// The databases on a server: of the server by hand, and of the service.
const DATABASES: [&str; 2] = ["pauta_bench_hand", "pauta_bench_service"];

impl Data {
    /// Copies the database to a PostgreSQL server, once for each server process that uses it.
    pub async fn copy_to_server(&mut self, server: &str) -> Result<()> {
        let (base, _) = server.rsplit_once('/').context("a URL with a database")?;
        let urls = DATABASES.map(|name| format!("{base}/{name}"));
        let [hand, service] = DATABASES;
        let admin = Db::open(server).await?;
        let run = async |sql: String| admin.reader().execute_unprepared(&sql).await;
        for name in DATABASES {
            run(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
        }
        run(format!("CREATE DATABASE {hand}")).await?;
        let moved = process::pauta_command(&self.binary, &self.for_pauta)
            .args(["move", "--to", &urls[0]])
            .output()?;
        ensure!(
            moved.status.success(),
            "pauta move: {}",
            String::from_utf8_lossy(&moved.stderr)
        );
        let filled = Db::open(&urls[0]).await?;
        filled.reader().execute_unprepared("VACUUM ANALYZE").await?;
        filled.close().await?;
        run(format!("CREATE DATABASE {service} TEMPLATE {hand}")).await?;
        admin.close().await?;
        self.on_server = Some(urls);
        Ok(())
    }

    /// Returns the command that starts the service on its database.
    pub fn service_command(&self) -> Command {
        let mut command = process::pauta_command(&self.binary, &self.for_pauta);
        if let Some([_, url]) = &self.on_server {
            command
                .env("PAUTA_DATABASE_URL", url)
                .env("PAUTA_STORAGE", self.folder.join("media"));
        }
        command
    }
}

/// Returns the status of an event: one in sixteen waits for approval, and most others are closed.
fn event_status(n: usize) -> &'static str {
    match n % 16 {
        0 => "em aprovação",
        1..=3 => "em progresso",
        4 => "a fazer",
        5 => "aprovado",
        6 => "recusado",
        7..=9 => "arquivado",
        _ => "publicado",
    }
}

const MEMBER: &str = "
INSERT INTO members (id, user_id, name, email, role, api_access_level, financeiro, active,
    cleanup_pending, sessions_valid_after, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?5, 0, 1, 0, 0, ?6)";

const TOKEN: &str = "
INSERT INTO personal_tokens (id, member_id, label, prefix, secret_sha256, scopes, created_at,
    expires_at)
VALUES (?1, ?2, 'bench', ?3, ?4, ?5, ?6, ?7)";

/// Inserts an admin, leaders and creators. Returns the tokens of the members who may approve.
fn insert_team(db: &Connection) -> Result<Vec<String>> {
    let mut tokens = vec![];
    for n in 0..MEMBERS {
        let role = match n {
            0 => "admin",
            1..LEADERS => "lider",
            _ => "criador",
        };
        db.prepare_cached(MEMBER)?.execute(params![
            member_id(n),
            row_id(2, n),
            member_name(n),
            format!("pessoa{n}@example.com"),
            role,
            NOW - 1_000 * HOUR
        ])?;
        // A generated token is `svc_live_`, 16 characters, a dot and 43 characters.
        let digest = sha256_hex(format!("token {n}").as_bytes());
        let token = format!("svc_live_{}.{}", &digest[..16], &digest[16..59]);
        let scopes = json!([
            "config_view",
            "tasks_view",
            "draft_save",
            "enviar",
            "approve"
        ]);
        db.prepare_cached(TOKEN)?.execute(params![
            row_id(3, n),
            member_id(n),
            token[..25].to_owned(),
            sha256_hex(token.as_bytes()),
            scopes.to_string(),
            NOW - 900 * HOUR,
            NOW + 100_000 * HOUR
        ])?;
        if n < LEADERS {
            tokens.push(token);
        }
    }
    Ok(tokens)
}

const EVENT: &str = "
INSERT INTO events (id, api_revision, clickup_id, title, channel, status, description, briefing,
    due_at, agenda_at, editorial_tag, created_by, created_at, updated_at)
VALUES (?1, ?13, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12)";

const SEARCHED: &str = "INSERT INTO event_texts (event_id, searched) VALUES (?1, ?2)";

const HISTORY: &str = "
INSERT INTO event_history (id, event_id, api_revision, actor_member_id, action, changes,
    occurred_at)
VALUES (?1, ?2, ?5, ?3, 'create_demand', '{}', ?4)";

const ASSIGNEE: &str = "
INSERT INTO event_assignees (event_id, member_id, position) VALUES (?1, ?2, ?3)";

fn insert_event(db: &Connection, n: usize, status: &str, history: usize) -> Result<()> {
    let title = format!("Lançamento {n}: a coleção de verão no feed");
    let caption = format!(
        "A coleção de verão {n} chega na sexta-feira. São doze peças em algodão orgânico, feitas \
         no interior de Minas por quem borda há três gerações.\n\nComente VERÃO e receba o link \
         antes de todo mundo. Frete grátis até domingo! #verão #lançamento #feitoàmão"
    );
    let briefing = "Carrossel de cinco telas para anunciar a coleção, com foco no trabalho das \
        bordadeiras; a última tela pede o comentário. Tom próximo, sem exageros.";
    let tag = ["lançamento", "bastidores", "dúvidas"][n % 3];
    let created_at = NOW - 800 * HOUR + i64::try_from(n)? * 60_000;
    // One event in twenty has no due date.
    let due_at = (n % 20 != 3).then_some(NOW + i64::try_from(n)? * 37 * 60_000);
    let creator = member_id(n % MEMBERS);
    db.prepare_cached(EVENT)?.execute(params![
        event_id(n),
        n.is_multiple_of(4).then(|| format!("86b{n:06}")),
        &title,
        ["instagram", "facebook", "tiktok", "email"][n % 4],
        status,
        &caption,
        briefing,
        due_at,
        due_at.unwrap_or(i64::MAX),
        tag,
        &creator,
        created_at,
        i64::try_from(history)?
    ])?;
    let searched = fold_text(&format!("{title}\n{caption}\n{tag}"));
    db.prepare_cached(SEARCHED)?
        .execute(params![event_id(n), searched])?;
    for revision in 1..=history {
        db.prepare_cached(HISTORY)?.execute(params![
            row_id(5, n * history + revision),
            event_id(n),
            creator,
            created_at,
            i64::try_from(revision)?
        ])?;
    }
    insert_media(db, n, created_at)?;
    for position in 0..n / 16 % 4 {
        db.prepare_cached(ASSIGNEE)?.execute(params![
            event_id(n),
            member_id((n / 7 + position * 3) % MEMBERS),
            i64::try_from(position)?
        ])?;
    }
    Ok(())
}

/// Fills `event_people` from the events and their assignees.
const PEOPLE: &str = "
INSERT INTO event_people (event_id, member_id, agenda_at, is_open, is_assigned)
    SELECT p.event_id, p.member_id, e.agenda_at, e.status NOT IN ('publicado', 'arquivado'),
        max(p.is_assigned)
    FROM (SELECT id AS event_id, created_by AS member_id, 0 AS is_assigned FROM events
        UNION ALL SELECT event_id, member_id, 1 FROM event_assignees) p
    JOIN events e ON e.id = p.event_id
    GROUP BY p.event_id, p.member_id";

const MEDIUM: &str = "
INSERT INTO media (id, sha256, media_type, bytes, width, height, kind, alt, origin, created_by,
    created_at)
VALUES (?1, ?2, 'image/png', 240000, 1080, 1350, 'art', ?3, 'generated', ?4, ?5)";

const ATTACHED: &str = "
INSERT INTO event_media (event_id, media_id, slide_index, kind, alt, media_type)
VALUES (?1, ?2, ?3, 'slide', ?4, 'image/png')";

/// Inserts the slides of an event.
fn insert_media(db: &Connection, n: usize, created_at: i64) -> Result<()> {
    for slide in 0..SLIDES {
        let medium = row_id(6, n * SLIDES + slide);
        let alt = format!("Tela {}: bordado em azul sobre algodão cru", slide + 1);
        db.prepare_cached(MEDIUM)?.execute(params![
            &medium,
            sha256_hex(medium.as_bytes()),
            &alt,
            member_id(n % MEMBERS),
            created_at
        ])?;
        db.prepare_cached(ATTACHED)?.execute(params![
            event_id(n),
            medium,
            i64::try_from(slide)?,
            alt
        ])?;
    }
    Ok(())
}

fn member_id(n: usize) -> String {
    row_id(1, n)
}

fn member_name(n: usize) -> String {
    let names = ["Ana", "Bento", "Célia", "Davi", "Elis", "Fábio"];
    format!("{} de Souza {n}", names[n % names.len()])
}

fn event_id(n: usize) -> String {
    row_id(4, n)
}

/// Returns a UUIDv7 built from a row kind and a row number.
fn row_id(kind: u8, n: usize) -> String {
    let mut bytes = [kind; 10];
    bytes[2..].copy_from_slice(&n.to_be_bytes());
    let at = (NOW - 800 * HOUR).cast_unsigned();
    uuid::Builder::from_unix_timestamp_millis(at, &bytes)
        .into_uuid()
        .to_string()
}
