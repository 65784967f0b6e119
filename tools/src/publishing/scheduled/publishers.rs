//! Checks whether the service can publish on a network now.

use domain::{
    time::Millis,
    variant::{PublishMode, Variant},
};
use gateway::{Context, Result};
use store::connections;

use super::desk::PostDesk;

const NOT_REGISTERED: &str =
    "Esta rede não está registrada no serviço: na hora, uma pessoa é lembrada de postar à mão.";
const NOT_CONNECTED: &str = "Nenhuma conta desta rede está conectada. Com ela de volta, o serviço \
     publica; senão, depois da hora uma pessoa é lembrada de postar à mão.";

/// The networks on which the service publishes, with their connections.
pub(crate) struct Publishers<'a> {
    desk: Option<&'a PostDesk>,
    /// The names of the networks with a valid connection.
    connected: Vec<String>,
}

impl<'a> Publishers<'a> {
    /// Loads the names of the connected networks, unless none of these variants has automatic
    /// publication.
    pub async fn load(ctx: &Context<'a>, variants: &[Variant]) -> Result<Self> {
        let desk = ctx.services.parts.find::<PostDesk>();
        let mut variants = variants.iter();
        let is_automatic = variants.any(|variant| variant.publish == PublishMode::Automatic);
        let connected = match desk.filter(|_| is_automatic) {
            Some(_) => connections::list_active(&ctx.db()).await?,
            None => vec![],
        };
        Ok(Self { desk, connected })
    }

    /// Returns true if a post with this hour is so late that the service no longer publishes it without
    /// a person.
    pub fn is_too_late(&self, due_at: Option<Millis>, now: Millis) -> bool {
        let late_at = due_at.map(|due_at| self.desk.map_or(due_at, |desk| desk.late_at(due_at)));
        late_at.is_some_and(|late_at| late_at <= now)
    }

    /// Returns the sentence for users about the obstacle that prevents the service from publishing on
    /// this channel now; `None` without an obstacle.
    pub fn obstacle(&self, channel: &str) -> Option<&'static str> {
        let Some(network) = self.desk.and_then(|desk| desk.find(channel)) else {
            return Some(NOT_REGISTERED);
        };
        let mut connected = self.connected.iter();
        match connected.any(|name| name == network.connection) {
            true => None,
            false => Some(NOT_CONNECTED),
        }
    }
}
