//! Writes the sentence of a notification (in Portuguese).

use serde_json::Value;

use super::recipients::{ANSWER, COMMENT, DECISION, OF_CHANNELS, REASON};
use crate::due_posts::{CHANNEL, FORMAT, HOUR};
use domain::{
    EventStatus, MemberId, NotificationKind as Kind,
    channels::Channel,
    time::{LocalDate, Timestamp},
};
use store::notifications::Listed;

/// Describes for a reader who acted: a member, a member's agent or a guest. `None` for the service
/// itself.
pub(super) fn describe_actor(listed: &Listed, reader: &MemberId) -> Option<String> {
    if let Some(guest) = &listed.guest_name {
        return Some(format!("{guest} (convidado)"));
    }
    let name = listed.actor_name.as_deref()?;
    Some(match listed.auth_method.as_str() {
        "session" => name.to_owned(),
        _ if listed.actor_id.as_ref() == Some(reader) => "Um agente, em seu nome,".to_owned(),
        _ => format!("Um agente por {name}"),
    })
}

/// Describes a notification in one sentence, whose subject is `who`. `is_current` is false for the
/// reminder of a post that is no longer due.
pub(super) fn describe(
    (listed, is_current): (&Listed, bool),
    details: &Value,
    who: Option<&str>,
) -> String {
    let is_of_piece = listed.event_id.is_some() && listed.event_title.is_some();
    let names_no_piece = matches!(
        listed.kind,
        Kind::Connection | Kind::Agent | Kind::Failed | Kind::Webhook | Kind::GuestLink
    );
    if listed.subject.is_empty() || (!is_of_piece && !names_no_piece) {
        return describe_many(listed.kind, listed.changes);
    }
    let title = listed.event_title.as_deref().unwrap_or_default();
    let is_of_channels = details[OF_CHANNELS].as_bool() == Some(true);
    let by = |active: &str, passive: String| match who {
        Some(who) => format!("{who} {active}"),
        None => passive,
    };
    match listed.kind {
        Kind::Assigned => by(
            &format!("atribuiu “{title}” a você."),
            format!("“{title}” foi atribuída a você."),
        ),
        Kind::Mentioned => {
            let (active, passive) = match details[REASON].as_str() {
                Some(ANSWER) => ("respondeu numa conversa sua em", "Responderam a você em"),
                Some(COMMENT) => ("comentou", "Comentaram"),
                _ => ("mencionou você em", "Mencionaram você em"),
            };
            by(
                &format!("{active} “{title}”."),
                format!("{passive} “{title}”."),
            )
        }
        Kind::Awaited => describe_awaited(listed, details, title),
        Kind::Reminder => describe_reminder(is_current, details, title),
        Kind::Decided | Kind::ChangesAsked if is_of_channels => {
            let (active, passive) = match details[DECISION].as_str() {
                Some("aprovar") => ("aprovou", "foram aprovadas"),
                _ => ("recusou", "foram recusadas"),
            };
            by(
                &format!("{active} mudanças nos canais de “{title}”."),
                format!("Mudanças nos canais de “{title}” {passive}."),
            )
        }
        Kind::Decided | Kind::ChangesAsked => {
            let (active, passive) = match details[DECISION].as_str() {
                Some("aprovar") => ("aprovou", "foi aprovada"),
                Some("pedir_ajustes") => ("pediu ajustes em", "tem ajustes pedidos"),
                _ => ("recusou", "foi recusada"),
            };
            by(
                &format!("{active} “{title}”."),
                format!("“{title}” {passive}."),
            )
        }
        Kind::Published => by(
            &format!("publicou “{title}”."),
            format!("“{title}” foi publicada."),
        ),
        Kind::Failed => {
            let what = match title {
                "" => "uma mídia".to_owned(),
                title => format!("“{title}”"),
            };
            match details["desconhecida"].as_bool() {
                Some(true) => format!(
                    "Não se sabe se a publicação de {what} saiu: confira na rede antes de repetir."
                ),
                _ if details["atrasada"] == true => {
                    format!("A hora de {what} passou sem publicar: publique agora ou cancele.")
                }
                _ => format!("A publicação de {what} falhou."),
            }
        }
        Kind::Connection => describe_connection(details),
        Kind::Webhook => match details["state"].as_str() {
            Some("encerrado") => {
                "Um webhook parou: o destino respondeu que não quer mais mensagens (410).".into()
            }
            Some("pausado_sem_responsavel") => {
                "Um webhook parou: o responsável saiu ou já não administra webhooks.".into()
            }
            Some("recusada") => {
                "O destino de um webhook não recebeu uma mensagem por três dias, só as outras."
                    .into()
            }
            _ => "Um webhook parou: o destino não recebeu nada por três dias.".into(),
        },
        Kind::GuestLink => {
            "Um link de convidado seu foi encerrado: erraram o código dele vezes demais.".into()
        }
        Kind::Agent => match &listed.agent {
            Some(agent) => format!("O agente “{agent}” foi conectado à sua conta."),
            None => "Um agente foi conectado à sua conta.".to_owned(),
        },
    }
}

fn describe_awaited(listed: &Listed, details: &Value, title: &str) -> String {
    if details[OF_CHANNELS].as_bool() == Some(true) {
        let waits =
            listed.event_status == Some(EventStatus::Approved) && listed.has_undecided_variants;
        return match waits {
            true => format!("“{title}” tem mudanças nos canais que esperam sua decisão."),
            false => {
                format!("“{title}” tinha mudanças nos canais, que já não esperam sua decisão.")
            }
        };
    }
    if listed.event_status != Some(EventStatus::InApproval) {
        return format!("“{title}” esperava sua decisão e já saiu da aprovação.");
    }
    let stage = details["etapa"].as_str();
    let stage = stage.map(|stage| format!(" na etapa “{stage}”"));
    let stage = stage.unwrap_or_default();
    if details["atrasada"].as_bool() == Some(true) {
        return format!("“{title}” passou do prazo{stage} e espera decisão.");
    }
    let until = details["prazo"].as_str().and_then(|text| text.parse().ok());
    let until = until.map(|Timestamp(at)| format!(" até {}", LocalDate::from_instant(at)));
    let until = until.unwrap_or_default();
    format!("“{title}” espera sua decisão{stage}{until}.")
}

fn describe_reminder(is_current: bool, details: &Value, title: &str) -> String {
    let key = details[CHANNEL].as_str().unwrap_or_default();
    let channel = Channel::find(key);
    let mut place = channel.map_or(key, |channel| channel.name).to_owned();
    if channel.is_some_and(|channel| channel.formats.len() > 1) {
        let format = details[FORMAT].as_str().unwrap_or_default();
        place = format!("{place} ({format})");
    }
    let hour = details[HOUR].as_str().and_then(|text| text.parse().ok());
    let hour = hour.map(|Timestamp(at)| LocalDate::from_instant(at).to_string());
    let hour = hour.unwrap_or_default();
    match is_current {
        true => format!("É hora de publicar “{title}” à mão: {place}, {hour}."),
        false => format!("“{title}” esperava ser publicada à mão: {place}, {hour}."),
    }
}

fn describe_connection(details: &Value) -> String {
    let network = details["rede"].as_str().unwrap_or_default();
    if details["venceu"].as_bool() == Some(true) {
        return format!("A conexão com {network} venceu: conecte a conta de novo.");
    }
    let until = details["ate"].as_str().and_then(|text| text.parse().ok());
    let until = until.map(|Timestamp(at)| LocalDate::from_instant(at).to_string());
    let until = until.unwrap_or_default();
    format!("A conexão com {network} termina em {until}: conecte a conta de novo.")
}

/// Describes a summary of changes of many pieces.
fn describe_many(kind: Kind, changes: i64) -> String {
    let what = match kind {
        Kind::Assigned => "atribuições de peças a você",
        Kind::Mentioned => "menções e comentários para você",
        Kind::Awaited => "peças que esperam sua decisão",
        Kind::Decided => "aprovações de peças suas",
        Kind::ChangesAsked => "pedidos de mudança em peças suas",
        Kind::Published => "publicações de peças suas",
        Kind::Failed => "publicações que falharam",
        Kind::Connection => "conexões que terminam",
        Kind::Agent => "agentes conectados à sua conta",
        Kind::Webhook => "webhooks seus que pararam",
        Kind::GuestLink => "links de convidado seus encerrados",
        Kind::Reminder => "posts esperam que alguém os publique à mão",
    };
    format!("{changes} {what}.")
}
