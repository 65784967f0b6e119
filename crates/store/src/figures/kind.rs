//! The kinds of figures, and the freshness of each.

use domain::time::Millis;

use crate::{Conn, Result};

/// A kind of figures. Each kind records the instant of its last update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Sales,
    Subscriptions,
    Journey,
    Crm,
    Deliveries,
    AdSpend,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Sales => "vendas",
            Self::Subscriptions => "assinaturas",
            Self::Journey => "jornada",
            Self::Crm => "crm",
            Self::Deliveries => "emails",
            Self::AdSpend => "midia",
        }
    }
}

/// Records the instant of an update of this kind of figures.
pub async fn record_update(db: &Conn<'_>, kind: Kind, now: Millis) -> Result<()> {
    let sql = "INSERT INTO figure_state (kind, updated_at) VALUES ($1, $2)
        ON CONFLICT (kind) DO UPDATE SET updated_at = excluded.updated_at
        WHERE figure_state.updated_at < excluded.updated_at";
    db.run(sql, [kind.as_str().into(), now.into()]).await?;
    Ok(())
}

/// Finds when the figures of these kinds were last updated: the oldest of the recorded instants.
pub async fn find_oldest_update(db: &Conn<'_>, kinds: &[Kind]) -> Result<Option<Millis>> {
    let rows = db
        .fetch_all("SELECT kind, updated_at FROM figure_state", [])
        .await?;
    let mut oldest = None;
    for row in &rows {
        let kind: String = row.try_get("", "kind")?;
        let at: Millis = row.try_get("", "updated_at")?;
        if kinds.iter().any(|one| one.as_str() == kind) {
            oldest = Some(oldest.map_or(at, |oldest: Millis| oldest.min(at)));
        }
    }
    Ok(oldest)
}
