//! The names and settings of the networks.

/// A network, and the settings that register it.
pub(super) struct NetworkWords {
    pub name: &'static str,
    pub title: &'static str,
    pub settings: [&'static str; 2],
}

pub(super) const NETWORKS: [NetworkWords; 4] = [
    NetworkWords {
        name: "shortvideo",
        title: "TikTok",
        settings: ["PAUTA_TIKTOK_CLIENT_KEY", "PAUTA_TIKTOK_CLIENT_SECRET"],
    },
    NetworkWords {
        name: "instagram",
        title: "Instagram",
        settings: ["PAUTA_INSTAGRAM_CLIENT_ID", "PAUTA_INSTAGRAM_CLIENT_SECRET"],
    },
    NetworkWords {
        name: "youtube",
        title: "YouTube",
        settings: ["PAUTA_YOUTUBE_CLIENT_ID", "PAUTA_YOUTUBE_CLIENT_SECRET"],
    },
    NetworkWords {
        name: "linkedin",
        title: "LinkedIn",
        settings: ["PAUTA_LINKEDIN_CLIENT_ID", "PAUTA_LINKEDIN_CLIENT_SECRET"],
    },
];

/// Returns the provider of a channel. `None` if accounts of the channel cannot be connected.
pub(super) fn channel_provider(channel: &str) -> Option<&'static str> {
    let mut networks = NETWORKS.iter();
    let network = networks.find(|network| network.title.eq_ignore_ascii_case(channel));
    network.map(|network| network.name)
}

/// Returns the name of a network on pages.
pub(super) fn network_title(name: &str) -> &str {
    let network = NETWORKS.iter().find(|network| network.name == name);
    network.map_or(name, |network| network.title)
}
