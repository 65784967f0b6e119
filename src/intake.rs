//! Memory limits of request bodies: the bytes of one body, and of all bodies in memory.
//!
//! Large bodies wait for memory, and are parsed and validated on blocking threads.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use gateway::{Code, Error, Input, Result, Spec, offload, parse_object, too_many_values_error};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bodies up to this many bytes are read and parsed at once; larger ones wait for memory.
pub const SMALL: usize = 64_000;
/// Inputs up to this many values are parsed in place.
pub const FEW: usize = 4_000;

/// The memory for large bodies, in bytes.
const BODIES: usize = 64_000_000;
/// The memory for large bodies of callers without a credential, such as webhooks, in bytes. It is
/// separate, so that these callers cannot delay members.
const BODIES_OF_STRANGERS: usize = 8_000_000;
/// The memory for the inputs that are parsed from large bodies, in bytes.
const INPUTS: usize = 96_000_000;
/// How long a body may wait for memory.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The memory that all large bodies of the service share, as three budgets.
pub struct Intake {
    bodies: Room,
    bodies_of_strangers: Room,
    inputs: Room,
}

impl Default for Intake {
    fn default() -> Self {
        Self {
            bodies: Room::with_capacity(BODIES),
            bodies_of_strangers: Room::with_capacity(BODIES_OF_STRANGERS),
            inputs: Room::with_capacity(INPUTS),
        }
    }
}

/// The memory reserved for a large input, until it is dropped.
pub type Reservation = Option<OwnedSemaphorePermit>;

struct Room {
    free: Arc<Semaphore>,
    bytes: usize,
}

impl Room {
    fn with_capacity(bytes: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(bytes / 1000)),
            bytes,
        }
    }

    /// Reserves this many bytes. Fails with 429 if they do not become available in time.
    async fn reserve_bytes(&self, bytes: usize) -> Result<OwnedSemaphorePermit> {
        let taking = permit_count(bytes.min(self.bytes));
        let taking = self.free.clone().acquire_many_owned(taking);
        match tokio::time::timeout(TIMEOUT, taking).await {
            Ok(taken) => taken.map_err(Error::internal),
            Err(_) => Err(Error::new(Code::RATE_LIMITED)
                .because("Há pedidos grandes demais em andamento.")
                .with_retry_after(1)),
        }
    }
}

/// Returns the timeout of a body of this length: 10 seconds, plus its duration at 50 kB/s.
fn body_timeout(length: usize) -> Duration {
    let seconds = 10 + length / 50_000;
    Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX))
}

fn permit_count(bytes: usize) -> u32 {
    u32::try_from(bytes / 1000).unwrap_or(u32::MAX)
}

/// A request body that is being read.
pub struct Incoming {
    chunks: BodyDataStream,
    announced: Option<usize>,
    read: BytesMut,
    whole: bool,
}

/// A request body that was read, with its reserved memory.
pub struct Given {
    pub text: Bytes,
    room: Reservation,
}

impl Given {
    /// Returns the text, and its reservation.
    #[must_use]
    pub fn into_parts(self) -> (Bytes, Reservation) {
        (self.text, self.room)
    }

    /// Returns a slice of the text, with the whole reservation.
    #[must_use]
    pub fn slice_text(self, range: std::ops::Range<usize>) -> Self {
        Self {
            text: self.text.slice(range),
            room: self.room,
        }
    }
}

impl Incoming {
    pub fn new(headers: &HeaderMap, body: Body) -> Self {
        let announced = headers.get(header::CONTENT_LENGTH);
        Self {
            chunks: body.into_data_stream(),
            announced: announced.and_then(|v| v.to_str().ok()?.parse().ok()),
            read: BytesMut::new(),
            whole: false,
        }
    }

    /// Whether the body is longer than `limit`, by its `Content-Length` or by the bytes read.
    pub fn exceeds_limit(&self, limit: usize) -> bool {
        self.announced.is_some_and(|length| length > limit) || self.read.len() > limit
    }

    /// Reads the bytes that need no reservation: a whole small body, or the beginning of a large
    /// one.
    pub async fn read_beginning(&mut self) -> Result<&[u8]> {
        self.read_up_to(SMALL).await?;
        Ok(&self.read)
    }

    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Reads the rest; `None` if the body is longer than `limit`.
    pub async fn read_rest(self, intake: &Intake, limit: usize) -> Result<Option<Given>> {
        self.read_within_budget(&intake.bodies, limit).await
    }

    /// Reads the rest like [`Self::read_rest`], with the memory for callers without a credential.
    pub async fn read_rest_unauthenticated(
        self,
        intake: &Intake,
        limit: usize,
    ) -> Result<Option<Given>> {
        self.read_within_budget(&intake.bodies_of_strangers, limit)
            .await
    }

    async fn read_within_budget(mut self, room: &Room, limit: usize) -> Result<Option<Given>> {
        if self.exceeds_limit(limit) {
            return Ok(None);
        }
        self.read_up_to(SMALL.min(limit)).await?;
        if self.exceeds_limit(limit) {
            return Ok(None);
        }
        let mut reserved = None;
        if !self.whole {
            let length = self.announced.unwrap_or(limit);
            reserved = Some(room.reserve_bytes(length).await?);
            self.read.reserve(length.saturating_sub(self.read.len()));
            // The timeout keeps a slow client from occupying memory.
            let reading = tokio::time::timeout(body_timeout(length), self.read_up_to(limit)).await;
            reading.unwrap_or_else(|_| Err(Error::new(Code::REQUEST_TIMEOUT)))?;
        }
        if self.exceeds_limit(limit) {
            return Ok(None);
        }
        let text = self.read.freeze();
        Ok(Some(Given {
            text,
            room: reserved,
        }))
    }

    /// Reads to the end, or until more than this many bytes were read.
    async fn read_up_to(&mut self, bytes: usize) -> Result<()> {
        while !self.whole && self.read.len() <= bytes {
            match self.chunks.next().await {
                Some(Ok(chunk)) => self.read.extend_from_slice(&chunk),
                Some(Err(_)) => {
                    return Err(Error::invalid_field("corpo", "json", "não chegou inteiro"));
                }
                None => self.whole = true,
            }
        }
        Ok(())
    }
}

impl Intake {
    /// Parses the input of an operation. A large one waits for memory and is parsed on a separate
    /// thread.
    pub async fn parse_input(
        &self,
        given: Given,
        spec: &Spec,
        held: &mut Reservation,
    ) -> Result<Input> {
        let length = given.text.len();
        if length <= SMALL
            && let Some(parsed) = parse_object(&given.text, spec.values.min(FEW))?
        {
            return Ok(parsed.input);
        }
        let most = spec.values;
        let worst = length + (length / BYTES_OF_VALUE).min(most) * VALUE;
        let mut room = self.inputs.reserve_bytes(worst).await?;
        let parsed = offload(move || {
            let parsed = parse_object(&given.text, most);
            drop(given);
            parsed
        });
        let Some(parsed) = parsed.await?? else {
            return Err(too_many_values_error(most));
        };
        // Releases the memory that is not needed after all.
        let spare = room
            .num_permits()
            .saturating_sub((length + parsed.values * VALUE) / 1000);
        drop(room.split(spare));
        *held = Some(room);
        Ok(parsed.input)
    }

    /// Splits an encoded form into its fields. A large one waits for memory and is read on a
    /// separate thread.
    ///
    /// Fails with 400 if the form has more fields than the operation takes values.
    pub async fn split_form(
        &self,
        given: Given,
        spec: &Spec,
        held: &mut Reservation,
    ) -> Result<Vec<(String, String)>> {
        let most = spec.values;
        let is_small = given.text.len() <= SMALL;
        let text = given.text.clone();
        let size = if is_small {
            FormSize::from_form(&text)
        } else {
            offload(move || FormSize::from_form(&text)).await?
        };
        if size.fields > most {
            return Err(too_many_values_error(most));
        }
        if is_small && size.values <= FEW {
            return Ok(decode_form(&given.text));
        }
        // The memory for the text, its fields and the input made of them, and for the values parsed
        // from JSON in fields.
        let bytes = 3 * given.text.len() + (size.fields + size.values.min(MOST_VALUES)) * VALUE;
        *held = Some(self.inputs.reserve_bytes(bytes).await?);
        offload(move || decode_form(&given.text)).await
    }
}

/// Upper bounds of the numbers of fields and values of a form.
#[derive(Default)]
struct FormSize {
    fields: usize,
    /// An upper bound of the number of values in the JSON texts of all fields. The first value of
    /// each text is not counted.
    values: usize,
}

impl FormSize {
    fn from_form(text: &[u8]) -> Self {
        let mut size = Self {
            fields: 1,
            ..Self::default()
        };
        for (at, byte) in text.iter().enumerate() {
            match byte {
                b'&' => size.fields += 1,
                // Each value but the first follows a bracket or a comma: `[`, `{`, `,`.
                b'[' | b'{' | b',' => size.values += 1,
                b'%' => {
                    let code = text.get(at + 1..at + 3).unwrap_or_default();
                    let opens = [b"5B", b"7B", b"2C"]
                        .iter()
                        .any(|known| code.eq_ignore_ascii_case(*known));
                    size.values += usize::from(opens);
                }
                _ => {}
            }
        }
        size
    }
}

fn decode_form(text: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(text).into_owned().collect()
}

/// The most values that an operation takes in one JSON text.
const MOST_VALUES: usize = 50_000;
/// The maximum bytes of one value in memory: an object with one field.
const VALUE: usize = 650;
/// The bytes that an object with one field adds to the JSON text: `{"":` and `}`.
const BYTES_OF_VALUE: usize = 5;
