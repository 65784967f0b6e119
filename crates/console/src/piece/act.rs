//! Forms that act on a piece.

use maud::{Markup, html};

use super::model::{Event, piece_path};
use crate::{forms::operation_form, view::View};

/// Draws a form that calls an operation with the shown revision and redirects to the page of the piece.
pub(super) fn action_form(
    view: &View<'_>,
    event: &Event,
    operation: &str,
    fields: &Markup,
) -> Markup {
    let fields = html! {
        input type="hidden" name="eventId" value=(event.id);
        input type="hidden" name="expected_revision" value=(event.api_revision);
        (fields)
    };
    operation_form(view, operation, &piece_path(&event.id), &fields)
}
