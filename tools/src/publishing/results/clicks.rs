//! The visits to the sites of the team by the link of a post.
//!
//! The link of a variant names its post: `utm_source` is the channel, `utm_content` the format and the piece.
//! The sites report visits with these parameters. A site that reports nothing says nothing, so a post has 0
//! visits only if its text has the link and some site has reported an event since.

use std::collections::HashMap;

use gateway::{Result, Services};
use store::{post_results::DueReading, timeline};

/// The visits of posts, by what their links name.
pub(super) struct Visits {
    counts: HashMap<String, i64>,
    are_reported: bool,
}

impl Visits {
    /// Counts the visits of these posts of one network.
    pub async fn count(
        services: &Services,
        network: &str,
        readings: &[DueReading],
    ) -> Result<Self> {
        let db = services.db.reader();
        let since = readings.iter().map(|reading| reading.finished_at).min();
        let since = since.unwrap_or_default();
        let contents: Vec<String> = readings.iter().map(content).collect();
        Ok(Self {
            counts: timeline::count_link_visits(&db, network, &contents, since).await?,
            are_reported: timeline::has_events_since(&db, since).await?,
        })
    }

    /// The visits by the link of a post; `None` if they are not available.
    pub fn of(&self, reading: &DueReading) -> Option<i64> {
        let content = content(reading);
        let has_link = reading.post.contains(&format!("utm_content={content}"));
        match self.counts.get(&content) {
            Some(visits) => Some(*visits),
            None => (self.are_reported && has_link).then_some(0),
        }
    }
}

/// What the link of a post has in `utm_content`.
fn content(reading: &DueReading) -> String {
    format!("{}-{}", reading.kind, reading.event_id)
}
