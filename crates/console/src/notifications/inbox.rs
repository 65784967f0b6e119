//! The list of notifications, newest first and grouped by day.

use gateway::{Context, Entry, Page, Reply, Result, Spec};
use maud::{Markup, html};
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::{
    area::page_spec,
    bell::PATH,
    forms::operation_form,
    links::percent_encode,
    piece::remarks::MENTIONS_PATH,
    shell,
    snooze::{SNOOZE, snooze_form},
    text,
    view::View,
};

/// The number of notifications on a page.
const SHOWN: i64 = 50;

/// The page with the list.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Inbox {
    /// Com valor, mostra só as não lidas.
    novas: Option<String>,
    cursor: Option<String>,
}

const ROUTE: Spec = page_spec("console_notifications", "Notificações", PATH).fails(&[400, 403]);

pub(super) const INBOX: Entry =
    Entry::for_page::<Inbox>(ROUTE, "O que aconteceu e interessa a quem vê, por dia.");

#[derive(Deserialize)]
struct Notifications {
    notificacoes: Vec<Notification>,
    nao_lidas: i64,
    ate: Option<i64>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Notification {
    id: String,
    tipo: String,
    texto: String,
    quando: String,
    vezes: i64,
    lida: bool,
    link: String,
    event_id: Option<String>,
}

impl Page for Inbox {
    async fn run(self, ctx: &Context<'_>) -> Result<Reply> {
        let view = View::load(ctx).await?;
        let only_new = self.novas.as_deref().is_some_and(|text| !text.is_empty());
        let cursor = self.cursor.filter(|cursor| !cursor.is_empty());
        let is_first = cursor.is_none();
        let input = json!({ "todas": !only_new, "limit": SHOWN, "cursor": cursor });
        let answer: Notifications = view.read("list_notifications", input).await?;
        let next = match only_new {
            true => format!("{PATH}?novas=1&"),
            false => format!("{PATH}?"),
        };
        let body = html! {
            div class="spread" {
                h1 { "Notificações" }
                span class="row" {
                    @if view.may_call("list_remarks") { a href=(view.href_to(MENTIONS_PATH)) { "Menções" } }
                    a href=(view.href_to("/notificacoes/preferencias")) { "Preferências" }
                }
            }
            div class="spread" {
                nav aria-label="Quais" class="choices" {
                    a class="button quiet" href=(view.href_to(PATH)) aria-current=[(!only_new).then_some("true")] { "Todas" }
                    a class="button quiet" href=(view.href_to("/notificacoes?novas=1")) aria-current=[only_new.then_some("true")] { "Não lidas" }
                }
                @if let (Some(ate), true) = (answer.ate, answer.nao_lidas > 0 && is_first) { (draw_mark_all_form(&view, ate)) }
            }
            @if answer.notificacoes.is_empty() {
                p class="empty" {
                    @if only_new { "Nada por ler." } @else { "Nada aconteceu ainda. O que interessar a você aparece aqui." }
                }
            }
            @for day in answer.notificacoes.chunk_by(is_same_day) {
                section class="day-told" {
                    h2 { (text::format_iso_long_day(&day[0].quando)) }
                    ul class="told" { @for one in day { li { (draw_notification(&view, one)) } } }
                }
            }
            (shell::next_page_link(&view, &next, answer.next_cursor.as_deref()))
        };
        Ok(shell::reading_page(&view, "Notificações", &body))
    }
}

impl Notification {
    /// Returns the piece, channel and format of an unread reminder of a post by hand. Channel and format
    /// are read from the path of the reminder's page.
    fn due_post<'a>(&'a self, path: &'a str) -> Option<(&'a str, String, String)> {
        let mut parts = path.strip_suffix("/postar")?.rsplit('/');
        let mut decoded = || {
            let part = percent_decode_str(parts.next()?).decode_utf8().ok()?;
            Some(part.into_owned())
        };
        let (format, channel) = (decoded()?, decoded()?);
        let event_id = self.event_id.as_deref()?;
        (self.tipo == "lembrete" && !self.lida).then_some((event_id, channel, format))
    }
}

/// Returns the path of a link below the public URL. A link to another site gives `/`.
fn path_below_public_url<'a>(link: &'a str, public_url: &str) -> &'a str {
    link.strip_prefix(public_url).unwrap_or("/")
}

fn is_same_day(one: &Notification, other: &Notification) -> bool {
    text::format_iso_day(&one.quando) == text::format_iso_day(&other.quando)
}

fn draw_mark_all_form(view: &View<'_>, ate: i64) -> Markup {
    let fields = html! {
        input type="hidden" name="ate" value=(ate);
        button type="submit" class="quiet" { "Marcar todas como lidas" }
    };
    operation_form(view, "mark_notifications_read", PATH, &fields)
}

fn draw_notification(view: &View<'_>, one: &Notification) -> Markup {
    let public = &view.ctx.services.public_url;
    let path = path_below_public_url(&one.link, public);
    let path = match (one.tipo.as_str(), &one.event_id) {
        ("decisao", Some(id)) if view.may_call("decide_approval") => {
            format!("/aprovacoes?evento={id}")
        }
        _ => path.to_owned(),
    };
    let open = format!(
        "/notificacoes/abrir?id={}&para={}",
        percent_encode(&one.id),
        percent_encode(&path)
    );
    html! {
        a class=(if one.lida { "entry" } else { "entry unread" }) href=(view.href_to(&open)) {
            span class="sentence" {
                @if !one.lida { span class="dot" aria-hidden="true" {} span class="sr" { "Não lida: " } }
                (one.texto)
            }
            small {
                time datetime=(one.quando) { (text::format_iso_hour(&one.quando)) }
                @if one.vezes > 1 { " · " (text::format_count(one.vezes)) " vezes" }
            }
        }
        @if let Some(post) = one.due_post(path_below_public_url(&one.link, public)) { @if view.may_call(SNOOZE) { (snooze_form(view, (post.0, &post.1, &post.2), PATH)) } }
    }
}
