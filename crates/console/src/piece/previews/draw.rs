//! Draws the previews of a piece.

use domain::channels::{Channel, TextLimit};
use maud::{Markup, html};

use super::{
    super::{
        stage::{IN_POST, draw_carousel, split_at_fold},
        words,
    },
    forms::{Form, Kind, channel_forms},
    post::Post,
};
use crate::text;

/// The number of characters of a subject and of a preheader that mail clients show.
const SUBJECT: usize = 60;
const PREHEADER: usize = 90;

/// The extent of the caption in the previews.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Extent {
    /// As the network shows the caption: without the part behind "mais".
    Folded,
    /// The whole caption, with a mark at the fold, so that a person who decides reads every word.
    Whole,
}

/// Draws the section with the previews of a piece.
pub(crate) fn previews_section(posts: &[Post], extent: Extent) -> Markup {
    html! {
        section class="all-previews" aria-labelledby="previa" {
            h2 id="previa" { "Como vai aparecer" }
            (draw_posts(posts, extent))
        }
    }
}

/// Draws the previews of the posts. Several posts are each in a section under the name of the channel:
/// the first section is open or, with [`Extent::Whole`], all sections.
pub(crate) fn draw_posts(posts: &[Post], extent: Extent) -> Markup {
    html! {
        @if let [post] = posts {
            (draw_post(post, extent))
        } @else {
            @for (number, post) in posts.iter().enumerate() {
                details class="one-preview" open[number == 0 || extent == Extent::Whole] {
                    summary {
                        strong { (post.display_name()) }
                        @if let Some(due) = &post.due_at { " " span class="soft" { (text::format_iso_moment(due)) } }
                    }
                    (draw_post(post, extent))
                }
            }
        }
    }
}

/// Draws one post in each form in which its network shows it.
fn draw_post(post: &Post, extent: Extent) -> Markup {
    let has_video = matches!(post.slides.as_slice(), [slide] if slide.is_video);
    let forms = channel_forms(&post.channel, post.format, has_video);
    html! {
        div class="previews" {
            @if forms.len() > 1 {
                div class="forms" role="radiogroup" aria-label={ "Formas de " (post.display_name()) } {
                    @for (number, form) in forms.iter().enumerate() {
                        label {
                            input type="radio" name={ "forma-" (post.name) } value=(form.key) checked[number == 0] autocomplete="off";
                            span { (form.name) }
                        }
                    }
                }
            }
            @for (number, form) in forms.iter().enumerate() {
                div class="form-preview" data-form=(form.key) data-name=(printed_name(post, form)) data-first[number == 0] {
                    (draw_form(post, form, extent))
                }
            }
            (draw_post_facts(post))
        }
    }
}

/// Returns the name of a preview on paper, where all previews are printed.
fn printed_name(post: &Post, form: &Form) -> String {
    match post.format {
        None => form.name.to_owned(),
        Some(_) => format!("{} · {}", words::channel_name(&post.channel), form.name),
    }
}

/// Draws the facts that the preview itself does not show: crops, first comment, options and link.
fn draw_post_facts(post: &Post) -> Markup {
    let mut crops: Vec<_> = post
        .slides
        .iter()
        .filter_map(|slide| slide.crop.as_deref())
        .collect();
    crops.dedup();
    let are_cropped = post.slides.iter().any(|slide| slide.is_cropped);
    // A link that the caption or the first comment contains is not repeated.
    let texts = [Some(&post.caption), post.first_comment.as_ref()];
    let link = post.link.as_deref().filter(|link| {
        let mut texts = texts.iter().flatten();
        !texts.any(|text| text.contains(*link))
    });
    html! {
        @if !crops.is_empty() {
            p class="soft note" {
                @if are_cropped { "A imagem aparece recortada em " (crops.join(", ")) ", como vai ao ar." }
                @else { "Ao publicar, a imagem é recortada em " (crops.join(", ")) "." }
            }
        }
        @if post.first_comment.is_some() || link.is_some() || !post.options.is_empty() {
            dl class="facts" {
                @if let Some(comment) = &post.first_comment {
                    dt { "Primeiro comentário" } dd class="written" dir="auto" { (comment) }
                }
                @for (name, value) in &post.options { dt { (name) } dd dir="auto" { (value) } }
                @if let Some(link) = link { dt { "Link" } dd class="address" { (link) } }
            }
        }
    }
}

fn draw_form(post: &Post, form: &Form, extent: Extent) -> Markup {
    let network = words::channel_name(&post.channel);
    let caption = &post.caption;
    let label = format!(
        "{} {}",
        form.name,
        words::channel_with_preposition(&post.channel)
    );
    html! {
        figure class="post" data-channel=(post.channel) data-form=(form.key) aria-label=(label) {
            @match form.kind {
                Kind::Post { fold } => {
                    (draw_head(post, network))
                    (draw_media(post, form))
                    (draw_caption(post, fold, extent))
                }
                Kind::Video { fold } => {
                    (draw_media(post, form))
                    p class="post-title" dir="auto" { (draw_title(post)) }
                    (draw_head(post, network))
                    (draw_caption(post, fold, extent))
                }
                Kind::Text { limit } => {
                    (draw_head(post, network))
                    (draw_counted_caption(post, limit, network))
                    (draw_media(post, form))
                }
                Kind::Story => (draw_screen(post, form, &draw_overlay(post, &html! {}))),
                Kind::Vertical { fold } => (draw_screen(post, form, &draw_overlay(post, &draw_folded_caption(post, Some(fold))))),
                Kind::Short => (draw_screen(post, form, &draw_overlay(post, &html! { figcaption dir="auto" { (draw_title(post)) } }))),
                Kind::Mail => (draw_inbox_line(post)),
            }
        }
        @if !form.note.is_empty() { p class="soft note" { (form.note) } }
        @if matches!(form.kind, Kind::Short | Kind::Video { .. }) { (title_length_warning(post)) }
        @if extent == Extent::Whole && hides_caption(form.kind, caption) {
            div class="card whole" {
                h3 { "Legenda inteira" }
                p class="written" dir="auto" { (caption) }
            }
        }
    }
}

/// Returns true if a form shows less than the whole caption, even with [`Extent::Whole`]. Stories are
/// published without a caption, so they hide nothing.
fn hides_caption(kind: Kind, caption: &str) -> bool {
    match kind {
        Kind::Post { .. } | Kind::Video { .. } | Kind::Text { .. } | Kind::Story => false,
        Kind::Vertical { fold } => !split_at_fold(caption, Some(fold)).1.is_empty(),
        Kind::Short | Kind::Mail => !caption.is_empty(),
    }
}

fn draw_head(post: &Post, network: &str) -> Markup {
    html! {
        div class="post-head" {
            span class="post-face" aria-hidden="true" {}
            span {
                strong dir="auto" { (post.signer) }
                small { (network) }
            }
        }
    }
}

fn draw_media(post: &Post, form: &Form) -> Markup {
    let name = format!("previa-{}-{}", form.key, post.name);
    html! {
        @if !post.slides.is_empty() { (draw_carousel(&post.slides, (&name, &post.name), "Mídias do post", IN_POST)) }
    }
}

fn draw_caption(post: &Post, fold: Option<usize>, extent: Extent) -> Markup {
    match extent {
        Extent::Folded => draw_folded_caption(post, fold),
        Extent::Whole => draw_whole_caption(&post.caption, fold),
    }
}

/// Draws a caption with a mark at the point where the network folds it.
fn draw_whole_caption(caption: &str, fold: Option<usize>) -> Markup {
    let (start, rest) = split_at_fold(caption, fold);
    html! {
        figcaption dir="auto" {
            @if caption.is_empty() { span class="soft" { "Sem legenda." } }
            (start)
            @if !rest.is_empty() {
                span class="fold" { "… mais" span class="sr" { " (o resto só aparece a quem abre a legenda)" } }
                (rest)
            }
        }
    }
}

/// Draws a caption without the part behind "mais". The script that previews the typed text updates these
/// elements.
fn draw_folded_caption(post: &Post, fold: Option<usize>) -> Markup {
    let (start, rest) = split_at_fold(&post.caption, fold);
    html! {
        figcaption data-post[post.follows_typing] data-fold=[fold] dir="auto" {
            span class="post-text" { (start) }
            span class="more" hidden[rest.is_empty()] { "… mais" }
        }
    }
}

/// Draws a caption with its number of characters, counted by the rule of the network, and marks the part
/// over the limit. The script that previews the typed text hides mark and number, because it does not
/// implement the rules of the networks.
fn draw_counted_caption(post: &Post, limit: TextLimit, network: &str) -> Markup {
    let TextLimit { most, unit } = limit;
    let count = unit.count(&post.caption);
    let fits = unit.longest_beginning(&post.caption, most);
    let rest = &post.caption[fits.len()..];
    html! {
        figcaption data-post[post.follows_typing] dir="auto" {
            span class="post-text" { (fits) }
            div class="counted" {
                @if !rest.is_empty() { mark { (rest) } }
                p class={ "count" @if !rest.is_empty() { " over" } } {
                    (words::format_number(count)) " de " (most) " caracteres"
                    @if !rest.is_empty() { strong { ": longo demais para o " (network) } }
                }
            }
        }
    }
}

/// Draws media over the whole screen, the areas that the network covers, and the texts that it
/// shows over the media.
fn draw_screen(post: &Post, form: &Form, over: &Markup) -> Markup {
    html! {
        div class="screen" {
            @if post.slides.is_empty() {
                div class="stage none" { p { "Ainda não há imagem nem vídeo." } }
            } @else {
                (draw_media(post, form))
            }
            i class="covered above" aria-hidden="true" {}
            i class="covered below" aria-hidden="true" {}
            i class="covered beside" aria-hidden="true" {}
            (over)
        }
    }
}

fn draw_overlay(post: &Post, below: &Markup) -> Markup {
    html! {
        div class="over" {
            strong dir="auto" { (post.signer) }
            (below)
        }
    }
}

fn draw_title(post: &Post) -> Markup {
    let (start, rest) = split_at_fold(&post.title, find_title_limit(&post.channel));
    html! {
        (start) @if !rest.is_empty() { "…" }
    }
}

/// Returns the maximum length of a title on a channel, in characters. `None` if the channel has no
/// limit.
fn find_title_limit(channel: &str) -> Option<usize> {
    let rules = Channel::find(channel)?.usual_format()?;
    rules.title.map(|title| title.most)
}

fn title_length_warning(post: &Post) -> Markup {
    let length = post.title.chars().count();
    let most = find_title_limit(&post.channel).filter(|most| length > *most);
    let network = words::channel_name(&post.channel);
    html! {
        @if let Some(most) = most {
            p class="over" { "O título tem " (length) " caracteres: o " (network) " aceita até " (most) "." }
        }
    }
}

/// Draws a line of an inbox: sender, subject, preheader.
fn draw_inbox_line(post: &Post) -> Markup {
    let (subject, cut) = split_at_fold(&post.title, Some(SUBJECT));
    let text = post
        .caption
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let (preheader, more) = split_at_fold(&text, Some(PREHEADER));
    html! {
        div class="mail" {
            strong dir="auto" { (post.signer) }
            p class="subject" dir="auto" { (subject) @if !cut.is_empty() { "…" } }
            p class="soft" dir="auto" {
                @if preheader.is_empty() { "Sem texto: aqui vai aparecer o começo do próprio e-mail." }
                @else { (preheader) @if !more.is_empty() { "…" } }
            }
        }
    }
}
