//! The hours at which posts were published, with their views.

use domain::{Format, ReadingAge, time::Millis};

use crate::{Conn, Result, Row, columns, conditions::Conditions};

/// A published post with the number of its views.
#[derive(Debug, Clone)]
pub struct SeenPost {
    pub network: String,
    pub kind: Format,
    pub finished_at: Millis,
    /// The views or, without them, the reach.
    pub seen: i64,
}

columns!(SeenPost {
    network,
    kind,
    finished_at,
    seen,
});

/// Lists the posts that were published since an instant and whose reading at this age contains views or
/// a reach. Without a network, lists the posts of all networks.
pub async fn list_posts_with_views(
    db: &Conn<'_>,
    network: Option<&str>,
    age: ReadingAge,
    since: Millis,
) -> Result<Vec<SeenPost>> {
    let mut query = Conditions::default();
    let (age, since) = (query.bind(age.as_str()), query.bind(since));
    query.and("p.variant_id IS NOT NULL AND p.state = 'published' AND p.post_id IS NOT NULL");
    query.and(&format!("p.finished_at >= {since} AND r.age = {age}"));
    query.and("coalesce(r.views, r.reach) IS NOT NULL");
    if let Some(network) = network {
        let network = query.bind(network);
        query.and(&format!("p.network = {network}"));
    }
    let sql = format!(
        "SELECT p.network, p.kind, p.finished_at, coalesce(r.views, r.reach) AS seen
         FROM publications p JOIN post_results r ON r.publication_id = p.id
         WHERE {} ORDER BY p.finished_at, p.id",
        query.text
    );
    let rows = db.fetch_all(&sql, query.values).await?;
    Ok(rows.iter().map(Row::read).collect::<Result<_, _>>()?)
}
