//! Lists of published posts, sorted by a figure.

use domain::{EventId, Format, MemberId, PublicationId, ReadingAge, ResultMeasure, time::Millis};

use crate::{Conn, Result, Row, columns, conditions::Conditions};

/// Returns the column of a measure, or 0 if posts are sorted only by the time of publication.
const fn measure_column(by: ResultMeasure) -> &'static str {
    match by {
        ResultMeasure::Published => "0",
        ResultMeasure::Reach => "r.reach",
        ResultMeasure::Views => "r.views",
        ResultMeasure::Likes => "r.likes",
        ResultMeasure::Comments => "r.comments",
        ResultMeasure::Shares => "r.shares",
        ResultMeasure::Saves => "r.saves",
        ResultMeasure::Clicks => "r.clicks",
    }
}

/// The filter of a list of posts.
#[derive(Debug)]
pub struct Filter {
    /// Only posts of this piece.
    pub event_id: Option<EventId>,
    /// Only posts of these pieces.
    pub events: Option<Vec<EventId>>,
    /// Only posts published in this span: from, until (exclusive).
    pub published: Option<(Millis, Millis)>,
    /// Only posts of these networks, and posts of other networks that have a reading.
    pub networks: Vec<&'static str>,
    pub network: Option<String>,
    /// Only posts of pieces that this member may see.
    pub visible_to: Option<MemberId>,
    /// The age of the reading by which posts are sorted; `None` for the latest successful reading.
    pub age: Option<ReadingAge>,
    pub by: ResultMeasure,
    /// Only posts after this position: the figure (-1 without a figure), the time of publication, and
    /// the id.
    pub after: Option<(i64, Millis, PublicationId)>,
}

/// A published post.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: PublicationId,
    pub event_id: EventId,
    pub title: String,
    pub network: String,
    pub kind: Format,
    pub finished_at: Millis,
    pub link: Option<String>,
    /// The figure by which the list is sorted; -1 without a figure.
    pub measured: i64,
}

columns!(Listed {
    id,
    event_id,
    title,
    network,
    kind,
    finished_at,
    link,
    measured,
});

/// Lists the published posts of variants that match the filter, the largest figure first and posts
/// without the figure last; at most `probe`.
pub async fn list(db: &Conn<'_>, filter: Filter, probe: i64) -> Result<Vec<Listed>> {
    let mut query = Conditions::default();
    query.and("p.variant_id IS NOT NULL AND p.state = 'published' AND p.post_id IS NOT NULL");
    let read = match filter.age {
        Some(age) => {
            let age = query.bind(age.as_str());
            format!("r.age = {age}")
        }
        None => "r.due_at = (SELECT max(x.due_at) FROM post_results x
            WHERE x.publication_id = p.id AND x.read_at IS NOT NULL)"
            .to_owned(),
    };
    if let Some(id) = filter.event_id {
        let id = query.bind(String::from(id));
        query.and(&format!("p.event_id = {id}"));
    }
    if let Some(ids) = filter.events {
        let ids = ids.into_iter().map(|id| query.bind(String::from(id)));
        let ids: Vec<String> = ids.collect();
        match ids.is_empty() {
            true => query.and("1 = 0"),
            false => query.and(&format!("p.event_id IN ({})", ids.join(", "))),
        }
    }
    if let Some((from, until)) = filter.published {
        let (from, until) = (query.bind(from), query.bind(until));
        query.and(&format!(
            "p.finished_at >= {from} AND p.finished_at < {until}"
        ));
    }
    let networks = filter.networks.iter().map(|name| query.bind(*name));
    let networks: Vec<String> = networks.collect();
    let is_read = "EXISTS (SELECT 1 FROM post_results x WHERE x.publication_id = p.id)";
    match networks.is_empty() {
        true => query.and(is_read),
        false => query.and(&format!(
            "(p.network IN ({}) OR {is_read})",
            networks.join(", ")
        )),
    }
    if let Some(network) = filter.network {
        let network = query.bind(network);
        query.and(&format!("p.network = {network}"));
    }
    if let Some(member) = filter.visible_to {
        let id = query.bind(String::from(member));
        query.and(&format!(
            "EXISTS (SELECT 1 FROM event_people v
              WHERE v.event_id = p.event_id AND v.member_id = {id})"
        ));
    }
    let measured = format!("coalesce({}, -1)", measure_column(filter.by));
    if let Some((value, at, id)) = filter.after {
        let (value, at) = (query.bind(value), query.bind(at));
        let id = query.bind(String::from(id));
        query.and(&format!(
            "({measured}, p.finished_at, p.id) < ({value}, {at}, {id})"
        ));
    }
    let limit = query.bind(probe);
    let sql = format!(
        "SELECT p.id, p.event_id, e.title, p.network, p.kind, p.finished_at, p.link,
            {measured} AS measured
         FROM publications p JOIN events e ON e.id = p.event_id
         LEFT JOIN post_results r ON r.publication_id = p.id AND r.read_at IS NOT NULL AND {read}
         WHERE {} ORDER BY {measured} DESC, p.finished_at DESC, p.id DESC LIMIT {limit}",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}
