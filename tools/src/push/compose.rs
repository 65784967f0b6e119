//! Composes push messages: their text, path, topic and urgency.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;

use crate::{
    mail::{load_team_name, shorten_to_line},
    notifications::{PushedNotification, load_pushed},
};
use domain::{Member, NotificationKind as Kind, PushId};
use gateway::{Result, Services};
use store::Conn;

/// The purpose of the key from which topics are derived.
const TOPIC: &str = "push topic";
/// The length of a topic, in bytes before base64url. The encoded topic has 32 characters, the allowed
/// maximum (RFC 8030, section 5.4).
const TOPIC_BYTES: usize = 24;

/// A message before its encryption.
pub(super) struct Message {
    /// The content, as JSON text.
    pub payload: Vec<u8>,
    /// The topic. A later message with the same topic replaces this message.
    pub topic: String,
    /// The header `Urgency` (RFC 8030, section 5.3).
    pub urgency: &'static str,
    /// True if the message is also sent in quiet hours.
    pub is_for_now: bool,
}

/// The JSON content that the service worker of the console reads.
#[derive(Serialize)]
struct Payload<'a> {
    titulo: &'a str,
    texto: &'a str,
    /// The path to open, below the public URL.
    caminho: &'a str,
    etiqueta: &'a str,
}

/// Composes the message of a push from the notifications that the member may see now. Returns `None` if
/// no notification is left.
pub(super) async fn compose(
    services: &Services,
    db: &Conn<'_>,
    member: &Member,
    push_id: &PushId,
) -> Result<Option<Message>> {
    let told = load_pushed(db, member, push_id).await?;
    let team = load_team_name(db).await?;
    let urgent = told.iter().any(|one| is_urgent(one.kind));
    let (text, path, about) = match &*told {
        [] => return Ok(None),
        [one] => (shorten_to_line(&one.text), open_path(one), &*one.subject),
        many => {
            let text = format!("{} avisos novos.", many.len());
            (text, "/notificacoes".to_owned(), "")
        }
    };
    let topic = topic(services, member, about);
    let payload = Payload {
        titulo: &shorten_to_line(&team),
        texto: &text,
        caminho: &path,
        etiqueta: &topic,
    };
    Ok(Some(Message {
        payload: serde_json::to_vec(&payload)?,
        urgency: if urgent { "high" } else { "normal" },
        is_for_now: told.iter().any(|one| one.kind.is_for_now()),
        topic,
    }))
}

/// Returns the path of the page that marks the notification as read and redirects to its piece.
fn open_path(one: &PushedNotification) -> String {
    let encoded =
        percent_encoding::utf8_percent_encode(&one.path, percent_encoding::NON_ALPHANUMERIC);
    format!("/notificacoes/abrir?id={}&para={encoded}", one.id)
}

/// Returns true for notifications that ask the member to do something.
fn is_urgent(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Assigned
            | Kind::Mentioned
            | Kind::Awaited
            | Kind::ChangesAsked
            | Kind::Failed
            | Kind::Reminder
    )
}

/// Derives the topic of a message from its subject. The topic reveals nothing to the push service.
fn topic(services: &Services, member: &Member, about: &str) -> String {
    let named = format!("{}\n{about}", member.id);
    let mac = services.keys.hmac(TOPIC, named.as_bytes());
    URL_SAFE_NO_PAD.encode(&mac[..TOPIC_BYTES])
}
