//! Where a person posts on each network.

use domain::Format;

use crate::links::percent_encode;

/// A page or app of a network.
pub(super) struct Place {
    pub link: String,
    /// True if the link takes the text along.
    pub has_text: bool,
}

/// Where a post of this channel is written; `None` for channels that the service does not know.
///
/// The pages with a text are those that the networks document for sharing:
/// `https://faq.whatsapp.com/5913398998672934`, `https://developer.x.com/en/docs/x-for-websites/tweet-button/guides/web-intent`,
/// `https://developers.facebook.com/docs/threads/threads-web-intents` and
/// `https://docs.bsky.app/docs/advanced-guides/intent-links`.
pub(super) fn place_of(channel: &str, text: &str) -> Option<Place> {
    let with_text = |base: &str| Place {
        link: format!("{base}{}", percent_encode(text)),
        has_text: true,
    };
    let page = |link: &str| Place {
        link: link.to_owned(),
        has_text: false,
    };
    Some(match channel {
        "whatsapp" => with_text("https://wa.me/?text="),
        "x" => with_text("https://x.com/intent/post?text="),
        "threads" => with_text("https://www.threads.com/intent/post?text="),
        "bluesky" => with_text("https://bsky.app/intent/compose?text="),
        "instagram" => page("https://www.instagram.com/"),
        "facebook" => page("https://www.facebook.com/"),
        "linkedin" => page("https://www.linkedin.com/feed/"),
        "tiktok" => page("https://www.tiktok.com/upload"),
        "youtube" => page("https://studio.youtube.com/"),
        "pinterest" => page("https://www.pinterest.com/pin-creation-tool/"),
        _ => return None,
    })
}

/// True if a post of this channel has an address.
pub(super) fn has_links(channel: &str, format: Format) -> bool {
    channel != "whatsapp" && channel != "newsletter" && format != Format::Story
}
