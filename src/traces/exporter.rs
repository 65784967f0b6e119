//! Sends spans to the receiver, in batches.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use gateway::Measure;
use reqwest::{
    Client, Url,
    header::{self, HeaderMap, HeaderValue},
    redirect,
};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep, timeout_at},
};

use super::{
    protobuf,
    queued::{Counts, EndedSpan},
};
use crate::config::TraceExport;

/// Maximum attempts to send a batch, if the receiver allows a repetition.
const ATTEMPTS: u32 = 4;
/// The pause before the second attempt. It doubles each time.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause that the receiver may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Maximum bytes of an answer that are read.
const MOST_BYTES: usize = 64 << 10;
/// The minimum interval between two log lines about a failing receiver.
const LOG_INTERVAL: Duration = Duration::from_secs(60);
/// How long a shutdown waits until the last spans are sent.
const FLUSH: Duration = Duration::from_secs(3);

/// The task that exports spans.
pub struct Exporter {
    client: Client,
    url: Url,
    resource: Vec<(String, String)>,
    batch: usize,
    delay: Duration,
    queue: mpsc::Receiver<EndedSpan>,
    /// Counts the spans in the queue. The reference is weak, so it does not keep the queue open.
    waiting: mpsc::WeakSender<EndedSpan>,
    counts: Arc<Counts>,
    /// The batch that is being collected or sent.
    pending: Vec<EndedSpan>,
    logged_at: Option<Instant>,
}

/// Why a batch was not accepted.
struct Failure {
    cause: String,
    /// The pause after which the same batch may be sent again.
    retry: Option<Duration>,
}

impl Exporter {
    pub(super) fn new(
        settings: &TraceExport,
        queue: mpsc::Receiver<EndedSpan>,
        sender: &mpsc::Sender<EndedSpan>,
        counts: Arc<Counts>,
    ) -> anyhow::Result<Self> {
        let mut headers: HeaderMap = settings.headers.clone();
        let media_type = HeaderValue::from_static("application/x-protobuf");
        headers.insert(header::CONTENT_TYPE, media_type);
        let client = Client::builder()
            .timeout(settings.timeout)
            .redirect(redirect::Policy::none())
            .default_headers(headers)
            .build()?;
        let mut resource = settings.resource.clone();
        let instance = format!("{:016x}", gateway::traces::new_span_id());
        resource.push(("service.instance.id".to_owned(), instance));
        Ok(Self {
            client,
            url: settings.url.clone(),
            resource,
            batch: settings.batch,
            delay: settings.delay,
            queue,
            waiting: sender.downgrade(),
            counts,
            pending: vec![],
            logged_at: None,
        })
    }

    /// Returns the metrics of the export.
    pub fn measures(&self) -> impl Fn() -> Vec<Measure> + Send + Sync + 'static {
        let (counts, waiting) = (self.counts.clone(), self.waiting.clone());
        move || {
            let outcomes = [
                ("exported", &counts.exported),
                ("dropped", &counts.dropped),
                ("failed", &counts.failed),
            ];
            let outcomes = outcomes.map(|(outcome, count)| {
                let labels = vec![("outcome", outcome.to_owned())];
                (labels, count.load(Ordering::Relaxed) as f64)
            });
            let queued = waiting
                .upgrade()
                .map_or(0, |queue| queue.max_capacity() - queue.capacity());
            vec![
                Measure::counter("pauta_trace_spans", "Recorded spans by outcome", 0.0)
                    .with_labels(outcomes.into()),
                Measure::gauge("pauta_trace_queue", "Spans to be exported", queued as f64),
            ]
        }
    }

    /// Exports spans until `stop` is true, then sends the spans in the queue for at most [`FLUSH`].
    pub async fn run(mut self, stop: watch::Receiver<bool>) {
        let limit = async {
            wait_for_stop(stop.clone()).await;
            sleep(FLUSH).await;
        };
        tokio::select! {
            () = self.export(&stop) => {}
            () = limit => {}
        }
        let lost = self.pending.len() + self.queue.len();
        self.counts.count_failed(lost as u64);
    }

    async fn export(&mut self, stop: &watch::Receiver<bool>) {
        loop {
            let is_open = tokio::select! {
                biased;
                () = wait_for_stop(stop.clone()) => break,
                is_open = self.fill_batch() => is_open,
            };
            self.send_batch(stop).await;
            if !is_open {
                return;
            }
        }
        self.flush(stop).await;
    }

    /// Waits for a span, then for a full batch or the end of the delay; `false` if no span will
    /// follow. If the wait is cancelled, the spans stay in `pending`.
    async fn fill_batch(&mut self) -> bool {
        if self.pending.is_empty() && self.queue.recv_many(&mut self.pending, self.batch).await == 0
        {
            return false;
        }
        let until = Instant::now() + self.delay;
        while let Some(room) = self
            .batch
            .checked_sub(self.pending.len())
            .filter(|room| *room > 0)
        {
            match timeout_at(until, self.queue.recv_many(&mut self.pending, room)).await {
                Ok(0) => return false,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        true
    }

    async fn flush(&mut self, stop: &watch::Receiver<bool>) {
        self.queue.close();
        loop {
            let room = self.batch - self.pending.len().min(self.batch);
            if room > 0 {
                self.queue.recv_many(&mut self.pending, room).await;
            }
            if self.pending.is_empty() {
                return;
            }
            self.send_batch(stop).await;
        }
    }

    /// Sends the pending spans, with repetitions if the receiver allows them. Afterwards `pending` is
    /// empty, even if the spans could not be sent.
    async fn send_batch(&mut self, stop: &watch::Receiver<bool>) {
        let request = Bytes::from(protobuf::export_request(&self.resource, &self.pending));
        let mut pause = PAUSE;
        for attempt in 1.. {
            let failure = match self.post(request.clone()).await {
                Ok(rejected) => {
                    let spans = self.pending.len() as u64;
                    let rejected = rejected.min(spans);
                    self.counts
                        .exported
                        .fetch_add(spans - rejected, Ordering::Relaxed);
                    self.counts.count_failed(rejected);
                    break;
                }
                Err(failure) => failure,
            };
            self.log_failure(&failure.cause);
            match failure.retry {
                Some(asked) if attempt < ATTEMPTS && !*stop.borrow() => {
                    sleep(asked.max(pause).min(LONGEST_PAUSE)).await;
                    pause *= 2;
                }
                _ => {
                    self.counts.count_failed(self.pending.len() as u64);
                    break;
                }
            }
        }
        self.pending.clear();
    }

    /// Posts a request. Returns how many of its spans the receiver refused.
    async fn post(&self, request: Bytes) -> Result<u64, Failure> {
        let sent = self
            .client
            .post(self.url.clone())
            .body(request)
            .send()
            .await;
        let mut answer = sent.map_err(|error| Failure {
            // The text of the error would contain the address.
            cause: match error.is_timeout() {
                true => "não respondeu a tempo".to_owned(),
                false => "não foi alcançado".to_owned(),
            },
            retry: Some(Duration::ZERO),
        })?;
        let status = answer.status();
        if !status.is_success() {
            let is_retryable = matches!(status.as_u16(), 429 | 502 | 503 | 504);
            return Err(Failure {
                cause: format!("respondeu {}", status.as_u16()),
                retry: is_retryable.then(|| retry_after(answer.headers())),
            });
        }
        let mut body = vec![];
        while let Ok(Some(chunk)) = answer.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() > MOST_BYTES {
                return Ok(0);
            }
        }
        Ok(protobuf::rejected_spans(&body))
    }

    fn log_failure(&mut self, cause: &str) {
        if self.logged_at.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
            self.logged_at = Some(Instant::now());
            tracing::warn!(
                host = self.url.host_str(),
                "o coletor de rastros {cause}; rastros podem se perder, e o serviço segue"
            );
        }
    }
}

async fn wait_for_stop(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Returns the pause of the header `Retry-After` in seconds.
fn retry_after(headers: &HeaderMap) -> Duration {
    let seconds = headers.get(header::RETRY_AFTER);
    let seconds = seconds.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Duration::from_secs(seconds.unwrap_or_default())
}
