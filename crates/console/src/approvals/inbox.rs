use domain::{EventStatus, Revision};
use gateway::{Context, Entry, Error, Page, Reply, Result, Spec};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{changed, panel};
use crate::{
    area::page,
    piece::{
        conflict,
        model::{self, Event, Piece},
        stage, words,
    },
    shell, text,
    view::View,
};

/// The inbox: the pieces that wait for a decision, one at a time.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Inbox {
    /// A peça que se vê; ausente, a primeira.
    evento: Option<String>,
    /// A revisão que se viu antes de decidir, para mostrar as duas versões.
    vista: Option<Revision>,
}

const ROUTE: Spec = page("console_approvals", "Aprovações", "/aprovacoes").fails(&[404]);

pub(crate) const INBOX: Entry =
    Entry::page::<Inbox>(ROUTE, "O que espera decisão, uma peça por vez.");

/// The path of the inbox with this piece selected.
fn path(id: Option<&str>) -> String {
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
    next_cursor: Option<String>,
}

impl Page for Inbox {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::of(ctx).await?;
        show(
            &view,
            self.evento.as_deref(),
            self.vista,
            Returned::default(),
        )
        .await
    }
}

/// Shows the inbox with the selected piece, or the first one. `seen` is the revision that a
/// decision was bound to.
pub(super) async fn show(
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
        // The piece no longer waits, is hidden, or does not exist. The first piece is shown
        // instead.
        (Some(Err(error)), _) if error.status() != 404 => return Err(error),
        (_, Some(first)) => Some(Piece::read(view, &first.id, seen).await?),
        (_, None) => None,
    };
    let title = "Aprovações";
    let body = html! {
        div id="aprovacoes" class="inbox" data-module="decisions" data-home=(view.at("/aprovacoes")) {
            @match current {
                Some(piece) => (reading(view, &pending, &piece, seen, &returned)?),
                None => (empty_inbox(view)),
            }
        }
    };
    Ok(shell::page(view, title, &body))
}

/// The empty inbox.
fn empty_inbox(view: &View<'_>) -> Markup {
    html! {
        h1 { "Aprovações" }
        div class="empty done" {
            svg viewBox="0 0 64 64" width="96" height="96" aria-hidden="true" {
                circle cx="32" cy="32" r="30" {}
                path d="M19 33l9 9 18-20" {}
            }
            h2 { "Tudo decidido" }
            p { "Nenhuma peça espera por uma decisão. A próxima que alguém enviar aparece aqui." }
            p { a class="button quiet" href=(view.at("/agenda")) { "Ver a agenda" } }
        }
    }
}

fn reading(
    view: &View<'_>,
    pending: &Pending,
    piece: &Piece,
    seen: Option<Revision>,
    returned: &Returned<'_>,
) -> Result<Markup, Error> {
    let event = &piece.event;
    let waits = event.status == EventStatus::InApproval;
    let next = pending.after(&event.id);
    let stale = seen.filter(|seen| *seen != event.api_revision);
    Ok(html! {
        (bar(view, pending, event))
        div class="columns" data-module="editor" {
            article id={ "vista-" (event.id) } class="stack wide" aria-labelledby="peca" data-event=(event.id) data-revision=(event.api_revision)
                data-lines=(piece.newest_authors(&view.member().id)) {
                (head(view, piece))
                @if let Some(wrong) = &returned.wrong { (wrong) }
                @if let Some(seen) = stale { (changed::versions(piece, seen)) }
                @if waits { (changed::last_reason(piece)) }
                div class="seen" {
                    div {
                        (stage::whole_post(event, piece.caption()))
                        (count(event))
                    }
                    div class="stack" {
                        @if event.media.is_empty() { p class="soft" { "Ainda não há imagem nem vídeo nesta peça." } }
                        (stage::undescribed(event))
                        @if waits && stale.is_none() { (changed::section(view, piece)) }
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
                @if waits {
                    (panel::panel(view, event, next, returned.reason))
                } @else {
                    (decided_notice(view, piece, next))
                }
                (list(view, pending, event))
            }
        }
    })
}

impl Pending {
    fn place(&self, id: &str) -> Option<usize> {
        self.pendentes.iter().position(|event| event.id == id)
    }

    /// The piece after this one in the inbox; the first piece if this one is not in the inbox.
    pub(super) fn after(&self, id: &str) -> Option<&str> {
        let others = self.pendentes.len() > 1 || self.place(id).is_none();
        let next = match self.place(id) {
            Some(place) => (place + 1) % self.pendentes.len(),
            None => 0,
        };
        let next = self.pendentes.get(next).filter(|_| others);
        next.map(|event| event.id.as_str())
    }

    fn before(&self, id: &str) -> Option<&str> {
        let place = self.place(id)?.checked_sub(1)?;
        Some(self.pendentes.get(place)?.id.as_str())
    }
}

fn bar(view: &View<'_>, pending: &Pending, event: &Event) -> Markup {
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
                @if let Some(place) = pending.place(&event.id) {
                    span class="soft" { (place + 1) " de " (count) (more) }
                }
                @if let Some(before) = pending.before(&event.id) {
                    a class="button quiet" href=(view.at(&path(Some(before)))) data-key="k" { "Anterior" }
                }
                @if let Some(next) = pending.after(&event.id) {
                    a class="button quiet" href=(view.at(&path(Some(next)))) data-key="j" data-next { "Próxima" }
                }
            }
        }
    }
}

fn head(view: &View<'_>, piece: &Piece) -> Markup {
    let event = &piece.event;
    html! {
        header {
            h2 id="peca" dir="auto" { a href=(view.at(&model::path(&event.id))) { (event.title) } }
            p class="row" {
                (words::badge(event.status))
                span { (words::channel_name(&event.channel)) }
                @match &event.due_at {
                    Some(due) => span { (text::moment_of(due)) },
                    None => span class="soft" { "sem data" },
                }
            }
            @if let Some(change) = piece.last("submit_for_approval") {
                p class="soft" { "Enviado por " (change.who()) ", " (text::moment_of(&change.occurred_at)) }
            }
        }
    }
}

fn count(event: &Event) -> Markup {
    let text = event.description.as_deref().unwrap_or_default();
    let count = text.chars().count();
    let limit = words::channel_of(&event.channel).and_then(|channel| channel.limit);
    html! {
        p class="count" {
            (words::number(count))
            @if let Some(limit) = limit {
                " de " (words::number(limit)) " caracteres"
                @if count > limit { strong class="over" { ": longo demais para o canal" } }
            } @else { " caracteres" }
        }
    }
}

/// The notice that somebody else decided already.
fn decided_notice(view: &View<'_>, piece: &Piece, next: Option<&str>) -> Markup {
    html! {
        section class="card" aria-labelledby="decisao" {
            h2 id="decisao" { "Esta peça não espera mais uma decisão" }
            p { "Agora: " (words::badge(piece.event.status)) }
            @if let Some(change) = piece.lines.iter().find(|change| change.status().is_some()) {
                p { (conflict::describe_change(change)) "." }
            }
            a class="button" href=(view.at(&path(next))) data-next {
                @if next.is_some() { "Ir para a próxima" } @else { "Voltar às aprovações" }
            }
        }
    }
}

fn list(view: &View<'_>, pending: &Pending, current: &Event) -> Markup {
    html! {
        nav class="waiting" aria-labelledby="fila" {
            h2 id="fila" { "Na fila" }
            ul {
                @for event in &pending.pendentes {
                    li {
                        a href=(view.at(&path(Some(&event.id)))) aria-current=[(event.id == current.id).then_some("true")]
                            data-waiting=(event.id) data-revision=(event.api_revision) {
                            span class="waiting-title" dir="auto" { (event.title) }
                            small {
                                (words::channel_name(&event.channel))
                                @if let Some(due) = &event.due_at { ", " (text::moment_of(due)) }
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
