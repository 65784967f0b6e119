//! Checks a post against the rules of its channel.
//!
//! A fault names the network, the rule and the nearest value that passes, so that people and agents
//! correct it without looking the rule up.

use std::collections::BTreeSet;

use super::rules::{Channel, FileRules, Format, FormatRules, TextLimit};

/// What a post on one channel says, complete: what the variant leaves out is taken from the piece.
#[derive(Debug, Clone, Default)]
pub struct Post<'a> {
    pub caption: &'a str,
    pub title: Option<&'a str>,
    pub tags: &'a [String],
    pub first_comment: Option<&'a str>,
    pub privacy: Option<&'a str>,
    pub collaborators: usize,
    pub has_cover: bool,
    /// The media, in order.
    pub media: &'a [MediaFacts<'a>],
}

/// What is known about a medium of a post.
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
    /// What is wrong and the nearest value that passes, in Portuguese.
    pub message: String,
    /// The nearest value that passes.
    pub nearest: String,
}

/// Checks a post against the rules of a format. The result is empty if the network would accept it,
/// as far as its documentation says.
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
        if let Some(most) = rules.hashtags {
            self.check_count("hashtags", most, count_marked_words(post.caption, '#'));
        }
        if let Some(most) = rules.mentions {
            self.check_count("mentions", most, count_marked_words(post.caption, '@'));
        }
        self.check_optional_text("titulo", rules.title, post.title);
        if rules.title.is_some() {
            for (field, text) in [
                ("titulo", post.title.unwrap_or_default()),
                ("legenda", post.caption),
            ] {
                if self.network == "YouTube" && text.contains(['<', '>']) {
                    self.refuse(
                        field,
                        "characters",
                        "não aceita `<` nem `>`",
                        text.replace(['<', '>'], ""),
                    );
                }
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
        let tags: usize = post.tags.iter().map(|tag| tag.chars().count() + 1).sum();
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

    fn check_media_count(&mut self, rules: &FormatRules, media: &[MediaFacts<'_>]) {
        let count = rules.media;
        let videos = media.iter().filter(|medium| medium.is_video()).count();
        let kinds: BTreeSet<bool> = media.iter().map(MediaFacts::is_video).collect();
        if media.len() < count.least {
            let message = match (count.least, rules.image, rules.video) {
                (_, None, Some(_)) => "precisa de um vídeo".to_owned(),
                _ => "precisa de uma imagem ou de um vídeo".to_owned(),
            };
            self.refuse("midias", "minItems", &message, count.least.to_string());
        }
        if media.len() > count.most {
            let message = format!("tem {} mídias e aceita até {}", media.len(), count.most);
            self.refuse("midias", "maxItems", &message, count.most.to_string());
        }
        if !count.is_mixed && kinds.len() > 1 {
            self.refuse(
                "midias",
                "mixed",
                "não mistura imagens e vídeos: deixe só um dos dois",
                "",
            );
        } else if videos > count.most_videos {
            let message = format!("tem {videos} vídeos e aceita {}", count.most_videos);
            self.refuse("midias", "videos", &message, count.most_videos.to_string());
        }
    }

    fn check_medium(&mut self, rules: &FormatRules, number: usize, medium: &MediaFacts<'_>) {
        let field = format!("midias.{number}");
        let (kind, of_kind) = match medium.is_video() {
            true => ("vídeo", rules.video),
            false => ("imagem", rules.image),
        };
        let accepts_other = rules.image.is_some() || rules.video.is_some();
        match of_kind {
            Some(file) => self.check_file(&field, kind, &file, medium),
            None if accepts_other => {
                let message = format!("não aceita {kind}: troque esta mídia");
                self.refuse(&field, "type", &message, "");
            }
            None => {}
        }
        match (rules.alt, medium.alt) {
            (Some(most), Some(alt)) if !medium.is_video() && alt.chars().count() > most => {
                let length = alt.chars().count();
                let message =
                    format!("o texto alternativo tem {length} caracteres e o limite é {most}");
                self.refuse(
                    format!("{field}.alt"),
                    "maxLength",
                    &message,
                    most.to_string(),
                );
            }
            _ => {}
        }
    }

    fn check_file(&mut self, field: &str, kind: &str, file: &FileRules, medium: &MediaFacts<'_>) {
        if medium.is_video() && !file.types.contains(&medium.media_type) {
            let message = format!("não aceita vídeos {}: exporte em MP4", medium.media_type);
            self.refuse(field, "type", &message, "video/mp4");
        }
        // An image of another type is converted to JPEG, which changes its size.
        let is_sent_as_it_is = file.types.contains(&medium.media_type) && medium.crop.is_none();
        if is_sent_as_it_is && medium.bytes > file.most_bytes {
            let most = megabytes(file.most_bytes);
            let message = format!("{kind} de {} e o limite é {most}", megabytes(medium.bytes));
            self.refuse(field, "bytes", &message, most);
        }
        if let (Some(ratios), Some(value)) = (file.ratios, medium.ratio()) {
            let nearest = match value {
                value if value < ratios.narrowest.value * (1.0 - TOLERANCE) => {
                    Some(ratios.narrowest)
                }
                value if value > ratios.widest.value * (1.0 + TOLERANCE) => Some(ratios.widest),
                _ => None,
            };
            if let Some(nearest) = nearest {
                let message = format!(
                    "{kind} de proporção {value:.2}: aceita de {} a {}; recorte em `{}`",
                    ratios.narrowest.text, ratios.widest.text, nearest.text
                );
                self.refuse(field, "ratio", &message, nearest.text);
            }
        }
        if let (Some((least, most)), Some(seconds)) = (file.seconds, medium.seconds) {
            let nearest = match seconds {
                seconds if seconds < f64::from(least) => Some(least),
                seconds if seconds > f64::from(most) => Some(most),
                _ => None,
            };
            if let Some(nearest) = nearest {
                let message = format!("{kind} de {seconds:.0} s: aceita de {least} a {most} s");
                self.refuse(field, "seconds", &message, nearest.to_string());
            }
        }
    }
}

/// How far a ratio may be from its limit: a pixel in a thousand, because sizes are rounded.
const TOLERANCE: f64 = 0.001;

impl MediaFacts<'_> {
    fn is_video(&self) -> bool {
        self.media_type.starts_with("video/")
    }

    /// The ratio of width to height with which the medium is sent.
    #[expect(
        clippy::cast_precision_loss,
        reason = "sizes are far below 2^52 pixels"
    )]
    fn ratio(&self) -> Option<f64> {
        self.crop.or_else(|| {
            let (width, height) = self
                .size
                .filter(|(width, height)| *width > 0 && *height > 0)?;
            Some(width as f64 / height as f64)
        })
    }
}

/// The number of words that begin with a mark: `#pão`, `@padaria`. A mark within a word counts for
/// nothing, as in an e-mail address.
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

/// The last words of a text, to show where it must end.
fn last_words(text: &str) -> String {
    const SHOWN: usize = 30;
    let trimmed = text.trim_end();
    let start = trimmed.char_indices().rev().nth(SHOWN - 1);
    start.map_or(trimmed.to_owned(), |(at, _)| format!("…{}", &trimmed[at..]))
}

/// A size in megabytes, as Brazilians write it.
fn megabytes(bytes: i64) -> String {
    let tenths = bytes / 100_000;
    match tenths % 10 {
        0 => format!("{} MB", tenths / 10),
        tenth => format!("{},{tenth} MB", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(channel: &str, format: Format) -> (&'static Channel, &'static FormatRules) {
        let channel = Channel::find(channel).expect("a channel");
        (channel, channel.find_format(format).expect("a format"))
    }

    fn image(width: i64, height: i64) -> MediaFacts<'static> {
        MediaFacts {
            media_type: "image/jpeg",
            bytes: 1_000,
            size: Some((width, height)),
            ..MediaFacts::default()
        }
    }

    fn video(seconds: f64) -> MediaFacts<'static> {
        MediaFacts {
            media_type: "video/mp4",
            bytes: 1_000,
            size: Some((1080, 1920)),
            seconds: Some(seconds),
            ..MediaFacts::default()
        }
    }

    fn broken(
        channel: &str,
        format: Format,
        post: &Post<'_>,
    ) -> Vec<(String, &'static str, String)> {
        let (channel, rules) = rules(channel, format);
        let faults = check_post(channel, rules, post).into_iter();
        faults
            .map(|fault| (fault.field, fault.rule, fault.nearest))
            .collect()
    }

    /// A text of this many units of the limit of a caption.
    fn texts_at_limit(channel: &str, format: Format) -> Vec<(String, String)> {
        let (_, rules) = rules(channel, format);
        let TextLimit { most, unit } = rules.caption.expect("a limit");
        let fillers = ["a", "é", "🍞", "👨‍👩‍👧", "e\u{301}", "語"];
        let fill = |filler: &str| {
            let each = unit.count(filler);
            let full = filler.repeat(most / each) + &"a".repeat(most % each);
            (full.clone(), full + "a")
        };
        fillers.map(fill).to_vec()
    }

    #[test]
    fn captions_pass_at_the_limit_and_not_beyond() {
        for (channel, format, media) in [
            ("instagram", Format::Feed, image(1080, 1350)),
            ("instagram", Format::Reel, video(30.0)),
            ("linkedin", Format::Post, image(1, 1)),
            ("tiktok", Format::Post, video(30.0)),
            ("youtube", Format::Video, video(30.0)),
            ("threads", Format::Post, image(1, 1)),
            ("x", Format::Post, image(1, 1)),
            ("bluesky", Format::Post, image(1, 1)),
        ] {
            for (passes, fails) in texts_at_limit(channel, format) {
                let media = [media.clone()];
                let mut post = Post {
                    caption: &passes,
                    media: &media,
                    ..Post::default()
                };
                assert_eq!(broken(channel, format, &post), [], "{channel} {format}");
                post.caption = &fails;
                let found = broken(channel, format, &post);
                assert!(
                    matches!(found.as_slice(), [(field, "maxLength", _)] if field == "legenda"),
                    "{channel} {format}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn a_refusal_names_the_network_the_rule_and_what_passes() {
        let (channel, rules) = rules("x", Format::Post);
        let caption = "Pão quente. ".repeat(30);
        let post = Post {
            caption: &caption,
            ..Post::default()
        };
        let faults = check_post(channel, rules, &post);
        assert_eq!(
            faults[0].message,
            "X (post): tem 360 caracteres e o limite é 280: corte 80; cabe até “…e. Pão quente. Pão quente. Pão”"
        );
        assert_eq!(faults[0].nearest, "280");
    }

    #[test]
    fn hashtags_and_mentions_are_counted_as_words() {
        assert_eq!(count_marked_words("#pão #café, # nada a#b ##dois", '#'), 3);
        assert_eq!(count_marked_words("@padaria ana@exemplo.com @", '@'), 1);
        let media = [image(1080, 1080)];
        let post = |caption| Post {
            caption,
            media: &media,
            ..Post::default()
        };
        let at_limit = "#a ".repeat(30);
        assert_eq!(broken("instagram", Format::Feed, &post(&at_limit)), []);
        let over = format!("{at_limit}#b");
        let found = broken("instagram", Format::Feed, &post(&over));
        assert_eq!(found, [("legenda".into(), "hashtags", "30".into())]);
        let mentions = "@a ".repeat(21);
        let found = broken("instagram", Format::Feed, &post(&mentions));
        assert_eq!(found, [("legenda".into(), "mentions", "20".into())]);
    }

    #[test]
    fn ratios_pass_at_their_limits_and_when_cropped() {
        let check = |medium: MediaFacts<'static>| {
            let media = [medium];
            broken(
                "instagram",
                Format::Feed,
                &Post {
                    media: &media,
                    ..Post::default()
                },
            )
        };
        for (width, height) in [(1080, 1350), (1080, 1080), (1080, 566), (1081, 1351)] {
            assert_eq!(check(image(width, height)), [], "{width}x{height}");
        }
        let tall = image(1080, 1920);
        assert_eq!(
            check(tall.clone()),
            [("midias.0".into(), "ratio", "4:5".into())]
        );
        let cropped = MediaFacts {
            crop: Some(0.8),
            ..tall
        };
        assert_eq!(check(cropped), []);
        assert_eq!(
            check(image(2000, 1000)),
            [("midias.0".into(), "ratio", "1.91:1".into())]
        );
    }

    #[test]
    fn videos_have_a_duration_and_a_type() {
        let check = |format, medium: MediaFacts<'static>| {
            let media = [medium];
            broken(
                "instagram",
                format,
                &Post {
                    media: &media,
                    ..Post::default()
                },
            )
        };
        assert_eq!(check(Format::Reel, video(3.0)), []);
        assert_eq!(check(Format::Reel, video(900.0)), []);
        assert_eq!(
            check(Format::Reel, video(2.9)),
            [("midias.0".into(), "seconds", "3".into())]
        );
        assert_eq!(
            check(Format::Reel, video(901.0)),
            [("midias.0".into(), "seconds", "900".into())]
        );
        assert_eq!(
            check(Format::Reel, image(1080, 1920)),
            [("midias.0".into(), "type", String::new())]
        );
        let webm = MediaFacts {
            media_type: "video/webm",
            ..video(10.0)
        };
        assert_eq!(
            check(Format::Story, webm),
            [("midias.0".into(), "type", "video/mp4".into())]
        );
        let large = MediaFacts {
            bytes: 300_000_001,
            ..video(10.0)
        };
        assert_eq!(
            check(Format::Reel, large),
            [("midias.0".into(), "bytes", "300 MB".into())]
        );
    }

    #[test]
    fn media_are_counted_and_not_mixed_where_the_network_does_not() {
        let check = |channel, format, media: &[MediaFacts<'static>]| {
            broken(
                channel,
                format,
                &Post {
                    media,
                    ..Post::default()
                },
            )
        };
        let ten = vec![image(1, 1); 10];
        let eleven = vec![image(1, 1); 11];
        assert_eq!(check("instagram", Format::Feed, &ten), []);
        assert_eq!(
            check("instagram", Format::Feed, &eleven),
            [("midias".into(), "maxItems", "10".into())]
        );
        assert_eq!(
            check("instagram", Format::Feed, &[]),
            [("midias".into(), "minItems", "1".into())]
        );
        let mixed = [image(1, 1), video(10.0)];
        assert_eq!(check("instagram", Format::Feed, &mixed), []);
        assert_eq!(
            check("linkedin", Format::Post, &mixed),
            [("midias".into(), "mixed", String::new())]
        );
        assert_eq!(check("linkedin", Format::Post, &[]), []);
    }

    #[test]
    fn options_of_other_networks_are_refused() {
        let media = [image(1080, 1080)];
        let tags = ["pão".to_owned()];
        let post = Post {
            media: &media,
            title: Some("Pão"),
            tags: &tags,
            privacy: Some("public"),
            collaborators: 4,
            has_cover: true,
            ..Post::default()
        };
        let found = broken("instagram", Format::Feed, &post);
        let fields: Vec<_> = found
            .iter()
            .map(|(field, rule, _)| (field.as_str(), *rule))
            .collect();
        assert_eq!(
            fields,
            [
                ("titulo", "not"),
                ("tags", "not"),
                ("colaboradores", "maxItems"),
                ("capa", "not"),
                ("privacidade", "enum"),
            ]
        );
    }

    #[test]
    fn youtube_takes_no_angle_brackets_and_500_characters_of_tags() {
        let media = [video(10.0)];
        let tags: Vec<String> = vec!["a".repeat(250), "b".repeat(249)];
        let mut post = Post {
            caption: "a < b",
            title: Some("Pão"),
            tags: &tags,
            media: &media,
            ..Post::default()
        };
        assert_eq!(
            broken("youtube", Format::Video, &post),
            [("legenda".into(), "characters", "a  b".into())]
        );
        let tags: Vec<String> = vec!["a".repeat(250), "b".repeat(250)];
        post.caption = "";
        post.tags = &tags;
        assert_eq!(
            broken("youtube", Format::Video, &post),
            [("tags".into(), "maxLength", "500".into())]
        );
    }
}
