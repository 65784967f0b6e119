//! Words the refusals that a page shows to a person. Published refusals name fields and operations of
//! the API, because programs read them.

use domain::Error;
use serde_json::Value;

use super::field_names::{field_in_words, replace_api_names};
use crate::{channels, view::View};

/// The texts of a refusal on pages. `message` is set if the published message uses other terms than the
/// console. `next` is set if the published next step names an operation or an API value.
struct ForPeople {
    code: &'static str,
    message: Option<&'static str>,
    next: Option<&'static str>,
}

const fn refusal_words(
    code: &'static str,
    message: Option<&'static str>,
    next: Option<&'static str>,
) -> ForPeople {
    ForPeople {
        code,
        message,
        next,
    }
}

const REFUSALS: [ForPeople; 11] = [
    refusal_words(
        "API_TOKEN_LIMIT",
        None,
        Some("Revogue em “Agentes” um token que você não usa mais."),
    ),
    refusal_words(
        "DOCUMENT_EXISTS",
        None,
        Some("Se o arquivo é mais novo, troque o documento na lista."),
    ),
    refusal_words(
        "EVENT_NOT_EDITABLE",
        Some("A peça não pode ser editada na situação em que está."),
        Some("Ela só pode ser editada nas situações “A fazer”, “Em progresso” e “Recusada”."),
    ),
    refusal_words(
        "EVENT_NOT_PENDING",
        Some("A peça não está aguardando esta decisão."),
        None,
    ),
    refusal_words("JOB_FINISHED", None, Some("Veja o resultado em “Vídeos”.")),
    refusal_words(
        "MEDIA_PROCESSING",
        Some("Há mídia sendo gerada para esta peça."),
        None,
    ),
    refusal_words(
        "NOT_APPROVED",
        Some("A peça não está aprovada."),
        Some("Só uma peça aprovada pode ser publicada."),
    ),
    refusal_words("PROJECT_ARCHIVED", None, Some("Restaure o projeto antes.")),
    refusal_words(
        "PUBLICATION_OPEN",
        None,
        Some("Acompanhe em “Publicações”; não publique de novo."),
    ),
    refusal_words(
        "STALE_REVISION",
        None,
        Some("Recarregue a página, confira o que mudou e tente de novo."),
    ),
    refusal_words(
        "VIDEO_OPEN",
        Some("Já há um vídeo em produção para esta peça."),
        None,
    ),
];

/// Returns the codes of the refusals that have their own texts on pages.
pub fn worded_refusals() -> impl Iterator<Item = &'static str> {
    REFUSALS.iter().map(|refusal| refusal.code)
}

fn find_refusal_words(error: &Error) -> Option<&'static ForPeople> {
    let code = error.code.as_str();
    REFUSALS.iter().find(|refusal| refusal.code == code)
}

/// Rewords the error message of an input field, so that it can follow the name of the field.
pub(crate) fn fault_in_words(field: &str, message: &str) -> String {
    let message = agree_gender(&field_in_words(field), message);
    replace_api_names(&message, |_| None)
}

/// Adapts the gender of the message to its subject, such as `A legenda`.
pub(crate) fn agree_gender(subject: &str, message: &str) -> String {
    match (subject.starts_with("A "), message) {
        (true, "é obrigatório") => "é obrigatória".into(),
        (true, "não pode ser vazio") => "não pode ser vazia".into(),
        _ => message.to_owned(),
    }
}

/// Published messages about absent resources, each with the message on pages.
const ABSENT: [(&str, &str); 2] = [
    ("Não encontrado: evento.", "A peça não foi encontrada."),
    (
        "Não encontrado: mídia deste evento.",
        "A mídia não está nesta peça.",
    ),
];

/// Returns the message of an error as pages show it.
pub(super) fn message_in_words(error: &Error) -> String {
    let own = find_refusal_words(error).and_then(|refusal| refusal.message);
    let message = error.message();
    let absent = ABSENT.iter().find(|(published, _)| *published == message);
    let own = own.or_else(|| absent.map(|(_, words)| *words));
    let words = own.map_or_else(|| error.message().to_string(), str::to_owned);
    replace_api_names(&words, |_| None)
}

/// Phrases in published warnings that call a piece an event, each with the phrase on pages.
const PIECES: [(&str, &str); 8] = [
    ("O evento ", "A peça "),
    (" o evento ", " a peça "),
    (" do evento", " da peça"),
    (" ao evento", " à peça"),
    (" no evento", " na peça"),
    (" com o evento", " com a peça"),
    (" deste evento", " desta peça"),
    (" este evento", " esta peça"),
];

/// Rewords a published warning of an operation for pages.
pub(super) fn warning_in_words(view: &View<'_>, text: &str) -> String {
    let pieces = PIECES.iter();
    let text = pieces.fold(text.to_owned(), |text, (published, words)| {
        text.replace(published, words)
    });
    replace_api_names(&text, |name| {
        let channel = channels::find_channel(name).map(|channel| channel.name);
        let title = channel.or_else(|| view.operation_title(name));
        title.map(str::to_owned)
    })
}

/// Returns the next step for a person. A published next step with a name in backticks is advice for
/// programs and is left out.
pub(super) fn next_step(error: &Error) -> Option<String> {
    if let Some(next) = find_refusal_words(error).and_then(|refusal| refusal.next) {
        return Some(next.to_owned());
    }
    let details = error.body().details?;
    let next = details.get("next").and_then(Value::as_str)?;
    (!next.contains('`')).then(|| next.to_owned())
}

#[cfg(test)]
mod tests {
    use domain::Code;

    use super::*;

    const MADE_UP: Code = Code::new("MADE_UP", 409, "Uma recusa de teste.");

    #[test]
    fn a_next_step_for_programs_is_replaced_or_left_out() {
        assert_eq!(next_step(&Error::new(MADE_UP)), None);
        let plain = Error::new(MADE_UP).with_detail("next", "Espere um pouco.".into());
        assert_eq!(next_step(&plain).as_deref(), Some("Espere um pouco."));
        let named = Error::new(MADE_UP).with_detail("next", "Releia com `get_event`.".into());
        assert_eq!(next_step(&named), None);
        let stale =
            Error::new(Code::STALE_REVISION).with_detail("next", "Releia com `get_event`.".into());
        assert!(next_step(&stale).is_some_and(|next| next.starts_with("Recarregue")));
    }

    #[test]
    fn faults_agree_with_their_fields() {
        assert_eq!(fault_in_words("caption", "é obrigatório"), "é obrigatória");
        assert_eq!(fault_in_words("title", "é obrigatório"), "é obrigatório");
    }
}
