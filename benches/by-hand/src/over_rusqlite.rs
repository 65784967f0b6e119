//! The baseline server over rusqlite: typed rows, prepared statements, WAL and no ORM. Reads run on
//! the request's thread, with a pooled connection. A single thread writes and groups waiting writes
//! into one commit.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use anyhow::Result;
use axum::{
    Router,
    body::Bytes,
    extract::{RawQuery, State},
    http::{HeaderMap, header},
    response::IntoResponse,
    routing::{get, post},
};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use crate::{
    approvals::{self, Event, Medium, Page, Stored},
    caller::{Caller, PRESENTED, Presented, Refused, Token, now},
    draft::{self, Before, Draft, new_id},
    links::Links,
    synchronous,
};

#[derive(Clone)]
struct App {
    database: Arc<PathBuf>,
    /// Idle read connections. The pool grows with the number of simultaneous reads.
    readers: Arc<Mutex<Vec<Connection>>>,
    writer: mpsc::Sender<Write>,
    links: Links,
}

impl App {
    /// Runs `work` with a pooled read connection.
    fn with_reader<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let free = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = free().pop();
        let db = match kept {
            Some(db) => db,
            None => {
                let db = connect(&self.database)?;
                db.pragma_update(None, "query_only", true)?;
                db
            }
        };
        let done = work(&db);
        free().push(db);
        done
    }
}

fn connect(database: &Path) -> rusqlite::Result<Connection> {
    let db = Connection::open(database)?;
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    db.pragma_update(None, "synchronous", synchronous())?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.set_prepared_statement_cache_capacity(32);
    Ok(db)
}

/// A draft to save, and the channel for its result.
struct Write {
    caller: Caller,
    draft: Draft,
    saved: oneshot::Sender<Result<Draft, Refused>>,
}

/// Maximum writes per transaction.
const TOGETHER: usize = 64;

/// Starts the writer thread. It commits up to [`TOGETHER`] waiting writes in one transaction and
/// responds after the commit.
fn start_writer(mut db: Connection) -> mpsc::Sender<Write> {
    let (sender, waiting) = mpsc::channel::<Write>();
    thread::spawn(move || {
        while let Ok(first) = waiting.recv() {
            let mut done = vec![];
            let committed = (|| -> Result<(), Refused> {
                let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let others = waiting.try_iter().take(TOGETHER - 1);
                for Write {
                    caller,
                    draft,
                    saved,
                } in std::iter::once(first).chain(others)
                {
                    let outcome = write_draft(&tx, &caller, &draft).map(|()| draft);
                    let has_failed = matches!(outcome, Err(Refused::Internal(_)));
                    done.push((saved, outcome));
                    if has_failed {
                        return Err(Refused::Internal("rolled back".into()));
                    }
                }
                Ok(tx.commit()?)
            })();
            for (saved, outcome) in done {
                let outcome = match &committed {
                    Ok(()) => outcome,
                    Err(_) => Err(Refused::Internal("nothing was committed".into())),
                };
                saved.send(outcome).ok();
            }
        }
    });
    sender
}

/// Serves the database until the process is killed.
pub async fn serve(port: u16, database: PathBuf) -> Result<()> {
    let app = App {
        writer: start_writer(connect(&database)?),
        database: Arc::new(database),
        readers: Arc::default(),
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

fn authorize(
    db: &Connection,
    headers: &HeaderMap,
    capability: &str,
    least: &str,
) -> Result<Caller, Refused> {
    let token = Token::from_headers(headers)?;
    let mut presented = db.prepare_cached(PRESENTED)?;
    let judged = presented.query_row([token.prefix()], |row| {
        let text = |at: usize| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_str()?);
        let stored = Presented {
            id: text(0)?,
            secret_sha256: text(1)?,
            scopes: text(2)?,
            expires_at: row.get(3)?,
            revoked_at: row.get(4)?,
            member_id: text(5)?,
            user_id: text(6)?,
            role: text(7)?,
            api_access_level: text(8)?,
            active: row.get(9)?,
        };
        Ok(token.authorize(&stored, capability, least))
    });
    judged.optional()?.ok_or(Refused::Unauthenticated)?
}

/// Lists the events that wait for approval.
async fn get_approvals(
    State(app): State<App>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, Refused> {
    let body = app.with_reader(|db| {
        let caller = authorize(db, &headers, "approve", "lider")?;
        list_events(
            db,
            &app.links,
            &caller,
            query.as_deref().unwrap_or_default(),
        )
    })?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body))
}

fn list_events(
    db: &Connection,
    links: &Links,
    caller: &Caller,
    query: &str,
) -> Result<Vec<u8>, Refused> {
    let input = approvals::Input::parse_query(query)?;
    let (agenda_at, id) = input.cursor_position()?;
    let only_of = (!caller.sees_all_events).then_some(&caller.member_id);
    let mut found = db.prepare_cached(approvals::EVENTS)?;
    let found = found.query_map(
        params![only_of, agenda_at, id, input.limit_plus_one()],
        |row| read_row(row).map(Event::from),
    )?;
    let mut page = Page::from_events(found.collect::<Result<_, _>>()?, &input);
    let ids = page.ids_json()?;
    let mut people = db.prepare_cached(approvals::ASSIGNEES)?;
    let mut people = people.query([&ids])?;
    while let Some(row) = people.next()? {
        if let Some(event) = page.find_event(row.get_ref(0)?.as_str()?) {
            event.assignee_member_ids.push(row.get(1)?);
            event.assignees_names.push(row.get(2)?);
        }
    }
    let now = now();
    let mut media = db.prepare_cached(approvals::MEDIA)?;
    let mut media = media.query([&ids])?;
    while let Some(row) = media.next()? {
        if let Some(event) = page.find_event(row.get_ref(0)?.as_str()?) {
            let id: String = row.get(1)?;
            event.media.push(Medium {
                url: links.media_url(&id, now),
                id,
                slide_index: row.get(2)?,
                kind: row.get(3)?,
                alt: row.get(4)?,
                media_type: row.get(5)?,
            });
        }
    }
    page.response_body()
}

fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        id: row.get(0)?,
        api_revision: row.get(1)?,
        clickup_id: row.get(2)?,
        title: row.get(3)?,
        channel: row.get(4)?,
        status: row.get(5)?,
        description: row.get(6)?,
        briefing: row.get(7)?,
        due_at: row.get(8)?,
        agenda_at: row.get(9)?,
        editorial_tag: row.get(10)?,
        created_by: row.get(11)?,
        created_by_name: row.get(12)?,
        created_at: row.get(13)?,
        updated_at: row.get(14)?,
    })
}

/// Saves a draft if its revision is current.
///
/// The checks run before the transaction, on a read connection. The condition on the revision in
/// the update detects a concurrent change.
async fn post_draft(
    State(app): State<App>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<impl IntoResponse, Refused> {
    let (caller, input, before) = app.with_reader(|db| {
        let caller = authorize(db, &headers, "draft_save", "criador")?;
        let input = draft::Input::parse_body(&body)?;
        let before = load_current_event(db, &caller, &input.event_id)?;
        Ok((caller, input, before))
    })?;
    let (saved, outcome) = oneshot::channel();
    let write = Write {
        caller,
        draft: input.apply_to(before)?,
        saved,
    };
    let ended = || Refused::Internal("the writer has ended".into());
    app.writer.send(write).map_err(|_| ended())?;
    let draft = outcome.await.map_err(|_| ended())??;
    Ok((
        [(header::CONTENT_TYPE, "application/json")],
        draft.response_body()?,
    ))
}

fn load_current_event(db: &Connection, caller: &Caller, event_id: &str) -> Result<Before, Refused> {
    let mut before = db.prepare_cached(draft::BEFORE)?;
    let only_of = (!caller.sees_all_events).then_some(&caller.member_id);
    let before = before.query_row(params![event_id, only_of], |row| {
        Ok(Before {
            revision: row.get(0)?,
            title: row.get(1)?,
            status: row.get(2)?,
            description: row.get(3)?,
            editorial_tag: row.get(4)?,
        })
    });
    before.optional()?.ok_or(Refused::NotFound)
}

/// Writes the event, its history and the audit row; nothing if the revision is stale.
fn write_draft(tx: &Transaction<'_>, caller: &Caller, draft: &Draft) -> Result<(), Refused> {
    let (now, event_id) = (now(), &draft.event_id);
    let updated = tx.prepare_cached(draft::UPDATE)?.execute(params![
        event_id,
        draft.revision,
        draft.status,
        draft.description,
        now
    ])?;
    if updated == 0 {
        let mut current = tx.prepare_cached(draft::REVISION)?;
        return Err(Refused::Stale(
            current.query_row([event_id], |row| row.get(0))?,
        ));
    }
    if let Some(searched) = &draft.searched {
        tx.prepare_cached(draft::SEARCHED)?
            .execute(params![event_id, searched])?;
    }
    tx.prepare_cached(draft::HISTORY)?.execute(params![
        new_id(now),
        event_id,
        draft.revision + 1,
        caller.member_id,
        draft.changes,
        now
    ])?;
    tx.prepare_cached(draft::AUDIT)?.execute(params![
        new_id(now),
        now,
        new_id(now),
        caller.member_id,
        caller.user_id,
        caller.token_id,
        event_id
    ])?;
    Ok(())
}
