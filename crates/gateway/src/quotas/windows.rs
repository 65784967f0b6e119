//! The calls of credentials, members and networks within the current window.

use std::{collections::HashMap, net::IpAddr};

use domain::{
    CalendarFeedId, Code, Error, MemberId, Result, SessionId, TokenId, hex, site_prefix,
    time::{MINUTE, Millis, SECOND},
};
use store::{Db, attempts};

use crate::Keys;

/// The length of a window.
const QUOTA_WINDOW: Millis = 10 * MINUTE;
/// The calls of a subject are shared with other instances after they reach its quota divided by
/// this number.
const SHARED_PART: i64 = 100;
/// Maximum number of reads of one calendar within a window. Calendar programs read a calendar about
/// once an hour.
const MOST_CALENDAR_READS: i64 = 60;
/// Maximum number of subjects kept in memory. Beyond it, further networks share one count.
const MOST_SUBJECTS: usize = 100_000;

/// The maximum number of calls within a window. `None` is no limit.
#[derive(Debug, Clone, Copy)]
pub struct QuotaLimits {
    /// Calls of one session, personal token or agent.
    pub credential: Option<i64>,
    /// Calls of one member with all credentials.
    pub member: Option<i64>,
    /// Requests of one IP network, with or without a credential.
    pub address: Option<i64>,
}

impl Default for QuotaLimits {
    /// Allows 500 calls a second to a credential, 1,000 to a member and 2,000 requests a second to
    /// a network, throughout the whole window: more than people and agents need, and less than one
    /// instance can serve.
    fn default() -> Self {
        Self {
            credential: Some(300_000),
            member: Some(600_000),
            address: Some(1_200_000),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Token(TokenId),
    Session(SessionId),
    Member(MemberId),
    CalendarFeed(CalendarFeedId),
    Network(IpAddr),
    FurtherNetworks,
}

impl Subject {
    fn quota(&self, limits: &QuotaLimits) -> Option<i64> {
        match self {
            Self::Token(_) | Self::Session(_) => limits.credential,
            Self::Member(_) => limits.member,
            Self::CalendarFeed(_) => Some(MOST_CALENDAR_READS),
            Self::Network(_) | Self::FurtherNetworks => limits.address,
        }
    }

    /// Returns the name of the subject in the message that its quota is reached (Portuguese).
    const fn name(&self) -> &'static str {
        match self {
            Self::Token(_) => "Este token",
            Self::Session(_) => "Esta sessão",
            Self::Member(_) => "Esta pessoa",
            Self::CalendarFeed(_) => "Este calendário",
            Self::Network(_) | Self::FurtherNetworks => "Esta rede",
        }
    }

    /// Returns the key of the subject in the database: a keyed hash, which does not reveal the
    /// subject.
    fn stored_key(&self, keys: &Keys) -> String {
        let hash = keys.hmac("call quotas", format!("{self:?}").as_bytes());
        hex(&hash[..16])
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    /// The calls that this instance counted.
    own: i64,
    /// The calls among `own` that are not yet in the database.
    unshared: i64,
    /// The calls that other instances counted.
    others: i64,
}

/// The calls of the current window.
#[derive(Default)]
pub(super) struct Window {
    began: Millis,
    counts: HashMap<Subject, Count>,
}

/// Calls that are being shared with other instances.
pub(super) struct Unshared {
    began: Millis,
    calls: Vec<SubjectCalls>,
}

struct SubjectCalls {
    subject: Subject,
    /// The calls to add to the database.
    calls: i64,
    /// All calls that this instance counted, including `calls`.
    own: i64,
}

impl Window {
    pub(super) fn reset_if_over(&mut self, now: Millis) {
        let began = now - now.rem_euclid(QUOTA_WINDOW);
        if began != self.began {
            self.began = began;
            self.counts.clear();
        }
    }

    pub(super) fn network(&self, address: IpAddr) -> Subject {
        let network = Subject::Network(site_prefix(address));
        match self.counts.len() >= MOST_SUBJECTS && !self.counts.contains_key(&network) {
            true => Subject::FurtherNetworks,
            false => network,
        }
    }

    /// Counts a call of these subjects, unless one of them has reached its quota.
    pub(super) fn admit(
        &mut self,
        subjects: impl IntoIterator<Item = Subject>,
        limits: &QuotaLimits,
        now: Millis,
    ) -> Result<()> {
        let limited = subjects.into_iter().filter_map(|subject| {
            let most = subject.quota(limits)?;
            Some((subject, most))
        });
        let limited: Vec<(Subject, i64)> = limited.collect();
        let over = limited.iter().find(|(subject, most)| {
            let count = self.counts.get(subject).copied().unwrap_or_default();
            count.own + count.others >= *most
        });
        if let Some((subject, most)) = over {
            return Err(self.quota_error(subject, *most, now));
        }
        for (subject, _) in limited {
            let count = self.counts.entry(subject).or_default();
            count.own += 1;
            count.unshared += 1;
        }
        Ok(())
    }

    fn quota_error(&self, subject: &Subject, most: i64, now: Millis) -> Error {
        let left = self.began + QUOTA_WINDOW - now;
        let message = format!(
            "{} chegou a {most} chamadas em dez minutos.",
            subject.name()
        );
        Error::new(Code::RATE_LIMITED)
            .because(message)
            .with_detail("limit", most.into())
            .with_detail("window_seconds", (QUOTA_WINDOW / SECOND).into())
            .with_retry_after(((left + SECOND - 1) / SECOND).unsigned_abs())
    }

    /// Takes the calls to share with the other instances.
    pub(super) fn take_unshared(&mut self, limits: &QuotaLimits) -> Unshared {
        let calls = self.counts.iter_mut().filter_map(|(subject, count)| {
            let most = subject.quota(limits)?;
            let is_shared = count.unshared > 0
                && (count.others > 0 || (count.own + count.others) * SHARED_PART >= most);
            is_shared.then(|| SubjectCalls {
                subject: subject.clone(),
                calls: std::mem::take(&mut count.unshared),
                own: count.own,
            })
        });
        Unshared {
            began: self.began,
            calls: calls.collect(),
        }
    }

    /// Takes over the sums of all instances. If `sums` is `None`, the calls could not be shared, so
    /// they are kept for the next attempt.
    pub(super) fn set_shared(&mut self, shared: Unshared, sums: Option<&[attempts::Count]>) {
        if self.began != shared.began {
            return;
        }
        for (at, one) in shared.calls.into_iter().enumerate() {
            let count = self.counts.entry(one.subject).or_default();
            match sums {
                Some(sums) => count.others = (sums[at].made - one.own).max(0),
                None => count.unshared += one.calls,
            }
        }
    }
}

impl Unshared {
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds the calls to the sums of all instances in the database, and returns the new sums.
    pub(super) async fn store(&self, db: &Db, keys: &Keys) -> Result<Vec<attempts::Count>> {
        let rows = self.calls.iter();
        let rows = rows.map(|one| (one.subject.stored_key(keys), one.calls));
        let rows: Vec<(String, i64)> = rows.collect();
        let tx = db.begin().await?;
        let sums = attempts::add(&tx.conn(), &rows, self.began - 1, self.began).await?;
        tx.commit().await?;
        Ok(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(network: i64) -> QuotaLimits {
        QuotaLimits {
            address: Some(network),
            ..QuotaLimits::default()
        }
    }

    #[test]
    fn a_subject_is_refused_from_its_quota_on_until_the_window_ends() {
        let address = IpAddr::from([203, 0, 113, 7]);
        let (limits, begin) = (limits(2), QUOTA_WINDOW * 9);
        let mut window = Window::default();
        window.reset_if_over(begin + 1);
        for _ in 0..2 {
            let network = window.network(address);
            window
                .admit([network], &limits, begin + 1)
                .expect("admitted");
        }
        let network = window.network(address);
        let refused = window
            .admit([network.clone()], &limits, begin + SECOND)
            .expect_err("over");
        assert_eq!(refused.retry_after_seconds(), Some(599));
        assert_eq!(
            window.counts[&network].own, 2,
            "a refused call must not count"
        );
        window.reset_if_over(begin + QUOTA_WINDOW);
        window
            .admit([network], &limits, begin + QUOTA_WINDOW)
            .expect("a new window");
    }

    #[test]
    fn calls_of_other_instances_count() {
        let limits = limits(10);
        let network = Subject::Network(IpAddr::from([203, 0, 113, 7]));
        let mut window = Window::default();
        window.counts.entry(network.clone()).or_default().others = 9;
        window
            .admit([network.clone()], &limits, 0)
            .expect("the tenth");
        window
            .admit([network], &limits, 0)
            .expect_err("the eleventh");
    }

    #[test]
    fn only_a_subject_with_a_hundredth_of_its_quota_is_shared() {
        let limits = limits(200);
        let network = Subject::Network(IpAddr::from([203, 0, 113, 7]));
        let mut window = Window::default();
        window
            .admit([network.clone()], &limits, 0)
            .expect("admitted");
        assert!(window.take_unshared(&limits).is_empty());
        window.admit([network], &limits, 0).expect("admitted");
        let sharing = window.take_unshared(&limits);
        assert_eq!(
            sharing
                .calls
                .iter()
                .map(|one| one.calls)
                .collect::<Vec<_>>(),
            [2]
        );
        assert!(
            window.take_unshared(&limits).is_empty(),
            "shared calls must not be shared twice"
        );
    }

    #[test]
    fn beyond_the_maximum_number_of_subjects_networks_share_a_count() {
        let mut window = Window::default();
        let address = |n: u32| IpAddr::from(n.to_be_bytes());
        for n in 0..u32::try_from(MOST_SUBJECTS).expect("a small number") {
            let network = window.network(address(n));
            window
                .admit([network], &QuotaLimits::default(), 0)
                .expect("admitted");
        }
        assert_eq!(window.network(address(u32::MAX)), Subject::FurtherNetworks);
        assert_eq!(window.network(address(7)), Subject::Network(address(7)));
    }
}
