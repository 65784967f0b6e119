//! E-mails to members: their texts, and the jobs that send them.
//!
//! What causes an e-mail is in [`identity::mail`], for links and passwords, and in the job
//! [`PrepareMails`], for notifications. The job [`SendMails`] makes the text of each and sends it.
//!
//! Decided here:
//!
//! - No e-mail is sent twice. Its row is marked in a transaction that commits before the server is
//!   spoken to. A failure before the server had the text is tried again for three days. If it is not
//!   known whether the server has accepted the text, as after a killed process, nothing is sent again.
//! - The text is made when it is sent. Who may no longer see a piece is not told of it then, and a
//!   member who has left gets nothing.
//! - What was read meanwhile is not sent. The notifications of a member that are due at the same time
//!   are one e-mail, and there is at most one in ten minutes.
//! - What could not be sent for three days is not sent any more, also if there was no server to send it.
//!   Notifications join an e-mail of their member that still waits, so a server that comes back gets
//!   one for each member.
//! - Quiet hours and the hour of a digest are those of the time of sending. After a refused address a
//!   member gets no notifications by e-mail for thirty days, unless another e-mail arrives.
//! - Admins see which e-mails did not arrive, why, and what to do: to whom, of which kind and when, never
//!   what they said. A letter that may have arrived is not sent again; a person decides.
//! - An e-mail has no image and loads nothing from elsewhere, so opening it tells nobody anything.

mod area;
mod compose;
mod letter;
mod list_undelivered_mails;
mod prepare_mails;
mod send_mails;
mod unsubscribe;

pub use area::AREA;
pub(crate) use compose::{load_team_name, shorten};
pub use list_undelivered_mails::ListUndeliveredMails;
pub use prepare_mails::PrepareMails;
pub use send_mails::SendMails;
