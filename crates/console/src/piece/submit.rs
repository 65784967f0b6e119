//! Submits a piece for approval after its media were corrected.

use domain::Revision;
use gateway::{Error, Reply, Result};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{
    model::piece_path,
    page::{Returned, piece_page},
};
use crate::{
    forms::{error_notice, keyed_input, with_error_status},
    view::View,
};

pub(super) const OPERATION: &str = "submit_for_approval";

/// Submits the piece at this revision, with the key of the form.
pub(super) async fn submit_piece(
    view: &View<'_>,
    id: &str,
    revision: Revision,
    form_key: &str,
) -> Result<()> {
    let fields = json!({ "event_id": id, "expected_revision": revision });
    let input = keyed_input(Some(form_key), fields).await?;
    view.call(OPERATION, input).await.map(|_: Value| ())
}

/// Answers a form whose correction was saved but whose piece could not be submitted. The page of the
/// piece then shows the saved correction, and the reason why the piece was not submitted.
pub(super) async fn answer_unsubmitted(
    view: &View<'_>,
    id: &str,
    error: &Error,
    done: &Markup,
) -> Result<Reply> {
    let wrong = html! {
        (done)
        p { strong { "A correção está salva, mas a peça não foi enviada para aprovação." } }
        (error_notice(error))
    };
    let returned = Returned {
        wrong: Some(wrong),
        ..Returned::default()
    };
    let reply = piece_page(view, id, None, returned).await?;
    Ok(with_error_status(reply, error).with_header("hx-push-url", view.href_to(&piece_path(id))))
}
