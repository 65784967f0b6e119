//! A double of an OTLP receiver. It decodes requests by the published schema, and refuses invalid
//! requests as a real receiver does.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use tokio::net::TcpListener;

/// A received span.
#[derive(Debug, Clone, Default)]
pub struct Span {
    pub trace: String,
    pub id: String,
    pub parent: String,
    pub name: String,
    pub kind: u64,
    pub begin: u64,
    pub end: u64,
    pub attributes: BTreeMap<String, String>,
    pub is_error: bool,
}

impl Span {
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// The behaviour of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Accepts,
    Refuses(u16),
    /// Accepts the request and refuses all of its spans.
    RefusesSpans,
    Hangs,
}

#[derive(Default)]
struct Received {
    spans: Vec<Span>,
    resource: BTreeMap<String, String>,
    bytes: Vec<u8>,
    requests: usize,
}

#[derive(Clone)]
pub struct Collector {
    pub address: String,
    mood: Arc<Mutex<Mood>>,
    received: Arc<Mutex<Received>>,
}

impl Collector {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let collector = Self {
            address: format!("http://{}", listener.local_addr().expect("an address")),
            mood: Arc::new(Mutex::new(Mood::Accepts)),
            received: Arc::default(),
        };
        let router = Router::new()
            .route("/v1/traces", post(take_traces))
            .with_state(collector.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        collector
    }

    pub fn set_mood(&self, mood: Mood) {
        *self.mood.lock().expect("no panic") = mood;
    }

    pub fn spans(&self) -> Vec<Span> {
        self.received.lock().expect("no panic").spans.clone()
    }

    pub fn resource(&self) -> BTreeMap<String, String> {
        self.received.lock().expect("no panic").resource.clone()
    }

    /// The bytes of all requests.
    pub fn bytes(&self) -> Vec<u8> {
        self.received.lock().expect("no panic").bytes.clone()
    }

    pub fn count_requests(&self) -> usize {
        self.received.lock().expect("no panic").requests
    }

    /// Waits until a span arrives for which this is true.
    pub async fn wait_for(&self, is_wanted: impl Fn(&Span) -> bool) -> Span {
        let found = async {
            loop {
                if let Some(span) = self.spans().into_iter().find(&is_wanted) {
                    return span;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let found = tokio::time::timeout(Duration::from_secs(30), found).await;
        found.unwrap_or_else(|_| panic!("the span did not arrive: {:#?}", self.spans()))
    }
}

async fn take_traces(
    State(collector): State<Collector>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let media_type = headers.get(header::CONTENT_TYPE);
    if media_type.is_none_or(|media_type| media_type != "application/x-protobuf") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let mood = *collector.mood.lock().expect("no panic");
    {
        let mut received = collector.received.lock().expect("no panic");
        received.requests += 1;
        received.bytes.extend_from_slice(&body);
        if mood == Mood::Accepts {
            let (resource, spans) = decode_request(&body);
            received.resource = resource;
            received.spans.extend(spans);
        }
    }
    let answer = |body: Vec<u8>| {
        let media_type = [(header::CONTENT_TYPE, "application/x-protobuf")];
        (media_type, body).into_response()
    };
    match mood {
        Mood::Accepts => answer(vec![]),
        Mood::Refuses(status) => StatusCode::from_u16(status)
            .expect("a status")
            .into_response(),
        // partial_success { rejected_spans: 127 }
        Mood::RefusesSpans => answer(vec![0x0a, 2, 0x08, 127]),
        Mood::Hangs => std::future::pending().await,
    }
}

/// The value of a protobuf field.
enum Field<'m> {
    Number(u64),
    Bytes(&'m [u8]),
}

impl<'m> Field<'m> {
    fn number(&self) -> u64 {
        match self {
            Field::Number(number) => *number,
            Field::Bytes(_) => panic!("the field is not a number"),
        }
    }

    fn bytes(&self) -> &'m [u8] {
        match self {
            Field::Bytes(bytes) => bytes,
            Field::Number(_) => panic!("the field is not bytes"),
        }
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes().to_vec()).expect("text")
    }
}

/// The fields of a message, in order. Panics if the message is malformed.
fn parse_fields(mut message: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut fields = vec![];
    while !message.is_empty() {
        let tag = parse_varint(&mut message);
        let fixed = |message: &mut &[u8], length: usize| {
            let bytes = message.split_off(..length).expect("a whole field");
            let mut number = [0; 8];
            number[..length].copy_from_slice(bytes);
            Field::Number(u64::from_le_bytes(number))
        };
        let value = match tag & 7 {
            0 => Field::Number(parse_varint(&mut message)),
            1 => fixed(&mut message, 8),
            5 => fixed(&mut message, 4),
            2 => {
                let length = parse_varint(&mut message) as usize;
                Field::Bytes(message.split_off(..length).expect("a whole field"))
            }
            other => panic!("wire type {other}"),
        };
        fields.push((tag >> 3, value));
    }
    fields
}

fn parse_varint(message: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *message.split_off_first().expect("a whole number");
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("the number is too long")
}

/// `KeyValue`: the name and the value as text.
fn parse_attribute(message: &[u8]) -> (String, String) {
    let mut pair = (String::new(), String::new());
    for (number, field) in parse_fields(message) {
        match number {
            1 => pair.0 = field.text(),
            2 => {
                let [(kind, value)] = &parse_fields(field.bytes())[..] else {
                    panic!("an attribute has one value");
                };
                pair.1 = match kind {
                    1 => value.text(),
                    3 => value.number().cast_signed().to_string(),
                    other => panic!("a value of kind {other}"),
                };
            }
            other => panic!("KeyValue has no field {other}"),
        }
    }
    pair
}

fn parse_span(message: &[u8]) -> Span {
    let mut span = Span::default();
    for (number, field) in parse_fields(message) {
        match number {
            1 => span.trace = domain::hex(field.bytes()),
            2 => span.id = domain::hex(field.bytes()),
            4 => span.parent = domain::hex(field.bytes()),
            5 => span.name = field.text(),
            6 => span.kind = field.number(),
            7 => span.begin = field.number(),
            8 => span.end = field.number(),
            9 => span.attributes.extend([parse_attribute(field.bytes())]),
            15 => {
                let status = parse_fields(field.bytes());
                span.is_error = status.iter().any(|(n, code)| *n == 3 && code.number() == 2);
            }
            16 => assert_eq!(field.number() & 1, 1, "only sampled spans are exported"),
            other => panic!("Span has no field {other}"),
        }
    }
    assert_eq!((span.trace.len(), span.id.len()), (32, 16));
    assert!(span.begin > 1_700_000_000_000_000_000 && span.end >= span.begin);
    span
}

/// `ExportTraceServiceRequest`: the attributes of the resource, and the spans.
fn decode_request(message: &[u8]) -> (BTreeMap<String, String>, Vec<Span>) {
    let (mut resource, mut spans) = (BTreeMap::new(), vec![]);
    for (number, of_resource) in parse_fields(message) {
        assert_eq!(number, 1);
        for (number, field) in parse_fields(of_resource.bytes()) {
            match number {
                1 => {
                    let described = parse_fields(field.bytes());
                    resource.extend(
                        described
                            .iter()
                            .map(|(_, pair)| parse_attribute(pair.bytes())),
                    );
                }
                2 => {
                    for (number, field) in parse_fields(field.bytes()) {
                        match number {
                            1 => assert_eq!(parse_fields(field.bytes())[0].1.text(), "pauta"),
                            2 => spans.push(parse_span(field.bytes())),
                            other => panic!("ScopeSpans has no field {other}"),
                        }
                    }
                }
                other => panic!("ResourceSpans has no field {other}"),
            }
        }
    }
    (resource, spans)
}
