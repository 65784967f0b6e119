//! Reads one source in one run.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

use super::{convert::save_records, pages::Pages};
use domain::{
    Code, random_text,
    time::{MINUTE, Millis},
};
use gateway::{Error, Pepper, Result, Services};
use ports::{Feed, SalesSource, TimeRange};
use store::sales::{self, Source};

/// The duration of the lease from each page on. It is longer than any request.
const LEASE: Millis = 5 * MINUTE;

/// The time up to which each feed was read.
type Cursors = BTreeMap<String, Millis>;

/// The settings with which sources are read.
pub(crate) struct Reader<'a> {
    pub services: &'a Services,
    /// The span to read. Without a span, the reader reads new records and moves the cursors.
    pub span: Option<TimeRange>,
    /// No further page is read after this instant.
    pub deadline: Instant,
}

/// The outcome of reading a source.
pub(crate) struct Report {
    pub source: &'static str,
    pub read: i64,
    pub written: i64,
    /// True if the deadline passed before everything was read.
    pub is_cut: bool,
    pub error: Option<Error>,
}

/// A run that reads one source and holds the lease of this source.
struct Run<'a> {
    reader: &'a Reader<'a>,
    source: &'a dyn SalesSource,
    lease: String,
    cursors: Cursors,
    report: Report,
}

impl<'a> Reader<'a> {
    pub fn with_time_limit(
        services: &'a Services,
        span: Option<TimeRange>,
        lasts: Duration,
    ) -> Self {
        Self {
            services,
            span,
            deadline: Instant::now() + lasts,
        }
    }

    /// Reads a source. A failure is returned in the report.
    pub async fn read_source(&self, source: &dyn SalesSource) -> Report {
        let report = Report {
            source: source.name(),
            read: 0,
            written: 0,
            is_cut: false,
            error: None,
        };
        let mut run = Run {
            reader: self,
            source,
            lease: random_text::<16>(),
            cursors: Cursors::new(),
            report,
        };
        let outcome = run.claim_and_read().await;
        if let Err(error) = outcome {
            tracing::warn!(
                source = run.report.source,
                error = error.text_with_causes(),
                "uma fonte não foi lida"
            );
            run.report.error = Some(error);
        }
        run.report
    }
}

impl Run<'_> {
    fn now(&self) -> Millis {
        self.reader.services.clock.now()
    }

    async fn claim_and_read(&mut self) -> Result<()> {
        let (services, name, now) = (self.reader.services, self.source.name(), self.now());
        let tx = services.db.begin().await?;
        let claimed = sales::claim_source(&tx.conn(), name, &self.lease, now + LEASE, now).await?;
        tx.commit().await?;
        let Some(source) = claimed else {
            return Err(source_busy_error());
        };
        let cursor = source.cursor.as_deref().map(serde_json::from_str);
        self.cursors = cursor.transpose().unwrap_or_default().unwrap_or_default();
        let outcome = self.read_feeds(now).await;
        let is_whole = outcome.is_ok() && !self.report.is_cut && self.reader.span.is_none();
        let ended = Source {
            source: name.to_owned(),
            cursor: None,
            fresh_until: is_whole.then_some(now),
            finished_at: Some(self.now()),
            rows_read: self.report.read,
            rows_written: self.report.written,
            error_code: outcome.as_ref().err().map(|e| e.code.as_str().to_owned()),
        };
        let tx = services.db.begin().await?;
        sales::release_source(&tx.conn(), &self.lease, ended).await?;
        tx.commit().await?;
        outcome
    }

    async fn read_feeds(&mut self, now: Millis) -> Result<()> {
        for feed in self.source.feeds() {
            let known = self.cursors.get(feed.name).copied();
            let whole = self.reader.span.unwrap_or(TimeRange {
                from: known.map_or(now - feed.reach, |until| until - feed.overlap),
                until: now,
            });
            let mut from = whole.from;
            while from < whole.until {
                let until = whole.until.min(from.saturating_add(feed.longest));
                self.read_span(feed, TimeRange { from, until }).await?;
                if self.report.is_cut {
                    return Ok(());
                }
                if self.reader.span.is_none() {
                    self.advance_cursor(feed, until).await?;
                }
                from = until;
            }
        }
        Ok(())
    }

    async fn read_span(&mut self, feed: &Feed, span: TimeRange) -> Result<()> {
        let (mut pages, mut page) = (Pages::default(), None);
        loop {
            if Instant::now() >= self.reader.deadline {
                self.report.is_cut = true;
                return Ok(());
            }
            let pulled = self.source.pull_page(feed, span, page.as_deref()).await?;
            let next = pages.next_page(&pulled)?;
            self.report.read += i64::try_from(pulled.records.len()).unwrap_or(0);
            let services = self.reader.services;
            let (name, pepper) = (self.source.name(), services.parts.get::<Pepper>());
            let tx = services.db.begin().await?;
            let now = self.now();
            self.extend_lease(&tx.conn(), None, now).await?;
            let written = save_records(&tx.conn(), name, pulled.records, pepper, now).await?;
            tx.commit().await?;
            self.report.written += i64::try_from(written).unwrap_or(0);
            page = next;
            if page.is_none() {
                return Ok(());
            }
        }
    }

    /// Moves the cursor of a feed forward. The cursor never moves back.
    async fn advance_cursor(&mut self, feed: &Feed, until: Millis) -> Result<()> {
        let cursor = self.cursors.entry(feed.name.to_owned()).or_insert(until);
        *cursor = until.max(*cursor);
        let cursors = serde_json::to_string(&self.cursors)?;
        let tx = self.reader.services.db.begin().await?;
        self.extend_lease(&tx.conn(), Some(&cursors), self.now())
            .await?;
        Ok(tx.commit().await?)
    }

    async fn extend_lease(
        &self,
        db: &store::Conn<'_>,
        cursors: Option<&str>,
        now: Millis,
    ) -> Result<()> {
        let (name, until) = (self.source.name(), now + LEASE);
        match sales::advance_source(db, name, &self.lease, cursors, until).await? {
            true => Ok(()),
            false => Err(source_busy_error()),
        }
    }
}

fn source_busy_error() -> Error {
    Error::new(Code::RATE_LIMITED)
        .because("Outra sincronização desta fonte está em andamento.")
        .with_retry_after(60)
}
