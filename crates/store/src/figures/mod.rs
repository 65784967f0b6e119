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

pub use buyers::{Bought, Buyer, Chosen, list_buyers, list_purchases_of_buyers};
pub use kind::{Kind, find_oldest_update, record_update};
pub use media::{Campaign, MediaDay, list_campaigns, list_media_days};
pub use pass::Pass;
pub use people::forget as forget_person;
pub(crate) use purchases::{Settled, settle_new};
pub use read::{
    CrmFigure, Days, DispatchFigure, JourneyFigure, LeavingSubscription, Left, PollFigure,
    SellerFigure, SubscriptionFigure, count_subscriptions_on_days, count_subscriptions_until,
    list_campaign_scopes, list_crm_stages, list_dispatches, list_ended_subscriptions,
    list_journey_steps, list_poll_answers, list_sellers, load_mail_counts, subscription_exists,
};
pub use sales::{By, SalesFigure, Selection, list_sales, load_product_names};
pub use touches::{TouchFigure, list_touches};
