//! The forms in which each network shows a post.
//!
//! The limits and folds are in `domain::channels`. These facts about the applications were current in
//! November 2026:
//!
//! - Instagram crops media in the feed that are taller than 4:5.
//! - Stories and reels fill 9:16. Meta's advice for advertisers keeps texts out of the upper 14%
//!   and the lower 20% of a story, and out of the lower 35% and 6% at each side of a reel, where
//!   names, buttons and captions are.
//! - TikTok covers about the lower 20% and the right side, where its buttons are.
//! - The Shorts player shows the title at the bottom.
//! - Mail clients show about 60 characters of a subject on a desktop and about 40 on a phone. They
//!   show about 90 characters of the preheader, which is the beginning of the text.

use super::super::words;
use domain::channels::{Channel, Format, TextLimit};

/// A form in which a network shows a post.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Form {
    pub key: &'static str,
    pub name: &'static str,
    pub kind: Kind,
    /// The format of the variants that the network shows in this form.
    pub format: Format,
    /// A note for people on how the network treats the media.
    pub note: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Media above a caption that is folded after `fold` characters.
    Post { fold: Option<usize> },
    /// A video above its title and a description that is folded after `fold` characters.
    Video { fold: Option<usize> },
    /// Media over the whole screen, without a caption.
    Story,
    /// A video over the whole screen. The caption over it is folded after `fold` characters.
    Vertical { fold: usize },
    /// A video over the whole screen, with a title over it.
    Short,
    /// A text with a length limit, above media, as in X, Threads and Bluesky.
    Text { limit: TextLimit },
    /// A line of an inbox.
    Mail,
}

const FEED_NOTE: &str = "No feed, o que é mais alto que 4:5 é cortado em cima e embaixo.";
const SQUARE_NOTE: &str = "Em 1:1, só o centro da imagem aparece: confira se o texto cabe nele.";
const STORY_NOTE: &str = "Só a mídia vai ao ar, sem legenda. As faixas são o que os botões e textos do aplicativo cobrem: 14% em cima e 20% embaixo.";
const REEL_NOTE: &str = "As faixas são o que os botões e textos do aplicativo cobrem: 14% em cima, 35% embaixo e os botões à direita.";
const TIKTOK_NOTE: &str = "As faixas são o que os botões e a legenda cobrem.";
const TITLE_NOTE: &str = "O título vai até 100 caracteres; a legenda vira a descrição.";
const DOCUMENT_NOTE: &str = "As imagens viram as páginas de um PDF, que se passa para o lado.";
const X_NOTE: &str =
    "O X conta 23 caracteres por link e 2 por emoji. O que passa de 280 fica marcado.";
const THREADS_NOTE: &str =
    "O Threads conta um emoji pelos seus bytes. O que passa de 500 fica marcado.";
const BLUESKY_NOTE: &str =
    "O Bluesky conta um emoji como um caractere. O que passa de 300 fica marcado.";
const MAIL_NOTE: &str = "O assunto é o título da peça; ao lado vai o começo do texto. \
    No celular cabem cerca de 40 caracteres do assunto.";

const fn new_form(
    (key, name): (&'static str, &'static str),
    format: Format,
    kind: Kind,
    note: &'static str,
) -> Form {
    Form {
        key,
        name,
        kind,
        format,
        note,
    }
}

/// Returns the forms in which a channel shows a post of this format or, if `format` is `None`, of any
/// format. The page initially shows the first form.
pub(super) fn channel_forms(channel: &str, format: Option<Format>, has_video: bool) -> Vec<Form> {
    let fold = words::find_channel(channel).and_then(|channel| channel.fold);
    let vertical = |format| Kind::Vertical {
        fold: find_fold(channel, format),
    };
    let post = new_form(("post", "Post"), Format::Post, Kind::Post { fold }, "");
    let story = new_form(("story", "Story"), Format::Story, Kind::Story, STORY_NOTE);
    let reel = new_form(
        ("reel", "Reel"),
        Format::Reel,
        vertical(Format::Reel),
        REEL_NOTE,
    );
    let mut forms = match channel {
        "instagram" => {
            let feed = |named, note| new_form(named, Format::Feed, Kind::Post { fold }, note);
            vec![
                feed(("feed", "Feed 4:5"), FEED_NOTE),
                feed(("quadrado", "Feed 1:1"), SQUARE_NOTE),
                story,
                reel,
            ]
        }
        "facebook" => vec![post, story, reel],
        "tiktok" => {
            let kind = vertical(Format::Post);
            vec![new_form(
                ("tiktok", "TikTok"),
                Format::Post,
                kind,
                TIKTOK_NOTE,
            )]
        }
        "youtube" => vec![
            new_form(
                ("video", "Vídeo"),
                Format::Video,
                Kind::Video { fold },
                TITLE_NOTE,
            ),
            new_form(("short", "Short"), Format::Short, Kind::Short, TITLE_NOTE),
        ],
        "linkedin" if !has_video => {
            let kind = Kind::Post { fold };
            let named = ("documento", "Documento");
            vec![post, new_form(named, Format::Document, kind, DOCUMENT_NOTE)]
        }
        "x" | "twitter" => vec![text_form("x", X_NOTE).unwrap_or(post)],
        "threads" => vec![text_form("threads", THREADS_NOTE).unwrap_or(post)],
        "bluesky" => vec![text_form("bluesky", BLUESKY_NOTE).unwrap_or(post)],
        "newsletter" | "email" | "e-mail" => {
            let named = ("mail", "Caixa de entrada");
            vec![new_form(named, Format::Post, Kind::Mail, MAIL_NOTE)]
        }
        _ => vec![post],
    };
    if let Some(format) = format {
        forms.retain(|form| form.format == format);
        if forms.is_empty() {
            forms.push(post);
        }
    }
    // For a single video, the form for vertical videos comes first.
    if has_video
        && let Some(at) = forms
            .iter()
            .position(|form| matches!(form.key, "reel" | "short"))
    {
        let vertical = forms.remove(at);
        forms.insert(0, vertical);
    }
    forms
}

/// Returns the form of a channel whose posts are texts with a length limit.
fn text_form(key: &'static str, note: &'static str) -> Option<Form> {
    let limit = Channel::find(key)?.usual_format()?.caption?;
    let kind = Kind::Text { limit };
    Some(new_form((key, "Post"), Format::Post, kind, note))
}

/// Returns the number of characters of a caption that the network shows over a vertical video. If
/// `domain::channels` has no number, as for Facebook reels, returns the number of Instagram reels.
fn find_fold(channel: &str, format: Format) -> usize {
    let find = |channel| Channel::find(channel)?.find_format(format)?.fold;
    let fold = find(channel).or_else(|| find("instagram"));
    fold.unwrap_or_default()
}

/// Returns true if the previews of a channel count the characters of a caption by a rule of the network.
pub(crate) fn has_own_count(channel: &str) -> bool {
    let forms = channel_forms(channel, None, false);
    forms
        .iter()
        .any(|form| matches!(form.kind, Kind::Text { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_channels_count_characters_as_their_network_does() {
        for channel in ["x", "threads", "bluesky"] {
            let form = channel_forms(channel, None, false)[0];
            let rules = Channel::find(channel).and_then(Channel::usual_format);
            let limit = rules.and_then(|rules| rules.caption).expect("a limit");
            assert_eq!(form.kind, Kind::Text { limit }, "{channel}");
            assert!(form.note.contains(&limit.most.to_string()), "{channel}");
            assert!(has_own_count(channel));
        }
    }

    #[test]
    fn the_form_for_vertical_videos_comes_first_for_a_video() {
        let first = |channel, has_video| channel_forms(channel, None, has_video)[0].key;
        assert_eq!(first("instagram", false), "feed");
        assert_eq!(first("instagram", true), "reel");
        assert_eq!(first("youtube", true), "short");
        assert_eq!(first("linkedin", true), "post");
        assert_eq!(first("canal próprio", false), "post");
    }
}
