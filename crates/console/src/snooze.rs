//! The button that postpones the reminder of a post by hand.

use maud::{Markup, html};

use crate::{forms::operation_form, view::View};

/// The operation that reminds the viewer again later.
pub(crate) const SNOOZE: &str = "snooze_post_reminder";

/// Draws the button that reminds the viewer of this piece, channel and format in an hour, and redirects
/// to `back`.
pub(crate) fn snooze_form(
    view: &View<'_>,
    (event_id, channel, format): (&str, &str, &str),
    back: &str,
) -> Markup {
    let fields = html! {
        input type="hidden" name="eventId" value=(event_id);
        input type="hidden" name="canal" value=(channel);
        input type="hidden" name="formato" value=(format);
        button type="submit" class="quiet" { "Lembrar em 1 h" }
    };
    operation_form(view, SNOOZE, back, &fields)
}
