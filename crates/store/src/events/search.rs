//! Text search in events.
//!
//! Reading along the agenda fills a page quickly if the text is common; a rare text needs the
//! index. So the search first reads a few events along the agenda. If they do not fill the page, it
//! counts the matches in the index. If there are too many to sort, it continues along the agenda in
//! growing steps, until sorting the matches costs no more than the events read so far. A single step
//! over all events could make the database read and sort all of them.

use domain::{MemberId, fold_text, time::Millis};
use sea_orm::{ConnectionTrait, DbBackend};

use super::{
    rows::Rows,
    text::{Sought, required_terms},
};
use crate::{Conn, Result, conditions::Conditions, members};

/// The number of events that the first step reads for each row of the page.
const FIRST_PER_ROW: i64 = 10;

/// The factor by which each step is longer than the previous step.
const GROWTH: i64 = 4;

/// The maximum number of index matches that are read and sorted after the first step. If the index has
/// more matches, reading along the agenda usually fills a page sooner: for example, in a million events
/// more than one event in five hundred matches.
const MOST_SORTED: i64 = 2_000;

/// Returns the ids of at most `probe` rows, in agenda order, that contain the text or have an assignee
/// whose name contains it.
pub(super) async fn find_ids(
    db: &Conn<'_>,
    rows: &Rows,
    text: &str,
    probe: i64,
) -> Result<Vec<String>> {
    let folded = fold_text(text);
    let search = Search {
        rows,
        pattern: like_pattern(&folded),
        people: members::find_ids_by_name(db, text).await?,
        indexed: index_query(db.get_database_backend(), &folded),
        probe,
    };
    let mut rows = rows.clone();
    let first = FIRST_PER_ROW.saturating_mul(probe);
    let (mut found, mut length, mut read) = (vec![], first, 0);
    loop {
        let missing = probe - i64::try_from(found.len()).unwrap_or(probe);
        let step = search.scan_agenda(db, &rows, length, missing).await?;
        found.extend(step.ids);
        let is_full = i64::try_from(found.len()).is_ok_and(|found| found >= probe);
        let Some((at, id)) = step.last.filter(|_| !is_full) else {
            return Ok(found);
        };
        read += length;
        if let Some(terms) = &search.indexed {
            let most = read.max(MOST_SORTED);
            if search.count_candidates(db, terms, most).await? <= most {
                return search.find_by_index(db, terms).await;
            }
        }
        rows = search.rows.clone();
        rows.restrict_to_after(at, &id);
        length = length.saturating_mul(GROWTH);
    }
}

/// The result of one step along the agenda.
struct Step {
    ids: Vec<String>,
    /// The position of the last row read; `None` if there are no more rows.
    last: Option<(Millis, String)>,
}

struct Search<'a> {
    rows: &'a Rows,
    /// The pattern for LIKE.
    pattern: String,
    /// The members whose name contains the text.
    people: Vec<MemberId>,
    /// The index query; `None` for a text of white space.
    indexed: Option<String>,
    probe: i64,
}

impl Search<'_> {
    /// Finds at most `missing` matches in the first `length` rows. The same statement returns the
    /// start of the next step, so that no row is read twice or skipped.
    async fn scan_agenda(
        &self,
        db: &Conn<'_>,
        rows: &Rows,
        length: i64,
        missing: i64,
    ) -> Result<Step> {
        let mut query = rows.conditions.clone();
        let (source, condition, order) = (
            rows.source_tables(),
            rows.where_condition(),
            rows.order_by_clause(),
        );
        let (at, id) = rows.sort_columns();
        let limit = query.bind(length);
        let matches = self.match_condition(&mut query);
        let missing = query.bind(missing);
        let sql = format!(
            "WITH step AS MATERIALIZED (
                SELECT {id} AS id, {at} AS agenda_at FROM {source} WHERE {condition}
                ORDER BY {order} LIMIT {limit} + 0)
             SELECT id, agenda_at, CAST(0 AS BIGINT) AS read FROM (
                SELECT step.id, step.agenda_at FROM step CROSS JOIN event_texts t
                WHERE t.event_id = step.id AND {matches}
                ORDER BY step.agenda_at, step.id LIMIT {missing} + 0) matching
             UNION ALL
             SELECT id, agenda_at, (SELECT count(*) FROM step) AS read FROM (
                SELECT id, agenda_at FROM step ORDER BY agenda_at DESC, id DESC LIMIT 1) ending
             ORDER BY read, agenda_at, id"
        );
        let mut step = Step {
            ids: vec![],
            last: None,
        };
        for row in db.fetch_all(&sql, query.values).await? {
            let id = row.try_get("", "id")?;
            match row.try_get::<i64>("", "read")? {
                0 => step.ids.push(id),
                read if read == length => step.last = Some((row.try_get("", "agenda_at")?, id)),
                _ => {}
            }
        }
        Ok(step)
    }

    /// Returns the number of candidates, regardless of the filters. Each kind of candidate is counted
    /// only up to `most` + 1.
    async fn count_candidates(&self, db: &Conn<'_>, terms: &str, most: i64) -> Result<i64> {
        let mut query = Conditions::default();
        let candidates = self.candidate_queries(db, terms, &mut query);
        let counts = candidates
            .into_iter()
            .map(|candidates| format!("(SELECT count(*) FROM ({candidates} LIMIT {most} + 1) c)"));
        let sql = format!(
            "SELECT {} AS matches",
            counts.collect::<Vec<_>>().join(" + ")
        );
        let row = db.fetch_one(&sql, query.values).await?;
        Ok(row.map_or(Ok(0), |row| row.try_get("", "matches"))?)
    }

    /// Finds the matching rows among the candidates: events that the index returns, events not
    /// indexed yet, and events with a matching assignee.
    async fn find_by_index(&self, db: &Conn<'_>, terms: &str) -> Result<Vec<String>> {
        let mut query = self.rows.conditions.clone();
        let (source, condition, order) = (
            self.rows.source_tables(),
            self.rows.where_condition(),
            self.rows.order_by_clause(),
        );
        let (_, id) = self.rows.sort_columns();
        let candidates = self
            .candidate_queries(db, terms, &mut query)
            .join(" UNION ");
        let matches = self.match_condition(&mut query);
        let probe = query.bind(self.probe);
        let sql = format!(
            "WITH found AS MATERIALIZED ({candidates})
             SELECT {id} AS id FROM found CROSS JOIN event_texts t CROSS JOIN {source}
             WHERE t.event_id = found.event_id AND {matches}
             AND {id} = found.event_id AND {condition}
             ORDER BY {order} LIMIT {probe} + 0"
        );
        fetch_ids(db, &sql, query).await
    }

    /// Returns SQL queries for the ids of candidates.
    fn candidate_queries(&self, db: &Conn<'_>, terms: &str, query: &mut Conditions) -> Vec<String> {
        let terms = query.bind(terms);
        let is_indexed = match db.get_database_backend() {
            DbBackend::Postgres => format!("terms @@ CAST(CAST({terms} AS TEXT) AS tsquery)"),
            _ => format!("event_index MATCH {terms}"),
        };
        let mut candidates = vec![
            format!(
                "SELECT t.event_id FROM event_index CROSS JOIN event_texts t
                 WHERE {is_indexed} AND t.number = event_index.rowid"
            ),
            "SELECT t.event_id FROM event_texts t WHERE t.pending".to_owned(),
        ];
        if let Some(people) = self.assignee_condition(query) {
            candidates.push(format!(
                "SELECT n.event_id FROM event_people n WHERE {people}"
            ));
        }
        candidates
    }

    /// Returns the condition that the text `t` of an event, or the name of an assignee, contains the
    /// search text.
    fn match_condition(&self, query: &mut Conditions) -> String {
        let pattern = query.bind(self.pattern.as_str());
        let matches = format!(r"t.searched LIKE {pattern} ESCAPE '\'");
        match self.assignee_condition(query) {
            Some(people) => format!(
                "({matches} OR EXISTS (SELECT 1 FROM event_people n
                 WHERE n.event_id = t.event_id AND {people}))"
            ),
            None => matches,
        }
    }

    /// Returns the condition that `n` of `event_people` is an assignee whose name contains the search
    /// text; `None` if no member has such a name.
    fn assignee_condition(&self, query: &mut Conditions) -> Option<String> {
        if self.people.is_empty() {
            return None;
        }
        let people = self.people.iter().map(|id| query.bind(id.as_str()));
        let people = people.collect::<Vec<_>>().join(", ");
        Some(format!("n.member_id IN ({people}) AND n.is_assigned"))
    }
}

async fn fetch_ids(db: &Conn<'_>, sql: &str, query: Conditions) -> Result<Vec<String>> {
    let rows = db.fetch_all(sql, query.values).await?;
    let ids = rows.iter().map(|row| row.try_get("", "id"));
    Ok(ids.collect::<Result<_, _>>()?)
}

fn like_pattern(folded: &str) -> String {
    let escaped = folded
        .replace('\\', r"\\")
        .replace('%', r"\%")
        .replace('_', r"\_");
    format!("%{escaped}%")
}

/// Returns the query in the syntax of the index; `None` if every text may match.
fn index_query(backend: DbBackend, folded: &str) -> Option<String> {
    let asked = required_terms(folded).into_iter();
    let asked = asked.map(|sought| match (backend, sought) {
        (DbBackend::Postgres, Sought::Term(term)) => format!("'{term}'"),
        (DbBackend::Postgres, Sought::Start(start)) => format!("'{start}':*"),
        (_, Sought::Term(term)) => format!("\"{term}\""),
        (_, Sought::Start(start)) => format!("\"{start}\" *"),
    });
    let asked: Vec<String> = asked.collect();
    let and = match backend {
        DbBackend::Postgres => " & ",
        _ => " AND ",
    };
    (!asked.is_empty()).then(|| asked.join(and))
}
