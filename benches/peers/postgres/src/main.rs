//! The server written by hand, over tokio-postgres: sixteen connections with prepared statements,
//! and as few round trips as possible. A read takes three: the token, the events, and their people
//! and media together. A draft takes four: the token, the event, `BEGIN` with the update, and the
//! rest with `COMMIT`. With `HAND_STATEMENTS=one` the whole draft is one statement.

mod sql;

use std::{
    env,
    sync::{Arc, Mutex, PoisonError},
};

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
    caller::{Caller, Presented, Refused, Token, now},
    draft::{self, Before, Draft, new_id},
    links::Links,
};
use sql::Statements;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::{Client, NoTls, Row, types::ToSql};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The values of a statement.
type Values<'a, const N: usize> = [&'a (dyn ToSql + Sync); N];

/// The number of connections, the same as in the service.
const CONNECTIONS: usize = 16;

struct App {
    free: Semaphore,
    idle: Mutex<Vec<Connection>>,
    links: Links,
    /// True if a draft is written in one statement.
    in_one: bool,
}

struct Connection {
    client: Client,
    statements: Statements,
}

/// A connection in use.
struct Used<'a> {
    connection: Option<Connection>,
    app: &'a App,
    _permit: SemaphorePermit<'a>,
}

impl App {
    async fn acquire(&self) -> Result<Used<'_>, Refusal> {
        let closed = |_| Refused::Internal("the pool is closed".into());
        let permit = self.free.acquire().await.map_err(closed)?;
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        Ok(Used {
            connection: idle,
            app: self,
            _permit: permit,
        })
    }
}

impl std::ops::Deref for Used<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("the connection is in use")
    }
}

impl Drop for Used<'_> {
    fn drop(&mut self) {
        let mut idle = self.app.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(self.connection.take());
    }
}

/// Why a request is rejected.
struct Refusal(Refused);

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self(refused)
    }
}

impl From<tokio_postgres::Error> for Refusal {
    fn from(error: tokio_postgres::Error) -> Self {
        Self(Refused::Internal(error.to_string()))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

/// `by-hand-postgres PORT URL`: serves until the process is killed.
#[tokio::main]
async fn main() -> Result<()> {
    let mut given = env::args().skip(1);
    let port: u16 = given.next().context("a port")?.parse()?;
    let url = given.next().context("the URL of a database")?;
    let mut idle = vec![];
    for _ in 0..CONNECTIONS {
        let mut options: tokio_postgres::Config = url.parse()?;
        // A generic plan is as fast as a custom plan here, and the server does not plan again for each
        // request.
        options.options("-c plan_cache_mode=force_generic_plan");
        let (client, session) = options.connect(NoTls).await?;
        tokio::spawn(session);
        let statements = Statements::prepare(&client).await?;
        idle.push(Connection { client, statements });
    }
    let app = App {
        free: Semaphore::new(CONNECTIONS),
        idle: Mutex::new(idle),
        links: Links::new(port)?,
        in_one: env::var("HAND_STATEMENTS").is_ok_and(|given| given == "one"),
    };
    let router = Router::new()
        .route("/readyz", get(|| async {}))
        .route("/api/aprovacoes", get(get_approvals))
        .route("/api/draft", post(post_draft))
        .with_state(Arc::new(app));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    Ok(axum::serve(listener, router).await?)
}

async fn authorize(
    db: &Connection,
    headers: &HeaderMap,
    capability: &str,
    least: &str,
) -> Result<Caller, Refusal> {
    let token = Token::from_headers(headers)?;
    let presented = &db.statements.presented;
    let row = db.client.query_opt(presented, &[&token.prefix()]).await?;
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
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    RawQuery(asked): RawQuery,
) -> Result<impl IntoResponse, Refusal> {
    let db = app.acquire().await?;
    let caller = authorize(&db, &headers, "approve", "lider").await?;
    let body = list_events(
        &db,
        &app.links,
        &caller,
        asked.as_deref().unwrap_or_default(),
    )
    .await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body))
}

async fn list_events(
    db: &Connection,
    links: &Links,
    caller: &Caller,
    asked: &str,
) -> Result<Vec<u8>, Refusal> {
    let input = approvals::Input::parse_query(asked)?;
    let (agenda_at, id) = input.cursor_position()?;
    let only_of = (!caller.sees_all_events).then_some(&caller.member_id);
    let Connection { client, statements } = db;
    let limit = input.limit_plus_one();
    let found = client
        .query(&statements.events, &[&only_of, &agenda_at, &id, &limit])
        .await?;
    let events = found.iter().map(|row| read_row(row).map(Event::from));
    let mut page = Page::from_events(events.collect::<Result<_, _>>()?, &input);
    let ids: Vec<&str> = found
        .iter()
        .take(input.limit)
        .map(|row| row.get(0))
        .collect();
    let of_page: Values<'_, 1> = [&ids];
    let (people, media) = tokio::join!(
        client.query(&statements.assignees, &of_page),
        client.query(&statements.media, &of_page),
    );
    for row in people? {
        if let Some(event) = page.find_event(row.try_get(0)?) {
            event.assignee_member_ids.push(row.try_get(1)?);
            event.assignees_names.push(row.try_get(2)?);
        }
    }
    let now = now();
    for row in media? {
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

fn read_row(row: &Row) -> Result<Stored, tokio_postgres::Error> {
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
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<impl IntoResponse, Refusal> {
    let db = app.acquire().await?;
    let caller = authorize(&db, &headers, "draft_save", "criador").await?;
    let input = draft::Input::parse_body(&body)?;
    let before = load_current_event(&db, &caller, &input.event_id).await?;
    let draft = input.apply_to(before)?;
    if app.in_one {
        write_in_one_statement(&db, &caller, &draft).await?;
    } else {
        write_draft(&db, &caller, &draft).await?;
    }
    Ok((
        [(header::CONTENT_TYPE, "application/json")],
        draft.response_body()?,
    ))
}

async fn load_current_event(
    db: &Connection,
    caller: &Caller,
    event_id: &str,
) -> Result<Before, Refusal> {
    let only_of = (!caller.sees_all_events).then_some(&caller.member_id);
    let before = &db.statements.before;
    let row = db.client.query_opt(before, &[&event_id, &only_of]).await?;
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
async fn write_draft(db: &Connection, caller: &Caller, draft: &Draft) -> Result<(), Refusal> {
    let (now, event_id) = (now(), &draft.event_id);
    let Connection { client, statements } = db;
    let change: Values<'_, 5> = [
        event_id,
        &draft.revision,
        &draft.status,
        &draft.description,
        &now,
    ];
    // `biased` polls the futures in order, so `BEGIN` is sent before the update.
    let (begun, updated) = tokio::join!(
        biased;
        client.execute(&statements.begin, &[]),
        client.execute(&statements.update, &change),
    );
    begun?;
    if updated? == 0 {
        let current = client.query_one(&statements.revision, &[event_id]).await?;
        client.batch_execute("ROLLBACK").await?;
        return Err(Refused::Stale(current.try_get(0)?).into());
    }
    let searched = async {
        match &draft.searched {
            Some(searched) => {
                client
                    .execute(&statements.searched, &[event_id, searched])
                    .await
            }
            None => Ok(0),
        }
    };
    let (history_id, audit_id, request_id) = (new_id(now), new_id(now), new_id(now));
    let revision = draft.revision + 1;
    let line: Values<'_, 6> = [
        &history_id,
        event_id,
        &revision,
        &caller.member_id,
        &draft.changes,
        &now,
    ];
    let row: Values<'_, 7> = [
        &audit_id,
        &now,
        &request_id,
        &caller.member_id,
        &caller.user_id,
        &caller.token_id,
        event_id,
    ];
    // A failed statement makes the server answer the commit with a rollback.
    let (searched, history, audit, committed) = tokio::join!(
        biased;
        searched,
        client.execute(&statements.history, &line),
        client.execute(&statements.audit, &row),
        client.execute(&statements.commit, &[]),
    );
    searched.and(history).and(audit).and(committed)?;
    Ok(())
}

/// Writes the event, its history and the audit row in one statement.
async fn write_in_one_statement(
    db: &Connection,
    caller: &Caller,
    draft: &Draft,
) -> Result<(), Refusal> {
    let (now, event_id) = (now(), &draft.event_id);
    let Connection { client, statements } = db;
    let written = client
        .execute(
            &statements.whole,
            &[
                event_id,
                &draft.revision,
                &draft.status,
                &draft.description,
                &now,
                &draft.searched,
                &new_id(now),
                &caller.member_id,
                &draft.changes,
                &new_id(now),
                &new_id(now),
                &caller.user_id,
                &caller.token_id,
            ],
        )
        .await?;
    if written == 0 {
        let current = client.query_one(&statements.revision, &[event_id]).await?;
        return Err(Refused::Stale(current.try_get(0)?).into());
    }
    Ok(())
}
