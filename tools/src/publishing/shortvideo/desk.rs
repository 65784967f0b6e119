//! The configured provider, and its rate limits.
//!
//! The calls per minute are counted in the database (`provider_rates`), for all instances together.

use std::sync::Arc;

use domain::time::{MINUTE, Millis, SECOND};
use gateway::{Code, Error, Result, Services};
use ports::publishing::{CallLimit, LimitPeriod};
use ports::shortvideo::{ShortVideo, Trouble};

use super::{account::NETWORK, meaning};
use crate::publishing::call_counters;

/// The provider of short videos. This part of the service is absent if no provider is configured.
#[derive(Clone)]
pub struct Desk {
    pub(super) api: Arc<dyn ShortVideo>,
    /// True if the provider has audited the app. An unaudited app can publish only as `SELF_ONLY`.
    pub(super) audited: bool,
}

impl Desk {
    #[must_use]
    pub fn new(api: Arc<dyn ShortVideo>, audited: bool) -> Self {
        Self { api, audited }
    }

    /// Returns the configured provider. Refuses (404) when no provider is configured.
    pub(super) fn require_configured(services: &Services) -> Result<&Self> {
        services.parts.find::<Self>().ok_or_else(|| {
            Error::not_found("provedor shortvideo").with_detail(
                "next",
                "Peça a quem opera o serviço que configure PAUTA_TIKTOK_CLIENT_KEY e \
                 PAUTA_TIKTOK_CLIENT_SECRET."
                    .into(),
            )
        })
    }
}

/// A kind of call whose rate the provider limits per account.
#[derive(Debug, Clone, Copy)]
pub(super) enum Counted {
    Creator,
    Submit,
    Progress,
}

impl Counted {
    /// Returns the number of calls per minute that the provider allows an account.
    const fn limit(self) -> CallLimit {
        let (call, most) = match self {
            Self::Creator => ("creator", 20),
            Self::Submit => ("submit", 6),
            Self::Progress => ("progress", 30),
        };
        CallLimit {
            call,
            most,
            per: LimitPeriod::AccountMinute,
        }
    }

    /// Counts a call before it is made. If the call is not allowed yet, returns the instant from which
    /// it is allowed.
    pub(super) async fn count_call(
        self,
        services: &Services,
        account_id: &str,
    ) -> Result<Option<Millis>> {
        call_counters::count_call(services, (NETWORK, account_id), self.limit()).await
    }

    /// Counts a call before it is made. Refuses (429) a call that is not allowed yet.
    pub(super) async fn require_allowed_call(
        self,
        services: &Services,
        account_id: &str,
    ) -> Result<()> {
        match self.count_call(services, account_id).await? {
            None => Ok(()),
            Some(at) => Err(rate_limited_error(at - services.clock.now())),
        }
    }

    /// Handles a failed call. If the provider refused it because of the rate limit, stores and returns
    /// the instant before which no further call is allowed.
    pub(super) async fn store_rate_limit(
        self,
        services: &Services,
        account_id: &str,
        trouble: &Trouble,
    ) -> Result<Option<Millis>> {
        let Some(wait) = meaning::rate_limit_wait(trouble) else {
            return Ok(None);
        };
        let wait = wait.map_or(MINUTE, |seconds| {
            i64::try_from(seconds)
                .unwrap_or(i64::MAX / SECOND)
                .min(3_600)
                * SECOND
        });
        let until = services.clock.now() + wait.max(SECOND);
        call_counters::block_calls(services, (NETWORK, account_id), self.limit(), until).await?;
        Ok(Some(until))
    }
}

/// Builds the error (429) for a call that the rate limit does not allow yet.
pub(super) fn rate_limited_error(wait: Millis) -> Error {
    let seconds = u64::try_from((wait + SECOND - 1) / SECOND).unwrap_or(1);
    Error::new(Code::RATE_LIMITED)
        .because("O TikTok limita as chamadas por minuto desta conta; nada foi publicado.")
        .with_retry_after(seconds)
}
