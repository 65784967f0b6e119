//! Every example runs and returns its published response.
//!
//! `PAUTA_TEST_RECORD_EXAMPLES=1` records the inputs and answers of this run.

use std::collections::BTreeMap;

use axum::{body::Body, http::Method};
use domain::{Capability, GUEST_PREFIX, Level, Role, time::SECOND};
use gateway::{Access, Operation, Registered, SharedSecret};
use identity::operations::IssueSession;
use pauta::{
    artifacts::{Example, RECORDED, RECORDED_URL},
    cli::demo::{
        examples,
        guest_links::{GUEST, GUEST_WITH_CODE},
    },
};
use serde_json::{Map, Value, json};
use store::{
    media::storage_path,
    members::{self, Member},
};
use tools::operator;

use super::{
    providers::{LEAD_TOKEN, Providers, with_doubles},
    repository_path,
};
use crate::support::{
    Answer, Client, NOON, Settings, TestApp,
    examples::{RECORD, example_input},
};

const SHA256: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
/// The key of appendix A of RFC 8291.
const PUSH_KEY: &str =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
const CURSOR: &str = "WzE3ODc0MTA4MDAwMDAsIjAxOTkwMDAxLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMSJd";

/// Starts a service with the resources of the examples and doubles of the outside providers.
/// Returns it with Helena, the member of the demo.
pub(super) async fn start_stage() -> (TestApp, Helena) {
    let providers = Providers::new().await;
    let app = start_service(providers.settings()).await;
    let (app, helena) = prepare_stage(with_doubles(app)).await;
    providers.prepare_resources(&app, &helena.session).await;
    (app, helena)
}

/// Starts a service like [`start_stage`], but without outside providers, as in a demo.
pub(super) async fn start_stage_without_providers() -> (TestApp, Helena) {
    prepare_stage(start_service(vec![]).await).await
}

async fn start_service(mut settings: Settings) -> TestApp {
    settings.push(("PAUTA_PUBLIC_URL", RECORDED_URL.into()));
    TestApp::with_settings(settings).await
}

async fn prepare_stage(app: TestApp) -> (TestApp, Helena) {
    let helena = Member {
        id: "01990000-0000-7000-8000-000000000009".into(),
        user_id: "01990000-0000-7000-8000-000000000109".into(),
        name: "Helena Prado".into(),
        email: "helena.prado@demo.pauta.test".into(),
        role: Role::Admin,
        api_access_level: Level::Admin,
        financeiro: true,
        active: true,
        cleanup_pending: false,
        sessions_valid_after: 0,
        created_at: NOON,
    };
    let gateway = &app.app.gateway;
    let tx = gateway.services.db.begin().await.expect("begins");
    members::insert(&tx.conn(), &helena)
        .await
        .expect("the member is new");
    tx.commit().await.expect("commits");
    let caller = operator::principal_by_email(gateway, &helena.email)
        .await
        .expect("a member");
    examples::seed_resources(gateway, &caller, NOON)
        .await
        .expect("seeds");
    let session = app.session_client(&helena).await;
    let (token, _) = app.token_client_with(&helena, Capability::ALL).await;
    (app, Helena { session, token })
}

/// Helena, the caller of the examples, with a session and a token.
pub(super) struct Helena {
    session: Client,
    pub(super) token: Client,
}

impl Helena {
    /// Returns the client for an example. An operation that ends the session gets a separate
    /// session.
    pub(super) async fn client_for(&self, app: &TestApp, operation: &Registered) -> Client {
        let spec = &operation.spec;
        if spec.ends_session {
            let entry = &IssueSession::SPEC;
            let entered = example_input(entry.name);
            let path = format!("{}?grant_type=password", entry.path);
            let input = json!({ "email": entered["email"], "password": entered["password"] });
            let session = app.anonymous().post(&path, input).await.expect(200);
            let token = session.body["access_token"].as_str().expect("a token");
            app.bearer(token)
        } else if let Access::SharedSecret(SharedSecret {
            header, or: None, ..
        }) = spec.access
        {
            app.anonymous().with_header(header, LEAD_TOKEN)
        } else if let Access::Guest(right) = spec.access {
            let secret = match right {
                Some(_) => GUEST,
                None => GUEST_WITH_CODE,
            };
            app.bearer(format!("{GUEST_PREFIX}{secret}"))
        } else if spec.access.is_public() {
            app.anonymous()
        } else if spec.access.requires_session() {
            self.session.clone()
        } else {
            self.token.clone()
        }
    }
}

pub(super) async fn call_by_rest(
    client: &Client,
    operation: &Registered,
    example: &Example,
) -> Answer {
    let method: Method = operation.spec.verb.as_str().parse().expect("a method");
    let path = example.request_path(operation);
    match (operation.spec.file_field(), example.body_fields(operation)) {
        (Some(file), Some(fields)) => {
            let typed = client.with_header("content-type", "multipart/form-data; boundary=xx");
            typed
                .send(
                    method,
                    &path,
                    Some(multipart_form(file.name, &fields).into()),
                )
                .await
        }
        (_, body) => {
            let body = body.map(|fields| Body::from(Value::Object(fields).to_string()));
            client.send(method, &path, body).await
        }
    }
}

/// Returns a multipart form with the fields and a file: a document if its name ends with `.md`,
/// otherwise an image.
fn multipart_form(file: &str, fields: &Map<String, Value>) -> Vec<u8> {
    let mut body = vec![];
    for (name, value) in fields.iter().filter(|(name, _)| *name != file) {
        let value = value.as_str().expect("text");
        let part =
            format!("--xx\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let name = fields[file].as_str().expect("a file name");
    let head = format!(
        "--xx\r\nContent-Disposition: form-data; name=\"{file}\"; filename=\"{name}\"\r\n\r\n"
    );
    body.extend_from_slice(head.as_bytes());
    if name.ends_with(".md") {
        let title = name.trim_end_matches(".md").replace('-', " ");
        let text = format!("# {title}\n\nFrases curtas, e o prato no começo.\n");
        body.extend_from_slice(text.as_bytes());
        body.extend_from_slice(b"\r\n--xx--\r\n");
        return body;
    }
    let mut image = vec![];
    image::RgbImage::from_pixel(64, 64, image::Rgb([230, 180, 80]))
        .write_to(
            &mut std::io::Cursor::new(&mut image),
            image::ImageFormat::Png,
        )
        .expect("encodes");
    body.extend_from_slice(&image);
    body.extend_from_slice(b"\r\n--xx--\r\n");
    body
}

/// Replaces values that differ from run to run by placeholders, in order of appearance.
#[derive(Default)]
struct Plain(BTreeMap<String, String>);

impl Plain {
    fn mask_value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.mask_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_value(item)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    match (name.as_str(), &value) {
                        ("sha256", Value::String(_)) => *value = SHA256.into(),
                        ("storage_path", Value::String(_)) => {
                            *value = storage_path(SHA256).into();
                        }
                        ("request_id", Value::String(_)) => *value = "C7sMmOeG_4_cNCoA".into(),
                        ("prova", Value::String(_)) => *value = "exemplo-de-prova".into(),
                        ("bytes", Value::Number(_)) => *value = 48_213.into(),
                        // The public key of this database: 65 bytes in base64url.
                        ("chave", Value::String(key)) if key.len() == 87 => {
                            *value = PUSH_KEY.into();
                        }
                        // The cursor contains the id of the last row.
                        ("next_cursor", Value::String(_)) => *value = CURSOR.into(),
                        // The id of a buyer is derived from a secret key of the database.
                        ("comprador", Value::String(_)) => {
                            *value = "5d2f0c1e9a7b4c3d8e6f1a20".into();
                        }
                        ("refresh_token" | "x" | "y" | "kid", Value::String(_)) => {
                            *value = "exemplo".into();
                        }
                        _ => self.mask_value(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn mask_text(&mut self, text: &str) -> String {
        if text.starts_with("svc_live_") {
            return "svc_live_exemplo".into();
        }
        if text.starts_with("whsec_") {
            return "whsec_exemplo".into();
        }
        if text.starts_with("eyJ") {
            return "eyJ.exemplo.exemplo".into();
        }
        if let Some((link, _)) = text.split_once("/convidado/") {
            return format!(
                "{}/convidado/exemplo",
                link.replace("http://127.0.0.1:8080", RECORDED_URL)
            );
        }
        if let Some((link, _)) = text.split_once("/calendario/") {
            return format!(
                "{}/calendario/exemplo/agenda.ics",
                link.replace("http://127.0.0.1:8080", RECORDED_URL)
            );
        }
        if let Some((link, _)) = text.split_once("/convite#") {
            return format!("{link}/convite#token=exemplo");
        }
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("0") {
            let (before, from) = rest.split_at(at);
            plain.push_str(before);
            let id = from.get(..36).filter(|id| is_id(id));
            let Some(id) = id else {
                plain.push('0');
                rest = &from[1..];
                continue;
            };
            plain.push_str(&self.mask_id(id));
            rest = &from[36..];
        }
        plain.push_str(rest);
        let plain = plain.replace("http://127.0.0.1:8080", RECORDED_URL);
        let plain = ["state=", "code_challenge="]
            .iter()
            .fold(plain, mask_parameter);
        mask_signatures(&plain)
    }

    /// Keeps the ids that are defined in the examples; replaces every other id by a number.
    fn mask_id(&mut self, id: &str) -> String {
        if id.starts_with("01990000-") {
            return id.to_owned();
        }
        let next = self.0.len() + 1;
        let plain = self.0.entry(id.to_owned());
        plain
            .or_insert_with(|| format!("01990001-0000-7000-8000-{next:012}"))
            .clone()
    }
}

/// Replaces the value of a parameter that differs from run to run.
fn mask_parameter(text: String, parameter: &&str) -> String {
    let Some((before, value)) = text.split_once(parameter) else {
        return text;
    };
    let rest = value.find('&').map_or("", |end| &value[end..]);
    format!("{before}{parameter}exemplo{rest}")
}

fn is_id(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Runs every example in the table's order, a second apart.
async fn run_examples() -> BTreeMap<&'static str, Example> {
    let (app, helena) = start_stage().await;
    let mut ran = BTreeMap::new();
    for operation in &app.app.gateway.registry.operations {
        app.advance_clock(SECOND);
        let name = operation.spec.name;
        let mut example = Example {
            input: example_input(name),
            answer: Value::Null,
        };
        let client = helena.client_for(&app, operation).await;
        let answer = call_by_rest(&client, operation, &example).await;
        let wanted = operation.spec.success;
        assert_eq!(
            answer.status, wanted,
            "{name} answers its example with: {}",
            answer.text
        );
        example.answer = answer.body;
        Plain::default().mask_value(&mut example.answer);
        ran.insert(name, example);
    }
    ran
}

#[tokio::test]
async fn every_example_answers_as_published() {
    let mut ran = serde_json::to_string_pretty(&run_examples().await).expect("serialises");
    ran.push('\n');
    let path = repository_path("ai-artifacts/dist").join(RECORDED);
    if std::env::var_os("PAUTA_TEST_RECORD_EXAMPLES").is_some() {
        std::fs::write(path, ran).expect("writes");
        return;
    }
    let published = std::fs::read_to_string(&path).expect("reads");
    assert!(
        ran == published,
        "{} is not what the examples answer today. Record it, review the difference and render the \
         documents: {RECORD} && cargo run -- artifacts",
        path.display()
    );
}

/// Replaces the signatures of links.
fn mask_signatures(text: &str) -> String {
    let mut parts = text.split("sig=1.");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
        masked.push_str("sig=1.exemplo");
        masked.push_str(&part[end.unwrap_or(part.len())..]);
    }
    masked
}
