use domain::{EventStatus, Revision};
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{changed, panel};
use crate::{
    area::page_spec,
    piece::{
        conflict,
        model::{self, Event, Piece},
        previews::{self, Extent, Post, Signers},
        remarks::{self, Remarks},
        stage, words,
    },
    publishing::Networks,
    shell, text,
    view::View,
};

/// The inbox: it shows the pieces that wait for a decision, one at a time.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Inbox {
    /// A peça que se vê; ausente, a primeira.
    evento: Option<String>,
    /// A revisão que se viu antes de decidir, para mostrar as duas versões.
    vista: Option<Revision>,
}

const ROUTE: Spec = page_spec("console_approvals", "Aprovações", "/aprovacoes").fails(&[404]);

pub(crate) const INBOX: Entry =
    Entry::for_page::<Inbox>(ROUTE, "O que espera decisão, uma peça por vez.");

/// Returns the path of the inbox with this piece selected.
fn inbox_path(id: Option<&str>) -> String {
    match id {
        Some(id) => format!("/aprovacoes?evento={id}"),
        None => "/aprovacoes".into(),
    }
}

/// The typed reason and the error notice of a refused decision.
#[derive(Default)]
pub(super) struct Returned<'a> {
    pub reason: &'a str,
    pub wrong: Option<Markup>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Pending {
    pendentes: Vec<Event>,
    #[serde(default)]
    canais_mudados: Vec<ChangedPiece>,
    next_cursor: Option<String>,
}

/// An approved piece with channels that changed afterwards.
#[derive(Debug, Deserialize)]
struct ChangedPiece {
    id: String,
    title: String,
    variantes: Vec<ChangedVariant>,
}

#[derive(Debug, Deserialize)]
struct ChangedVariant {
    canal: String,
}

impl Page for Inbox {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        show_inbox(
            &view,
            self.evento.as_deref(),
            self.vista,
            Returned::default(),
        )
        .await
    }
}

/// Shows the inbox with the selected piece or, without a selection, the first one. `seen` is the
/// revision that the viewer saw when deciding.
pub(super) async fn show_inbox(
    view: &View<'_>,
    id: Option<&str>,
    seen: Option<Revision>,
    returned: Returned<'_>,
) -> Result<Reply> {
    let list = view.read::<Pending>("list_pending_approvals", json!({ "limit": 100 }));
    let (pending, asked) = match id {
        Some(id) => {
            let (pending, asked) = futures::future::join(list, Piece::read(view, id, seen)).await;
            (pending?, Some(asked))
        }
        None => (list.await?, None),
    };
    let current = match (asked, pending.pendentes.first()) {
        (Some(Ok(piece)), _) => Some(piece),
        // A 404 means that the piece is hidden or does not exist. The inbox then shows the first piece.
        (Some(Err(error)), _) if error.status() != 404 => return Err(error),
        (_, Some(first)) => Some(Piece::read(view, &first.id, seen).await?),
        (_, None) => None,
    };
    let posts = match &current {
        Some(piece) => {
            let networks = Networks::read(view).await?;
            let signers = Signers::read(view, &networks, piece).await?;
            Post::list(
                &piece.event,
                &piece.variants,
                piece.caption(),
                (&signers, Some(&view.href_to(""))),
            )
        }
        None => vec![],
    };
    let talk = match &current {
        Some(piece) => Remarks::read(view, &piece.event, remarks::Extent::Inbox).await?,
        None => Remarks::default(),
    };
    let title = "Aprovações";
    let body = html! {
        div id="aprovacoes" class="inbox" data-module="decisions" data-home=(view.href_to("/aprovacoes")) {
            @match current {
                Some(piece) => (draw_selected_piece(view, &pending, &Selected { piece, posts, talk: &talk }, seen, &returned)?),
                None => (empty_inbox(view, &pending)),
            }
        }
    };
    Ok(shell::console_page(view, title, &body))
}

/// Draws the inbox without pending pieces.
fn empty_inbox(view: &View<'_>, pending: &Pending) -> Markup {
    html! {
        h1 { "Aprovações" }
        div class="empty done" {
            svg viewBox="0 0 64 64" width="96" height="96" aria-hidden="true" {
                circle cx="32" cy="32" r="30" {}
                path d="M19 33l9 9 18-20" {}
            }
            @if pending.canais_mudados.is_empty() {
                h2 { "Tudo decidido" }
                p { "Nenhuma peça espera pela sua decisão. A próxima que alguém enviar aparece aqui." }
            } @else {
                h2 { "Faltam só canais" }
                p { "Nenhuma peça inteira espera pela sua decisão." }
            }
            p { a class="button quiet" href=(view.href_to("/agenda")) { "Ver a agenda" } }
        }
        (draw_changed_list(view, pending))
    }
}

/// The selected piece, with its posts and its remarks.
struct Selected<'a> {
    piece: Piece,
    posts: Vec<Post>,
    talk: &'a Remarks,
}

fn draw_selected_piece(
    view: &View<'_>,
    pending: &Pending,
    Selected { piece, posts, talk }: &Selected<'_>,
    seen: Option<Revision>,
    returned: &Returned<'_>,
) -> Result<Markup, Error> {
    let event = &piece.event;
    let waits = event.status == EventStatus::InApproval;
    let next = pending.next_after(&event.id);
    let stale = seen.filter(|seen| *seen != event.api_revision);
    Ok(html! {
        (draw_bar(view, pending, event))
        div class="columns" data-module="editor" {
            article id={ "vista-" (event.id) } class="stack wide" aria-labelledby="peca" data-event=(event.id) data-revision=(event.api_revision)
                data-lines=(piece.newest_authors(&view.member().id)) {
                (draw_head(view, piece))
                @if let Some(approval) = &event.aprovacao { (approval.draw_stages()) }
                @if let Some(wrong) = &returned.wrong { (wrong) }
                @if let Some(seen) = stale { (changed::draw_versions(piece, seen)) }
                @if waits { (changed::last_reason(piece)) }
                div class="seen" {
                    div {
                        (previews::previews_section(posts, Extent::Whole))
                        @if piece.variants.is_empty() && !previews::has_own_count(&event.channel) { (draw_character_count(event)) }
                    }
                    div class="stack" {
                        @if event.media.is_empty() { p class="soft" { "Ainda não há imagem nem vídeo nesta peça." } }
                        (stage::undescribed_notice(event))
                        @if waits && stale.is_none() { (changed::changes_section(view, piece)) }
                        @if let Some(briefing) = event.briefing.as_deref().filter(|text| !text.is_empty()) {
                            details open {
                                summary { "Briefing" }
                                p class="written" dir="auto" { (briefing) }
                            }
                        }
                    }
                }
            }
            aside class="stack" aria-label="Decisão" {
                @if let Some(approval) = event.aprovacao.as_ref().filter(|_| !event.may_decide()) {
                    section class="card" aria-labelledby="decisao" {
                        h2 id="decisao" { "Não é a sua vez" }
                        p { (approval.waiting_sentence()) }
                    }
                } @else if waits {
                    (panel::decision_panel(view, event, next, (returned.reason, talk.count_open())))
                } @else {
                    (decided_notice(view, piece, next))
                }
                (remarks::remarks_section(view, piece, talk, remarks::Extent::Inbox))
                (draw_waiting_list(view, pending, event))
                (draw_changed_list(view, pending))
            }
        }
    })
}

impl Pending {
    fn find_position(&self, id: &str) -> Option<usize> {
        self.pendentes.iter().position(|event| event.id == id)
    }

    /// Returns the id of the next piece in the inbox. If the piece with this id is not in the inbox,
    /// returns the first piece.
    pub(super) fn next_after(&self, id: &str) -> Option<&str> {
        let others = self.pendentes.len() > 1 || self.find_position(id).is_none();
        let next = match self.find_position(id) {
            Some(place) => (place + 1) % self.pendentes.len(),
            None => 0,
        };
        let next = self.pendentes.get(next).filter(|_| others);
        next.map(|event| event.id.as_str())
    }

    fn find_previous(&self, id: &str) -> Option<&str> {
        let place = self.find_position(id)?.checked_sub(1)?;
        Some(self.pendentes.get(place)?.id.as_str())
    }
}

fn draw_bar(view: &View<'_>, pending: &Pending, event: &Event) -> Markup {
    let count = pending.pendentes.len();
    let more = if pending.next_cursor.is_some() {
        "+"
    } else {
        ""
    };
    html! {
        div class="spread" {
            h1 { "Aprovações" }
            nav class="row" aria-label="Peças que esperam" {
                @if let Some(place) = pending.find_position(&event.id) {
                    span class="soft" { (place + 1) " de " (count) (more) }
                }
                @if let Some(before) = pending.find_previous(&event.id) {
                    a class="button quiet" href=(view.href_to(&inbox_path(Some(before)))) data-key="k" { "Anterior" }
                }
                @if let Some(next) = pending.next_after(&event.id) {
                    a class="button quiet" href=(view.href_to(&inbox_path(Some(next)))) data-key="j" data-next { "Próxima" }
                }
            }
        }
    }
}

fn draw_head(view: &View<'_>, piece: &Piece) -> Markup {
    let event = &piece.event;
    html! {
        header {
            h2 id="peca" dir="auto" { a href=(view.href_to(&model::piece_path(&event.id))) { (event.title) } }
            p class="row" {
                (words::status_badge(event.status))
                span { (words::channel_name(&event.channel)) }
                @match &event.due_at {
                    Some(due) => span { (text::format_iso_moment(due)) },
                    None => span class="soft" { "sem data" },
                }
            }
            @if let Some(change) = piece.last_change_by("submit_for_approval") {
                p class="soft" { "Enviada por " (change.author_text()) ", " (text::format_iso_moment(&change.occurred_at)) }
            }
        }
    }
}

fn draw_character_count(event: &Event) -> Markup {
    let text = event.description.as_deref().unwrap_or_default();
    let count = text.chars().count();
    let limit = words::find_channel(&event.channel).and_then(|channel| channel.limit);
    html! {
        p class="count" {
            (words::format_number(count))
            @if let Some(limit) = limit {
                " de " (words::format_number(limit)) " caracteres"
                @if count > limit { strong class="over" { ": longo demais para o canal" } }
            } @else { " caracteres" }
        }
    }
}

/// Draws the notice that another person has already decided.
fn decided_notice(view: &View<'_>, piece: &Piece, next: Option<&str>) -> Markup {
    html! {
        section class="card" aria-labelledby="decisao" {
            h2 id="decisao" { "Esta peça não espera mais uma decisão" }
            p { "Agora: " (words::status_badge(piece.event.status)) }
            @if let Some(change) = piece.lines.iter().find(|change| change.new_status().is_some()) {
                p { (conflict::describe_change(change)) "." }
            }
            a class="button" href=(view.href_to(&inbox_path(next))) data-next {
                @if next.is_some() { "Ir para a próxima" } @else { "Voltar às aprovações" }
            }
        }
    }
}

/// Lists the approved pieces that have a changed channel waiting for a decision.
fn draw_changed_list(view: &View<'_>, pending: &Pending) -> Markup {
    let channels = |piece: &ChangedPiece| {
        let names = piece.variantes.iter();
        let names = names.map(|variant| words::channel_name(&variant.canal));
        names.collect::<Vec<_>>().join(", ")
    };
    html! {
        @if !pending.canais_mudados.is_empty() {
            nav class="waiting" aria-labelledby="canais-mudados" {
                h2 id="canais-mudados" { "Mudaram depois de aprovadas" }
                ul {
                    @for piece in &pending.canais_mudados {
                        li {
                            a href=(view.href_to(&format!("{}#canais-da-peca", model::piece_path(&piece.id)))) {
                                span class="waiting-title" dir="auto" { (piece.title) }
                                small { (channels(piece)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn draw_waiting_list(view: &View<'_>, pending: &Pending, current: &Event) -> Markup {
    html! {
        nav class="waiting" aria-labelledby="fila" {
            h2 id="fila" { "Na fila" }
            ul {
                @for event in &pending.pendentes {
                    li {
                        a href=(view.href_to(&inbox_path(Some(&event.id)))) aria-current=[(event.id == current.id).then_some("true")]
                            data-waiting=(event.id) data-revision=(event.api_revision) {
                            span class="waiting-title" dir="auto" { (event.title) }
                            small {
                                (words::channel_name(&event.channel))
                                @if let Some(due) = &event.due_at { ", " (text::format_iso_moment(due)) }
                            }
                        }
                    }
                }
            }
            @if pending.next_cursor.is_some() {
                p class="soft" { "Há mais: decida estas para ver as outras." }
            }
        }
    }
}
