//! Webhooks: their states, and when a message that was not received is sent again.

use crate::{
    text_enum,
    time::{DAY, HOUR, MINUTE, Millis, SECOND},
};

text_enum! {
    /// The state of a webhook. Only an active webhook sends messages.
    pub enum WebhookState {
        Active = "ativo",
        /// Paused by a person.
        Paused = "pausado",
        /// Paused by the service, because the receiver has accepted no message for three days.
        Failing = "pausado_por_falhas",
        /// Paused because its owner has left or may no longer manage webhooks.
        Ownerless = "pausado_sem_responsavel",
        /// The receiver has answered 410 (Gone).
        Gone = "encerrado",
    }
}

text_enum! {
    /// The state of a message of a webhook.
    pub enum WebhookMessageState {
        /// The message waits for its first or next attempt.
        Pending = "pendente",
        /// The receiver has answered 2xx.
        Received = "recebida",
        /// The message is not sent: the receiver is gone, or the owner of the webhook may no longer
        /// see the resource of the message.
        Dropped = "descartada",
        /// The message is no longer sent: the receiver accepted other messages, but not this one.
        Refused = "recusada",
    }
}

/// The time after the first attempt during which a failed message is retried.
pub const GIVE_UP_AFTER: Millis = 3 * DAY;
/// The pauses after the first failures. The last pause is used after all later failures.
const PAUSES: [Millis; 8] = [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
];
/// The longest pause that a receiver may ask for.
pub const LONGEST_ASKED: Millis = DAY;

/// The failed attempts of a message.
#[derive(Debug, Clone, Copy)]
pub struct FailedAttempts {
    /// The number of failed attempts, including the one that just failed.
    pub count: i64,
    /// The time of the first failed attempt.
    pub first_at: Millis,
    /// The pause that the receiver asks for.
    pub asked: Option<Millis>,
}

impl FailedAttempts {
    /// Returns the time of the next attempt. The last attempt is made when three days have passed; after
    /// it, returns `None`. If the service was down and made fewer attempts than there are pauses, it
    /// continues to retry after the three days. `chance` is a random number, which changes the pause by
    /// up to a tenth.
    #[must_use]
    pub fn next_attempt(&self, now: Millis, chance: u32) -> Option<Millis> {
        let last = self.first_at + GIVE_UP_AFTER;
        let is_late = now >= last;
        let last_pause = PAUSES.len() - 1;
        let number = usize::try_from(self.count - 1).unwrap_or_default();
        if is_late && number >= last_pause {
            return None;
        }
        let pause = PAUSES[number.min(last_pause)];
        let jitter = pause / 5 * i64::from(chance) / i64::from(u32::MAX);
        let pause = pause - pause / 10 + jitter;
        let asked = self.asked.unwrap_or_default().min(LONGEST_ASKED);
        let next = now + pause.max(asked);
        Some(if is_late { next } else { next.min(last) })
    }
}

/// Reads the pause that a receiver asks for in `Retry-After`: seconds or an HTTP date.
#[must_use]
pub fn read_retry_after(text: &str, now: Millis) -> Option<Millis> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        let seconds = i64::try_from(seconds).unwrap_or(i64::MAX);
        return Some(seconds.saturating_mul(SECOND));
    }
    let until = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some((until.as_millisecond() - now).max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(chance: u32) -> Vec<Millis> {
        let (mut now, mut count, mut pauses) = (0, 0, vec![]);
        loop {
            count += 1;
            let failed = FailedAttempts {
                count,
                first_at: 0,
                asked: None,
            };
            match failed.next_attempt(now, chance) {
                Some(next) => pauses.push(next - now),
                None => return pauses,
            }
            now += pauses.last().copied().unwrap_or_default();
        }
    }

    #[test]
    fn pauses_grow_until_three_days_have_passed() {
        for chance in [0, u32::MAX / 3, u32::MAX] {
            let pauses = pauses(chance);
            assert_eq!(pauses.iter().sum::<Millis>(), GIVE_UP_AFTER, "{chance}");
            assert!(pauses.len() >= 9, "{pauses:?}");
            for (pause, usual) in pauses.iter().zip(PAUSES) {
                assert!((pause - usual).abs() <= usual / 10, "{pauses:?}");
            }
        }
    }

    #[test]
    fn a_message_is_tried_again_although_the_service_was_away_for_days() {
        let failed = |count| FailedAttempts {
            count,
            first_at: 0,
            asked: None,
        };
        let now = 9 * DAY;
        let next = failed(2).next_attempt(now, u32::MAX / 2);
        assert!(next.is_some_and(|at| at > now && at <= now + HOUR));
        assert_eq!(failed(8).next_attempt(now, 0), None);
    }

    #[test]
    fn a_pause_is_read_in_seconds_and_as_a_date() {
        // Wed, 21 Oct 2015 07:28:00 GMT
        let date = 1_445_412_480_000;
        let text = "Wed, 21 Oct 2015 07:28:00 GMT";
        assert_eq!(read_retry_after(" 120 ", 0), Some(2 * MINUTE));
        assert_eq!(read_retry_after(text, date - HOUR), Some(HOUR));
        assert_eq!(read_retry_after(text, date + HOUR), Some(0));
        assert_eq!(read_retry_after("18446744073709551615", 0), Some(i64::MAX));
        assert_eq!(read_retry_after("amanhã", 0), None);
    }

    #[test]
    fn a_receiver_may_ask_for_a_longer_pause_up_to_a_day() {
        let next = |asked| {
            let failed = FailedAttempts {
                count: 1,
                first_at: 0,
                asked: Some(asked),
            };
            failed.next_attempt(0, u32::MAX / 2)
        };
        assert!(next(0).is_some_and(|at| at < 6 * SECOND));
        assert_eq!(next(HOUR), Some(HOUR));
        assert_eq!(next(900 * DAY), Some(DAY));
    }
}
