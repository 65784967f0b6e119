//! Browser sign-in: on the issuer's page, or with a password that Supabase Auth verifies.

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::STANDARD};
use domain::sha256_base64url;
use gateway::Result;
use ports::{IssuerSignIn, SignInRequest};
use reqwest::{RequestBuilder, Url, header};
use serde::Deserialize;
use serde_json::json;
use tracing::Instrument;

use super::{HostedIssuer, malformed_error, read_body, to_provider_error, with_timeout};
use crate::providers::outgoing;

const SCOPE: &str = "openid email profile";

#[derive(Deserialize)]
struct Tokens {
    id_token: Option<String>,
    access_token: Option<String>,
}

#[async_trait]
impl IssuerSignIn for HostedIssuer {
    async fn sign_in_url(&self, request: SignInRequest<'_>) -> Result<String> {
        let asked = async {
            let endpoint = self.fetch_discovery().await?.authorization_endpoint;
            let refused = || malformed_error("o endereço `authorization_endpoint` não é aceito");
            let url = endpoint.and_then(|url| Url::parse(&url).ok());
            let mut url = url.ok_or_else(refused)?;
            let own = Url::parse(&self.config.issuer).ok();
            // Only the user's browser opens this URL; the service never requests it.
            if url.scheme() != "https" && own.is_none_or(|own| own.origin() != url.origin()) {
                return Err(refused());
            }
            let client_id = self.config.client_id.as_deref().unwrap_or_default();
            let challenge = sha256_base64url(request.verifier.as_bytes());
            let mut query = url.query_pairs_mut();
            query.extend_pairs([
                ("response_type", "code"),
                ("client_id", client_id),
                ("redirect_uri", request.redirect_uri),
                ("scope", SCOPE),
                ("state", request.state),
                ("nonce", request.nonce),
                ("code_challenge", &challenge),
                ("code_challenge_method", "S256"),
            ]);
            if request.again {
                query.append_pair("prompt", "login");
            }
            drop(query);
            Ok(url.into())
        };
        self.with_timeout(asked).await
    }

    async fn exchange_code(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Option<String>> {
        let asked = async {
            let found = self.fetch_discovery().await?;
            let endpoint = found.token_endpoint.unwrap_or_default();
            let (client, url) = self.resolve_endpoint(&endpoint, "token_endpoint").await?;
            let client_id = self.config.client_id.as_deref().unwrap_or_default();
            let mut fields = vec![
                ("grant_type", "authorization_code"),
                ("code", code),
                ("redirect_uri", redirect_uri),
                ("code_verifier", verifier),
                ("client_id", client_id),
            ];
            let mut sent = client.post(url);
            if let Some(secret) = self.config.client_secret.as_deref() {
                // If the document has no list of methods, the method is HTTP Basic (OpenID Connect
                // Discovery, section 3).
                let basic = "client_secret_basic";
                let methods = found.token_methods;
                if methods.is_none_or(|methods| methods.iter().any(|method| method == basic)) {
                    sent = sent.header(
                        header::AUTHORIZATION,
                        basic_authorization(client_id, secret),
                    );
                } else {
                    fields.push(("client_secret", secret));
                }
            }
            let sent = sent.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
            let tokens = request_tokens(sent.body(encode_form(&fields))).await?;
            let missing = || malformed_error("a resposta não tem `id_token`");
            let token = tokens.map(|tokens| tokens.id_token.ok_or_else(missing));
            token.transpose()
        };
        self.with_timeout(asked).await
    }

    async fn sign_in_with_password(&self, email: &str, password: &str) -> Result<Option<String>> {
        let asked = async {
            let url = self.endpoint_url("token?grant_type=password");
            let body = json!({ "email": email, "password": password }).to_string();
            let mut sent = self.client.post(url).body(body);
            sent = sent.header(header::CONTENT_TYPE, "application/json");
            if let Some(key) = self.config.publishable_key.as_deref() {
                sent = sent.header("apikey", key);
            }
            let tokens = request_tokens(sent).await?;
            let missing = || malformed_error("a resposta não tem `access_token`");
            let session = tokens.map(|tokens| tokens.access_token.ok_or_else(missing));
            session.transpose()
        };
        self.with_timeout(asked).await
    }
}

impl HostedIssuer {
    async fn with_timeout<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let span = tracing::info_span!("provider_request", issuer = self.config.issuer);
        with_timeout(self.config.timeout, work)
            .instrument(span)
            .await
    }
}

/// Sends a token request; `None` if the issuer rejects the authorization code or password.
async fn request_tokens(request: RequestBuilder) -> Result<Option<Tokens>> {
    // The address may be one that the discovery document names.
    let answer = outgoing::send_untraced(request)
        .await
        .map_err(|error| to_provider_error(&error))?;
    let status = answer.status().as_u16();
    let body = read_body(answer).await?;
    if status == 200 {
        let tokens = serde_json::from_slice(&body);
        return tokens
            .map(Some)
            .map_err(|_| malformed_error("a resposta não é a esperada"));
    }
    let code = parse_error_code(&body);
    let presented = [
        "invalid_grant",
        "invalid_credentials",
        "email_not_confirmed",
    ];
    if status == 400
        && code
            .as_deref()
            .is_some_and(|code| presented.contains(&code))
    {
        return Ok(None);
    }
    let code = code.unwrap_or_else(|| status.to_string());
    Err(malformed_error(&format!("status {status}")).with_detail("provider_code", code.into()))
}

/// Parses the error code of a response, in the format of OAuth or of Supabase Auth.
fn parse_error_code(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Refusal {
        error: Option<String>,
        error_code: Option<String>,
    }
    let refusal: Refusal = serde_json::from_slice(body).ok()?;
    let code = refusal.error_code.or(refusal.error)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (code.len() <= 60 && code.bytes().all(plain)).then_some(code)
}

/// Returns the `Authorization` header for HTTP Basic, with form-encoded id and secret (RFC 6749,
/// section 2.3.1).
fn basic_authorization(id: &str, secret: &str) -> String {
    let encoded =
        |text: &str| -> String { form_urlencoded::byte_serialize(text.as_bytes()).collect() };
    let pair = format!("{}:{}", encoded(id), encoded(secret));
    format!("Basic {}", STANDARD.encode(pair))
}

fn encode_form(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}
