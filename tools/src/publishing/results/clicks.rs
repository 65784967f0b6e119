//! Counts the visits that came to the sites of the team through the link of a post.
//!
//! The link of a variant names its post: `utm_source` is the channel, and `utm_content` is the format
//! and the
//! piece. The sites report visits with these parameters. No report means that the number is unknown,
//! not 0. So
//! a post has 0 visits only if its text contains the link and some site has reported an event since the
//! post.

use std::collections::HashMap;

use gateway::{Result, Services};
use store::{post_results::DueReading, timeline};

/// The number of visits of posts, by the `utm_content` of their links.
pub(super) struct Visits {
    counts: HashMap<String, i64>,
    are_reported: bool,
}

impl Visits {
    /// Counts the visits through the links of these posts of one network.
    pub async fn count(
        services: &Services,
        network: &str,
        readings: &[DueReading],
    ) -> Result<Self> {
        let db = services.db.reader();
        let since = readings.iter().map(|reading| reading.finished_at).min();
        let since = since.unwrap_or_default();
        let contents: Vec<String> = readings.iter().map(utm_content).collect();
        Ok(Self {
            counts: timeline::count_link_visits(&db, network, &contents, since).await?,
            are_reported: timeline::has_events_since(&db, since).await?,
        })
    }

    /// Returns the number of visits through the link of a post; `None` if it is unknown.
    pub fn find_visits(&self, reading: &DueReading) -> Option<i64> {
        let content = utm_content(reading);
        let has_link = reading.post.contains(&format!("utm_content={content}"));
        match self.counts.get(&content) {
            Some(visits) => Some(*visits),
            None => (self.are_reported && has_link).then_some(0),
        }
    }
}

/// Returns the `utm_content` of the link of a post.
fn utm_content(reading: &DueReading) -> String {
    format!("{}-{}", reading.kind, reading.event_id)
}
