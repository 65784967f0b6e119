//! The figures of the dashboards: small tables derived from sales and visits.
//!
//! Writers mark the rows that they change (`stale`), in their own transaction. [`Pass`] counts the
//! marked rows in bounded transactions. Sessions and their people are counted by the difference
//! from their previous count; purchases, subscriptions and CRM stages by recounting their days. Two
//! steps run in the transaction of the write itself: a new purchase marks its day, and the cost of
//! paid media is counted. So the figures depend only on the rows, not on their order of arrival.
//! `docs/METRICS.md` defines them.
//!
//! The dashboards read single rows only for a page of buyers, dispatches or ended subscriptions.
//! The only figures that identify people are in `figure_people`, which counts each person once.
//!
//! A launch is a filter over these sums, by code and product. So a launch can be changed without a
//! recount.

mod buyers;
mod crm;
mod day;
mod day_sales;
mod days;
mod deliveries;
mod journey;
mod kind;
pub(crate) mod media;
pub(crate) mod months;
mod pass;
mod people;
mod places;
mod purchases;
mod read;
mod sales;
mod subscriptions;
mod touches;

pub use buyers::{Bought, Buyer, Chosen, buyers, purchases_of_buyers};
pub use kind::{Kind, took_in, updated_at};
pub use media::{Campaign, MediaDay, campaigns, media_days};
pub use pass::Pass;
pub use people::forget as forget_person;
pub(crate) use purchases::{Settled, settle_new};
pub use read::{
    CrmFigure, DispatchFigure, JourneyFigure, LeavingSubscription, Left, PollFigure, SellerFigure,
    SubscriptionFigure, crm_stages, dispatches, journey, list_ended_subscriptions,
    load_mail_counts, polls, scopes_of_campaigns, sellers, subscription_days, subscription_exists,
    subscriptions_until,
};
pub use sales::{By, SalesFigure, Selection, product_names, sales};
pub use touches::{TouchFigure, touches};
