//! The figures of the dashboards: small tables that follow from what was sold and visited.
//!
//! Writers mark what they change (`stale`), in their own transaction. [`settle`] counts what is
//! marked, in bounded transactions: sessions and their people by the difference from what was
//! counted for them before, purchases, subscriptions and CRM stages by counting their days again.
//! A new purchase marks its day where it is written, and paid media is counted there.
//! So the figures are always a function of the rows, in whatever order these arrived.
//! `docs/METRICS.md` defines them.

mod buyers;
mod crm;
mod day;
mod day_sales;
mod days;
mod deliveries;
mod journey;
mod kind;
pub(crate) mod media;
mod people;
mod places;
mod purchases;
mod read;
mod sales;
mod subscriptions;

pub use buyers::{Bought, Buyer, Chosen, bought, buyers};
pub use kind::{Kind, took_in, updated_at};
pub use media::{Campaign, MediaDay, campaigns, media_days};
pub use people::forget as forget_person;
pub(crate) use purchases::{Settled, settle_new};
pub use read::{
    CrmFigure, DispatchFigure, JourneyFigure, LeavingSubscription, Left, PollFigure, SellerFigure,
    SubscriptionFigure, crm_stages, dispatches, journey, leaving, mails, polls,
    scopes_of_campaigns, sellers, subscription, subscription_days, subscriptions_until,
};
pub use sales::{By, SalesFigure, Selection, TouchFigure, product_names, sales, touches};

use domain::time::Millis;

use crate::{
    Conn, Result,
    turns::{Turn, take_turn},
};

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
