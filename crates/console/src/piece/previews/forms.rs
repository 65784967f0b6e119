//! The forms in which each network shows a post.
//!
//! These facts about the networks were current in November 2026:
//!
//! - Instagram shows about 125 characters of a caption before "mais", and posts in the feed from
//!   1.91:1 to 4:5; taller media are cropped. Its API accepts 2,200 characters and 30 hashtags.
//! - Stories and reels fill 9:16. Meta's advice for advertisers keeps texts out of the upper 14%
//!   and the lower 20% of a story, and out of the lower 35% and 6% at each side of a reel, where
//!   names, buttons and captions are.
//! - TikTok's Content Posting API accepts 2,200 characters with a video; the app covers about the
//!   lower 20% and the right side, where its buttons are.
//! - YouTube's Data API accepts a title of 100 characters; the Shorts player shows it at the
//!   bottom.
//! - LinkedIn's Posts API accepts 3,000 characters; the feed shows about 210 of them. Facebook
//!   shows about 477.
//! - X counts up to 280, where each link counts 23 and each emoji or ideogram 2 (its documentation
//!   "Counting characters").
//! - Mail clients show about 60 characters of a subject on a desktop and about 40 on a phone. They
//!   show about 90 characters of the preheader, which is the beginning of the text.

use super::super::words;

/// A form in which a network shows a post.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Form {
    pub key: &'static str,
    pub name: &'static str,
    pub kind: Kind,
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
    /// A text with a limit, above media.
    Text { limit: usize },
    /// A line of an inbox.
    Mail,
}

const FEED_NOTE: &str = "No feed, o que é mais alto que 4:5 é cortado em cima e embaixo.";
const SQUARE_NOTE: &str = "Em 1:1, só o centro da imagem aparece: confira se o texto cabe nele.";
const STORY_NOTE: &str = "Só a mídia vai ao ar, sem legenda. As faixas são o que os botões e textos do aplicativo cobrem: 14% em cima e 20% embaixo.";
const REEL_NOTE: &str = "As faixas são o que os botões e textos do aplicativo cobrem: 14% em cima, 35% embaixo e os botões à direita.";
const TIKTOK_NOTE: &str = "As faixas são o que os botões e a legenda cobrem.";
const SHORT_NOTE: &str = "O título é o da peça, até 100 caracteres; a legenda vira a descrição.";
const X_NOTE: &str =
    "O X conta 23 caracteres por link e 2 por emoji. O que passa de 280 fica marcado.";
const MAIL_NOTE: &str = "O assunto é o título da peça; ao lado vai o começo do texto. \
    No celular cabem cerca de 40 caracteres do assunto.";

const fn new_form(key: &'static str, name: &'static str, kind: Kind, note: &'static str) -> Form {
    Form {
        key,
        name,
        kind,
        note,
    }
}

/// The forms of a channel. The page opens with the first one.
pub(super) fn channel_forms(channel: &str, has_video: bool) -> Vec<Form> {
    let fold = words::find_channel(channel).and_then(|channel| channel.fold);
    let post = new_form("post", "Post", Kind::Post { fold }, "");
    let story = new_form("story", "Story", Kind::Story, STORY_NOTE);
    let reel = new_form("reel", "Reel", Kind::Vertical { fold: 55 }, REEL_NOTE);
    let short = new_form("short", "Short", Kind::Short, SHORT_NOTE);
    let mut forms = match channel {
        "instagram" => vec![
            new_form("feed", "Feed 4:5", Kind::Post { fold }, FEED_NOTE),
            new_form("quadrado", "Feed 1:1", Kind::Post { fold }, SQUARE_NOTE),
            story,
            reel,
        ],
        "facebook" => vec![post, story, reel],
        "tiktok" => vec![new_form(
            "tiktok",
            "TikTok",
            Kind::Vertical { fold: 100 },
            TIKTOK_NOTE,
        )],
        "youtube" => vec![
            new_form("video", "Vídeo", Kind::Video { fold }, SHORT_NOTE),
            short,
        ],
        "x" | "twitter" => vec![new_form("x", "Post", Kind::Text { limit: 280 }, X_NOTE)],
        "newsletter" | "email" | "e-mail" => {
            vec![new_form("mail", "Caixa de entrada", Kind::Mail, MAIL_NOTE)]
        }
        _ => vec![post],
    };
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

/// Whether the previews of a channel count the characters of a caption by a rule of the network.
pub(crate) fn has_own_count(channel: &str) -> bool {
    let forms = channel_forms(channel, false);
    forms
        .iter()
        .any(|form| matches!(form.kind, Kind::Text { .. }))
}

/// The count of a text by the rules of X, and the byte at which it exceeds the limit, if it does.
pub(super) fn x_character_count(text: &str, limit: usize) -> (usize, Option<usize>) {
    const LINK: usize = 23;
    let (mut count, mut over, mut at) = (0, None, 0);
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_link = rest.starts_with("https://") || rest.starts_with("http://");
        let (weight, length) = if is_link {
            (LINK, rest.find(char::is_whitespace).unwrap_or(rest.len()))
        } else {
            (x_weight(character), character.len_utf8())
        };
        count += weight;
        if count > limit && over.is_none() {
            over = Some(at);
        }
        at += length;
    }
    (count, over)
}

/// The weight of a character on X: 1 up to U+10FF and for common punctuation; 0 for joiners and
/// variation selectors, which are part of an emoji; 2 for any other character.
fn x_weight(character: char) -> usize {
    match character {
        '\u{200d}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => 0,
        '\0'..='\u{10ff}'
        | '\u{2000}'..='\u{200c}'
        | '\u{2010}'..='\u{201f}'
        | '\u{2032}'..='\u{2037}' => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_for_vertical_videos_comes_first_for_a_video() {
        let first = |channel, has_video| channel_forms(channel, has_video)[0].key;
        assert_eq!(first("instagram", false), "feed");
        assert_eq!(first("instagram", true), "reel");
        assert_eq!(first("youtube", true), "short");
        assert_eq!(first("linkedin", true), "post");
        assert_eq!(first("canal próprio", false), "post");
    }

    #[test]
    fn x_counts_links_and_emoji_by_its_own_rule() {
        assert_eq!(x_character_count("pão", 280), (3, None));
        assert_eq!(x_character_count("🍞", 280), (2, None));
        assert_eq!(x_character_count("語", 280), (2, None));
        let link = format!("veja https://exemplo.com/{}", "a".repeat(100));
        assert_eq!(x_character_count(&link, 280), (28, None));
        let long = "ã".repeat(281);
        assert_eq!(x_character_count(&long, 280), (281, Some(560)));
        assert_eq!(x_character_count(&"a".repeat(280), 280), (280, None));
        assert_eq!(x_character_count("", 280), (0, None));
    }
}
