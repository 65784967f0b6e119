//! Forms that call an operation.

use domain::random_text;
use maud::{Markup, html};

use crate::view::View;

/// A form that calls an operation with its fields, and leads to `back` when it is done.
///
/// Each field has the name of an input of the operation. An empty field is left out, unless its name ends
/// with `!`. A name that ends with `:json` has a JSON text. In `back`, `{/id}` stands for that place in the
/// answer. The form carries a key of its own, so that sending it twice is done once.
pub(crate) fn form(view: &View<'_>, operation: &str, back: &str, fields: &Markup) -> Markup {
    html! {
        form method="post" action=(view.at(&format!("/acao/{operation}"))) class="form" {
            (hidden(view, operation, back))
            (fields)
            div class="outcome" role="alert" {}
        }
    }
}

/// The fields that every such form has.
pub(crate) fn hidden(view: &View<'_>, operation: &str, back: &str) -> Markup {
    let keyed = view.operation(operation).is_some_and(|o| o.spec.keyed);
    html! {
        input type="hidden" name="_volta" value=(back);
        @if keyed {
            input type="hidden" name="idempotency_key" value=(random_text::<18>());
        }
    }
}
