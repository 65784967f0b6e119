//! Names statuses, channels and changes in words.

use domain::EventStatus;
use maud::{Markup, html};

/// A status as a word, in its colour.
pub(crate) fn status_badge(status: EventStatus) -> Markup {
    html! { span class={ "badge " (status_colour(status)) } { (status_name(status)) } }
}

/// The name of a status, which agrees with "peça". The values of the interface stay masculine.
pub(crate) const fn status_name(status: EventStatus) -> &'static str {
    match status {
        EventStatus::Todo => "A fazer",
        EventStatus::InProgress => "Em progresso",
        EventStatus::Processing => "Gerando mídia",
        EventStatus::InApproval => "Em aprovação",
        EventStatus::Approved => "Aprovada",
        EventStatus::Refused => "Recusada",
        EventStatus::Published => "Publicada",
        EventStatus::Archived => "Arquivada",
    }
}

/// What a status means for a piece, and what comes next. It follows the name of the status.
pub(crate) const fn status_meaning(status: EventStatus) -> &'static str {
    match status {
        EventStatus::Todo => "espera que alguém comece; o rascunho a começa.",
        EventStatus::InProgress => "em produção; o envio a leva à aprovação.",
        EventStatus::Processing => "com mídia em geração; depois volta à situação anterior.",
        EventStatus::InApproval => "espera a decisão de quem aprova; quem a enviou pode retirá-la.",
        EventStatus::Approved => "pronta para publicar; quem aprova ainda pode reabri-la.",
        EventStatus::Refused => "corrija o que o motivo pede e envie de novo.",
        EventStatus::Published => "no ar.",
        EventStatus::Archived => "guardada fora da agenda; pode voltar a “A fazer”.",
    }
}

const fn status_colour(status: EventStatus) -> &'static str {
    match status {
        EventStatus::Todo | EventStatus::Archived => "",
        EventStatus::InProgress | EventStatus::Processing => "info",
        EventStatus::InApproval => "wait",
        EventStatus::Approved | EventStatus::Published => "good",
        EventStatus::Refused => "bad",
    }
}

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

/// The verb for an operation on a piece. It follows the name of its author.
pub(crate) fn action_verb(action: &str, now: Option<EventStatus>) -> &str {
    match (action, now) {
        ("create_demand" | "create_demands", _) => "criou a demanda",
        ("save_draft", _) => "salvou o rascunho",
        ("submit_for_approval", _) => "enviou para aprovação",
        ("decide_approval", Some(EventStatus::Refused)) => "recusou",
        ("decide_approval", _) => "aprovou",
        ("reopen_event", _) => "reabriu",
        ("update_event", Some(EventStatus::Archived)) => "arquivou",
        ("update_event", Some(EventStatus::Published)) => "marcou como publicada",
        ("record_post", Some(EventStatus::Published)) => "publicou manualmente",
        ("record_post", _) => "corrigiu o link do post",
        ("update_event", _) => "mudou os dados",
        ("update_event_media", _) => "organizou as mídias",
        ("upload_media", _) => "enviou um arquivo",
        ("generate_art", _) => "gerou uma imagem",
        ("generate_carousel", _) => "gerou um carrossel",
        ("update_carousel", _) => "corrigiu o carrossel",
        ("start_video_generation", _) => "pediu um vídeo",
        (other, _) => other,
    }
}

/// A number in Brazilian format: `2.200`.
pub(crate) fn format_number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_thousands_separators() {
        for (value, written) in [(0, "0"), (999, "999"), (2_200, "2.200"), (63_206, "63.206")] {
            assert_eq!(format_number(value), written);
        }
        assert_eq!(format_number(1_234_567), "1.234.567");
    }
}
