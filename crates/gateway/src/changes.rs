//! Tells open pages whether what they show has changed.

use std::time::Duration;

use store::Db;
use tokio::{sync::Mutex, time::Instant};

pub use store::changes::Marks;

/// How long an answer of the database holds.
const HOLDS: Duration = Duration::from_millis(700);

/// Asks the database at most once in 700 ms, however many pages are open, and only while one is.
pub struct Changes {
    db: Db,
    last: Mutex<Option<(Instant, Option<Marks>)>>,
}

impl Changes {
    #[must_use]
    pub fn new(db: Db) -> Self {
        Self {
            db,
            last: Mutex::default(),
        }
    }

    /// The marks of what is stored; `None` while the database is away.
    pub async fn marks(&self) -> Option<Marks> {
        let mut last = self.last.lock().await;
        if let Some((asked, marks)) = *last
            && asked.elapsed() < HOLDS
        {
            return marks;
        }
        let marks = store::changes::marks(&self.db.reader()).await.ok();
        *last = Some((Instant::now(), marks));
        marks
    }
}
