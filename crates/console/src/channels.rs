//! The channels of pieces as the pages name them. Their rules are in `domain::channels`.

use domain::{
    Format,
    channels::{self, TikTokOption},
};

/// A channel: its name, and the limits of its captions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Channel {
    pub name: &'static str,
    /// The maximum length of a caption, in characters.
    pub limit: Option<usize>,
    /// The number of characters before "mais".
    pub fold: Option<usize>,
}

/// Finds the channel with this key, in its usual format. `None` if the service has no rules for the
/// channel.
pub(crate) fn find_channel(key: &str) -> Option<Channel> {
    let channel = channels::Channel::find(key)?;
    let rules = channel.usual_format()?;
    Some(Channel {
        name: channel.name,
        limit: rules.caption.map(|caption| caption.most),
        fold: rules.fold,
    })
}

/// Returns the name of a channel.
pub(crate) fn channel_name(key: &str) -> &str {
    find_channel(key).map_or(key, |channel| channel.name)
}

/// Returns the name of a format of a channel.
pub(crate) const fn format_name(format: Format) -> &'static str {
    match format {
        Format::Post => "post",
        Format::Feed => "feed",
        Format::Story => "story",
        Format::Reel => "reel",
        Format::Video => "vídeo",
        Format::Short => "Short",
        Format::Document => "documento",
    }
}

/// Returns the name of a channel with its preposition, for sentences about publishing: `no Instagram`.
pub(crate) fn channel_with_preposition(key: &str) -> String {
    match find_channel(key) {
        Some(Channel { name, .. }) if key == "newsletter" => format!("na {name}"),
        Some(Channel { name, .. }) => format!("no {name}"),
        None => format!("em {key}"),
    }
}

/// Returns the name of a TikTok option, for lists of a post's options.
pub(crate) const fn tiktok_option_name(option: TikTokOption) -> &'static str {
    match option {
        TikTokOption::OwnBrand => "promove a própria marca",
        TikTokOption::PaidPartnership => "parceria paga",
        TikTokOption::DuetOff => "sem dueto",
        TikTokOption::StitchOff => "sem stitch",
    }
}

/// Returns the name of a network's privacy level, which says who can see a post.
pub(crate) fn privacy_name(level: &str) -> &str {
    match level {
        "public" | "PUBLIC" | "PUBLIC_TO_EVERYONE" => "Todos",
        "unlisted" => "Quem tem o link",
        "private" | "SELF_ONLY" => "Só a própria conta",
        "CONNECTIONS" => "Conexões",
        "MUTUAL_FOLLOW_FRIENDS" => "Amigos",
        "FOLLOWER_OF_CREATOR" => "Seguidores",
        other => other,
    }
}
