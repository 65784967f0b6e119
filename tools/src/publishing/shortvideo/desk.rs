//! The provider as configured, and the calls that it allows.

use std::sync::Arc;

use domain::time::{MINUTE, Millis, SECOND};
use gateway::{Code, Error, Result, Services};
use ports::shortvideo::{ShortVideo, Trouble};
use store::provider_rates;

use super::meaning;

/// The provider of short videos; a part of the service where one is configured.
#[derive(Clone)]
pub struct Desk {
    pub(super) api: Arc<dyn ShortVideo>,
    /// Whether the provider has audited the app. Before, it publishes only to oneself.
    pub(super) audited: bool,
}

impl Desk {
    #[must_use]
    pub fn new(api: Arc<dyn ShortVideo>, audited: bool) -> Self {
        Self { api, audited }
    }

    /// Refused (404) where no provider is configured.
    pub(super) fn of(services: &Services) -> Result<&Self> {
        services.parts.find::<Self>().ok_or_else(|| {
            Error::not_found("provedor shortvideo").with(
                "next",
                "Peça a quem opera o serviço que configure PAUTA_TIKTOK_CLIENT_KEY e \
                 PAUTA_TIKTOK_CLIENT_SECRET."
                    .into(),
            )
        })
    }
}

/// A call that the provider counts per account.
#[derive(Debug, Clone, Copy)]
pub(super) enum Counted {
    Creator,
    Submit,
    Progress,
}

impl Counted {
    /// How many calls the provider allows in a minute.
    const fn most(self) -> usize {
        match self {
            Self::Creator => 20,
            Self::Submit => 6,
            Self::Progress => 30,
        }
    }

    fn name(self, account_id: &str) -> String {
        let call = match self {
            Self::Creator => "creator",
            Self::Submit => "submit",
            Self::Progress => "progress",
        };
        format!("shortvideo:{call}:{account_id}")
    }

    /// Counts a call that is about to be made. `Some`: not allowed before this instant.
    pub(super) async fn take(
        self,
        services: &Services,
        account_id: &str,
    ) -> Result<Option<Millis>> {
        let now = services.clock.now();
        let tx = services.db.begin().await?;
        let name = self.name(account_id);
        let allowed = provider_rates::take(&tx.conn(), &name, self.most(), now).await?;
        tx.commit().await?;
        Ok(allowed)
    }

    /// The same; refused (429) when the call is not allowed yet.
    pub(super) async fn require(self, services: &Services, account_id: &str) -> Result<()> {
        match self.take(services, account_id).await? {
            None => Ok(()),
            Some(at) => Err(limited(at - services.clock.now())),
        }
    }

    /// Remembers how long the provider wants no more calls, if that is its answer.
    pub(super) async fn heed(
        self,
        services: &Services,
        account_id: &str,
        trouble: &Trouble,
    ) -> Result<Option<Millis>> {
        let Some(wait) = meaning::wait(trouble) else {
            return Ok(None);
        };
        let wait = wait.map_or(MINUTE, |seconds| {
            i64::try_from(seconds)
                .unwrap_or(i64::MAX / SECOND)
                .min(3_600)
                * SECOND
        });
        let until = services.clock.now() + wait.max(SECOND);
        let tx = services.db.begin().await?;
        provider_rates::hold(&tx.conn(), &self.name(account_id), until).await?;
        tx.commit().await?;
        Ok(Some(until))
    }
}

/// The refusal (429) of a call that the provider does not allow yet.
pub(super) fn limited(wait: Millis) -> Error {
    let seconds = u64::try_from((wait + SECOND - 1) / SECOND).unwrap_or(1);
    Error::new(Code::RATE_LIMITED)
        .because("O TikTok limita as chamadas por minuto desta conta; nada foi publicado.")
        .retry_after(seconds)
}
