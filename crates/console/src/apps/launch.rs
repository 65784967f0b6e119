use gateway::Result;
use maud::Markup;

use super::fragment::Fragment;
use crate::figures;

/// Draws a launch at a glance. The path is the id of its project.
pub(super) async fn draw_launch(fragment: &Fragment<'_>) -> Result<Markup> {
    figures::draw_glance(&fragment.view, fragment.path, fragment.base()).await
}
