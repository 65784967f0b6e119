//! Dashboards: launches, sales, subscriptions.

mod amounts;
mod buyers;
mod chart;
mod launch;
mod launch_sheets;
mod launches;
mod period;
mod sales;
mod shapes;
mod sheet;
mod subscriptions;
mod sums;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) const PAGES: &[Entry] = &[
    launches::LAUNCHES,
    launch::LAUNCH,
    buyers::BUYERS,
    sales::SALES,
    subscriptions::SUBSCRIPTIONS,
];

pub(crate) const PLACES: &[Place] = &[
    place("/lancamentos", "Lançamentos", SEES),
    place("/vendas", "Vendas", SEES),
    place("/assinaturas", "Assinaturas", SEES),
];

const SEES: &[Capability] = &[Capability::Vendas];
