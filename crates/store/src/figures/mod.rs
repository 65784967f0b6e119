//! The figures of the dashboards: small tables that follow from what was sold and visited.
//!
//! Writers mark what they change (`stale`), in their own transaction. [`settle`] counts what is
//! marked, in bounded transactions: sessions and their people by the difference from what was
//! counted for them before, purchases, subscriptions and CRM stages by counting their days again.
//! So the figures are always a function of the rows, in whatever order these arrived.
//! `docs/METRICS.md` defines them.

mod buyers;
mod crm;
mod days;
mod deliveries;
mod journey;
mod people;
mod purchases;
mod read;
mod sales;
mod subscriptions;

pub use buyers::{Bought, Buyer, bought, buyers};
pub use people::forget as forget_person;
pub use read::{
    Campaign, CampaignDay, CrmFigure, DispatchFigure, JourneyFigure, LeavingSubscription,
    PollFigure, SellerFigure, SubscriptionFigure, ad_spend, campaigns, crm_stages, dispatches,
    journey, leaving, mails, polls, scopes_of_campaigns, sellers, subscription, subscription_days,
    subscriptions_until,
};
pub use sales::{By, SalesFigure, Selection, TouchFigure, product_names, sales, touches};

use domain::time::Millis;

use crate::{
    Conn, Result,
    many::{Turn, take_turn},
};

/// What figures are of; each kind has an instant at which it last took in data.
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
    const fn as_str(self) -> &'static str {
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

/// Counts some of what is marked. Returns whether there was anything; the caller commits, and calls
/// again.
pub async fn settle(db: &Conn<'_>, now: Millis) -> Result<bool> {
    take_turn(db, Turn::Sales).await?;
    let settled = if journey::settle(db).await? {
        Some(Kind::Journey)
    } else if deliveries::settle(db).await? {
        Some(Kind::Deliveries)
    } else if purchases::settle(db).await? {
        Some(Kind::Sales)
    } else if subscriptions::settle(db).await? {
        Some(Kind::Subscriptions)
    } else if crm::settle(db).await? {
        Some(Kind::Crm)
    } else {
        days::settle(db).await?
    };
    if let Some(kind) = settled {
        took_in(db, kind, now).await?;
    }
    Ok(settled.is_some())
}

/// Records that figures of this kind took in what there was.
pub async fn took_in(db: &Conn<'_>, kind: Kind, now: Millis) -> Result<()> {
    let sql = "INSERT INTO figure_state (kind, updated_at) VALUES ($1, $2)
        ON CONFLICT (kind) DO UPDATE SET updated_at = excluded.updated_at
        WHERE figure_state.updated_at < excluded.updated_at";
    db.run(sql, [kind.as_str().into(), now.into()]).await?;
    Ok(())
}

/// When the figures of these kinds last took in data: the oldest instant of those that ever did.
pub async fn updated_at(db: &Conn<'_>, kinds: &[Kind]) -> Result<Option<Millis>> {
    let rows = db
        .all("SELECT kind, updated_at FROM figure_state", [])
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
