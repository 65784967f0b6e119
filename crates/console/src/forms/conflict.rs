//! The choice between two versions of a text after a conflict.

use gateway::{Reply, Result, offload};
use maud::{Markup, html};

use super::fits_page;
use crate::{diff, shell, view::View};

/// A text that a form sent, and the version that another person has stored in the meantime.
pub(crate) struct Conflict<'a> {
    /// The noun for the text, with its article: `a skill`, `o rascunho`.
    pub what: &'a str,
    /// The author, the number and the time of the stored version.
    pub by: Markup,
    pub stored: &'a str,
    pub mine: &'a str,
    /// The form that replaces the stored version with the text that was sent.
    pub again: Markup,
    /// The path of the page that shows the stored version.
    pub keep: String,
}

impl Conflict<'_> {
    /// Replies with a page that shows both versions and lets the person choose one.
    pub async fn choice_page(self, view: &View<'_>) -> Result<Reply> {
        let (stored, mine) = (self.stored.to_owned(), self.mine.to_owned());
        let difference = if fits_page([&*stored, &*mine]) {
            offload(move || diff::draw_hunks(&stored, &mine)).await?
        } else {
            html! { p class="soft" { "Os textos são longos demais para serem comparados aqui." } }
        };
        let title = "Alguém salvou antes";
        let body = html! {
            h1 { (title) }
            div class="notice wait" role="alert" {
                p { strong { "Enquanto você escrevia, " (self.what) " mudou." } " " (self.by) }
                p { "Nada foi sobrescrito, e o que você escreveu está aqui. Escolha com qual versão ficar." }
            }
            div class="versions" {
                section aria-labelledby="salva" {
                    h2 id="salva" { "A versão salva" }
                    pre class="document" dir="auto" tabindex="0" { (self.stored) }
                    p { a class="button quiet" href=(view.href_to(&self.keep)) { "Ficar com a salva" } }
                }
                section aria-labelledby="sua" {
                    h2 id="sua" { "A sua versão" }
                    (self.again)
                }
            }
            section aria-labelledby="diferenca" {
                h2 id="diferenca" { "Da salva para a sua" }
                (difference)
            }
        };
        Ok(shell::reading_page(view, title, &body).with_status(409))
    }
}
