//! E-mails to members: their kinds and states, and when notifications go by e-mail.

use crate::{
    text_enum,
    time::{HOUR, Millis, hour_start, weekday_and_hour},
};

text_enum! {
    /// The subject of an e-mail.
    pub enum MailKind {
        /// The link with which a member sets a new password.
        PasswordReset = "senha_esquecida",
        /// The password was changed with such a link.
        PasswordChanged = "senha_trocada",
        /// The link with which an invited person sets the first password.
        Invitation = "convite",
        /// One or more notifications.
        Notifications = "notificacoes",
    }
}

text_enum! {
    /// The state of an e-mail. Only a pending one is sent.
    pub enum MailState {
        /// The e-mail waits for its first or next attempt.
        Pending = "pendente",
        /// An instance talks to the SMTP server.
        Sending = "enviando",
        /// The server has accepted the e-mail.
        Sent = "enviado",
        /// The server has refused the address.
        Bounced = "devolvido",
        /// The server has refused the e-mail itself.
        Refused = "recusado",
        /// The server did not accept the e-mail in time.
        Expired = "vencido",
        /// The reason for the e-mail had ended before it was sent.
        Dropped = "descartado",
        /// The server may have accepted the e-mail, so the e-mail is never sent again.
        Unknown = "incerto",
    }
}

/// The times at which a member gets notifications by e-mail. Hours are from 0 to 23, in Brasilia
/// time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailTimes {
    /// The quiet hours: the first hour without e-mails and the first hour with e-mails again.
    pub quiet: Option<(i8, i8)>,
    /// The hour of the digest, which is the only e-mail of the day.
    pub digest: Option<i8>,
}

impl MailTimes {
    /// Returns the earliest time, not before `at`, at which an e-mail may be sent.
    #[must_use]
    pub fn next_time(self, at: Millis) -> Millis {
        let may_send = |at: Millis| {
            let (_, hour) = weekday_and_hour(at);
            self.digest.is_none_or(|digest| hour == digest) && !self.is_quiet(hour)
        };
        // A digest is sent at the beginning of its hour. After that, it waits for the next day.
        if self.digest.is_none() && may_send(at) {
            return at;
        }
        let first = hour_start(at);
        let mut starts = (0..48).map(|hours| first + hours * HOUR);
        let next = starts.find(|start| *start >= at && may_send(*start));
        // If no hour is possible, for example because the hour of the digest is a quiet hour, the
        // quiet hours are ignored.
        next.unwrap_or_else(|| match self.quiet {
            Some(_) => Self {
                quiet: None,
                ..self
            }
            .next_time(at),
            None => at,
        })
    }

    /// Returns the earliest time, not before `at`, at which an e-mail that is due may be sent. A
    /// digest may be sent in its whole hour, so that a failed attempt can be repeated.
    #[must_use]
    pub fn next_time_for_due(self, at: Millis) -> Millis {
        let hour = hour_start(at);
        match self.next_time(hour) == hour {
            true => at,
            false => self.next_time(at),
        }
    }

    fn is_quiet(self, hour: i8) -> bool {
        self.quiet.is_some_and(|(from, to)| match from <= to {
            true => (from..to).contains(&hour),
            false => hour >= from || hour < to,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{DAY, MINUTE, parse_instant};

    fn at(text: &str) -> Millis {
        parse_instant(text).expect("an instant")
    }

    #[test]
    fn an_email_waits_until_the_quiet_hours_have_passed() {
        let times = MailTimes {
            quiet: Some((22, 7)),
            digest: None,
        };
        let noon = at("2026-08-22T12:34:00-03:00");
        assert_eq!(times.next_time(noon), noon);
        let morning = at("2026-08-23T07:00:00-03:00");
        for quiet in ["2026-08-22T22:00:00-03:00", "2026-08-23T06:59:00-03:00"] {
            assert_eq!(times.next_time(at(quiet)), morning, "{quiet}");
        }
        assert_eq!(times.next_time(morning), morning);
    }

    #[test]
    fn a_digest_waits_for_its_hour() {
        let times = MailTimes {
            quiet: None,
            digest: Some(9),
        };
        let nine = at("2026-08-22T09:00:00-03:00");
        assert_eq!(times.next_time(nine), nine);
        assert_eq!(times.next_time(nine - MINUTE), nine);
        assert_eq!(times.next_time(nine + MINUTE), nine + DAY);
    }

    #[test]
    fn an_email_that_is_due_may_be_sent_in_the_whole_hour_of_a_digest() {
        let times = MailTimes {
            quiet: Some((22, 7)),
            digest: Some(9),
        };
        let nine = at("2026-08-22T09:00:00-03:00");
        let late = nine + 59 * MINUTE;
        assert_eq!(times.next_time_for_due(late), late);
        assert_eq!(times.next_time_for_due(nine + HOUR), nine + DAY);
        let quiet = MailTimes {
            digest: None,
            ..times
        };
        assert_eq!(quiet.next_time_for_due(late), late);
        let night = at("2026-08-22T22:30:00-03:00");
        let morning = at("2026-08-23T07:00:00-03:00");
        assert_eq!(quiet.next_time_for_due(night), morning);
    }

    #[test]
    fn quiet_hours_that_allow_no_email_are_ignored() {
        let digest = MailTimes {
            quiet: Some((22, 7)),
            digest: Some(23),
        };
        let night = at("2026-08-22T23:00:00-03:00");
        assert_eq!(digest.next_time(night - HOUR), night);
        // If the first and the last hour are the same, there are no quiet hours.
        let none = MailTimes {
            quiet: Some((8, 8)),
            digest: None,
        };
        assert_eq!(none.next_time(night), night);
    }
}
