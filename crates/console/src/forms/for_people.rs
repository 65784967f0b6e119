//! Words the refusals that a page shows to a person. A published refusal names fields and
//! operations, because programs read it.

use domain::Error;
use serde_json::Value;

/// The input fields, each as the subject of a sentence that the fault completes.
const FIELDS: [(&str, &str); 55] = [
    ("access_level", "O papel"),
    ("alt", "O texto alternativo"),
    ("ancora.media_id", "A mídia"),
    ("ancora.segundo", "O segundo"),
    ("ancora.trecho", "O trecho"),
    ("api_access_level", "O nível de API"),
    ("assignee_id", "O responsável"),
    ("ate", "O fim"),
    ("campaigns", "A lista de campanhas"),
    ("caption", "A legenda"),
    ("channel", "O canal"),
    ("code", "O código"),
    ("content", "O conteúdo"),
    ("data", "A data"),
    ("day", "O dia"),
    ("de", "O início"),
    ("description", "A descrição"),
    ("due_at", "A data"),
    ("email", "O e-mail"),
    ("ends_on", "O fim"),
    ("eventId", "A peça"),
    ("event_id", "A peça"),
    ("evento", "A peça"),
    ("expected_revision", "A revisão"),
    ("expiresInDays", "A validade"),
    ("file", "O arquivo"),
    ("goal_cents", "A meta"),
    ("hour", "A hora"),
    ("html", "O HTML"),
    ("key", "A chave"),
    ("label", "O nome"),
    ("media_id", "O fundo"),
    ("memberId", "A pessoa"),
    ("member_id", "A pessoa"),
    ("meta", "A meta"),
    ("metadados", "O campo de metadados"),
    ("metadata", "O objeto de metadados"),
    ("month", "O mês"),
    ("motivo", "O motivo"),
    ("name", "O nome"),
    ("posicao", "A posição"),
    ("procurar", "O trecho"),
    ("products", "A lista de produtos"),
    ("prompt", "O texto"),
    ("senha", "A senha"),
    ("size", "O tamanho"),
    ("starts_on", "O início"),
    ("status", "A situação"),
    ("tags", "A lista de etiquetas"),
    ("text", "O texto"),
    ("texto", "O texto"),
    ("title", "O título"),
    ("trecho", "O trecho"),
    ("value", "O valor"),
    ("year", "O ano"),
];

/// The words of a refusal for people. `message` is set if the published message uses other terms
/// than the console; `next` is set if the published next step names an operation or a value.
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

/// The codes of the refusals that have words for people.
pub fn worded_refusals() -> impl Iterator<Item = &'static str> {
    REFUSALS.iter().map(|refusal| refusal.code)
}

fn find_refusal_words(error: &Error) -> Option<&'static ForPeople> {
    let code = error.code.as_str();
    REFUSALS.iter().find(|refusal| refusal.code == code)
}

/// The name of an input field at the start of a sentence; its published name if it has no words
/// here.
pub(crate) fn field_in_words(name: &str) -> &str {
    let entry = FIELDS.iter().find(|(field, _)| *field == name);
    entry.map_or(name, |(_, label)| label)
}

/// The error message of an input field, worded to follow the name of the field.
pub(crate) fn fault_in_words(field: &str, message: &str) -> String {
    agree_gender(field_in_words(field), message)
}

/// Puts the message in the gender of its subject, such as `A legenda`.
pub(crate) fn agree_gender(subject: &str, message: &str) -> String {
    match (subject.starts_with("A "), message) {
        (true, "é obrigatório") => "é obrigatória".into(),
        (true, "não pode ser vazio") => "não pode ser vazia".into(),
        _ => message.to_owned(),
    }
}

/// Published messages about absent resources, with their words for people.
const ABSENT: [(&str, &str); 2] = [
    ("Não encontrado: evento.", "A peça não foi encontrada."),
    (
        "Não encontrado: mídia deste evento.",
        "A mídia não está nesta peça.",
    ),
];

/// The message of an error, in words for people.
pub(super) fn message_in_words(error: &Error) -> String {
    let own = find_refusal_words(error).and_then(|refusal| refusal.message);
    let message = error.message();
    let absent = ABSENT.iter().find(|(published, _)| *published == message);
    let own = own.or_else(|| absent.map(|(_, words)| *words));
    own.map_or_else(|| error.message().to_string(), str::to_owned)
}

/// The next step for a person. A published next step with a name in backticks is advice for a
/// program and is left out.
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
    fn fields_are_named_in_words() {
        assert_eq!(field_in_words("motivo"), "O motivo");
        assert_eq!(field_in_words("cards.0.text"), "cards.0.text");
        assert_eq!(fault_in_words("caption", "é obrigatório"), "é obrigatória");
        assert_eq!(fault_in_words("title", "é obrigatório"), "é obrigatório");
    }
}
