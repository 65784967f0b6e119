//! The link to the notifications, in the bar of every page.

use maud::{Markup, html};

use crate::view::View;

/// The path of the list of notifications.
pub(crate) const PATH: &str = "/notificacoes";

/// The area whose changes update the bell. Every page subscribes to it.
pub(crate) const AREA: &str = "notifications";

/// The smallest count that is shown as `99+`.
const MOST_COUNTED: i64 = 100;

/// Draws the link to the list of notifications, with the number of unread notifications. `shell.js`
/// replaces the link when the stream reports a change.
pub(crate) fn draw_bell(view: &View<'_>, path: &str) -> Markup {
    let unread = view.waiting.unread;
    html! {
        @if view.may_call("list_notifications") {
            a id="sino" class="button quiet bell" href=(view.href_to(PATH)) aria-current=[(path == PATH).then_some("page")] {
                svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false" {
                    path d="M12 3a6 6 0 0 0-6 6v4l-2 4h16l-2-4V9a6 6 0 0 0-6-6Zm-2.5 16a2.5 2.5 0 0 0 5 0Z" fill="currentColor" {}
                }
                span class="sr" { "Notificações" }
                @if unread > 0 {
                    span class="tally" {
                        @if unread >= MOST_COUNTED { (MOST_COUNTED - 1) "+" } @else { (unread) }
                        span class="sr" { @if unread == 1 { " não lida" } @else { " não lidas" } }
                    }
                }
            }
        }
    }
}
