//! The search by meaning. It stores a vector for every content, and finds those near a question.
//!
//! A content is known by its SHA-256, and a vector also by its model and length, as one signed byte
//! per dimension. Missing vectors are made by a job, which every write that adds texts enqueues,
//! and every start. All instances keep the vectors in memory, and the vector of a question is
//! compared with each of them. A question that finds its instance behind the database makes it load
//! what is new, and enqueues the job for texts that another process added without one. It waits for
//! that at most half a second, never for the embedding of texts, and a limited time for the
//! provider.

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
    vectors::{IndexedVector, nearest},
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
/// How long questions skip a provider that failed.
const PAUSE: Duration = Duration::from_secs(30);

/// A provider of embeddings, and the vectors of the base.
#[derive(Clone)]
pub struct Semantics {
    embedder: Arc<dyn Embedder>,
    /// How long a question waits for its vector.
    timeout: Duration,
    memory: Arc<Memory>,
}

#[derive(Default)]
struct Memory {
    /// The length of the model's vectors. It is known after the first answer.
    dimensions: OnceLock<i64>,
    index: RwLock<Index>,
    /// Held while vectors are loaded, so that only one caller loads them.
    loading: tokio::sync::Mutex<()>,
    /// Until when questions skip the provider.
    paused: Mutex<Option<Instant>>,
}

#[derive(Clone, Default)]
struct Index {
    /// The version of the base whose vectors are all loaded.
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
        self.embedder.model()
    }

    /// Asks the provider for a vector to check that it answers. Returns the length of the vector.
    pub async fn check(&self) -> Result<i64> {
        let word = self.embedder.embed(&["pauta".to_owned()]).await?;
        let first = word.into_iter().next();
        let vector = first.ok_or_else(|| Error::new(Code::PROVIDER_FAILED))??;
        i64::try_from(vector.len()).map_err(Error::internal)
    }

    /// The model and the length of its vectors. The provider is asked once, for a plain word. So a
    /// text that it refuses later is refused because of its content.
    pub async fn profile(&self) -> Result<EmbeddingProfile> {
        let dimensions = match self.memory.dimensions.get() {
            Some(dimensions) => *dimensions,
            None => {
                let dimensions = self.check().await?;
                *self.memory.dimensions.get_or_init(|| dimensions)
            }
        };
        Ok(EmbeddingProfile {
            model: self.embedder.model().to_owned(),
            dimensions,
        })
    }

    /// Embeds contents that have no vector yet, and loads new vectors. Returns true if all contents
    /// have one.
    ///
    /// In a job, a batch is stored only while the lease is held.
    pub async fn embed(&self, services: &Services, job: Option<&JobContext>) -> Result<bool> {
        let db = &services.db;
        let profile = self.profile().await?;
        let (mut after, mut whole) = (0, false);
        for _ in 0..ROUND {
            let bare = vectors::missing(&db.reader(), &profile, after, BATCH).await?;
            let Some(last) = bare.last() else {
                whole = true;
                break;
            };
            if job.is_some_and(JobContext::is_stopping) {
                break;
            }
            after = last.seq;
            let made = self.vectors(&profile, bare).await?;
            let tx = db.begin().await?;
            vectors::put(&tx.conn(), &profile, made, services.clock.now()).await?;
            match job {
                Some(job) => job.commit(tx).await?,
                None => tx.commit().await?,
            }
        }
        self.refresh(db).await?;
        Ok(whole)
    }

    /// The vectors of a batch; `None` for a text that the model refuses.
    async fn vectors(
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
            // Checks whether the provider refuses only this text. No text is marked as refused
            // while a plain word is refused too.
            self.check().await?;
        }
        let made = bare.into_iter().zip(embedded).map(|(bare, vector)| {
            let vector = match vector {
                Ok(vector) if i64::try_from(vector.len()) == Ok(profile.dimensions) => {
                    Some(Vector::of(&vector))
                }
                Ok(_) => return Err(changed()),
                Err(error) => {
                    tracing::warn!(
                        title = bare.title,
                        error = error.with_causes(),
                        "um trecho ficou sem embedding"
                    );
                    None
                }
            };
            Ok((bare.sha256, vector))
        });
        made.collect()
    }

    /// True if all vectors of the base are loaded.
    pub(super) async fn is_current(&self, db: &Db) -> Result<bool> {
        Ok(self.index().of == Some(vectors::version(&db.reader()).await?))
    }

    /// Loads the vectors that are not in memory yet. Returns false if the loaded ones are current.
    pub(super) async fn refresh(&self, db: &Db) -> Result<bool> {
        let _turn = self.memory.loading.lock().await;
        let index = self.index();
        // The version is read before the vectors, so that a change during the load is found the
        // next time.
        let version = vectors::version(&db.reader()).await?;
        if index.of == Some(version) {
            return Ok(false);
        }
        let profile = self.profile().await?;
        let fresh = Index {
            of: Some(version),
            entries: entries(db, &profile, &index.entries).await?,
        };
        let mut index = self
            .memory
            .index
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *index = fresh;
        Ok(true)
    }

    fn index(&self) -> Index {
        let index = self.memory.index.read();
        index.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The chunks nearest to a question, nearest first; `None` when the provider does not answer.
    pub(super) async fn near(
        &self,
        question: &str,
        documents: Option<HashSet<DocumentId>>,
        limit: usize,
    ) -> Option<Vec<Ranked>> {
        let index = self.index();
        if index.entries.is_empty() {
            return None;
        }
        if documents.as_ref().is_some_and(HashSet::is_empty) {
            return Some(vec![]);
        }
        let question = Vector::of(&self.embed_question(question).await?);
        let least = self.embedder.least_similarity();
        let scan = move || nearest(&index.entries, &question, least, documents.as_ref(), limit);
        tokio::task::spawn_blocking(scan).await.ok()
    }

    async fn embed_question(&self, question: &str) -> Option<Vec<f32>> {
        let asked = [question.to_owned()];
        let embedded = timeout(self.timeout, self.embedder.embed(&asked)).await;
        match embedded {
            Ok(Ok(vectors)) => vectors.into_iter().next()?.ok(),
            failed => {
                let error = failed.map_or_else(
                    |_| "no answer in time".to_owned(),
                    |failed| failed.err().map_or_else(String::new, |e| e.to_string()),
                );
                self.pause(&error);
                None
            }
        }
    }

    /// Makes questions skip the provider for a while.
    pub(super) fn pause(&self, error: &str) {
        let paused = self.memory.paused.lock();
        *paused.unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + PAUSE);
        tracing::warn!(
            error,
            "as perguntas são respondidas sem embeddings por um tempo"
        );
    }

    pub(super) fn is_paused(&self) -> bool {
        let paused = self.memory.paused.lock();
        let paused = *paused.unwrap_or_else(PoisonError::into_inner);
        paused.is_some_and(|until| Instant::now() < until)
    }
}

/// Every chunk with its vector. Vectors that are already in memory are not read again.
async fn entries(
    db: &Db,
    profile: &EmbeddingProfile,
    known: &[IndexedVector],
) -> Result<Arc<[IndexedVector]>> {
    let reader = db.reader();
    let known = known.iter();
    let mut known: HashMap<&str, Arc<Vector>> = known
        .map(|entry| (entry.sha256.as_str(), entry.vector.clone()))
        .collect();
    let placed = vectors::placed(&reader, profile).await?;
    let mut contents: Vec<&str> = placed.iter().map(|chunk| chunk.sha256.as_str()).collect();
    contents.sort_unstable();
    contents.dedup();
    contents.retain(|sha256| !known.contains_key(sha256));
    for page in contents.chunks(PAGE) {
        let mut read = vectors::read(&reader, profile, page).await?;
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

/// The error of a model whose vectors changed their length.
fn changed() -> Error {
    Error::new(Code::PROVIDER_FAILED)
        .because("O modelo de embeddings mudou o tamanho dos vetores; reinicie o serviço.")
}
