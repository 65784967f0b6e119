use gateway::{Context, Entry, Error, Page, Reply, Result, Services, Spec, Verb};
use identity::guest_link::guest_path;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{draw::draw_pieces, model::Pieces, sheet::Sheet};
use crate::{area::guest_spec, forms::error_notice, links::href_to, shell};

/// The page of a guest's link. Shows the form for the code until the guest has entered it, then the
/// pieces.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Open {
    /// O segredo do link.
    link: String,
    /// O que acaba de ser feito.
    feito: Option<String>,
}

const ROUTE: Spec = guest_spec(
    "guest_page",
    "Abrir link de convidado",
    Verb::Get,
    "/convidado/{link}",
    None,
)
.fails(&[401, 403, 404]);

pub(super) const PAGE: Entry = Entry::for_page::<Open>(
    ROUTE,
    "As peças de um link de convidado, com a decisão e os comentários.",
);

impl Page for Open {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let guest = ctx.caller()?.guest();
        let guest = guest.ok_or_else(|| Error::internal("a page of guests without a guest"))?;
        if guest.needs_code {
            return Ok(code_page(ctx.services, &self.link, None));
        }
        let pieces = Pieces::read(ctx).await?;
        let done = self.feito.as_deref().and_then(done_sentence);
        Ok(pieces_page(
            ctx.services,
            &self.link,
            &pieces,
            done.map(done_notice),
        ))
    }
}

fn done_sentence(what: &str) -> Option<&'static str> {
    match what {
        "aprovar" => Some("Aprovado. Obrigado!"),
        "pedir_ajustes" => Some("Pedido de ajustes enviado."),
        "comentar" => Some("Comentário enviado."),
        "editar" => Some("Comentário salvo."),
        "remover" => Some("Comentário removido."),
        _ => None,
    }
}

fn done_notice(sentence: &str) -> Markup {
    html! { p class="notice good" role="status" { (sentence) } }
}

/// Replies with the page of all pieces. `notice` is shown above the pieces.
pub(super) fn pieces_page(
    services: &Services,
    link: &str,
    pieces: &Pieces,
    notice: Option<Markup>,
) -> Reply {
    let sheet = Sheet::new(services, link);
    let body = draw_pieces(&sheet, pieces, notice.as_ref());
    forbid_indexing(shell::bare_page(services, "Para a sua aprovação", &body))
}

/// Replies with the page that asks for the code.
pub(super) fn code_page(services: &Services, link: &str, error: Option<&Error>) -> Reply {
    let body = html! {
        h1 { "Informe o código" }
        p { "Quem mandou este link mandou também um código de seis números, por outro caminho." }
        @if let Some(error) = error { (error_notice(error)) }
        form method="post" action=(href_to(services, &guest_path(link))) class="form stack narrow" {
            label class="field" {
                span { "Código" }
                input name="codigo" inputmode="numeric" pattern="[0-9]{6}" maxlength="6" required
                    autocomplete="one-time-code";
            }
            button type="submit" name="acao" value="codigo" { "Continuar" }
        }
    };
    forbid_indexing(shell::bare_page(services, "Informe o código", &body))
}

/// Adds the header that keeps the page out of search engines.
pub(super) fn forbid_indexing(reply: Reply) -> Reply {
    reply.with_header("x-robots-tag", "noindex")
}
