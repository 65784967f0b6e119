//! Finds texts: first the texts with all words in the title, then the others, each by recency.
//!
//! An index returns its matches in no useful order. So the search first counts the matches in the index.
//! Up to [`MOST_SORTED`] matches are sorted. If there are more, the texts are read from the most recent
//! on until enough match. Where recent texts seldom match, this would read most texts. So after each
//! step the search counts the matches again, up to a number that grows with the texts read, and sorts
//! all matches if they are at most that number.

use std::{cmp::Reverse, collections::BTreeMap};

use domain::time::Millis;
use sea_orm::ConnectionTrait;
use search::typed::{Place, Typed};

use super::index::{Texts, index_condition, index_query};
use crate::{Conn, Result, conditions::Conditions};

/// The maximum number of matches to sort.
const MOST_SORTED: i64 = 2_000;
/// The number of matches that may be sorted for each text that was read without filling the result.
/// Sorting this number takes a few times as long as reading one text.
const SORTED_PER_TEXT: i64 = 32;
/// The number of texts that the first step reads.
const FIRST_STEP: i64 = 64;
/// The maximum number of texts that a step reads.
const LONGEST_STEP: i64 = 4_096;
/// The maximum number of pending texts that a search reads. Pending texts are not indexed yet.
pub(crate) const MOST_PENDING: i64 = 1_000;

/// A resource that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub id: String,
    pub place: Place,
    pub recent: Millis,
}

/// The texts that the caller may see. `t` is the table of the texts.
pub(crate) struct Source {
    pub texts: &'static Texts,
    /// The tables of the query, ordered for reading the most recent texts. SQLite reads the tables of a
    /// CROSS JOIN in the order in which they are written.
    pub along: String,
    /// The tables of the query, ordered for reading texts that the index found.
    pub beyond: String,
    pub conditions: Conditions,
    pub id: &'static str,
    /// The column that an index of `along` sorts by, together with `id`.
    pub at: &'static str,
    /// The instant that orders the hits.
    pub recent: &'static str,
    /// Conditions that divide the texts into parts. Within each part, the order by `at` and `id`
    /// equals the order by `recent`.
    pub regions: &'static [&'static str],
}

/// Finds at most `most` texts.
pub(crate) async fn find_hits(
    db: &Conn<'_>,
    source: &Source,
    typed: &Typed,
    most: usize,
) -> Result<Vec<Hit>> {
    if typed.is_empty() || most == 0 {
        return Ok(vec![]);
    }
    let search = Search {
        source,
        typed,
        most,
        in_title: index_query(db.get_database_backend(), &typed.index_lookup(Place::Title)),
        in_text: index_query(db.get_database_backend(), &typed.index_lookup(Place::Text)),
    };
    let mut hits = Hits::default();
    hits.add(search.read_pending(db).await?);
    let counted = search.count_matches(db, MOST_SORTED).await?;
    if counted.in_text <= MOST_SORTED {
        if counted.in_text > 0 {
            hits.add(search.find_by_index(db, Place::Text).await?);
        }
        return Ok(hits.into_best(most));
    }
    match counted.in_title {
        0 => {}
        ..=MOST_SORTED => hits.add(search.find_by_index(db, Place::Title).await?),
        _ => hits.add(search.read_recent(db, Place::Title).await?),
    }
    if hits.count_in(Place::Title) < most {
        hits.add(search.read_recent(db, Place::Text).await?);
    }
    Ok(hits.into_best(most))
}

#[derive(Default)]
struct Hits(BTreeMap<String, (Place, Millis)>);

impl Hits {
    fn add(&mut self, hits: Vec<Hit>) {
        for hit in hits {
            self.0.insert(hit.id, (hit.place, hit.recent));
        }
    }

    fn count_in(&self, place: Place) -> usize {
        self.0.values().filter(|(found, _)| *found == place).count()
    }

    fn into_best(self, most: usize) -> Vec<Hit> {
        let hits = self.0.into_iter();
        let mut hits: Vec<Hit> = hits
            .map(|(id, (place, recent))| Hit { id, place, recent })
            .collect();
        hits.sort_by_cached_key(|hit| Reverse((hit.place, hit.recent, hit.id.clone())));
        hits.truncate(most);
        hits
    }
}

/// The numbers of matches in the index, including texts that the caller may not see.
struct Counted {
    in_text: i64,
    in_title: i64,
}

impl Counted {
    fn count_in(&self, place: Place) -> i64 {
        match place {
            Place::Title => self.in_title,
            Place::Text => self.in_text,
        }
    }
}

struct Search<'a> {
    source: &'a Source,
    typed: &'a Typed,
    most: usize,
    in_title: String,
    in_text: String,
}

impl Search<'_> {
    /// Counts the matches in the index. Each count stops at `most` + 1.
    async fn count_matches(&self, db: &Conn<'_>, most: i64) -> Result<Counted> {
        let mut query = Conditions::default();
        let index = self.source.texts.index;
        let mut count = |terms: &str| {
            let terms = query.bind(terms);
            let is_indexed = index_condition(db.get_database_backend(), index, &terms);
            format!(
                "(SELECT count(*) FROM (SELECT 1 FROM {index} WHERE {is_indexed}
                    LIMIT {most} + 1) c)"
            )
        };
        let (in_text, in_title) = (count(&self.in_text), count(&self.in_title));
        let sql = format!("SELECT {in_text} AS in_text, {in_title} AS in_title");
        let row = db.fetch_one(&sql, query.values).await?;
        let Some(row) = row else {
            return Ok(Counted {
                in_text: 0,
                in_title: 0,
            });
        };
        Ok(Counted {
            in_text: row.try_get("", "in_text")?,
            in_title: row.try_get("", "in_title")?,
        })
    }

    /// Finds matches through the index: in the whole text, or only in the title.
    async fn find_by_index(&self, db: &Conn<'_>, place: Place) -> Result<Vec<Hit>> {
        let Source {
            texts,
            beyond,
            id,
            recent,
            ..
        } = self.source;
        let index = texts.index;
        let mut query = self.source.conditions.clone();
        let mut matches = |terms: &str, grade: i64| {
            let terms = query.bind(terms);
            let is_indexed = index_condition(db.get_database_backend(), index, &terms);
            format!(
                "SELECT {index}.rowid AS number, CAST({grade} AS BIGINT) AS grade FROM {index}
                 WHERE {is_indexed}"
            )
        };
        let mut found = vec![matches(&self.in_title, 1)];
        if place == Place::Text {
            found.push(matches(&self.in_text, 0));
        }
        let sql = format!(
            "WITH found AS MATERIALIZED (
                SELECT number, max(grade) AS grade FROM ({}) m GROUP BY number)
             SELECT {id} AS id, found.grade AS grade, {recent} AS recent
             FROM found CROSS JOIN {beyond}
             WHERE t.number = found.number AND NOT t.pending AND {}
             ORDER BY grade DESC, recent DESC, id DESC LIMIT {}",
            found.join(" UNION ALL "),
            self.source.conditions.text,
            self.most,
        );
        let mut hits = vec![];
        for row in db.fetch_all(&sql, query.values).await? {
            hits.push(Hit {
                id: row.try_get("", "id")?,
                place: match row.try_get::<i64>("", "grade")? {
                    0 => Place::Text,
                    _ => Place::Title,
                },
                recent: row.try_get("", "recent")?,
            });
        }
        Ok(hits)
    }

    /// Reads texts that are not indexed yet.
    async fn read_pending(&self, db: &Conn<'_>) -> Result<Vec<Hit>> {
        let Source {
            texts,
            beyond,
            conditions,
            id,
            recent,
            ..
        } = self.source;
        let sql = format!(
            "SELECT {id} AS id, {recent} AS recent, t.{} AS text FROM {beyond}
             WHERE t.pending AND {} LIMIT {MOST_PENDING}",
            texts.text, conditions.text,
        );
        let mut hits = vec![];
        for row in db.fetch_all(&sql, conditions.values.clone()).await? {
            hits.extend(self.match_row(&row)?);
        }
        Ok(hits)
    }

    fn match_row(&self, row: &crate::Row) -> Result<Option<Hit>> {
        let text: String = row.try_get("", "text")?;
        let Some(place) = self.typed.find_place(&text) else {
            return Ok(None);
        };
        Ok(Some(Hit {
            id: row.try_get("", "id")?,
            place,
            recent: row.try_get("", "recent")?,
        }))
    }

    /// Finds texts in the required place, the whole text or the title: reads texts, most recent
    /// first, until enough of them match or the index has few enough matches to sort.
    async fn read_recent(&self, db: &Conn<'_>, place: Place) -> Result<Vec<Hit>> {
        let (mut hits, mut read, mut read_at_count) = (vec![], 0, 0);
        for region in self.source.regions {
            let (mut found, mut length, mut last) = (0, FIRST_STEP, None);
            while found < self.most {
                let most = read * SORTED_PER_TEXT;
                if read >= 2 * read_at_count && most >= 2 * MOST_SORTED {
                    if self.count_matches(db, most).await?.count_in(place) <= most {
                        return self.find_by_index(db, place).await;
                    }
                    read_at_count = read;
                }
                let rows = self.read_step(db, region, length, last.as_ref()).await?;
                for row in &rows {
                    let hit = self.match_row(row)?.filter(|hit| hit.place >= place);
                    found += usize::from(hit.is_some());
                    hits.extend(hit);
                }
                let Some(row) = rows.last().filter(|_| rows.len() as i64 == length) else {
                    break;
                };
                let at: Millis = row.try_get("", "at")?;
                last = Some((at, row.try_get::<String>("", "id")?));
                read += length;
                length = (length * 4).min(LONGEST_STEP);
            }
        }
        Ok(hits)
    }

    async fn read_step(
        &self,
        db: &Conn<'_>,
        region: &str,
        length: i64,
        last: Option<&(Millis, String)>,
    ) -> Result<Vec<crate::Row>> {
        let Source {
            texts,
            along,
            conditions,
            id,
            at,
            recent,
            ..
        } = self.source;
        let mut query = conditions.clone();
        query.and(region);
        if let Some((last_at, last_id)) = last {
            let (last_at, last_id) = (query.bind(*last_at), query.bind(last_id.as_str()));
            query.and(&format!("({at}, {id}) < ({last_at}, {last_id})"));
        }
        let sql = format!(
            "SELECT {id} AS id, {at} AS at, {recent} AS recent, t.{} AS text FROM {along}
             WHERE {} ORDER BY {at} DESC, {id} DESC LIMIT {length}",
            texts.text, query.text,
        );
        Ok(db.fetch_all(&sql, query.values).await?)
    }
}
