//! E-mails to members: their texts, and the jobs that send them.
//!
//! [`identity::mail`] queues e-mails with links and about passwords. The job [`PrepareMails`] queues
//! e-mails with notifications. The job [`SendMails`] writes the text of each e-mail and sends it.
//!
//! Decided here:
//!
//! - No e-mail is sent twice. A transaction marks the row of the e-mail and commits before the service
//!   connects to the mail server. If an attempt fails before the server has the text, it is repeated for
//!   up to three days. If it is unknown whether the server accepted the text, for example after the
//!   process was killed, the e-mail is not sent again.
//! - The text is written when the e-mail is sent. It leaves out pieces that the member may no longer
//!   see, and a member who has left gets no e-mail.
//! - Notifications that were read meanwhile are left out. The notifications of a member that are due at
//!   the same time are sent as one e-mail, and a member gets at most one such e-mail in ten minutes.
//! - An e-mail that could not be sent for three days is given up, even if no mail server was configured.
//!   New notifications are added to an e-mail of their member that still waits, so each member gets only
//!   one e-mail when the server is available again.
//! - Quiet hours and the hour of a digest apply as they are set at the time of sending. If the server
//!   refuses the address of a member, this member gets no notifications by e-mail for thirty days,
//!   unless another e-mail arrives.
//! - Admins see the recipient, kind and time of each e-mail that did not arrive, the reason and the next
//!   step, but never the text. An e-mail that may have arrived is not sent again; a person decides.
//! - An e-mail contains no image and loads nothing from a server, so opening it cannot be tracked.

mod area;
mod compose;
mod letter;
mod list_undelivered_mails;
mod prepare_mails;
mod send_mails;
mod unsubscribe;

pub use area::AREA;
pub(crate) use compose::{load_team_name, shorten_to_line};
pub use list_undelivered_mails::ListUndeliveredMails;
pub use prepare_mails::PrepareMails;
pub use send_mails::SendMails;
