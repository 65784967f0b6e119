//! Names statuses and changes in words.

use domain::EventStatus;
use maud::{Markup, html};

pub(crate) use crate::channels::{
    channel_name, channel_with_preposition, find_channel, format_name,
};

/// Draws a status as a coloured word.
pub(crate) fn status_badge(status: EventStatus) -> Markup {
    html! { span class={ "badge " (status_colour(status)) } { (status_name(status)) } }
}

/// Returns the name of a status in the feminine, which agrees with "peça". The API values are masculine.
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

/// Returns the meaning of a status, and the next step of the piece. The text follows the name of the
/// status.
pub(crate) const fn status_meaning(status: EventStatus) -> &'static str {
    match status {
        EventStatus::Todo => "espera que alguém comece; o rascunho a começa.",
        EventStatus::InProgress => "em produção; o envio a leva à aprovação.",
        EventStatus::Processing => "com mídia em geração; depois volta à situação anterior.",
        EventStatus::InApproval => "espera a decisão de quem aprova; quem a enviou pode retirá-la.",
        EventStatus::Approved => "pronta para publicar; quem aprova ainda pode reabri-la.",
        EventStatus::Refused => "corrija o que o motivo e os comentários pedem, e envie de novo.",
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

/// Returns the verb for an operation on a piece, which follows the name of the author.
pub(crate) fn action_verb(action: &str, now: Option<EventStatus>) -> &str {
    match (action, now) {
        ("create_demand" | "create_demands", _) => "criou a demanda",
        ("save_draft", _) => "salvou o rascunho",
        ("submit_for_approval", _) => "enviou para aprovação",
        ("decide_approval", Some(EventStatus::Refused)) => "recusou",
        ("decide_approval", _) => "aprovou",
        ("put_variants", _) => "mudou os canais",
        ("decide_variants", _) => "decidiu sobre os canais",
        ("publish_variant", _) => "agendou, e a Pauta publicou",
        ("reopen_event", _) => "reabriu",
        ("update_event", Some(EventStatus::Archived)) => "arquivou",
        ("update_event", Some(EventStatus::Published)) => "marcou como publicada",
        ("record_post", Some(EventStatus::Published)) => "publicou à mão",
        ("record_post", _) => "registrou o post",
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

/// Formats a number in Brazilian format: `2.200`.
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
