//! Checks a post against the rules of its channel.
//!
//! A fault names the network, the rule and the nearest value that passes, so that people and agents
//! can correct the post without looking up the rule.

mod media;
#[cfg(test)]
mod tests;

use super::{
    length::Unit,
    rules::{Channel, Format, FormatRules, TextLimit, TikTokOption},
    table::SELF_ONLY,
};

/// The complete content of a post on one channel: fields that the variant leaves out are taken from
/// the piece.
#[derive(Debug, Clone, Default)]
pub struct Post<'a> {
    pub caption: &'a str,
    pub title: Option<&'a str>,
    pub tags: &'a [String],
    pub first_comment: Option<&'a str>,
    pub privacy: Option<&'a str>,
    pub collaborators: usize,
    pub has_cover: bool,
    /// The position of the cover within the video, in milliseconds.
    pub cover_at: Option<u64>,
    pub tiktok: &'a [TikTokOption],
    /// The media, in order.
    pub media: &'a [MediaFacts<'a>],
}

/// The properties of a medium of a post that the rules check.
#[derive(Debug, Clone, Default)]
pub struct MediaFacts<'a> {
    pub media_type: &'a str,
    pub bytes: i64,
    /// Width and height in pixels.
    pub size: Option<(i64, i64)>,
    /// The duration of a video, in seconds, if it is known.
    pub seconds: Option<f64>,
    /// The ratio to which the image is cropped.
    pub crop: Option<f64>,
    pub alt: Option<&'a str>,
}

/// A rule that a post breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelFault {
    /// The name of the network.
    pub network: &'static str,
    pub format: Format,
    /// The field: `legenda`, `titulo`, `midias.0` and so on.
    pub field: String,
    /// The rule: `maxLength`, `hashtags`, `ratio` and so on.
    pub rule: &'static str,
    /// The message in Portuguese: the fault and the nearest value that passes.
    pub message: String,
    /// The nearest value that passes.
    pub nearest: String,
}

/// Checks a post against the rules of a format. The result is empty if the post breaks no rule that
/// the network documents.
#[must_use]
pub fn check_post(channel: &Channel, rules: &FormatRules, post: &Post<'_>) -> Vec<ChannelFault> {
    let mut checker = Checker {
        network: channel.name,
        format: rules.format,
        faults: vec![],
    };
    checker.check_texts(rules, post);
    checker.check_options(rules, post);
    checker.check_media_count(rules, post.media);
    for (number, medium) in post.media.iter().enumerate() {
        checker.check_medium(rules, number, medium);
    }
    checker.faults
}

struct Checker {
    network: &'static str,
    format: Format,
    faults: Vec<ChannelFault>,
}

impl Checker {
    fn refuse(
        &mut self,
        field: impl Into<String>,
        rule: &'static str,
        message: &str,
        nearest: impl Into<String>,
    ) {
        self.faults.push(ChannelFault {
            network: self.network,
            format: self.format,
            field: field.into(),
            rule,
            message: format!("{} ({}): {message}", self.network, self.format),
            nearest: nearest.into(),
        });
    }

    fn check_texts(&mut self, rules: &FormatRules, post: &Post<'_>) {
        self.check_length("legenda", rules.caption, post.caption);
        if let Some(most) = rules.caption_bytes {
            let unit = Unit::Bytes;
            self.check_length("legenda", Some(TextLimit { most, unit }), post.caption);
        }
        if let Some(most) = rules.hashtags {
            self.check_count("hashtags", most, count_marked_words(post.caption, '#'));
        }
        if let Some(most) = rules.mentions {
            self.check_count("mentions", most, count_marked_words(post.caption, '@'));
        }
        self.check_optional_text("titulo", rules.title, post.title);
        for (field, text) in [
            ("titulo", post.title.unwrap_or_default()),
            ("legenda", post.caption),
        ] {
            if text.contains(rules.forbidden) {
                let forbidden: Vec<String> = rules.forbidden.iter().map(char::to_string).collect();
                let message = format!("não aceita `{}`", forbidden.join("` nem `"));
                let nearest = text.replace(rules.forbidden, "");
                self.refuse(field, "characters", &message, nearest);
            }
        }
        self.check_optional_text(
            "primeiro_comentario",
            rules.first_comment,
            post.first_comment,
        );
    }

    fn check_optional_text(&mut self, field: &str, limit: Option<TextLimit>, text: Option<&str>) {
        match (limit, text) {
            (None, Some(_)) => self.refuse(field, "not", "não existe neste formato; tire-o", ""),
            (limit, Some(text)) => self.check_length(field, limit, text),
            (_, None) => {}
        }
    }

    fn check_length(&mut self, field: &str, limit: Option<TextLimit>, text: &str) {
        let Some(TextLimit { most, unit }) = limit else {
            return;
        };
        let length = unit.count(text);
        if length > most {
            let unit_name = unit.name();
            let over = length - most;
            let end = last_words(unit.longest_beginning(text, most));
            let message = format!(
                "tem {length} {unit_name} e o limite é {most}: corte {over}; cabe até “{end}”"
            );
            self.refuse(field, "maxLength", &message, most.to_string());
        }
    }

    fn check_count(&mut self, rule: &'static str, most: usize, found: usize) {
        if found > most {
            let name = if rule == "hashtags" {
                "hashtags"
            } else {
                "menções"
            };
            let message = format!(
                "a legenda tem {found} {name} e o limite é {most}: tire {}",
                found - most
            );
            self.refuse("legenda", rule, &message, most.to_string());
        }
    }

    fn check_options(&mut self, rules: &FormatRules, post: &Post<'_>) {
        let quotes = |tag: &String| if tag.contains(' ') { 2 } else { 0 };
        let length = |tag: &String| tag.chars().count() + quotes(tag) + 1;
        let tags: usize = post.tags.iter().map(length).sum();
        match rules.tags {
            None if !post.tags.is_empty() => {
                self.refuse("tags", "not", "não existe neste formato; tire-o", "");
            }
            Some(most) if tags.saturating_sub(1) > most => {
                let message = format!("as tags somam {} caracteres e o limite é {most}", tags - 1);
                self.refuse("tags", "maxLength", &message, most.to_string());
            }
            _ => {}
        }
        if post.collaborators > rules.collaborators {
            let message = format!("aceita até {} colaboradores", rules.collaborators);
            self.refuse(
                "colaboradores",
                "maxItems",
                &message,
                rules.collaborators.to_string(),
            );
        }
        if post.has_cover && !rules.has_cover {
            self.refuse("capa", "not", "não existe neste formato; tire-a", "");
        }
        self.check_cover_at(rules, post);
        self.check_disclosure(rules, post);
        if let Some(privacy) = post.privacy
            && !rules.privacy.contains(&privacy)
        {
            let offered = rules.privacy.join("`, `");
            let message = match rules.privacy.is_empty() {
                true => "não existe neste formato; tire-a".to_owned(),
                false => format!("aceita `{offered}`"),
            };
            self.refuse(
                "privacidade",
                "enum",
                &message,
                rules.privacy.first().copied().unwrap_or_default(),
            );
        }
    }
}

impl Checker {
    fn check_cover_at(&mut self, rules: &FormatRules, post: &Post<'_>) {
        let Some(at) = post.cover_at else {
            return;
        };
        let mut videos = post.media.iter().filter(|medium| medium.is_video());
        let refused = match videos.next() {
            _ if !rules.has_cover_at => Some("não existe neste formato; tire-o"),
            _ if post.has_cover => Some("não vale com `capa`: deixe só um dos dois"),
            None => Some("vale só para vídeos; tire-o"),
            Some(_) => None,
        };
        if let Some(message) = refused {
            return self.refuse("capa_segundo", "not", message, "");
        }
        let seconds = post.media.iter().find_map(|medium| medium.seconds);
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a video")]
        let at = at as f64 / 1_000.0;
        if let Some(seconds) = seconds.filter(|seconds| at > *seconds) {
            let message = format!("passa do fim do vídeo, que dura {seconds:.1} s");
            // The nearest value is rounded down, so that it is within the video.
            let nearest = format!("{}", (seconds * 10.0).floor() / 10.0);
            self.refuse("capa_segundo", "seconds", &message, nearest);
        }
    }

    fn check_disclosure(&mut self, rules: &FormatRules, post: &Post<'_>) {
        if post.tiktok.is_empty() {
            return;
        }
        if !rules.has_disclosure {
            return self.refuse("tiktok", "not", "não existe neste canal; tire-o", "");
        }
        let has = |option| post.tiktok.contains(&option);
        if has(TikTokOption::PaidPartnership) && post.privacy == Some(SELF_ONLY) {
            let message = "`parceria` precisa de público: não vale com `SELF_ONLY`";
            self.refuse("privacidade", "privacy", message, "PUBLIC_TO_EVERYONE");
        }
        let are_photos = !post.media.is_empty() && !post.media.iter().any(MediaFacts::is_video);
        if are_photos && (has(TikTokOption::DuetOff) || has(TikTokOption::StitchOff)) {
            let message = "`sem_dueto` e `sem_stitch` valem só para vídeos; tire-os";
            self.refuse("tiktok", "type", message, "");
        }
    }
}

/// Counts the words that begin with a mark: `#pão`, `@padaria`. A mark within a word, such as in an
/// e-mail address, does not count.
fn count_marked_words(text: &str, mark: char) -> usize {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut before = None;
    let mut characters = text.chars().peekable();
    let mut count = 0;
    while let Some(character) = characters.next() {
        let begins = character == mark && !before.is_some_and(is_word);
        if begins && characters.peek().copied().is_some_and(is_word) {
            count += 1;
        }
        before = Some(character);
    }
    count
}

/// Returns the last words of a text, with which a message shows where the text must end.
fn last_words(text: &str) -> String {
    const SHOWN: usize = 30;
    let trimmed = text.trim_end();
    let start = trimmed.char_indices().rev().nth(SHOWN - 1);
    start.map_or(trimmed.to_owned(), |(at, _)| format!("…{}", &trimmed[at..]))
}
