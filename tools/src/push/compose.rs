//! What a message says, and how urgent it is.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Serialize;

use crate::{
    mail::{load_team_name, shorten},
    notifications::{PushedNotification, load_pushed},
};
use domain::{Member, NotificationKind as Kind, PushId};
use gateway::{Result, Services};
use store::Conn;

/// The purpose of the key that names topics.
const TOPIC: &str = "push topic";
/// The length of a topic, in bytes before base64url. It has 32 characters then, the most that are
/// allowed (RFC 8030, section 5.4).
const TOPIC_BYTES: usize = 24;

/// A message before its encryption.
pub(super) struct Message {
    /// JSON text.
    pub payload: Vec<u8>,
    /// Later messages with the same topic replace this one.
    pub topic: String,
    /// The header `Urgency` (RFC 8030, section 5.3).
    pub urgency: &'static str,
    /// True if it is also sent in quiet hours.
    pub is_for_now: bool,
}

/// What the service worker of the console reads.
#[derive(Serialize)]
struct Payload<'a> {
    titulo: &'a str,
    texto: &'a str,
    /// The path to open, below the public URL.
    caminho: &'a str,
    etiqueta: &'a str,
}

/// Makes the message of a push for its member, with what they may see now. `None` if nothing is left to
/// be told.
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
        [one] => (shorten(&one.text), open_path(one), &*one.subject),
        many => {
            let text = format!("{} avisos novos.", many.len());
            (text, "/notificacoes".to_owned(), "")
        }
    };
    let topic = topic(services, member, about);
    let payload = Payload {
        titulo: &shorten(&team),
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

/// The page that marks the notification as read and leads to its piece.
fn open_path(one: &PushedNotification) -> String {
    let encoded =
        percent_encoding::utf8_percent_encode(&one.path, percent_encoding::NON_ALPHANUMERIC);
    format!("/notificacoes/abrir?id={}&para={encoded}", one.id)
}

/// True for what asks something of the member.
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

/// A name for what a message is about, from which the push service learns nothing.
fn topic(services: &Services, member: &Member, about: &str) -> String {
    let named = format!("{}\n{about}", member.id);
    let mac = services.keys.hmac(TOPIC, named.as_bytes());
    URL_SAFE_NO_PAD.encode(&mac[..TOPIC_BYTES])
}
