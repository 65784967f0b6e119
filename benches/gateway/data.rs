//! The database: one team, its tokens and its events, made by `pauta migrate` and filled by SQL.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::{hand::sha256_hex, process};

/// 2026-08-22T10:00:00Z, in milliseconds.
const NOW: i64 = 1_787_400_000_000;
const HOUR: i64 = 3_600_000;
const MEMBERS: usize = 11;
/// The admin and the first of the other members: those who may approve.
const LEADERS: usize = 5;
/// Media of each event.
const SLIDES: usize = 3;

/// Two equal databases, one for each server that writes.
pub struct Data {
    pub folder: PathBuf,
    /// The service.
    pub binary: PathBuf,
    pub for_hand: PathBuf,
    pub for_pauta: PathBuf,
    /// Of members who may approve and edit every event.
    pub tokens: Vec<String>,
    /// Events in progress at revision 1: one for each connection, and one more.
    pub drafts: Vec<String>,
}

impl Data {
    pub async fn make(
        folder: &Path,
        binary: &Path,
        events: usize,
        connections: usize,
    ) -> Result<Self> {
        let first = folder.join("first.db");
        let migrated = process::pauta(binary, &first).arg("migrate").output()?;
        ensure!(
            migrated.status.success(),
            "pauta migrate: {}",
            String::from_utf8_lossy(&migrated.stderr)
        );
        let options = SqliteConnectOptions::new().filename(&first);
        let mut db = SqliteConnection::connect_with(&options).await?;
        let mut tx = db.begin().await?;
        let tokens = team(&mut tx).await?;
        let mut drafts = vec![];
        for n in 0..events {
            let status = status(n);
            event(&mut tx, n, status).await?;
            if status == "em progresso" && drafts.len() <= connections {
                drafts.push(event_id(n));
            }
        }
        tx.commit().await?;
        ensure!(drafts.len() > connections, "too few events to write to");
        // Into the file itself, which is then all there is to copy.
        sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&mut db)
            .await?;
        db.close().await?;
        let [for_hand, for_pauta] = ["hand.db", "pauta.db"].map(|name| folder.join(name));
        for copy in [&for_hand, &for_pauta] {
            fs::copy(&first, copy).context("the database is copied")?;
        }
        Ok(Self {
            folder: folder.into(),
            binary: binary.into(),
            for_hand,
            for_pauta,
            tokens,
            drafts,
        })
    }
}

/// One event in sixteen waits for approval; most of the rest are done with.
fn status(n: usize) -> &'static str {
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
VALUES ($1, $2, $3, $4, $5, $5, 0, 1, 0, 0, $6)";

const TOKEN: &str = "
INSERT INTO personal_tokens (id, member_id, label, prefix, secret_sha256, scopes, created_at,
    expires_at)
VALUES ($1, $2, 'bench', $3, $4, $5, $6, $7)";

/// An admin, leaders and creators; gives the tokens of those who may approve.
async fn team(db: &mut SqliteConnection) -> Result<Vec<String>> {
    let mut tokens = vec![];
    for n in 0..MEMBERS {
        let role = match n {
            0 => "admin",
            1..LEADERS => "lider",
            _ => "criador",
        };
        sqlx::query(MEMBER)
            .bind(member_id(n))
            .bind(id(2, n))
            .bind(member_name(n))
            .bind(format!("pessoa{n}@example.com"))
            .bind(role)
            .bind(NOW - 1_000 * HOUR)
            .execute(&mut *db)
            .await?;
        // As generated ones look: `svc_live_`, 16 characters, a dot, 43 characters.
        let digest = sha256_hex(format!("token {n}").as_bytes());
        let token = format!("svc_live_{}.{}", &digest[..16], &digest[16..59]);
        let scopes = json!([
            "config_view",
            "tasks_view",
            "draft_save",
            "enviar",
            "approve"
        ]);
        sqlx::query(TOKEN)
            .bind(id(3, n))
            .bind(member_id(n))
            .bind(token[..25].to_owned())
            .bind(sha256_hex(token.as_bytes()))
            .bind(scopes.to_string())
            .bind(NOW - 900 * HOUR)
            .bind(NOW + 100_000 * HOUR)
            .execute(&mut *db)
            .await?;
        if n < LEADERS {
            tokens.push(token);
        }
    }
    Ok(tokens)
}

const EVENT: &str = "
INSERT INTO events (id, api_revision, clickup_id, title, channel, status, description, briefing,
    due_at, agenda_at, editorial_tag, search_text, created_by, created_at, updated_at)
VALUES ($1, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)";

const HISTORY: &str = "
INSERT INTO event_history (id, event_id, api_revision, actor_member_id, action, changes,
    occurred_at)
VALUES ($1, $2, 1, $3, 'create_demand', '{}', $4)";

const ASSIGNEE: &str = "
INSERT INTO event_assignees (event_id, member_id, position) VALUES ($1, $2, $3)";

async fn event(db: &mut SqliteConnection, n: usize, status: &str) -> Result<()> {
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
    // One in twenty has no date.
    let due_at = (n % 20 != 3).then_some(NOW + i64::try_from(n)? * 37 * 60_000);
    let creator = member_id(n % MEMBERS);
    sqlx::query(EVENT)
        .bind(event_id(n))
        .bind(n.is_multiple_of(4).then(|| format!("86b{n:06}")))
        .bind(&title)
        .bind(["instagram", "facebook", "tiktok", "email"][n % 4])
        .bind(status)
        .bind(&caption)
        .bind(briefing)
        .bind(due_at)
        .bind(due_at.unwrap_or(i64::MAX))
        .bind(tag)
        .bind(fold(&format!("{title}\n{caption}\n{tag}")))
        .bind(&creator)
        .bind(created_at)
        .execute(&mut *db)
        .await?;
    sqlx::query(HISTORY)
        .bind(id(5, n))
        .bind(event_id(n))
        .bind(creator)
        .bind(created_at)
        .execute(&mut *db)
        .await?;
    media(db, n, created_at).await?;
    for position in 0..n / 16 % 4 {
        sqlx::query(ASSIGNEE)
            .bind(event_id(n))
            .bind(member_id((n / 7 + position * 3) % MEMBERS))
            .bind(i64::try_from(position)?)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

const MEDIUM: &str = "
INSERT INTO media (id, sha256, media_type, bytes, width, height, kind, alt, origin, created_by,
    created_at)
VALUES ($1, $2, 'image/png', 240000, 1080, 1350, 'art', $3, 'generated', $4, $5)";

const ATTACHED: &str = "
INSERT INTO event_media (event_id, media_id, slide_index, kind, alt)
VALUES ($1, $2, $3, 'slide', $4)";

/// The slides of an event.
async fn media(db: &mut SqliteConnection, n: usize, created_at: i64) -> Result<()> {
    for slide in 0..SLIDES {
        let medium = id(6, n * SLIDES + slide);
        let alt = format!("Tela {}: bordado em azul sobre algodão cru", slide + 1);
        sqlx::query(MEDIUM)
            .bind(&medium)
            .bind(sha256_hex(medium.as_bytes()))
            .bind(&alt)
            .bind(member_id(n % MEMBERS))
            .bind(created_at)
            .execute(&mut *db)
            .await?;
        sqlx::query(ATTACHED)
            .bind(event_id(n))
            .bind(medium)
            .bind(i64::try_from(slide)?)
            .bind(alt)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

fn member_id(n: usize) -> String {
    id(1, n)
}

fn member_name(n: usize) -> String {
    let names = ["Ana", "Bento", "Célia", "Davi", "Elis", "Fábio"];
    format!("{} de Souza {n}", names[n % names.len()])
}

fn event_id(n: usize) -> String {
    id(4, n)
}

/// A UUIDv7 that says what it numbers.
fn id(kind: u8, n: usize) -> String {
    let mut bytes = [kind; 10];
    bytes[2..].copy_from_slice(&n.to_be_bytes());
    let at = (NOW - 800 * HOUR).cast_unsigned();
    uuid::Builder::from_unix_timestamp_millis(at, &bytes)
        .into_uuid()
        .to_string()
}

/// Lower case without accents: how events are searched.
pub fn fold(text: &str) -> String {
    text.nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .collect()
}
