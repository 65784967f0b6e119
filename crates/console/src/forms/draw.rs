//! Draws forms with their hidden fields.

use domain::random_text;
use maud::{Markup, html};

use super::KEY_FIELD;
use crate::view::View;

/// A form that calls an operation, and redirects to `back` after a success.
///
/// Each field has the name of an input field of the operation. An empty field is left out unless its name ends
/// with `!`. A field whose name ends with `:json` holds a JSON text. In `back`, `{/id}` is replaced by the value
/// at that JSON pointer in the answer.
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

/// The hidden fields of a form that calls an operation.
pub(crate) fn operation_fields(view: &View<'_>, operation: &str, back: &str) -> Markup {
    let is_keyed = view.find_operation(operation).is_some_and(|o| o.spec.keyed);
    html! {
        input type="hidden" name="_volta" value=(back);
        @if is_keyed {
            input type="hidden" name=(KEY_FIELD) value=(random_text::<18>());
        }
    }
}

/// A form that is sent to the page at `path`, not to the page for operations.
pub(crate) fn page_form(view: &View<'_>, path: &str, fields: &Markup) -> Markup {
    html! {
        form method="post" action=(view.href_to(path)) class="form stack" {
            (key_field())
            (fields)
            div class="outcome" role="alert" {}
        }
    }
}

/// The key of a form that is sent to its own page. The field is not named `idempotency_key`,
/// because the gateway removes a field of that name from the input of a page.
pub(crate) fn key_field() -> Markup {
    returned_key_field("")
}

/// The key that a returned form was sent with; a new one if it is empty.
pub(crate) fn returned_key_field(key: &str) -> Markup {
    html! {
        @if key.is_empty() {
            input type="hidden" name="pedido" value=(random_text::<18>());
        } @else {
            input type="hidden" name="pedido" value=(key);
        }
    }
}
