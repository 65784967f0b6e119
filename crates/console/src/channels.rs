//! The channels of pieces: their names, and how they show captions.

/// The name of a channel, and how it shows captions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Channel {
    pub name: &'static str,
    /// The maximum length of a caption, in characters.
    pub limit: Option<usize>,
    /// The number of characters before "mais".
    pub fold: Option<usize>,
}

const CHANNELS: [(&str, Channel); 15] = [
    ("instagram", limited_channel("Instagram", 2_200, Some(125))),
    ("facebook", limited_channel("Facebook", 63_206, Some(477))),
    ("linkedin", limited_channel("LinkedIn", 3_000, Some(210))),
    ("tiktok", limited_channel("TikTok", 2_200, Some(100))),
    ("youtube", limited_channel("YouTube", 5_000, Some(157))),
    ("threads", limited_channel("Threads", 500, None)),
    ("pinterest", limited_channel("Pinterest", 800, Some(50))),
    ("whatsapp", limited_channel("WhatsApp", 1_024, None)),
    ("x", limited_channel("X", 280, None)),
    ("twitter", limited_channel("X", 280, None)),
    ("bluesky", limited_channel("Bluesky", 300, None)),
    ("blog", unlimited_channel("Blog")),
    ("newsletter", unlimited_channel("Newsletter")),
    ("podcast", unlimited_channel("Podcast")),
    ("site", unlimited_channel("Site")),
];

/// A channel that shows captions completely, whatever their length.
const fn unlimited_channel(name: &'static str) -> Channel {
    Channel {
        name,
        limit: None,
        fold: None,
    }
}

const fn limited_channel(name: &'static str, limit: usize, fold: Option<usize>) -> Channel {
    Channel {
        name,
        limit: Some(limit),
        fold,
    }
}

/// The channel with this key. `None` if the list does not contain it.
pub(crate) fn find_channel(key: &str) -> Option<Channel> {
    let mut channels = CHANNELS.iter();
    channels
        .find(|(channels, _)| *channels == key)
        .map(|(_, channel)| *channel)
}

/// The name of a channel.
pub(crate) fn channel_name(key: &str) -> &str {
    find_channel(key).map_or(key, |channel| channel.name)
}

/// The name of a channel with its preposition, for sentences about publishing: `no Instagram`.
pub(crate) fn channel_with_preposition(key: &str) -> String {
    match find_channel(key) {
        Some(Channel { name, .. }) if key == "newsletter" => format!("na {name}"),
        Some(Channel { name, .. }) => format!("no {name}"),
        None => format!("em {key}"),
    }
}
