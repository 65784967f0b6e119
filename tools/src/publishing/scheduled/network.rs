//! The network and the account of a publication.

use domain::time::{MINUTE, Millis, SECOND};
use gateway::{Result, Services};
use ports::publishing::{Account, LimitPeriod, Prepared, Step, Trouble};
use store::scheduled_posts::ScheduledPost;

use super::{
    desk::{PostDesk, PostNetwork},
    meaning::{self, Cause},
    steps::Next,
};
use crate::publishing::{AccessToken, Connections, call_counters};

/// The pause while the publication waits for the account, for the end of the pause of all publications,
/// or for the quota.
pub(super) const HELD_UP: Millis = MINUTE;

/// The pause after a failed call to the network.
const PAUSE: Millis = 15 * SECOND;

/// The network of a publication, with a valid access token of the account.
pub(super) struct Reached<'a> {
    pub network: &'a PostNetwork,
    access: AccessToken,
}

impl Reached<'_> {
    pub fn account(&self) -> Account<'_> {
        Account {
            id: &self.access.account_id,
            token: &self.access.token,
        }
    }

    /// Counts the calls of a step before they are made. If the network does not allow them now, returns
    /// the reason and the time of the next attempt.
    pub async fn count_calls(
        &self,
        services: &Services,
        step: Step,
        (has_video, prepared): (bool, &Prepared),
    ) -> Result<Option<(Cause, Millis)>> {
        let PostNetwork {
            connection, api, ..
        } = self.network;
        for limit in api.limited_calls(step, has_video, prepared) {
            let account = (*connection, self.access.account_id.as_str());
            if let Some(at) = call_counters::count_call(services, account, limit).await? {
                let cause = match limit.per {
                    LimitPeriod::AccountMinute => Cause::RateLimited,
                    LimitPeriod::PacificDay => Cause::Quota,
                };
                return Ok(Some((cause, at)));
            }
        }
        Ok(None)
    }

    /// Subtracts the calls of a step from the limits of a day. They were counted at or after an instant, and
    /// did not reach the network. The limits of a minute keep the calls: a step may make several, some of
    /// which reached the network.
    pub async fn remove_counted_calls(
        &self,
        services: &Services,
        step: Step,
        (has_video, prepared): (bool, &Prepared),
        counted_at: Millis,
    ) -> Result<()> {
        let PostNetwork {
            connection, api, ..
        } = self.network;
        for limit in api.limited_calls(step, has_video, prepared) {
            if limit.per == LimitPeriod::PacificDay {
                let account = (*connection, self.access.account_id.as_str());
                call_counters::remove_counted_call(services, account, limit, counted_at).await?;
            }
        }
        Ok(())
    }

    /// Blocks the calls of a step before an instant, because the network refused a call due to its limit.
    pub async fn block_calls(
        &self,
        services: &Services,
        step: Step,
        (has_video, prepared): (bool, &Prepared),
        (cause, until): (Cause, Millis),
    ) -> Result<()> {
        let PostNetwork {
            connection, api, ..
        } = self.network;
        for limit in api.limited_calls(step, has_video, prepared) {
            let account = (*connection, self.access.account_id.as_str());
            let is_of_limit = match limit.per {
                LimitPeriod::AccountMinute => cause == Cause::RateLimited,
                LimitPeriod::PacificDay => cause == Cause::Quota,
            };
            if is_of_limit {
                call_counters::block_calls(services, account, limit, until).await?;
            }
        }
        Ok(())
    }
}

/// The reason for which a network cannot be used now, and the name of the missing scope.
pub(super) type Obstacle = (Cause, Option<&'static str>);

/// Finds the network and the access token of a publication. The inner `Err` contains the reason for
/// which the publication is held up.
///
/// A publication is made only by the account that was connected when it was scheduled.
pub(super) async fn reach<'a>(
    services: &'a Services,
    publication: &ScheduledPost,
) -> Result<std::result::Result<Reached<'a>, Obstacle>> {
    let desk = services.parts.find::<PostDesk>();
    let Some(network) = desk.and_then(|desk| desk.find(&publication.network)) else {
        return Ok(Err((Cause::NotConfigured, None)));
    };
    let connections = services.parts.get::<Connections>();
    let access = match connections.access_token(network.connection).await {
        Ok(access) => access,
        Err(error) if matches!(error.status(), 404 | 409) => {
            return Ok(Err((Cause::Disconnected, None)));
        }
        Err(error) if error.code == domain::Code::PROVIDER_FAILED => {
            return Ok(Err((Cause::Unreachable, None)));
        }
        Err(error) => return Err(error),
    };
    if !publication.account_id.is_empty() && access.account_id != publication.account_id {
        return Ok(Err((Cause::OtherAccount, None)));
    }
    let mut required = network.api.required_scopes().iter();
    let is_missing = |scope: &&&str| !access.scopes.iter().any(|granted| granted == **scope);
    if let Some(scope) = required.find(is_missing) {
        return Ok(Err((Cause::MissingScope, Some(scope))));
    }
    Ok(Ok(Reached { network, access }))
}

/// The reason for a failed call that had no effect, and the time of the next attempt.
pub(super) struct HeldUp {
    pub cause: Cause,
    pub provider_code: Option<String>,
    pub next: Next,
}

/// Determines the reason for a failed call and the time of the next attempt. Renews a token that the
/// network has refused.
pub(super) async fn hold_up(
    services: &Services,
    reached: &Reached<'_>,
    trouble: &Trouble,
) -> HeldUp {
    let now = services.clock.now();
    let pause = PAUSE;
    let Trouble::Refused { code, wait } = trouble else {
        return HeldUp {
            cause: Cause::Unreachable,
            provider_code: None,
            next: Next::At(now + pause),
        };
    };
    let cause = meaning::cause_of(reached.network.name, code);
    let asked = wait.and_then(|seconds| i64::try_from(seconds).ok());
    let wait = asked.map_or(pause, |seconds| seconds.clamp(1, 3_600) * SECOND);
    if cause == Cause::Quota
        && let Some(at) = reached.network.api.quota_returns_at(Some(code), now)
    {
        return HeldUp {
            cause,
            provider_code: Some(code.clone()),
            next: Next::At(at),
        };
    }
    let mut next = Next::At(now + wait.max(pause));
    // Only a refused token is renewed: a new token does not add a missing permission.
    if meaning::is_token_refusal(reached.network.name, code) {
        let connections = services.parts.get::<Connections>();
        let version = reached.access.version;
        let renewed = connections
            .access_token_newer_than(reached.network.connection, version)
            .await;
        next = Next::At(now + if renewed.is_ok() { SECOND } else { HELD_UP });
    } else if matches!(
        cause,
        Cause::RateLimited | Cause::Quota | Cause::Disconnected | Cause::VersionRetired
    ) {
        next = Next::At(now + wait.max(HELD_UP));
    }
    HeldUp {
        cause,
        provider_code: Some(code.clone()),
        next,
    }
}
