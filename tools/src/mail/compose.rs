//! Writes the texts of the e-mails (in Portuguese).

use super::letter::{Item, Letter, Team};
use domain::{Member, time::LocalDate};
use gateway::{Result, Services};
use identity::mail::unsubscribing::{self, Ended};
use store::Conn;

use crate::{notifications::MailedNotification, team_brand::load_brand};

/// Maximum number of notifications that an e-mail lists. The e-mail gives the number of further
/// notifications.
const MOST_ITEMS: usize = 20;
/// The maximum length of a subject, in characters.
const SUBJECT: usize = 120;

/// Loads the name and colour of the team. If the brand cannot be read, the defaults are used, so that
/// e-mails are still sent.
pub(super) async fn load_team(db: &Conn<'_>) -> Result<Team> {
    Ok(Team::new(load_brand(db).await?.as_ref()))
}

/// Loads the name of the team.
pub(crate) async fn load_team_name(db: &Conn<'_>) -> Result<String> {
    Ok(load_team(db).await?.name)
}

fn greeting(member: &Member) -> String {
    format!("Olá, {}.", domain::visible_line(&member.name))
}

/// Writes the e-mail with the link to set a new password.
pub(super) fn password_reset(team: &Team, member: &Member, link: String) -> Letter {
    Letter {
        subject: format!("Senha nova em {}", team.name),
        before: vec![
            greeting(member),
            "Alguém pediu uma senha nova para a sua conta. Se foi você, defina-a nesta página:"
                .into(),
        ],
        button: Some(("Definir senha nova", link)),
        after: vec![
            "O link vale 30 minutos e serve uma vez.".into(),
            "Se não foi você, ignore este e-mail: a sua senha continua a mesma.".into(),
        ],
        ..Letter::default()
    }
}

/// Writes the e-mail that says that the password was changed with the link of a password reset.
pub(super) fn password_changed(
    services: &Services,
    team: &Team,
    member: &Member,
    at: i64,
) -> Letter {
    Letter {
        subject: format!("Sua senha em {} foi trocada", team.name),
        before: vec![
            greeting(member),
            format!(
                "A senha da sua conta foi trocada em {}, com um link que mandamos a este e-mail. As \
                 sessões que estavam abertas terminaram.",
                LocalDate::from_instant(at)
            ),
            "Se não foi você, peça uma senha nova agora e avise um admin da equipe.".into(),
        ],
        button: Some((
            "Pedir senha nova",
            format!("{}/senha/esquecida", services.public_url),
        )),
        ..Letter::default()
    }
}

/// Writes the invitation, with the link to set the first password.
pub(super) fn invitation(team: &Team, member: &Member, link: String) -> Letter {
    Letter {
        subject: format!("Convite para {}", team.name),
        before: vec![
            greeting(member),
            format!(
                "Você foi convidado para a agenda editorial de {}. Defina sua senha, e você já entra:",
                team.name
            ),
        ],
        button: Some(("Aceitar o convite", link)),
        after: vec!["O link vale 7 dias e serve uma vez. Não o repasse.".into()],
        ..Letter::default()
    }
}

/// Writes the e-mail with the notifications of a member. `all` contains at least one, newest first.
pub(super) fn notifications(
    services: &Services,
    team: &Team,
    member: &Member,
    all: Vec<MailedNotification>,
) -> Letter {
    let count = all.len();
    let ended = match all.split_first() {
        Some((one, rest)) if rest.iter().all(|other| other.kind == one.kind) => {
            Ended::Kind(one.kind)
        }
        _ => Ended::All,
    };
    let unsubscribe = unsubscribing::unsubscribe_url(services, &member.id, ended);
    let at = |path: &str| format!("{}{path}", services.public_url);
    let links = vec![
        ("Preferências", at("/notificacoes/preferencias")),
        ("Não receber mais estes e-mails", unsubscribe.clone()),
    ];
    let mut all = all.into_iter();
    let (subject, before, button, items) = match (count, all.next()) {
        (1, Some(one)) => {
            let subject = shorten_to_line(&one.text);
            let whole = (subject != one.text).then_some(one.text);
            let open = Some(("Abrir", one.link));
            (subject, whole.into_iter().collect(), open, vec![])
        }
        (_, first) => (
            format!("{count} avisos de {}", team.name),
            vec![greeting(member), "O que há de novo:".to_owned()],
            Some(("Ver todos", at("/notificacoes"))),
            first
                .into_iter()
                .chain(all)
                .take(MOST_ITEMS)
                .map(|one| Item {
                    text: one.text,
                    link: one.link,
                })
                .collect(),
        ),
    };
    let more = count.saturating_sub(MOST_ITEMS);
    Letter {
        subject,
        before,
        items,
        button,
        after: match more {
            0 => vec![],
            1 => vec!["E mais um aviso.".into()],
            _ => vec![format!("E mais {more} avisos.")],
        },
        links,
        unsubscribe: Some(unsubscribe),
    }
}

/// Returns the text as one line, shortened to the maximum length of a subject.
pub(crate) fn shorten_to_line(text: &str) -> String {
    let text = domain::visible_line(text);
    if text.chars().count() <= SUBJECT {
        return text;
    }
    let start: String = text.chars().take(SUBJECT - 1).collect();
    format!("{}…", start.trim_end())
}
