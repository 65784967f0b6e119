//! Delivery figures of each dispatch. An e-mail counts once per kind of delivery event, however
//! often the event occurs.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::Value;

use crate::{
    Conn, Result,
    many::{ROWS, bind_rows},
};

/// Adds a batch of marked deliveries to the figures. Returns the number of deliveries processed.
pub(super) async fn settle_batch(db: &Conn<'_>) -> Result<usize> {
    let sql = format!(
        "SELECT message_id, position, kind, mail_id, dispatch_id, launch, occurred_at
         FROM email_deliveries WHERE stale = 1 LIMIT {ROWS}"
    );
    let (mut marked, mut mails) = (vec![], BTreeSet::new());
    let mut dispatches: BTreeMap<String, (i64, Option<String>)> = BTreeMap::new();
    for row in db.fetch_all(&sql, []).await? {
        let key: [Value; 2] = [
            row.try_get::<String>("", "message_id")?.into(),
            row.try_get::<i64>("", "position")?.into(),
        ];
        marked.push(key);
        let Some(dispatch) = row.try_get::<Option<String>>("", "dispatch_id")? else {
            continue;
        };
        let at = row.try_get("", "occurred_at")?;
        let (first_at, launch) = dispatches.entry(dispatch.clone()).or_insert((at, None));
        *first_at = at.min(*first_at);
        *launch = launch.take().or(row.try_get("", "launch")?);
        let mail: String = row.try_get("", "mail_id")?;
        mails.insert((mail, row.try_get::<String>("", "kind")?, dispatch));
    }
    if marked.is_empty() {
        return Ok(0);
    }
    let taken = marked.len();
    count_new_mails(db, mails).await?;
    insert_missing_dispatches(db, dispatches).await?;
    let (keys, values) = bind_rows(marked);
    let sql = format!(
        "UPDATE email_deliveries SET stale = 0 WHERE (message_id, position) IN (VALUES {keys})"
    );
    db.run(&sql, values).await?;
    Ok(taken)
}

async fn count_new_mails(
    db: &Conn<'_>,
    mut mails: BTreeSet<(String, String, String)>,
) -> Result<()> {
    if mails.is_empty() {
        return Ok(());
    }
    let keys = mails.iter().map(|(mail, kind, _)| {
        let key: [Value; 2] = [mail.as_str().into(), kind.as_str().into()];
        key
    });
    let (keys, values) = bind_rows(keys);
    let sql = format!(
        "SELECT DISTINCT mail_id, kind, dispatch_id, stale FROM email_deliveries
         WHERE (mail_id, kind) IN (VALUES {keys}) AND dispatch_id IS NOT NULL"
    );
    for row in db.fetch_all(&sql, values).await? {
        if row.try_get::<i64>("", "stale")? == 1 {
            continue;
        }
        mails.remove(&(
            row.try_get("", "mail_id")?,
            row.try_get("", "kind")?,
            row.try_get("", "dispatch_id")?,
        ));
    }
    let mut counts: BTreeMap<(String, String), i64> = BTreeMap::new();
    for (_, kind, dispatch) in mails {
        *counts.entry((dispatch, kind)).or_default() += 1;
    }
    if counts.is_empty() {
        return Ok(());
    }
    let rows = counts.into_iter().map(|((dispatch, kind), mails)| {
        let row: [Value; 3] = [dispatch.into(), kind.into(), mails.into()];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "INSERT INTO figure_dispatches (dispatch_id, kind, mails) VALUES {rows}
         ON CONFLICT (dispatch_id, kind) DO UPDATE SET
            mails = figure_dispatches.mails + excluded.mails"
    );
    db.run(&sql, values).await?;
    Ok(())
}

/// Inserts dispatches that are known only from their deliveries, so that they are listed before
/// their import.
async fn insert_missing_dispatches(
    db: &Conn<'_>,
    dispatches: BTreeMap<String, (i64, Option<String>)>,
) -> Result<()> {
    if dispatches.is_empty() {
        return Ok(());
    }
    let rows = dispatches.into_iter().map(|(id, (at, launch))| {
        let row: [Value; 4] = [
            id.as_str().into(),
            id.as_str().into(),
            at.into(),
            launch.into(),
        ];
        row
    });
    let (rows, values) = bind_rows(rows);
    let sql = format!(
        "WITH named (id, name, sent_at, launch) AS (VALUES {rows})
         INSERT INTO dispatches (id, name, channel, sent_at, sent, launch, updated_at)
         SELECT id, name, 'email', sent_at, 0, launch, sent_at FROM named WHERE 1 = 1
         ON CONFLICT (id) DO NOTHING"
    );
    db.run(&sql, values).await?;
    Ok(())
}
