//! The dashboards of launches, sales and subscriptions.

mod amounts;
mod buyers;
mod chart;
mod curve;
mod days;
mod funnel;
mod glance;
mod launch;
mod launch_form;
mod launch_sheets;
mod launches;
mod period;
mod progress;
mod results;
mod sales;
mod shapes;
mod sheet;
mod standing;
mod subscriptions;
mod sums;
mod verdict;

use domain::Capability;
use gateway::Entry;

use crate::places::{Place, place};

pub(crate) use glance::draw_glance;
pub(crate) use results::draw_piece_results;

pub(crate) const PAGES: &[Entry] = &[
    launches::LAUNCHES,
    launch::LAUNCH,
    launch_form::NEW_LAUNCH,
    launch_form::CREATE_LAUNCH,
    launch_form::LAUNCH_FORM,
    launch_form::SAVE_LAUNCH,
    buyers::BUYERS,
    sales::SALES,
    subscriptions::SUBSCRIPTIONS,
    results::RESULTS,
];

pub(crate) const PLACES: &[Place] = &[
    place("/lancamentos", "Lançamentos", SEES)
        .with_key("l")
        .with_areas(FIGURES),
    place("/vendas", "Vendas", SEES).with_areas(FIGURES),
    place("/assinaturas", "Assinaturas", SEES).with_areas(FIGURES),
];

/// The areas whose operations change figures. The area of visitors' events is not included, because
/// these events change figures only when a job aggregates them.
const FIGURES: &[&str] = &["launches", "sales", "subscriptions"];

const SEES: &[Capability] = &[Capability::Vendas];
