//! The authorization server: a client, a person with a browser, and the tokens that the flow
//! issues.

mod agents;
mod browser;
mod clients;
mod codes;
mod dance;
mod double;
mod pages;
mod password;
mod renewal;
mod scopes;

use std::sync::Arc;

use domain::{Member, Role, sha256_base64url};
use identity::authorization::{AuthorizationServer, Trust};
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp, encode_form};
pub use browser::Browser;
use double::Documents;

pub const URL: &str = "http://127.0.0.1:8080";
pub const RESOURCE: &str = "http://127.0.0.1:8080/api/mcp";
/// The redirect URI of a web client.
pub const CALLBACK: &str = "https://cliente.test/cb";
const VERIFIER: &str = "um-texto-que-so-o-cliente-conhece-0123456789-abc";

/// Creates a service with a double of the sites that publish client documents.
pub async fn service_with_documents() -> (TestApp, Arc<Documents>) {
    service_with_trust(Trust::Anybody, true).await
}

pub async fn service_with_trust(trust: Trust, registers: bool) -> (TestApp, Arc<Documents>) {
    let documents = Arc::new(Documents::default());
    let server = AuthorizationServer::new(documents.clone(), trust, registers);
    (TestApp::new().await.with_part(server), documents)
}

/// The parameters of an authorization request; a test may change them.
#[derive(Clone)]
pub struct Request(pub Vec<(&'static str, String)>);

impl Request {
    pub fn for_client(client_id: &str, redirect_uri: &str) -> Self {
        let given = [
            ("response_type", "code"),
            ("client_id", client_id),
            ("redirect_uri", redirect_uri),
            ("code_challenge", &sha256_base64url(VERIFIER.as_bytes())),
            ("code_challenge_method", "S256"),
            ("resource", RESOURCE),
            ("state", "estado-1"),
        ];
        Self(given.map(|(name, value)| (name, value.to_owned())).into())
    }

    pub fn with_parameter(mut self, name: &'static str, value: &str) -> Self {
        self.0.retain(|(given, _)| *given != name);
        self.0.push((name, value.to_owned()));
        self
    }

    pub fn without_parameter(mut self, name: &'static str) -> Self {
        self.0.retain(|(given, _)| *given != name);
        self
    }

    pub fn authorization_path(&self) -> String {
        format!("/authorize?{}", encode_form(&self.0))
    }
}

/// Returns the query parameters of a redirect.
pub fn query_parameters(location: &str) -> Value {
    let query = location.split_once('?').map_or("", |(_, query)| query);
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs
        .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Registers a client with this redirect URI, and returns its id.
pub async fn register_client(app: &TestApp, redirect_uri: &str) -> String {
    let asked = json!({ "client_name": "Assistente", "redirect_uris": [redirect_uri] });
    let registered = app.anonymous().post("/register", asked).await.expect(201);
    registered.body["client_id"]
        .as_str()
        .expect("an id")
        .to_owned()
}

/// Sends a form to the token endpoint.
pub async fn request_token(client: &Client, fields: &[(&str, &str)]) -> Answer {
    client.post_form("/token", fields).await
}

/// Returns the fields with which a client exchanges its code.
pub fn exchange_fields<'a>(
    client_id: &'a str,
    redirect_uri: &'a str,
    code: &'a str,
) -> Vec<(&'a str, &'a str)> {
    vec![
        ("grant_type", "authorization_code"),
        ("client_id", client_id),
        ("redirect_uri", redirect_uri),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("resource", RESOURCE),
    ]
}

/// Grants the client access as this member; returns the authorization code.
pub async fn grant_code(app: &TestApp, member: &Member, request: &Request) -> String {
    let mut browser = Browser::with_session(app, member).await;
    let page = browser.get(&request.authorization_path()).await.expect(200);
    let sent = browser
        .submit_decision(&page, "permitir", &[])
        .await
        .expect(302);
    let told = query_parameters(&redirect_location(&sent));
    assert_eq!(told["iss"], URL);
    told["code"].as_str().expect("a code").to_owned()
}

pub fn redirect_location(answer: &Answer) -> String {
    answer.headers["location"]
        .to_str()
        .expect("text")
        .to_owned()
}

/// Returns the path and query of a link to `path` in the page.
pub fn link_in_page(page: &Answer, path: &str) -> String {
    let text = page.text.replace("&#x2f;", "/").replace("&amp;", "&");
    let href = format!("href=\"{URL}");
    let from = text.find(&format!("{href}{path}?")).expect("a link") + href.len();
    let (link, _) = text[from..].split_once('"').expect("an end");
    link.to_owned()
}

/// Connects an agent of this member; returns the client id and the tokens of the agent.
pub async fn connect_agent(app: &TestApp, member: &Member) -> (String, Value) {
    let client_id = register_client(app, CALLBACK).await;
    let code = grant_code(app, member, &Request::for_client(&client_id, CALLBACK)).await;
    let tokens = request_token(
        &app.anonymous(),
        &exchange_fields(&client_id, CALLBACK, &code),
    )
    .await;
    (client_id, tokens.expect(200).body)
}

/// Returns a client that authenticates as the agent with these tokens.
pub fn agent_client(app: &TestApp, tokens: &Value) -> Client {
    app.bearer(tokens["access_token"].as_str().expect("a token"))
}

/// Creates a service with a connected agent of a leader.
pub async fn service_with_agent() -> (TestApp, Member, String, Value) {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let (client_id, tokens) = connect_agent(&app, &member).await;
    (app, member, client_id, tokens)
}

/// Asserts that an OAuth endpoint returns this error.
#[track_caller]
pub fn assert_oauth_error(answer: Answer, status: u16, error: &str) {
    let told = (answer.status, answer.body["error"].as_str());
    assert_eq!(told, (status, Some(error)), "{}", answer.text);
    assert!(
        answer.body["error_description"]
            .as_str()
            .is_some_and(|text| text.is_ascii() && !text.contains(['"', '\\', '?'])),
        "{}",
        answer.text
    );
}
