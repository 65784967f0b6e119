//! A table of posts at each limit and beyond.

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

fn list_faults(
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

/// A link with a scheme and a link without a scheme, each followed by a space. X counts a fixed length
/// for a link, whatever its actual length.
const LINK_WITH_BLANK: &str = "https://exemplo.com.br/receitas/pao-de-fermentacao-natural?a=b ";
const BARE_LINK: &str = "exemplo.com. ";

/// Returns pairs of captions: one at the limit of the network, and the same caption with one more
/// letter. Each pair repeats one filler: a letter, an accent, an emoji, an ideogram or a link. Omits a
/// filler if its captions would reach the limit of bytes of the network first.
fn texts_at_limit(channel: &str, format: Format) -> Vec<(String, String)> {
    let (_, rules) = rules(channel, format);
    let TextLimit { most, unit } = rules.caption.expect("a limit");
    let fillers = [
        "a",
        "é",
        "🍞",
        "👨‍👩‍👧",
        "e\u{301}",
        "語",
        LINK_WITH_BLANK,
        BARE_LINK,
    ]
    .into_iter();
    let fits_bytes = |filler: &&str| {
        let most_bytes = rules.caption_bytes.unwrap_or(usize::MAX);
        most / unit.count(filler) * filler.len() < most_bytes
    };
    let fill = |filler: &str| {
        let each = unit.count(filler);
        let full = filler.repeat(most / each) + &"a".repeat(most % each);
        (full.clone(), full + "a")
    };
    fillers.filter(fits_bytes).map(fill).collect()
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
            assert_eq!(
                list_faults(channel, format, &post),
                [],
                "{channel} {format}"
            );
            post.caption = &fails;
            let found = list_faults(channel, format, &post);
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
    assert_eq!(list_faults("instagram", Format::Feed, &post(&at_limit)), []);
    let over = format!("{at_limit}#b");
    let found = list_faults("instagram", Format::Feed, &post(&over));
    assert_eq!(found, [("legenda".into(), "hashtags", "30".into())]);
    let mentions = "@a ".repeat(21);
    let found = list_faults("instagram", Format::Feed, &post(&mentions));
    assert_eq!(found, [("legenda".into(), "mentions", "20".into())]);
}

#[test]
fn ratios_pass_at_their_limits_and_when_cropped() {
    let check = |medium: MediaFacts<'static>| {
        let media = [medium];
        list_faults(
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
        list_faults(
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
fn media_are_counted_and_mixed_only_on_networks_that_mix_them() {
    let check = |channel, format, media: &[MediaFacts<'static>]| {
        list_faults(
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
    let found = list_faults("instagram", Format::Feed, &post);
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
        list_faults("youtube", Format::Video, &post),
        [("legenda".into(), "characters", "a  b".into())]
    );
    let tags: Vec<String> = vec!["a".repeat(250), "b".repeat(250)];
    post.caption = "";
    post.tags = &tags;
    assert_eq!(
        list_faults("youtube", Format::Video, &post),
        [("tags".into(), "maxLength", "500".into())]
    );
}

#[test]
fn bluesky_limits_bytes_too() {
    let fits = "👨‍👩‍👧".repeat(166);
    let mut post = Post {
        caption: &fits,
        ..Post::default()
    };
    assert_eq!(list_faults("bluesky", Format::Post, &post), []);
    let over = "👨‍👩‍👧".repeat(167);
    post.caption = &over;
    assert_eq!(
        list_faults("bluesky", Format::Post, &post),
        [("legenda".into(), "maxLength", "3000".into())]
    );
}

#[test]
fn youtube_counts_two_more_characters_for_a_tag_that_contains_a_space() {
    let media = [video(10.0)];
    let tag = |blank: &str| vec![format!("{}{blank}b", "a".repeat(498))];
    let (plain, quoted) = (tag("a"), tag(" "));
    let mut post = Post {
        title: Some("Pão"),
        media: &media,
        tags: &plain,
        ..Post::default()
    };
    assert_eq!(list_faults("youtube", Format::Video, &post), []);
    post.tags = &quoted;
    assert_eq!(
        list_faults("youtube", Format::Video, &post),
        [("tags".into(), "maxLength", "500".into())]
    );
}

#[test]
fn videos_outside_the_limits_of_width_and_height_are_refused() {
    let check = |channel, format, width, height| {
        let media = [MediaFacts {
            size: Some((width, height)),
            ..video(10.0)
        }];
        let post = Post {
            media: &media,
            ..Post::default()
        };
        list_faults(channel, format, &post)
    };
    let pixels = |nearest: &str| ("midias.0".to_owned(), "pixels", nearest.to_owned());
    assert_eq!(check("tiktok", Format::Post, 360, 4_096), []);
    assert_eq!(check("tiktok", Format::Post, 359, 640), [pixels("360")]);
    assert_eq!(check("tiktok", Format::Post, 4_097, 640), [pixels("4096")]);
    assert_eq!(check("instagram", Format::Reel, 1_920, 3_840), []);
    assert_eq!(
        check("instagram", Format::Reel, 1_921, 1_080),
        [pixels("1920")]
    );
}

#[test]
fn a_cover_must_be_a_moment_within_the_video() {
    let media = [video(10.25)];
    let mut post = Post {
        media: &media,
        cover_at: Some(10_250),
        ..Post::default()
    };
    assert_eq!(list_faults("instagram", Format::Reel, &post), []);
    assert_eq!(list_faults("tiktok", Format::Post, &post), []);
    post.cover_at = Some(10_251);
    let late = [("capa_segundo".to_owned(), "seconds", "10.2".to_owned())];
    assert_eq!(list_faults("instagram", Format::Reel, &post), late);
    post.cover_at = Some(1);
    post.title = Some("Pão");
    let none = [("capa_segundo".to_owned(), "not", String::new())];
    assert_eq!(list_faults("youtube", Format::Video, &post), none);
    post.title = None;
    post.has_cover = true;
    assert_eq!(list_faults("instagram", Format::Reel, &post), none);
    let photo = [image(1_080, 1_080)];
    post.has_cover = false;
    post.media = &photo;
    assert_eq!(list_faults("tiktok", Format::Post, &post), none);
}

#[test]
fn only_tiktok_takes_brands_duet_and_stitch() {
    let all = TikTokOption::ALL;
    let media = [video(10.0)];
    let mut post = Post {
        media: &media,
        tiktok: all,
        privacy: Some("PUBLIC_TO_EVERYONE"),
        ..Post::default()
    };
    assert_eq!(list_faults("tiktok", Format::Post, &post), []);
    post.privacy = Some("SELF_ONLY");
    let hidden = (
        "privacidade".to_owned(),
        "privacy",
        "PUBLIC_TO_EVERYONE".to_owned(),
    );
    assert_eq!(list_faults("tiktok", Format::Post, &post), [hidden]);
    let photo = [image(1_080, 1_080)];
    post.media = &photo;
    post.privacy = None;
    let of_video = ("tiktok".to_owned(), "type", String::new());
    assert_eq!(list_faults("tiktok", Format::Post, &post), [of_video]);
    post.media = &media;
    let elsewhere = ("tiktok".to_owned(), "not", String::new());
    assert_eq!(list_faults("linkedin", Format::Post, &post), [elsewhere]);
}
