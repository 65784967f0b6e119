//! The server written by hand, over sqlx: a pool of read connections, and a pool with a single
//! write connection. sqlx runs each connection on its own thread and caches its prepared
//! statements.

use std::{env, thread};

use anyhow::{Context, Result};
use axum::{
    Router,
    body::Bytes,
    extract::{RawQuery, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use by_hand::{
    approvals::{self, Event, Medium, Page, Stored},
    caller::{Caller, PRESENTED, Presented, Refused, Token, now},
    draft::{self, Before, Draft, new_id},
    links::Links,
    synchronous,
};
use sqlx_core::{query::query, row::Row};
use sqlx_sqlite::{
    Sqlite, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool,
    SqlitePoolOptions, SqliteRow, SqliteSynchronous,
};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Clone)]
struct App {
    readers: SqlitePool,
    writer: SqlitePool,
    links: Links,
}

/// Why a request is rejected.
struct Refusal(Refused);

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self(refused)
    }
}

impl From<sqlx_core::Error> for Refusal {
    fn from(error: sqlx_core::Error) -> Self {
        Self(Refused::Internal(error.to_string()))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

/// `by-hand-sqlx PORT DATABASE`: serves until the process is killed.
#[tokio::main]
async fn main() -> Result<()> {
    let mut given = env::args_os().skip(1);
    let port = given.next().and_then(|port| port.into_string().ok());
    let port: u16 = port.context("a port")?.parse()?;
    let database = given.next().context("a database")?;
    let options = SqliteConnectOptions::new()
        .filename(database)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(match synchronous() {
            "normal" => SqliteSynchronous::Normal,
            _ => SqliteSynchronous::Full,
        })
        .foreign_keys(true);
    let pool = |connections: usize| {
        let connections = u32::try_from(connections).unwrap_or(1);
        SqlitePoolOptions::new()
            .max_connections(connections)
            .min_connections(connections)
            .test_before_acquire(false)
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let app = App {
        writer: pool(1).connect_with(options.clone()).await?,
        readers: pool(2 * processors).connect_with(options).await?,
        links: Links::new(port)?,
    };
    let router = Router::new()
        .route("/readyz", get(|| async {}))
        .route("/api/aprovacoes", get(get_approvals))
        .route("/api/draft", post(post_draft))
        .with_state(app);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    Ok(axum::serve(listener, router).await?)
}

async fn authorize(
    db: &mut SqliteConnection,
    headers: &HeaderMap,
    capability: &str,
    least: &str,
) -> Result<Caller, Refusal> {
    let token = Token::from_headers(headers)?;
    let presented = query::<Sqlite>(PRESENTED).bind(token.prefix());
    let row = presented.fetch_optional(db).await?;
    let row = row.ok_or(Refused::Unauthenticated)?;
    let stored = Presented {
        id: row.try_get(0)?,
        secret_sha256: row.try_get(1)?,
        scopes: row.try_get(2)?,
        expires_at: row.try_get(3)?,
        revoked_at: row.try_get(4)?,
        member_id: row.try_get(5)?,
        user_id: row.try_get(6)?,
        role: row.try_get(7)?,
        api_access_level: row.try_get(8)?,
        active: row.try_get(9)?,
    };
    Ok(token.authorize(&stored, capability, least)?)
}

/// Lists the events that wait for approval.
async fn get_approvals(
    State(app): State<App>,
    headers: HeaderMap,
    RawQuery(asked): RawQuery,
) -> Result<impl IntoResponse, Refusal> {
    let mut db = app.readers.acquire().await?;
    let caller = authorize(&mut db, &headers, "approve", "lider").await?;
    let body = list_events(
        &mut db,
        &app.links,
        &caller,
        asked.as_deref().unwrap_or_default(),
    )
    .await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body))
}

async fn list_events(
    db: &mut SqliteConnection,
    links: &Links,
    caller: &Caller,
    asked: &str,
) -> Result<Vec<u8>, Refusal> {
    let input = approvals::Input::parse_query(asked)?;
    let (agenda_at, id) = input.cursor_position()?;
    let only_of = (!caller.sees_all_events).then_some(&caller.member_id);
    let found = query::<Sqlite>(approvals::EVENTS)
        .bind(only_of)
        .bind(agenda_at)
        .bind(id)
        .bind(input.limit_plus_one())
        .fetch_all(&mut *db)
        .await?;
    let events = found.iter().map(|row| read_row(row).map(Event::from));
    let mut page = Page::from_events(events.collect::<Result<_, _>>()?, &input);
    let ids = page.ids_json()?;
    let people = query::<Sqlite>(approvals::ASSIGNEES).bind(&ids);
    for row in people.fetch_all(&mut *db).await? {
        if let Some(event) = page.find_event(row.try_get(0)?) {
            event.assignee_member_ids.push(row.try_get(1)?);
            event.assignees_names.push(row.try_get(2)?);
        }
    }
    let now = now();
    let media = query::<Sqlite>(approvals::MEDIA).bind(&ids);
    for row in media.fetch_all(&mut *db).await? {
        if let Some(event) = page.find_event(row.try_get(0)?) {
            let id: String = row.try_get(1)?;
            event.media.push(Medium {
                url: links.media_url(&id, now),
                id,
                slide_index: row.try_get(2)?,
                kind: row.try_get(3)?,
                alt: row.try_get(4)?,
                media_type: row.try_get(5)?,
            });
        }
    }
    Ok(page.response_body()?)
}

fn read_row(row: &SqliteRow) -> Result<Stored, sqlx_core::Error> {
    Ok(Stored {
        id: row.try_get(0)?,
        api_revision: row.try_get(1)?,
        clickup_id: row.try_get(2)?,
        title: row.try_get(3)?,
        channel: row.try_get(4)?,
        status: row.try_get(5)?,
        description: row.try_get(6)?,
        briefing: row.try_get(7)?,
        due_at: row.try_get(8)?,
        agenda_at: row.try_get(9)?,
        editorial_tag: row.try_get(10)?,
        created_by: row.try_get(11)?,
        created_by_name: row.try_get(12)?,
        created_at: row.try_get(13)?,
        updated_at: row.try_get(14)?,
    })
}

/// Saves a draft if its revision is current, with the same checks as over rusqlite.
async fn post_draft(
    State(app): State<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<impl IntoResponse, Refusal> {
    let mut db = app.readers.acquire().await?;
    let caller = authorize(&mut db, &headers, "draft_save", "criador").await?;
    let input = draft::Input::parse_body(&body)?;
    let before = load_current_event(&mut db, &caller, &input.event_id).await?;
    drop(db);
    let draft = input.apply_to(before)?;
    write_draft(&app, &caller, &draft).await?;
    Ok((
        [(header::CONTENT_TYPE, "application/json")],
        draft.response_body()?,
    ))
}

async fn load_current_event(
    db: &mut SqliteConnection,
    caller: &Caller,
    event_id: &str,
) -> Result<Before, Refusal> {
    let only_of = (!caller.sees_all_events).then_some(&caller.member_id);
    let before = query::<Sqlite>(draft::BEFORE).bind(event_id).bind(only_of);
    let row = before.fetch_optional(db).await?;
    let row = row.ok_or(Refused::NotFound)?;
    Ok(Before {
        revision: row.try_get(0)?,
        title: row.try_get(1)?,
        status: row.try_get(2)?,
        description: row.try_get(3)?,
        editorial_tag: row.try_get(4)?,
    })
}

/// Writes the event, its history and the audit row in one transaction.
async fn write_draft(app: &App, caller: &Caller, draft: &Draft) -> Result<(), Refusal> {
    let (now, event_id) = (now(), &draft.event_id);
    let mut tx = app.writer.begin_with("BEGIN IMMEDIATE").await?;
    let updated = query::<Sqlite>(draft::UPDATE)
        .bind(event_id)
        .bind(draft.revision)
        .bind(draft.status)
        .bind(&draft.description)
        .bind(now);
    if updated.execute(&mut *tx).await?.rows_affected() == 0 {
        let current = query::<Sqlite>(draft::REVISION).bind(event_id);
        let row = current.fetch_one(&mut *tx).await?;
        return Err(Refused::Stale(row.try_get(0)?).into());
    }
    if let Some(searched) = &draft.searched {
        let update = query::<Sqlite>(draft::SEARCHED)
            .bind(event_id)
            .bind(searched);
        update.execute(&mut *tx).await?;
    }
    let history = query::<Sqlite>(draft::HISTORY)
        .bind(new_id(now))
        .bind(event_id)
        .bind(draft.revision + 1)
        .bind(&caller.member_id)
        .bind(&draft.changes)
        .bind(now);
    history.execute(&mut *tx).await?;
    let audit = query::<Sqlite>(draft::AUDIT)
        .bind(new_id(now))
        .bind(now)
        .bind(new_id(now))
        .bind(&caller.member_id)
        .bind(&caller.user_id)
        .bind(&caller.token_id)
        .bind(event_id);
    audit.execute(&mut *tx).await?;
    Ok(tx.commit().await?)
}
