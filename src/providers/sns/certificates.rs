//! The signing certificates of SNS topics, with a cache.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use domain::time::{Millis, SECOND};
use gateway::{Code, Error, Result};
use reqwest::{Client, Url};
use tokio::sync::{OnceCell, Semaphore};
use x509_cert::Certificate;

/// Maximum number of cached certificates; the oldest one is evicted.
const MOST: usize = 16;
/// Maximum bytes of a certificate.
const MOST_BYTES: usize = 64_000;
/// Maximum number of simultaneous fetches.
const AT_ONCE: usize = 4;
/// The object identifier of RSA keys.
const RSA: &str = "1.2.840.113549.1.1.1";

/// The fields of a certificate that this adapter uses.
pub(super) struct Known {
    /// The RSA public key in DER.
    pub public_key: Vec<u8>,
    valid: std::ops::RangeInclusive<Millis>,
}

/// A certificate that is cached or is being fetched.
type Slot = Arc<OnceCell<Arc<Known>>>;

pub(super) struct Certificates {
    client: Client,
    slots: Mutex<VecDeque<(Url, Slot)>>,
    turns: Semaphore,
}

impl Certificates {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            slots: Mutex::default(),
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// Returns the certificate at a URL that is already checked. Simultaneous callers share one fetch.
    ///
    /// Fails with 401 if there is no valid certificate, and with 500 if its host fails.
    pub(super) async fn get_certificate(&self, url: &Url, now: Millis) -> Result<Arc<Known>> {
        let slot = self.slot_for(url);
        let known = slot.get_or_try_init(|| self.fetch_certificate(url)).await;
        match known {
            Ok(known) if known.valid.contains(&now) => Ok(known.clone()),
            Ok(_) => {
                self.evict(url);
                Err(Error::new(Code::UNAUTHENTICATED))
            }
            Err(error) => {
                self.evict(url);
                Err(error)
            }
        }
    }

    fn slot_for(&self, url: &Url) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slot)) = slots.iter().find(|(of, _)| of == url) {
            return slot.clone();
        }
        if slots.len() == MOST {
            slots.pop_front();
        }
        let slot = Slot::default();
        slots.push_back((url.clone(), slot.clone()));
        slot
    }

    fn evict(&self, url: &Url) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|(of, _)| of != url);
    }

    async fn fetch_certificate(&self, url: &Url) -> Result<Arc<Known>> {
        let _turn = self.turns.acquire().await.map_err(Error::internal)?;
        let failed = |error: reqwest::Error| {
            Error::new(Code::PROVIDER_FAILED).caused_by(error.without_url())
        };
        let mut answer = self.client.get(url.clone()).send().await.map_err(failed)?;
        let status = answer.status();
        if status.is_server_error() {
            return Err(Error::new(Code::PROVIDER_FAILED));
        }
        // Redirects are not followed, because their target would not be checked.
        if !status.is_success() {
            return Err(Error::new(Code::UNAUTHENTICATED));
        }
        let mut bytes = vec![];
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MOST_BYTES {
                return Err(Error::new(Code::UNAUTHENTICATED));
            }
        }
        let known = parse_certificate(&bytes).ok_or_else(|| Error::new(Code::UNAUTHENTICATED))?;
        Ok(Arc::new(known))
    }
}

/// Parses the first certificate of a PEM file; `None` if its key is not RSA.
fn parse_certificate(pem: &[u8]) -> Option<Known> {
    let certificate = Certificate::load_pem_chain(pem).ok()?.into_iter().next()?;
    let signed = certificate.tbs_certificate;
    let key = &signed.subject_public_key_info;
    if key.algorithm.oid.to_string() != RSA {
        return None;
    }
    let instant = |time: x509_cert::time::Time| {
        let seconds = Millis::try_from(time.to_unix_duration().as_secs()).ok()?;
        seconds.checked_mul(SECOND)
    };
    let valid = instant(signed.validity.not_before)?..=instant(signed.validity.not_after)?;
    Some(Known {
        public_key: key.subject_public_key.as_bytes()?.to_vec(),
        valid,
    })
}
