//! Copies every row of the embedded database into an empty PostgreSQL database.

use sea_orm::Value;

use crate::{Conn, Db, Result, Row, events, knowledge, searching, timeline};
use domain::{Error, sha256_hex};

/// Number of rows per read and per insert.
const PAGE: usize = 64;
/// Tables into which the migrations insert rows.
const SEEDED: [&str; 4] = [
    "team",
    "knowledge_totals",
    "knowledge_embedding",
    "outbox_progress",
];
/// The table whose keys PostgreSQL generates. The copied rows bring their keys, so the sequence is
/// advanced afterwards.
const COUNTED: &str = "outbox";
/// A table with rows of up to 25 MB.
const LARGE: &str = "email_draft_html";
/// A table that is partitioned by month on PostgreSQL.
const PARTITIONED: &str = "timeline_events";

/// The tables to copy: all except the indexes of the knowledge base and of the searches, which are
/// rebuilt, and the list of migrations, which both databases have.
const TABLES: &str = "
SELECT name, coalesce((SELECT json_group_array(DISTINCT f.\"table\")
    FROM pragma_foreign_key_list(t.name) f WHERE f.\"table\" <> t.name), '[]') AS refers_to
FROM sqlite_master t WHERE type = 'table' AND name <> 'seaql_migrations'
AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'knowledge_index%'
AND name NOT LIKE 'event_index%' AND name NOT LIKE 'search_index%' ORDER BY rowid";

/// A copied table.
pub struct Moved {
    pub table: String,
    pub rows: u64,
    /// A digest of the SHA-256 hashes of the table's rows; equal in both databases.
    pub digest: String,
}

struct Table {
    name: String,
    columns: Vec<Column>,
}

struct Column {
    name: String,
    kind: Kind,
    in_key: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Truth,
}

/// Copies all rows in one transaction. It commits only if every table has the same rows in both
/// databases.
///
/// Both databases must be migrated and have no other writer, and the target must have no rows
/// ([`find_occupied_table`]).
pub async fn transfer(from: &Db, to: &Db) -> Result<Vec<Moved>> {
    let source = from.begin().await?;
    let target = to.begin().await?;
    let (source_db, target_db) = (source.conn(), target.conn());
    let tables = load_tables(&source_db).await?;
    for table in SEEDED {
        target_db.run(&format!("DELETE FROM {table}"), []).await?;
    }
    let mut moved = vec![];
    for table in &tables {
        let mut sent = Digest::default();
        let mut after = None;
        loop {
            let rows = table.load_page(&source_db, after.as_deref()).await?;
            let Some(last) = rows.last() else { break };
            after = Some(table.key_values(last));
            sent.add(&rows);
            table.insert(&target_db, rows).await?;
        }
        moved.push(Moved {
            table: table.name.clone(),
            rows: sent.rows,
            digest: sent.to_string(),
        });
    }
    continue_counting(&target_db).await?;
    knowledge::rebuild_index(&target_db).await?;
    events::rebuild_index(&target_db).await?;
    searching::rebuild_index(&target_db).await?;
    for (table, moved) in tables.iter().zip(&moved) {
        let mut found = Digest::default();
        let mut after = None;
        loop {
            let rows = table.load_page(&target_db, after.as_deref()).await?;
            let Some(last) = rows.last() else { break };
            after = Some(table.key_values(last));
            found.add(&rows);
        }
        if (found.rows, found.to_string()) != (moved.rows, moved.digest.clone()) {
            return Err(
                Error::internal(format!("a cópia de {} difere do original", table.name)).into(),
            );
        }
    }
    target.commit().await?;
    Ok(moved)
}

/// Sets the sequence of the generated keys behind the copied keys.
async fn continue_counting(to: &Conn<'_>) -> Result<()> {
    let sql = format!(
        "SELECT setval(pg_get_serial_sequence('{COUNTED}', 'id'),
            (SELECT coalesce(max(id), 0) + 1 FROM {COUNTED}), false) AS next"
    );
    to.fetch_one(&sql, []).await?;
    Ok(())
}

/// Returns the name of the first table of `from` that already contains rows in `to`. Ignores tables into
/// which the migrations insert rows.
pub async fn find_occupied_table(from: &Db, to: &Db) -> Result<Option<String>> {
    for table in load_tables(&from.reader()).await? {
        if SEEDED.contains(&table.name.as_str()) {
            continue;
        }
        let sql = format!("SELECT 1 FROM \"{}\" LIMIT 1", table.name);
        if to.reader().fetch_one(&sql, []).await?.is_some() {
            return Ok(Some(table.name));
        }
    }
    Ok(None)
}

/// Returns the table names, in an order that respects foreign keys.
async fn load_table_names(db: &Conn<'_>) -> Result<Vec<String>> {
    let mut left = vec![];
    for row in db.fetch_all(TABLES, []).await? {
        let refers_to: String = row.try_get("", "refers_to")?;
        let refers_to: Vec<String> = serde_json::from_str(&refers_to)?;
        left.push((row.try_get::<String>("", "name")?, refers_to));
    }
    let mut names: Vec<String> = vec![];
    while !left.is_empty() {
        let next = left
            .iter()
            .position(|(_, refers_to)| refers_to.iter().all(|table| names.contains(table)));
        let next = next.ok_or_else(|| Error::internal("the foreign keys form a cycle"))?;
        names.push(left.remove(next).0);
    }
    Ok(names)
}

async fn load_tables(db: &Conn<'_>) -> Result<Vec<Table>> {
    let mut tables = vec![];
    for name in load_table_names(db).await? {
        let sql = "SELECT name, type AS kind, pk FROM pragma_table_info($1) ORDER BY cid";
        let columns = db.fetch_all(sql, [name.as_str().into()]).await?;
        let columns = columns.iter().map(|row| {
            let kind: String = row.try_get("", "kind")?;
            let kind = match kind.as_str() {
                "TEXT" => Kind::Text,
                "BIGINT" | "INTEGER" => Kind::Number,
                "BOOLEAN" => Kind::Truth,
                other => return Err(Error::internal(format!("unknown column type {other}")).into()),
            };
            Ok(Column {
                name: row.try_get("", "name")?,
                kind,
                in_key: row.try_get::<i64>("", "pk")? > 0,
            })
        });
        tables.push(Table {
            columns: columns.collect::<Result<_>>()?,
            name,
        });
    }
    Ok(tables)
}

impl Table {
    fn column_names<'a>(&self, columns: impl Iterator<Item = &'a Column>) -> String {
        let names = columns.map(|column| format!("\"{}\"", column.name));
        names.collect::<Vec<_>>().join(", ")
    }

    fn key_columns(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.in_key)
    }

    fn key_values(&self, row: &[Value]) -> Vec<Value> {
        let values = self.columns.iter().zip(row);
        let key = values.filter(|(column, _)| column.in_key);
        key.map(|(_, value)| value.clone()).collect()
    }

    /// Returns the next page of rows in key order, after this key.
    async fn load_page(&self, db: &Conn<'_>, after: Option<&[Value]>) -> Result<Vec<Vec<Value>>> {
        let key = self.column_names(self.key_columns());
        let after = after.unwrap_or_default();
        let condition = if after.is_empty() {
            String::new()
        } else {
            format!("WHERE ({key}) > ({})", placeholders(1, after.len()))
        };
        let sql = format!(
            "SELECT {} FROM \"{}\" {condition} ORDER BY {key} LIMIT {}",
            self.column_names(self.columns.iter()),
            self.name,
            if self.name == LARGE { 1 } else { PAGE },
        );
        let rows = db.fetch_all(&sql, after.iter().cloned()).await?;
        rows.iter().map(|row| self.read_values(row)).collect()
    }

    fn read_values(&self, row: &Row) -> Result<Vec<Value>> {
        let values = self.columns.iter().map(|Column { name, kind, .. }| {
            Ok(match kind {
                Kind::Text => row.try_get::<Option<String>>("", name)?.into(),
                Kind::Number => row.try_get::<Option<i64>>("", name)?.into(),
                Kind::Truth => row.try_get::<Option<bool>>("", name)?.into(),
            })
        });
        values.collect()
    }

    async fn insert(&self, db: &Conn<'_>, rows: Vec<Vec<Value>>) -> Result<()> {
        if self.name == PARTITIONED {
            let at = self
                .columns
                .iter()
                .position(|one| one.name == "occurred_at");
            let instants = rows.iter().filter_map(|row| match row.get(at?) {
                Some(Value::BigInt(instant)) => *instant,
                _ => None,
            });
            timeline::prepare_partitions(db, instants).await?;
        }
        let width = self.columns.len();
        let lines =
            (0..rows.len()).map(|row| format!("({})", placeholders(row * width + 1, width)));
        let sql = format!(
            "INSERT INTO \"{}\" ({}) VALUES {}",
            self.name,
            self.column_names(self.columns.iter()),
            lines.collect::<Vec<_>>().join(", "),
        );
        db.run(&sql, rows.into_iter().flatten()).await?;
        Ok(())
    }
}

fn placeholders(first: usize, count: usize) -> String {
    let each = (first..first + count).map(|number| format!("${number}"));
    each.collect::<Vec<_>>().join(", ")
}

/// The number of rows and the sum of their hashes. The sum does not depend on the order of the
/// rows.
#[derive(Default)]
struct Digest {
    rows: u64,
    sum: [u128; 2],
}

impl Digest {
    fn add(&mut self, rows: &[Vec<Value>]) {
        for row in rows {
            self.rows += 1;
            let hash = sha256_hex(format!("{row:?}").as_bytes());
            let (high, low) = hash.split_at(32);
            for (sum, half) in self.sum.iter_mut().zip([high, low]) {
                *sum = sum.wrapping_add(u128::from_str_radix(half, 16).unwrap_or_default());
            }
        }
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}{:032x}", self.sum[0], self.sum[1])
    }
}
