use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    actions, arrange, caption, details, history,
    made::{self, Made},
    make,
    model::Piece,
    previews::{self, Extent, Post, Signers},
    publish,
    redrawn::Redrawn,
    remarks::{self, Remarks},
    stage, upload, variants, words,
};
use crate::{
    area::page_spec,
    figures::draw_piece_results,
    forms::{error_notice, notice_reply, with_error_status},
    publishing::Networks,
    shell, text,
    view::View,
};
use domain::{EventStatus, Revision};

/// The page of a piece.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct PiecePage {
    event_id: String,
    /// A revisão com que se compara.
    de: Option<Revision>,
    /// A revisão comparada.
    para: Option<Revision>,
    /// A imagem que se corrige.
    imagem: Option<String>,
    /// Os números dos cards que uma correção desenhou: `2-4`.
    desenhados: Option<String>,
    /// Quantos cards a peça tem.
    cards: Option<usize>,
}

const ROUTE: Spec = page_spec("console_piece", "Peça", "/eventos/{event_id}").fails(&[404]);

pub(crate) const PAGE: Entry = Entry::for_page::<PiecePage>(
    ROUTE,
    "Uma peça: mídias, legenda, histórico e o que se pode fazer com ela.",
);

/// The content of a refused form, for the page that shows it again.
#[derive(Default)]
pub(super) struct Returned<'a> {
    /// The sent caption, and the revision on which it is based.
    pub caption: Option<(&'a str, Revision)>,
    /// The sent form of an image or carousel.
    pub sent: make::SentForm<'a>,
    pub wrong: Option<Markup>,
    /// The image that the person corrects.
    pub corrects: Option<&'a str>,
    /// The notice that says what was done to the media.
    pub done: Option<Markup>,
}

impl Page for PiecePage {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let compared = self.de.zip(self.para);
        let drawn = self.desenhados.zip(self.cards);
        let drawn = drawn.and_then(|(drawn, count)| Redrawn::parse_query(&drawn, count));
        let returned = Returned {
            done: drawn.map(|drawn| drawn.draw_notice(&[])),
            corrects: self.imagem.as_deref(),
            ..Returned::default()
        };
        piece_page(&view, &self.event_id, compared, returned).await
    }
}

/// Draws the page of a piece.
pub(super) async fn piece_page(
    view: &View<'_>,
    id: &str,
    compared: Option<(Revision, Revision)>,
    returned: Returned<'_>,
) -> Result<Reply> {
    let until = compared.map(|(one, other)| one.min(other));
    let piece = Piece::read(view, id, until).await?;
    let team = details::read_team(view, &piece.event).await?;
    let networks = Networks::read(view).await?;
    let event = &piece.event;
    let talk = Remarks::read(view, event, remarks::Extent::Piece).await?;
    let signers = Signers::read(view, &networks, &piece).await?;
    let made = if event.is_editable() {
        Made::read(view, event).await?
    } else {
        Made::default()
    };
    let results = match piece.variants.iter().any(|one| one.no_ar_desde.is_some()) {
        true => draw_piece_results(view, id).await?,
        false => html! {},
    };
    let corrected = returned
        .corrects
        .and_then(|id| made::image_form_fields(event, &made, id));
    let sent = match &corrected {
        Some(fields) => make::SentForm {
            fields,
            ..make::SentForm::default()
        },
        None => returned.sent,
    };
    let now = (event.caption(), event.api_revision);
    let (text, revision) = returned.caption.unwrap_or(now);
    let tools = [
        upload::upload_form(view, event),
        arrange::arrange_form(view, event),
        make::image_form(view, event, sent),
        make::carousel_form(view, event, sent),
    ];
    let tools = tools.iter().flatten();
    let body = html! {
        div id={ "peca-" (event.id) } class="piece" data-module="editor"
            data-revision=(event.api_revision) data-lines=(piece.newest_authors(&view.member().id)) {
            (shell::draw_paper_head(view, "Peça em"))
            (draw_head(view, &piece))
            @if let Some(wrong) = &returned.wrong { (wrong) }
            (status_notices(&piece))
            @if piece.open_refusal().is_some() { @if let Some(links) = made::correction_links(view, event, &made) { (links) } }
            div class="columns" {
                div class="stack wide" {
                    section aria-labelledby="midias" {
                        h2 id="midias" { "Mídias" }
                        @if let Some(done) = &returned.done { (done) }
                        (stage::draw_slides(event, "midia"))
                        @if let Some(links) = made::correction_links(view, event, &made) { (links) }
                        @if !publish::may_publish(view, event) || !piece.variants.is_empty() { (publish::download_section(view, event)) }
                        @if event.is_editable() {
                            div class="tools" {
                                @for tool in tools { (tool) }
                            }
                        }
                    }
                    (caption::caption_section(view, &piece, &talk, (text, revision)))
                    @if let Some(channels) = variants::variants_section(view, &piece) { (channels) }
                    (results)
                    (remarks::remarks_section(view, &piece, &talk, remarks::Extent::Piece))
                    @if view.may_call("create_guest_link") {
                        p { a href=(view.href_to(&format!("/convidados?evento={}", event.id))) { "Convidar alguém de fora" } }
                    }
                    (history::history_section(view, &piece, compared))
                }
                aside class="stack" aria-label="Ações e prévia" {
                    (actions::draw_actions(view, &piece, &networks))
                    (previews::previews_section(&Post::list(event, &piece.variants, text, (&signers, Some(&view.href_to("")))), Extent::Folded))
                    (details::details_section(view, event, team.as_deref()))
                }
            }
        }
    };
    Ok(shell::console_page(view, &event.title, &body))
}

/// Refuses a form. If a script sent the form, the notice is shown beside the form, otherwise on the page
/// of the piece.
pub(super) async fn refuse_on_page(
    view: &View<'_>,
    id: &str,
    error: &Error,
    returned: Returned<'_>,
) -> Result<Reply> {
    if view.ctx.origin.head.partial {
        return Ok(notice_reply(error));
    }
    let returned = Returned {
        wrong: Some(error_notice(error)),
        ..returned
    };
    let reply = piece_page(view, id, None, returned).await?;
    Ok(with_error_status(reply, error))
}

fn draw_head(view: &View<'_>, piece: &Piece) -> Markup {
    let event = &piece.event;
    html! {
        header class="piece-head" {
            p class="crumbs" { a href=(view.href_to("/agenda")) { "Agenda" } }
            h1 dir="auto" { (event.title) }
            p class="row" {
                (words::status_badge(event.status))
                span { (words::channel_name(&event.channel)) }
                @match &event.due_at {
                    Some(due) => span { (text::format_iso_moment(due)) },
                    None => span class="soft" { "sem data" },
                }
                @if let Some(tag) = &event.editorial_tag { span class="badge" dir="auto" { (tag) } }
                span class="soft screen-only" { "revisão " (event.api_revision) }
            }
            @if let Some(post) = publish::post_link(event) { p { (post) } }
            p class="jump" { a href="#acoes" { "O que fazer agora" } }
        }
    }
}

/// Draws the notice that says who refused the piece, when and why. Empty if the piece has been submitted
/// again.
pub(super) fn refusal_notice(piece: &Piece) -> Markup {
    html! {
        @if let Some(change) = piece.open_refusal() {
            div class="notice bad" {
                @if change.requests_changes() {
                    p {
                        strong { "Ajustes pedidos por " (change.author_text()) } ", " (text::format_iso_moment(&change.occurred_at)) ". "
                        a href="#comentarios" { "Veja os comentários em aberto" } "."
                    }
                } @else {
                    p { strong { "Recusada por " (change.author_text()) } ", " (text::format_iso_moment(&change.occurred_at)) "." }
                }
                @if let Some(reason) = &change.reason { p dir="auto" { (reason) } }
            }
        }
    }
}

/// Draws the notices at the head of the page.
fn status_notices(piece: &Piece) -> Markup {
    let event = &piece.event;
    html! {
        @match event.status {
            EventStatus::Refused => (refusal_notice(piece)),
            EventStatus::InApproval => {
                @if let Some(change) = piece.last_change_by("submit_for_approval") {
                    div class="notice wait" {
                        p { "Enviada por " (change.author_text()) ", " (text::format_iso_moment(&change.occurred_at)) ". Espera uma decisão." }
                    }
                }
                @if let Some(approval) = &event.aprovacao { (approval.draw_stages()) }
            }
            EventStatus::Processing => {
                div class="notice" { p { "Há mídia sendo gerada. A peça volta à situação anterior quando terminar." } }
            }
            _ => {}
        }
    }
}
