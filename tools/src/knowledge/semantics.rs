//! The search by sense: keeps a vector for every content, and asks which are near a question.
//!
//! A question never waits for the work of keeping up: what has no vector yet is found by its words
//! alone, as everything is when the provider does not answer.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
    time::Duration,
};

use tokio::time::{Instant, timeout};

use domain::time::{MINUTE, Millis};
use gateway::{Code, Error, Result};
use ports::{Clock, Embedder};
use search::{
    Vector,
    ranking::Ranked,
    vectors::{Entry, nearest},
};
use store::{
    Db,
    knowledge::{
        Profile, Version,
        vectors::{self, Bare},
    },
};

/// Contents of one request: some 25,000 tokens, well below what a provider takes.
const BATCH: usize = 64;
/// Batches before the questions see them.
const ROUND: usize = 32;
/// Vectors that one statement reads.
const PAGE: usize = 500;
/// For how long the one who embeds is left to it; each batch begins it anew.
const LEASE: Millis = 3 * MINUTE;
/// For how long no question asks a provider that failed.
const PAUSE: Duration = Duration::from_secs(30);

/// A provider of embeddings with what it made of the base.
pub struct Semantics {
    embedder: Arc<dyn Embedder>,
    /// For how long a question waits for its vector.
    patience: Duration,
    /// How long the model's vectors are, once it has answered.
    dimensions: OnceLock<i64>,
    index: RwLock<Index>,
    /// Until when questions do without.
    paused: Mutex<Option<Instant>>,
}

#[derive(Clone, Default)]
struct Index {
    /// Of which state of the base it holds all vectors.
    of: Option<Version>,
    /// Whether every content had one.
    whole: bool,
    entries: Arc<[Entry]>,
}

impl Semantics {
    #[must_use]
    pub fn new(embedder: Arc<dyn Embedder>, patience: Duration) -> Self {
        Self {
            embedder,
            patience,
            dimensions: OnceLock::new(),
            index: RwLock::default(),
            paused: Mutex::default(),
        }
    }

    /// Whether the provider embeds; the length of its vectors.
    pub async fn check(&self) -> Result<i64> {
        let word = self.embedder.embed(&["pauta".to_owned()]).await?;
        let first = word.into_iter().next();
        let vector = first.ok_or_else(|| Error::new(Code::PROVIDER_FAILED))??;
        i64::try_from(vector.len()).map_err(Error::internal)
    }

    /// The vectors in use, once the model has answered.
    #[must_use]
    pub fn profile(&self) -> Option<Profile> {
        Some(Profile {
            model: self.embedder.model().to_owned(),
            dimensions: *self.dimensions.get()?,
        })
    }

    /// Embeds what has no vector yet, unless another instance is at it, and loads what is new.
    pub async fn keep_up(&self, db: &Db, clock: &dyn Clock) -> Result<()> {
        // A plain word first: a text that is refused afterwards is refused for what it says.
        let profile = match self.profile() {
            Some(profile) => profile,
            None => {
                let dimensions = self.check().await?;
                Profile {
                    model: self.embedder.model().to_owned(),
                    dimensions: *self.dimensions.get_or_init(|| dimensions),
                }
            }
        };
        loop {
            let index = self.index();
            // Read before all else: what changes meanwhile is found the next time.
            let version = vectors::version(&db.reader()).await?;
            if index.whole && index.of == Some(version) {
                return Ok(());
            }
            let bare = vectors::missing(&db.reader(), &profile, 0, 1).await?;
            if bare.is_empty() {
                return self.load(db, &profile, version, true).await;
            }
            let embedded = self.embed_some(db, &profile, clock).await;
            let version = vectors::version(&db.reader()).await?;
            self.load(db, &profile, version, false).await?;
            // Another instance is at it; what it makes is loaded as it comes.
            if !embedded? {
                return Ok(());
            }
        }
    }

    /// Embeds a few batches; whether nobody else is at it.
    async fn embed_some(&self, db: &Db, profile: &Profile, clock: &dyn Clock) -> Result<bool> {
        let now = clock.now();
        let mut claimed = now + LEASE;
        let tx = db.begin().await?;
        let mine = vectors::claim(&tx.conn(), claimed, now).await?;
        tx.commit().await?;
        if !mine {
            return Ok(false);
        }
        let embedded = self.embed_batches(db, profile, clock, &mut claimed).await;
        let tx = db.begin().await?;
        vectors::hold(&tx.conn(), claimed, 0).await?;
        tx.commit().await?;
        embedded.map(|()| true)
    }

    async fn embed_batches(
        &self,
        db: &Db,
        profile: &Profile,
        clock: &dyn Clock,
        claimed: &mut Millis,
    ) -> Result<()> {
        let mut after = 0;
        for _ in 0..ROUND {
            let bare = vectors::missing(&db.reader(), profile, after, BATCH).await?;
            let Some(last) = bare.last() else {
                break;
            };
            after = last.seq;
            let made = self.vectors(profile, bare).await?;
            let now = clock.now();
            let until = now + LEASE;
            let tx = db.begin().await?;
            vectors::put(&tx.conn(), profile, made, now).await?;
            let still_mine = vectors::hold(&tx.conn(), *claimed, until).await?;
            tx.commit().await?;
            if !still_mine {
                break;
            }
            *claimed = until;
        }
        Ok(())
    }

    /// The vectors of a batch; none for a text that the model refuses.
    async fn vectors(
        &self,
        profile: &Profile,
        bare: Vec<Bare>,
    ) -> Result<Vec<(String, Option<Vector>)>> {
        let texts: Vec<String> = bare
            .iter()
            .map(|bare| format!("{}\n{}", bare.title, bare.text))
            .collect();
        let embedded = self.embedder.embed(&texts).await?;
        if embedded.iter().any(Result::is_err) {
            // Is it the text, or everything? Nothing is held against a text while a plain word is
            // refused too.
            self.check().await?;
        }
        let made = bare.into_iter().zip(embedded).map(|(bare, vector)| {
            let vector = match vector {
                Ok(vector) if i64::try_from(vector.len()) == Ok(profile.dimensions) => {
                    Some(Vector::of(&vector))
                }
                Ok(_) => return Err(changed()),
                Err(error) => {
                    tracing::warn!(title = bare.title, %error, "a passage was not embedded");
                    None
                }
            };
            Ok((bare.sha256, vector))
        });
        made.collect()
    }

    /// Loads what the base has and memory has not.
    async fn load(&self, db: &Db, profile: &Profile, version: Version, whole: bool) -> Result<()> {
        let index = self.index();
        let entries = match index.of == Some(version) {
            true => index.entries,
            false => entries(db, profile, &index.entries).await?,
        };
        let fresh = Index {
            of: Some(version),
            whole,
            entries,
        };
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    fn index(&self) -> Index {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        index.clone()
    }

    /// The chunks nearest to a question, nearest first; `None` when they cannot be told.
    pub(super) async fn near(
        &self,
        question: &str,
        documents: Option<HashSet<String>>,
        limit: usize,
    ) -> Option<Vec<Ranked>> {
        let index = self.index();
        if index.entries.is_empty() || self.is_paused() {
            return None;
        }
        if documents.as_ref().is_some_and(HashSet::is_empty) {
            return Some(vec![]);
        }
        let question = Vector::of(&self.embed(question).await?);
        let least = self.embedder.least_similarity();
        let scan = move || nearest(&index.entries, &question, least, documents.as_ref(), limit);
        tokio::task::spawn_blocking(scan).await.ok()
    }

    async fn embed(&self, question: &str) -> Option<Vec<f32>> {
        let asked = [question.to_owned()];
        let embedded = timeout(self.patience, self.embedder.embed(&asked)).await;
        match embedded {
            Ok(Ok(vectors)) => vectors.into_iter().next()?.ok(),
            failed => {
                let error = failed.map_or_else(
                    |_| "no answer in time".to_owned(),
                    |failed| failed.err().map_or_else(String::new, |e| e.to_string()),
                );
                let pause = Instant::now() + PAUSE;
                *self.paused.lock().unwrap_or_else(PoisonError::into_inner) = Some(pause);
                tracing::warn!(error, "questions do without embeddings for a while");
                None
            }
        }
    }

    fn is_paused(&self) -> bool {
        let paused = *self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        paused.is_some_and(|until| Instant::now() < until)
    }
}

/// Every chunk with its vector, of which those that are known already are not read again.
async fn entries(db: &Db, profile: &Profile, known: &[Entry]) -> Result<Arc<[Entry]>> {
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
        Some(Entry {
            seq: chunk.seq,
            document_id: chunk.document_id.clone(),
            sha256: chunk.sha256.clone(),
            vector: known.get(chunk.sha256.as_str())?.clone(),
        })
    });
    Ok(entries.collect())
}

/// A model that answers otherwise than before under the same name.
fn changed() -> Error {
    Error::new(Code::PROVIDER_FAILED)
        .because("O modelo de embeddings mudou o tamanho dos vetores; reinicie o serviço.")
}
