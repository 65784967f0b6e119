//! Draws forms with their hidden fields.

use domain::random_text;
use maud::{Markup, html};

use super::KEY_FIELD;
use crate::view::View;

/// Draws a form that calls an operation, and redirects to `back` after a success.
///
/// Each field has the name of an input field of the operation. An empty field is not sent to the
/// operation unless the name of the field ends with `!`. A field whose name ends with `:json` contains a
/// JSON text. In `back`, `{/id}` is replaced by the value at the JSON pointer `/id` in the answer.
pub(crate) fn operation_form(
    view: &View<'_>,
    operation: &str,
    back: &str,
    fields: &Markup,
) -> Markup {
    html! {
        form method="post" action=(view.href_to(&format!("/acao/{operation}"))) class="form" {
            (operation_fields(view, operation, back))
            (fields)
            div class="outcome" role="alert" {}
        }
    }
}

/// Draws the hidden fields of a form that calls an operation.
pub(crate) fn operation_fields(view: &View<'_>, operation: &str, back: &str) -> Markup {
    let is_keyed = view.find_operation(operation).is_some_and(|o| o.spec.keyed);
    html! {
        input type="hidden" name="_volta" value=(back);
        @if is_keyed {
            input type="hidden" name=(KEY_FIELD) value=(random_text::<18>());
        }
    }
}

/// Draws a form that is sent to the page at `path` instead of the page that calls operations.
pub(crate) fn page_form(view: &View<'_>, path: &str, fields: &Markup) -> Markup {
    html! {
        form method="post" action=(view.href_to(path)) class="form stack" {
            (key_field())
            (fields)
            div class="outcome" role="alert" {}
        }
    }
}

/// Draws the hidden key of a form that is sent to its own page. The field is not named
/// `idempotency_key`, because the gateway removes a field of that name from the input of a page.
pub(crate) fn key_field() -> Markup {
    returned_key_field("")
}

/// Draws the hidden field with the key that a returned form was sent with, or with a new key if `key` is
/// empty.
pub(crate) fn returned_key_field(key: &str) -> Markup {
    html! {
        @if key.is_empty() {
            input type="hidden" name="pedido" value=(random_text::<18>());
        } @else {
            input type="hidden" name="pedido" value=(key);
        }
    }
}
