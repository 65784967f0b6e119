//! The pages of the networks on which a person writes a post.

use domain::Format;

use crate::links::percent_encode;

/// A page or app of a network on which a person writes a post.
pub(super) struct Place {
    pub link: String,
    /// True if the link contains the text of the post.
    pub has_text: bool,
}

/// Returns the page on which a post of this channel is written. `None` if the service knows no page for
/// the channel.
///
/// The links that contain the text are documented by the networks:
/// `https://faq.whatsapp.com/5913398998672934`,
/// `https://developer.x.com/en/docs/x-for-websites/tweet-button/guides/web-intent`,
/// `https://developers.facebook.com/docs/threads/threads-web-intents` and
/// `https://docs.bsky.app/docs/advanced-guides/intent-links`.
pub(super) fn find_posting_page(channel: &str, text: &str) -> Option<Place> {
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

/// True if a post of this channel and format has a public link.
pub(super) fn has_links(channel: &str, format: Format) -> bool {
    channel != "whatsapp" && channel != "newsletter" && format != Format::Story
}
