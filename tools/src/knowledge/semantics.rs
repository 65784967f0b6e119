//! Semantic search: stores a vector for every content, and finds the vectors most similar to a
//! query.
//!
//! The key of a content is its SHA-256; the key of a vector also has the model and the number of
//! dimensions. A vector is stored as one signed byte per dimension. A job embeds contents without a
//! vector; each write that adds texts and each startup enqueues the job. All instances keep the
//! vectors in memory, and the vector of a query is compared with each of them. If a query finds its
//! instance out of date, the instance loads the new vectors and enqueues the job for texts that
//! another process added without a vector. The query waits at most half a second for this, and up
//! to a timeout for its own vector. It never waits until other texts are embedded.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use tokio::time::{Instant, timeout};

use domain::DocumentId;
use gateway::{Code, Error, Result, Services, jobs::JobContext};
use ports::Embedder;
use search::{
    Vector,
    ranking::Ranked,
    vectors::{IndexedVector, find_nearest},
};
use store::{
    Db,
    knowledge::{
        EmbeddingProfile, IndexVersion,
        vectors::{self, Bare},
    },
};

/// Contents per request: about 25,000 tokens, well below a provider's limit.
const BATCH: usize = 64;
/// Maximum batches per run.
const ROUND: usize = 32;
/// Vectors read per statement.
const PAGE: usize = 500;
/// How long searches do not use a provider after a failure.
const PAUSE: Duration = Duration::from_secs(30);

/// A provider of embeddings, and the vectors of the knowledge base.
#[derive(Clone)]
pub struct Semantics {
    embedder: Arc<dyn Embedder>,
    /// Timeout for embedding a search query.
    timeout: Duration,
    memory: Arc<Memory>,
}

#[derive(Default)]
struct Memory {
    /// The number of dimensions of the model's vectors; empty until the provider's first response.
    dimensions: OnceLock<i64>,
    index: RwLock<Index>,
    /// The lock that a caller holds while it loads vectors, so that only one caller loads them.
    loading: tokio::sync::Mutex<()>,
    /// Searches skip the provider until this instant.
    paused: Mutex<Option<Instant>>,
}

#[derive(Clone, Default)]
struct Index {
    /// The version of the knowledge base whose vectors are all loaded.
    of: Option<IndexVersion>,
    entries: Arc<[IndexedVector]>,
}

impl Semantics {
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>, timeout: Duration) -> Self {
        Self {
            embedder,
            timeout,
            memory: Arc::default(),
        }
    }

    #[must_use]
    pub fn model(&self) -> &str {
        self.embedder.model_name()
    }

    /// Embeds a plain word to check that the provider answers. Returns the number of dimensions.
    pub async fn check_provider(&self) -> Result<i64> {
        let word = self.embedder.embed(&["pauta".to_owned()]).await?;
        let first = word.into_iter().next();
        let vector = first.ok_or_else(|| Error::new(Code::PROVIDER_FAILED))??;
        i64::try_from(vector.len()).map_err(Error::internal)
    }

    /// Returns the model and its number of dimensions. The first call embeds a plain word to check that
    /// the provider works, so that a later refusal is caused by the refused text itself.
    pub async fn embedding_profile(&self) -> Result<EmbeddingProfile> {
        let dimensions = match self.memory.dimensions.get() {
            Some(dimensions) => *dimensions,
            None => {
                let dimensions = self.check_provider().await?;
                *self.memory.dimensions.get_or_init(|| dimensions)
            }
        };
        Ok(EmbeddingProfile {
            model: self.embedder.model_name().to_owned(),
            dimensions,
        })
    }

    /// Embeds contents that have no vector yet, and loads new vectors. Returns true if all contents
    /// have a vector.
    ///
    /// In a job, a batch is stored only while the lease is held.
    pub async fn embed_missing(
        &self,
        services: &Services,
        job: Option<&JobContext>,
    ) -> Result<bool> {
        let db = &services.db;
        let profile = self.embedding_profile().await?;
        let (mut after, mut whole) = (0, false);
        for _ in 0..ROUND {
            let bare =
                vectors::list_chunks_without_vector(&db.reader(), &profile, after, BATCH).await?;
            let Some(last) = bare.last() else {
                whole = true;
                break;
            };
            if job.is_some_and(JobContext::is_stopping) {
                break;
            }
            after = last.seq;
            let made = self.embed_batch(&profile, bare).await?;
            let tx = db.begin().await?;
            vectors::save_vectors(&tx.conn(), &profile, made, services.clock.now()).await?;
            match job {
                Some(job) => job.commit(tx).await?,
                None => tx.commit().await?,
            }
        }
        self.refresh_vectors(db).await?;
        Ok(whole)
    }

    /// Embeds a batch of contents; the vector is `None` for a text that the model refuses.
    async fn embed_batch(
        &self,
        profile: &EmbeddingProfile,
        bare: Vec<Bare>,
    ) -> Result<Vec<(String, Option<Vector>)>> {
        let texts: Vec<String> = bare
            .iter()
            .map(|bare| format!("{}\n{}", bare.title, bare.text))
            .collect();
        let embedded = self.embedder.embed(&texts).await?;
        if embedded.iter().any(Result::is_err) {
            // Checks whether the provider refuses only this text. While it also refuses a plain
            // word, no text is marked as refused.
            self.check_provider().await?;
        }
        let made = bare.into_iter().zip(embedded).map(|(bare, vector)| {
            let vector = match vector {
                Ok(vector) if i64::try_from(vector.len()) == Ok(profile.dimensions) => {
                    Some(Vector::quantize(&vector))
                }
                Ok(_) => return Err(dimensions_changed_error()),
                Err(error) => {
                    tracing::warn!(
                        title = bare.title,
                        error = error.text_with_causes(),
                        "um trecho ficou sem embedding"
                    );
                    None
                }
            };
            Ok((bare.sha256, vector))
        });
        made.collect()
    }

    /// True if all vectors of the knowledge base are loaded.
    pub(super) async fn has_current_vectors(&self, db: &Db) -> Result<bool> {
        Ok(self.index_snapshot().of == Some(vectors::load_version(&db.reader()).await?))
    }

    /// Loads the vectors that are not in memory yet. Returns false if the vectors in memory are
    /// current.
    pub(super) async fn refresh_vectors(&self, db: &Db) -> Result<bool> {
        let _turn = self.memory.loading.lock().await;
        let index = self.index_snapshot();
        // The version is read before the vectors, so that the next call notices a change made
        // during the load.
        let version = vectors::load_version(&db.reader()).await?;
        if index.of == Some(version) {
            return Ok(false);
        }
        let profile = self.embedding_profile().await?;
        let fresh = Index {
            of: Some(version),
            entries: load_entries(db, &profile, &index.entries).await?,
        };
        let mut index = self
            .memory
            .index
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *index = fresh;
        Ok(true)
    }

    fn index_snapshot(&self) -> Index {
        let index = self.memory.index.read();
        index.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Finds the chunks most similar to a query, most similar first; `None` if no vectors are loaded or
    /// the provider does not answer.
    pub(super) async fn nearest_chunks(
        &self,
        question: &str,
        documents: Option<HashSet<DocumentId>>,
        limit: usize,
    ) -> Option<Vec<Ranked>> {
        let index = self.index_snapshot();
        if index.entries.is_empty() {
            return None;
        }
        if documents.as_ref().is_some_and(HashSet::is_empty) {
            return Some(vec![]);
        }
        let question = Vector::quantize(&self.embed_query(question).await?);
        let least = self.embedder.least_similarity();
        let scan =
            move || find_nearest(&index.entries, &question, least, documents.as_ref(), limit);
        tokio::task::spawn_blocking(scan).await.ok()
    }

    async fn embed_query(&self, question: &str) -> Option<Vec<f32>> {
        let asked = [question.to_owned()];
        let embedded = timeout(self.timeout, self.embedder.embed(&asked)).await;
        match embedded {
            Ok(Ok(vectors)) => vectors.into_iter().next()?.ok(),
            failed => {
                let error = failed.map_or_else(
                    |_| "no answer in time".to_owned(),
                    |failed| failed.err().map_or_else(String::new, |e| e.to_string()),
                );
                self.pause_provider(&error);
                None
            }
        }
    }

    /// Makes searches skip the provider for a while.
    pub(super) fn pause_provider(&self, error: &str) {
        let paused = self.memory.paused.lock();
        *paused.unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + PAUSE);
        tracing::warn!(
            error,
            "as perguntas são respondidas sem embeddings por um tempo"
        );
    }

    pub(super) fn is_provider_paused(&self) -> bool {
        let paused = self.memory.paused.lock();
        let paused = *paused.unwrap_or_else(PoisonError::into_inner);
        paused.is_some_and(|until| Instant::now() < until)
    }
}

/// Loads all chunks with their vectors. Vectors that are already in memory are not read again.
async fn load_entries(
    db: &Db,
    profile: &EmbeddingProfile,
    known: &[IndexedVector],
) -> Result<Arc<[IndexedVector]>> {
    let reader = db.reader();
    let known = known.iter();
    let mut known: HashMap<&str, Arc<Vector>> = known
        .map(|entry| (entry.sha256.as_str(), entry.vector.clone()))
        .collect();
    let placed = vectors::list_chunks_with_vector(&reader, profile).await?;
    let mut contents: Vec<&str> = placed.iter().map(|chunk| chunk.sha256.as_str()).collect();
    contents.sort_unstable();
    contents.dedup();
    contents.retain(|sha256| !known.contains_key(sha256));
    for page in contents.chunks(PAGE) {
        let mut read = vectors::load_vectors(&reader, profile, page).await?;
        for sha256 in page {
            if let Some(vector) = read.remove(*sha256) {
                known.insert(sha256, Arc::new(vector));
            }
        }
    }
    let entries = placed.iter().filter_map(|chunk| {
        Some(IndexedVector {
            seq: chunk.seq,
            document_id: chunk.document_id.clone().into(),
            sha256: chunk.sha256.clone(),
            vector: known.get(chunk.sha256.as_str())?.clone(),
        })
    });
    Ok(entries.collect())
}

/// Builds the error if the vectors of the model have another number of dimensions than in its first
/// response.
fn dimensions_changed_error() -> Error {
    Error::new(Code::PROVIDER_FAILED)
        .because("O modelo de embeddings mudou o tamanho dos vetores; reinicie o serviço.")
}
