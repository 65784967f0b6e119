//! The frame of all pages: head, navigation and content.

use std::borrow::Cow;

use domain::{Capability, SessionId, sha256_hex, time::brasilia_day};
use gateway::{Content, Reply, Services, Verb};
use maud::{DOCTYPE, Markup, html};

use crate::{
    area::Table,
    assets, bell,
    carried_warnings::draw_warnings,
    done::done_sentence,
    links::{href_to, percent_encode},
    places::{Place, find_place},
    view::View,
};

/// Allows scripts, styles and forms of this service only. No page may be shown in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
    media-src 'self' blob:; connect-src 'self'; frame-src 'self'; manifest-src 'self'; \
    worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The smallest count that is shown as `99+`.
const MOST_COUNTED: i64 = 100;

/// The settings of htmx: no indicator styles, because the policy forbids them, and a timeout of five minutes.
const HTMX: &str = r#"{"includeIndicatorCSS":false,"defaultTimeout":300000}"#;

/// Returns the headers of every page.
pub(crate) fn page_headers() -> Vec<(&'static str, Cow<'static, str>)> {
    vec![
        ("content-security-policy", POLICY.into()),
        ("referrer-policy", "same-origin".into()),
        (
            "permissions-policy",
            "camera=(), microphone=(), geolocation=()".into(),
        ),
        ("cross-origin-opener-policy", "same-origin".into()),
    ]
}

fn page_reply(page: Markup) -> Reply {
    let reply = Reply::new(Content::Text(page.into_string().into()));
    page_headers()
        .into_iter()
        .fold(reply, |reply, (name, value)| reply.with_header(name, value))
}

/// The description of the service for browsers and for previews of links.
pub(crate) const DESCRIPTION: &str =
    "A pauta da equipe: o que sai, quando, por quem, e o que espera decisão.";

/// The address of the manifest of the app.
pub(crate) const MANIFEST_PATH: &str = "/manifest.webmanifest";
/// The background colour of pages in the light and in the dark theme, which the browser also uses for
/// its own frame.
pub(crate) const LIGHT: &str = "#fbfaf7";
const DARK: &str = "#17191b";

fn draw_head(services: &Services, title: &str) -> Markup {
    let file = |name| href_to(services, assets::asset_path(name));
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="description" content=(DESCRIPTION);
        meta name="color-scheme" content="light dark";
        meta name="htmx-config" content=(HTMX);
        title { (title) " · Pauta" }
        meta name="theme-color" media="(prefers-color-scheme: light)" content=(LIGHT);
        meta name="theme-color" media="(prefers-color-scheme: dark)" content=(DARK);
        meta name="apple-mobile-web-app-title" content="Pauta";
        link rel="manifest" href=(href_to(services, MANIFEST_PATH));
        link rel="icon" href=(file("icon.svg")) type="image/svg+xml";
        link rel="apple-touch-icon" href=(file("icon-apple.png"));
        link rel="stylesheet" href=(file("console.css"));
    }
}

fn draw_scripts(services: &Services) -> Markup {
    let file = |name| href_to(services, assets::asset_path(name));
    html! {
        script src=(file("htmx.js")) defer {}
        script src=(file("shell.js")) type="module" {}
    }
}

/// Replies with a page in the frame of the console.
pub(crate) fn console_page(view: &View<'_>, title: &str, body: &Markup) -> Reply {
    let (services, member) = (view.ctx.services, view.member());
    let address = view.ctx.origin.head.address.as_str();
    let path = address.split('?').next().unwrap_or_default();
    let file = |name| href_to(services, assets::asset_path(name));
    let frame = html! {
        (DOCTYPE)
        html lang="pt-BR" data-base=(href_to(services, ""))
            data-calendar=(file("calendar.js")) data-editor=(file("editor.js"))
            data-carousel=(file("carousel.js")) data-decisions=(file("decisions.js"))
            data-mail=(file("mail.js")) data-brand=(file("brand.js"))
            data-push=(file("push.js")) data-posting=(file("posting.js")) data-person=[short_hash(Some(member.id.as_str()))]
            data-session=[short_hash(view.caller.session_id().map(SessionId::as_str))]
            data-charts=(file("charts.js")) data-uplot=(file("uplot.js")) {
            head { (draw_head(services, title)) (draw_scripts(services)) }
            body hx-boost:inherited="swap:innerMorph" {
                a class="skip" href="#conteudo" { "Ir para o conteúdo" }
                header class="bar" {
                    a class="brand" href=(view.href_to("/")) { "Pauta" }
                    details class="menu" {
                        summary { "Menu" }
                        (draw_navigation(view, path))
                    }
                    a class="button quiet palette" href=(view.href_to("/busca")) data-palette hx-boost="false" {
                        "Procurar… " kbd { "Ctrl K" }
                    }
                    (bell::draw_bell(view, path))
                    div class="who" {
                        span { (member.name) }
                        form method="post" action=(view.href_to("/sair")) hx-boost="false" {
                            button type="submit" class="plain" { "Sair" }
                        }
                    }
                }
                aside class="side" { (draw_navigation(view, path)) }
                main id="conteudo" tabindex="-1" data-live=[subscribed_areas(view, path)] data-since=(view.since)
                    data-today=(brasilia_day(view.ctx.now)) {
                    (done_notice(view, address))
                    (draw_warnings(view, address))
                    div id="sessao" role="alert" {}
                    div id=(content_id(path)) { (body) }
                }
                div id="avisos" role="status" aria-live="polite" hx-preserve {}
            }
        }
    };
    page_reply(frame)
}

/// Returns a short hash of an id, with which a script can distinguish ids.
fn short_hash(id: Option<&str>) -> Option<String> {
    id.map(|id| sha256_hex(id.as_bytes())[..16].to_owned())
}

/// Draws the head of a page on paper. `what` is the text before the day of printing: `Relatório de`.
pub(crate) fn draw_paper_head(view: &View<'_>, what: &str) -> Markup {
    let day = brasilia_day(view.ctx.now).strftime("%d/%m/%Y");
    html! {
        p class="on-paper paper-head" { strong { "Pauta" } span { (what) " " (day) } }
    }
}

/// Replies with a page of texts, lists and forms in the frame of the console.
pub(crate) fn reading_page(view: &View<'_>, title: &str, body: &Markup) -> Reply {
    console_page(view, title, &html! { div class="reading" { (body) } })
}

/// Draws the link to the next page of a list. `path` ends with `?` or `&`.
pub(crate) fn next_page_link(view: &View<'_>, path: &str, cursor: Option<&str>) -> Markup {
    html! {
        @if let Some(cursor) = cursor {
            p { a class="button quiet" href=(view.href_to(&format!("{path}cursor={}", percent_encode(cursor)))) { "Mostrar mais" } }
        }
    }
}

/// Draws a page without navigation, for visitors without a session and for errors.
pub(crate) fn draw_bare_page(services: &Services, title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="pt-BR" data-base=(href_to(services, "")) {
            head { (draw_head(services, title)) }
            body class="bare" {
                main id="conteudo" {
                    p class="brand" { "Pauta" }
                    (body)
                }
            }
        }
    }
}

/// Returns the id of the element with the page's content. htmx never morphs elements with different ids
/// into each other, so a field does not inherit its type or suggestions from the previous page.
fn content_id(path: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("pagina{}", path.chars().map(plain).collect::<String>())
}

/// Replies with a page without navigation.
pub(crate) fn bare_page(services: &Services, title: &str, body: &Markup) -> Reply {
    page_reply(draw_bare_page(services, title, body))
}

/// The cookie in which the browser stores the groups of the navigation that the viewer opened (`+`) or
/// folded (`-`), by their numbers: `1+2-`.
const FOLDS: &str = "pauta_menu";

/// Returns true if the viewer left a group open. `None` if the viewer never opened or folded the group.
fn remembered_fold(cookie: &str, group: usize) -> Option<bool> {
    let number = group.to_string();
    let mut choices = cookie.split_inclusive(['+', '-']);
    choices.find_map(|choice| match choice.strip_prefix(&number)? {
        "+" => Some(true),
        "-" => Some(false),
        _ => None,
    })
}

/// Draws the entries that the viewer may open. The group with the current page is open. The other groups
/// are as the viewer left them. Initially they are open only for admins, who use all of them.
fn draw_navigation(view: &View<'_>, path: &str) -> Markup {
    let places = view.ctx.services.parts.get::<Table>().places;
    let is_admin = view.has_capability(Capability::TeamAdmin);
    let folds = view.plain_cookie(FOLDS).unwrap_or_default();
    let groups = places.iter().enumerate().map(|(number, (group, places))| {
        let all = places.iter().copied().flatten();
        let offered: Vec<&Place> = all.filter(|place| view.sees_place(place)).collect();
        (number, group, offered)
    });
    let groups = groups.filter(|(_, _, offered)| !offered.is_empty());
    html! {
        nav aria-label="Principal" {
            @for (number, group, offered) in groups {
                @if number == 0 {
                    p class="group" { (group) }
                    (draw_entries(view, path, &offered))
                } @else {
                    @let has_page = offered.iter().any(|place| place.contains_page(path));
                    details open[has_page || remembered_fold(folds, number).unwrap_or(is_admin)] {
                        summary class="group" data-group=(number) { (group) }
                        (draw_entries(view, path, &offered))
                    }
                }
            }
        }
    }
}

fn draw_entries(view: &View<'_>, path: &str, places: &[&Place]) -> Markup {
    html! {
        ul {
            @for place in places {
                li {
                    a href=(view.href_to(place.path)) data-go=[place.key] aria-current=[place.contains_page(path).then_some("page")] {
                        span { (place.name) }
                        @if let Some(count) = place.counts.map(|counts| counts(&view.waiting)).filter(|count| *count > 0) {
                            " " (draw_tally(count))
                        }
                    }
                }
            }
        }
    }
}

/// Draws the number beside an entry of the navigation.
fn draw_tally(count: i64) -> Markup {
    html! {
        span class="tally" {
            @if count >= MOST_COUNTED { (MOST_COUNTED - 1) "+" } @else { (count) }
            span class="sr" { @if count == 1 { " espera" } @else { " esperam" } }
        }
    }
}

/// Returns the areas whose changes the page subscribes to: the areas of its navigation entry, and
/// notifications for the bell. The answer to a form subscribes to none.
fn subscribed_areas(view: &View<'_>, path: &str) -> Option<String> {
    if view.ctx.spec.verb != Verb::Get {
        return None;
    }
    if path == bell::PATH {
        return Some(bell::AREA.into());
    }
    let place = find_place(view.ctx.services.parts.get::<Table>().places, path)?;
    let shows = place.shows.iter().copied();
    (!place.shows.is_empty()).then(|| {
        let areas: Vec<&str> = shows.chain([bell::AREA]).collect();
        areas.join(" ")
    })
}

/// Draws the notice that says which operation the previous form completed.
fn done_notice(view: &View<'_>, address: &str) -> Markup {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let name = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("feito="));
    let operation = name.and_then(|name| view.find_operation(name));
    html! {
        @if let Some(operation) = operation {
            p class="notice good" role="status" data-toast { (done_sentence(operation.spec.name, operation.spec.title)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::remembered_fold;

    #[test]
    fn a_group_stays_as_the_viewer_left_it() {
        let folds = |group| remembered_fold("1+2-12+", group);
        assert_eq!(
            [folds(1), folds(2), folds(12)],
            [Some(true), Some(false), Some(true)]
        );
        assert_eq!(folds(3), None);
        for strange in ["", "1", "+", "x+", "1*2"] {
            assert_eq!(remembered_fold(strange, 1), None, "{strange}");
        }
    }
}
