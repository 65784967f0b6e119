//! The job that embeds new contents. This module also loads new vectors before a search.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::semantics::Semantics;
use domain::{
    Code,
    time::{MINUTE, Millis},
};
use gateway::{
    Queue, Result, Services,
    jobs::{Backoff, Job, JobContext, JobOutcome, Schedule},
};
use store::{Conn, Db, knowledge::vectors};

/// Maximum backoff after failures of the provider.
const LONGEST: Duration = Duration::from_secs(600);
/// How long a search waits for new vectors to be loaded.
const TIMEOUT: Duration = Duration::from_millis(500);

/// How many times an instance configured for another model releases the job before the job fails.
const OF_ANOTHER: i64 = 20;

/// Embeds the contents that have no vector of the model yet. All instances share this job, so each
/// content is embedded once.
#[derive(Serialize, Deserialize)]
pub struct EmbedKnowledge {
    /// The model that computes the vectors. During a rolling update, instances may be configured
    /// for different models.
    model: String,
}

impl EmbedKnowledge {
    fn from_semantics(semantics: &Semantics) -> Self {
        Self {
            model: semantics.model().to_owned(),
        }
    }
}

impl Job for EmbedKnowledge {
    const NAME: &'static str = "embed_knowledge";
    /// The number of attempts lasts for about a week. The next start of the service or change of the
    /// knowledge base enqueues the job again.
    const ATTEMPTS: u32 = 1_000;
    const BACKOFF: Backoff = Backoff {
        first: Duration::from_secs(10),
        longest: LONGEST,
    };
    const TIMEOUT: Duration = Duration::from_secs(1_800);

    /// Runs at startup, because the configured model may have changed.
    fn schedule(services: &Services) -> Schedule<Self> {
        match services.parts.find::<Semantics>() {
            Some(semantics) => Schedule::AtStart(Self::from_semantics(semantics)),
            None => Schedule::OnDemand,
        }
    }

    fn dedupe_key(&self) -> Option<String> {
        Some(self.model.clone())
    }

    fn can_run_here(services: &Services) -> bool {
        services.parts.find::<Semantics>().is_some()
    }

    async fn run(self, ctx: &JobContext) -> JobOutcome {
        let services = ctx.services();
        let Some(semantics) = services.parts.find::<Semantics>() else {
            return JobOutcome::Done;
        };
        if semantics.model() != self.model {
            return match ctx.attempt > OF_ANOTHER {
                true => JobOutcome::Done,
                false => JobOutcome::Retry(Code::PROVIDER_NOT_CONFIGURED, None),
            };
        }
        let embedded = semantics.embed_missing(services, Some(ctx)).await;
        let now = services.clock.now();
        match embedded {
            Ok(true) => JobOutcome::Done,
            Ok(false) => JobOutcome::Again(now),
            Err(error) => {
                tracing::warn!(
                    error = error.text_with_causes(),
                    "os embeddings estão atrasados"
                );
                match JobOutcome::retry(&error, now) {
                    JobOutcome::Retry(code, at) => {
                        JobOutcome::Retry(code, at.map(|at| at.min(now + 10 * MINUTE)))
                    }
                    outcome => outcome,
                }
            }
        }
    }
}

/// Enqueues the job in the transaction that changes the knowledge base.
pub(crate) async fn enqueue_embedding(
    services: &Services,
    db: &Conn<'_>,
    now: Millis,
) -> Result<()> {
    if let Some(semantics) = services.parts.find::<Semantics>() {
        let job = EmbedKnowledge::from_semantics(semantics);
        job.enqueue(&services.queue, db, now).await?;
    }
    Ok(())
}

/// Loads, before a search, the vectors that other processes changed.
///
/// After a short timeout, the search uses the vectors in memory.
pub(super) async fn load_new_vectors(services: &Services, semantics: &Semantics) {
    if !matches!(semantics.has_current_vectors(&services.db).await, Ok(false)) {
        return;
    }
    let (semantics, db, queue) = (
        semantics.clone(),
        services.db.clone(),
        services.queue.clone(),
    );
    let now = services.clock.now();
    let following = tokio::spawn(async move {
        if let Err(error) = refresh_and_enqueue(&semantics, &db, &queue, now).await {
            semantics.pause_provider(&error.to_string());
        }
    });
    let _ = timeout(TIMEOUT, following).await;
}

/// Loads new vectors. Enqueues the job if a new content has no vector.
async fn refresh_and_enqueue(
    semantics: &Semantics,
    db: &Db,
    queue: &Queue,
    now: Millis,
) -> Result<()> {
    if !semantics.refresh_vectors(db).await? {
        return Ok(());
    }
    let profile = semantics.embedding_profile().await?;
    let missing = vectors::list_chunks_without_vector(&db.reader(), &profile, 0, 1).await?;
    if !missing.is_empty() {
        let tx = db.begin().await?;
        let job = EmbedKnowledge::from_semantics(semantics);
        job.enqueue(queue, &tx.conn(), now).await?;
        tx.commit().await?;
    }
    Ok(())
}
