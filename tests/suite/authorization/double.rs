//! A double of the sites on which clients publish their metadata documents.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use domain::{Error, Result};
use ports::{ClientDocument, ClientDocuments};
use serde_json::Value;

/// The published documents by URL. A document at any other URL is not found.
#[derive(Default)]
pub struct Documents {
    published: Mutex<HashMap<String, (String, Option<Duration>)>>,
    delays: Mutex<HashMap<String, Duration>>,
    fetches: AtomicUsize,
}

impl Documents {
    pub fn publish_document(&self, document: &Value) {
        self.publish_document_for(document, None);
    }

    /// Publishes a document that may be cached for this long.
    pub fn publish_document_for(&self, document: &Value, max_age: Option<Duration>) {
        let address = document["client_id"]
            .as_str()
            .expect("an address")
            .to_owned();
        let mut published = self.published.lock().expect("no panic");
        published.insert(address, (document.to_string(), max_age));
    }

    pub fn withdraw_documents(&self) {
        self.published.lock().expect("no panic").clear();
    }

    /// Delays the responses for URLs with this prefix.
    pub fn delay_responses(&self, prefix: &str, time: Duration) {
        let mut delays = self.delays.lock().expect("no panic");
        delays.insert(prefix.to_owned(), time);
    }

    pub fn fetch_count(&self) -> usize {
        self.fetches.load(Ordering::SeqCst)
    }

    fn response_delay(&self, url: &str) -> Option<Duration> {
        let delays = self.delays.lock().expect("no panic");
        let mut delays = delays.iter();
        let found = delays.find(|(prefix, _)| url.starts_with(prefix.as_str()));
        found.map(|(_, time)| *time)
    }
}

#[async_trait]
impl ClientDocuments for Documents {
    async fn fetch_document(&self, url: &str) -> Result<ClientDocument> {
        self.fetches.fetch_add(1, Ordering::SeqCst);
        if let Some(time) = self.response_delay(url) {
            tokio::time::sleep(time).await;
        }
        let published = self.published.lock().expect("no panic");
        let (body, max_age) = published
            .get(url)
            .ok_or_else(|| Error::internal("absent"))?;
        Ok(ClientDocument {
            body: body.clone().into(),
            max_age: *max_age,
        })
    }
}
