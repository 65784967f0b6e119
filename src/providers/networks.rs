//! The OAuth 2.0 client for all social networks, driven by the table in `networks.rs`.
//!
//! An error code is recognised in every format of the networks, even with status 200. A grant
//! counts as ended only if the code is in the column `dead` and the status is neither 5xx nor 429.
//! Redirects are not followed. The only URL that a network returns, the avatar, is stored and never
//! requested.

use std::borrow::Cow;

use async_trait::async_trait;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use gateway::{Code, Error, Result};
use ports::{Authorization, Grant, GrantFailure, Network, NetworkAccount, NetworkTokens};
use reqwest::{Client, RequestBuilder, Response, Url, header};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::time::timeout;
use tracing::Instrument;

use super::{foreign, outgoing};
use crate::{
    config::NetworkApp,
    networks::{At, NetworkFacts, Renewal},
};

type Answered<T> = std::result::Result<T, GrantFailure>;
type Fields<'a> = Vec<(&'a str, &'a str)>;

/// Maximum bytes of a response.
const MOST_BYTES: usize = 256_000;
/// Maximum bytes of a token.
const LONGEST_TOKEN: usize = 8_192;
/// The invalid authorization code that `check_available` sends.
const NO_CODE: &str = "pauta-doctor";

/// A response of a network.
struct Reply {
    status: u16,
    /// Seconds to wait before a retry, if the network says so.
    retry_after: Option<u64>,
    body: Option<Value>,
}

/// The adapter of one network.
pub struct OAuthNetwork {
    app: NetworkApp,
    client: Client,
}

impl OAuthNetwork {
    pub fn new(app: NetworkApp) -> anyhow::Result<Self> {
        Ok(Self {
            app,
            client: foreign::client_builder().build()?,
        })
    }

    fn facts(&self) -> &'static NetworkFacts {
        self.app.facts
    }

    fn build_get(&self, at: At, query: &[(&str, &str)]) -> RequestBuilder {
        let mut url = self.app.endpoint_url(at);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.client.get(url)
    }

    fn build_post(&self, at: At, fields: &[(&str, &str)]) -> RequestBuilder {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        self.client
            .post(self.app.endpoint_url(at))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body)
    }

    /// Returns the client credentials as form fields.
    fn client_fields(&self) -> Fields<'_> {
        vec![
            (self.facts().client_id, self.app.client_id.as_str()),
            ("client_secret", &self.app.client_secret),
        ]
    }

    /// Sends a request and returns its JSON, or the error in any of the networks' formats.
    ///
    /// The log contains no URL, header or body, because each may contain a secret.
    async fn request_json(&self, path: &'static str, request: RequestBuilder) -> Answered<Value> {
        let span = tracing::info_span!("provider_request", network = self.facts().name, path);
        let replied = self.send(request).instrument(span.clone()).await;
        let answered = replied.and_then(|reply| self.parse_reply(reply));
        if let Err(failure) = &answered {
            span.in_scope(|| {
                tracing::warn!(code = failure.code(), "a rede social recusou o pedido");
            });
        }
        answered
    }

    /// Sends a request and returns the response, whatever its status.
    async fn send(&self, request: RequestBuilder) -> Answered<Reply> {
        let request = request.header(header::ACCEPT, "application/json");
        let read = timeout(self.app.timeout, self.read_reply(request)).await;
        read.unwrap_or_else(|_| Err(GrantFailure::from_code("timeout")))
    }

    async fn read_reply(&self, request: RequestBuilder) -> Answered<Reply> {
        let answer = outgoing::send(request).await.map_err(|error| {
            GrantFailure::from_code(if error.is_connect() {
                "unreachable"
            } else {
                "broken_off"
            })
        })?;
        let status = answer.status().as_u16();
        let wait = answer.headers().get(header::RETRY_AFTER);
        let retry_after = wait.and_then(|value| value.to_str().ok()?.parse().ok());
        Ok(Reply {
            status,
            retry_after,
            body: self.read_json(answer).await?,
        })
    }

    fn parse_reply(&self, reply: Reply) -> Answered<Value> {
        let told = reply.body.as_ref().and_then(error_code);
        match (reply.status, told) {
            (200..=299, None) => Ok(reply.body.unwrap_or_default()),
            // A 5xx or 429 never means that the grant has ended.
            (200..=299 | 400..=428 | 430..=499, Some(code))
                if self.facts().dead.contains(&&*code) =>
            {
                Err(GrantFailure::Refused { code })
            }
            (status, told) => Err(GrantFailure::Failed {
                code: told.unwrap_or_else(|| format!("http_{status}")),
                retry_after: reply.retry_after,
            }),
        }
    }

    /// Reads the JSON of a response; `None` without JSON.
    async fn read_json(&self, mut answer: Response) -> Answered<Option<Value>> {
        let kind = answer.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or("");
        let is_json = kind.starts_with("application/json") || kind.starts_with("text/javascript");
        let success = answer.status().is_success();
        let mut bytes = vec![];
        let broken = |_| GrantFailure::from_code("broken_off");
        while let Some(chunk) = answer.chunk().await.map_err(broken)? {
            if bytes.len() + chunk.len() > MOST_BYTES {
                return Err(malformed_failure());
            }
            bytes.extend_from_slice(&chunk);
        }
        match serde_json::from_slice(&bytes) {
            Ok(body) if is_json => Ok(Some(body)),
            // An error response without JSON is reported by its status.
            _ if !success || bytes.is_empty() => Ok(None),
            _ => Err(malformed_failure()),
        }
    }

    /// Parses a token response.
    fn parse_grant(&self, answer: &Value) -> Answered<Grant> {
        let separators = [',', ' '];
        let scopes = answer["scope"].as_str().map(|text| {
            let scopes = text.split(separators).filter(|scope| !scope.is_empty());
            scopes.map(str::to_owned).collect()
        });
        let seconds = |name: &str| {
            let value = answer.get(name)?;
            let seconds = value.as_i64().or_else(|| value.as_str()?.parse().ok());
            seconds.filter(|seconds| (1..=315_360_000).contains(seconds))
        };
        let renewable_in =
            seconds("refresh_expires_in").or_else(|| seconds("refresh_token_expires_in"));
        Ok(Grant {
            tokens: NetworkTokens {
                access: parse_token(&answer["access_token"]).ok_or_else(malformed_failure)?,
                refresh: parse_token(&answer["refresh_token"]),
            },
            expires_in: seconds("expires_in").ok_or_else(malformed_failure)?,
            renewable_in,
            scopes,
        })
    }

    /// Returns the request that exchanges a code.
    fn exchange_request(&self, code: &str, asked: Authorization<'_>) -> RequestBuilder {
        let mut fields = self.client_fields();
        fields.extend([
            ("code", code),
            ("grant_type", "authorization_code"),
            ("redirect_uri", asked.redirect_uri),
        ]);
        if self.facts().pkce {
            fields.push(("code_verifier", asked.verifier));
        }
        self.build_post(self.facts().token, &fields)
    }
}

#[async_trait]
impl Network for OAuthNetwork {
    fn name(&self) -> &'static str {
        self.facts().name
    }

    fn title(&self) -> &'static str {
        self.facts().title
    }

    fn scopes(&self) -> &'static [&'static str] {
        self.facts().scopes
    }

    fn authorization_url(&self, asked: Authorization<'_>) -> String {
        let facts = self.facts();
        let mut url = self.app.endpoint_url(facts.authorize);
        let scopes = facts.scopes.join(facts.scope_separator);
        let mut query = url.query_pairs_mut();
        query.extend_pairs([
            (facts.client_id, &*self.app.client_id),
            ("response_type", "code"),
            ("scope", &scopes),
            ("redirect_uri", asked.redirect_uri),
            ("state", asked.state),
        ]);
        query.extend_pairs(facts.extra);
        if facts.pkce {
            let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(asked.verifier));
            query.extend_pairs([
                ("code_challenge", &*challenge),
                ("code_challenge_method", "S256"),
            ]);
        }
        drop(query);
        url.into()
    }

    async fn exchange_code(&self, code: &str, asked: Authorization<'_>) -> Answered<Grant> {
        let request = self.exchange_request(code, asked);
        let answer = self.request_json(self.facts().token.1, request).await?;
        let Some(longer) = &self.facts().longer else {
            return self.parse_grant(&answer);
        };
        // Some API versions wrap the first grant in a list.
        let first = answer.pointer("/data/0").unwrap_or(&answer);
        let short = parse_token(&first["access_token"]).ok_or_else(malformed_failure)?;
        let query = [
            ("grant_type", longer.grant_type),
            ("client_secret", &self.app.client_secret),
            ("access_token", &short),
        ];
        let answer = self
            .request_json(longer.at.1, self.build_get(longer.at, &query))
            .await?;
        self.parse_grant(&answer)
    }

    fn can_renew(&self, tokens: &NetworkTokens) -> bool {
        match self.facts().renewal {
            Renewal::RefreshToken => tokens.refresh.is_some(),
            Renewal::AccessToken { .. } => true,
        }
    }

    async fn renew_tokens(&self, tokens: &NetworkTokens) -> Answered<Grant> {
        let (path, request) = match &self.facts().renewal {
            Renewal::AccessToken { at, grant_type } => {
                let query = [
                    ("grant_type", *grant_type),
                    ("access_token", &tokens.access),
                ];
                (at.1, self.build_get(*at, &query))
            }
            Renewal::RefreshToken => {
                let refresh = tokens.refresh.as_deref();
                let refresh = refresh.ok_or_else(|| GrantFailure::from_code("no_refresh_token"))?;
                let mut fields = self.client_fields();
                fields.extend([("grant_type", "refresh_token"), ("refresh_token", refresh)]);
                let at = self.facts().token;
                (at.1, self.build_post(at, &fields))
            }
        };
        let answer = self.request_json(path, request).await?;
        self.parse_grant(&answer)
    }

    async fn revoke_tokens(&self, tokens: &NetworkTokens) -> Answered<bool> {
        let Some(revoke) = &self.facts().revoke else {
            return Ok(false);
        };
        let refresh = tokens.refresh.as_ref().filter(|_| revoke.refresh);
        let mut fields = match revoke.with_client {
            true => self.client_fields(),
            false => vec![],
        };
        fields.push(("token", refresh.unwrap_or(&tokens.access)));
        self.request_json(revoke.at.1, self.build_post(revoke.at, &fields))
            .await?;
        Ok(true)
    }

    async fn fetch_account(&self, tokens: &NetworkTokens) -> Answered<NetworkAccount> {
        let profile = &self.facts().profile;
        let mut query = profile.query.to_vec();
        query.extend(profile.token.map(|name| (name, &*tokens.access)));
        let mut request = self.build_get(profile.at, &query);
        if profile.token.is_none() {
            request = request.bearer_auth(&tokens.access);
        }
        let answer = self.request_json(profile.at.1, request).await?;
        let text = |pointer: &str, longest| {
            let text = match answer.pointer(pointer)? {
                Value::Number(number) => Cow::Owned(number.to_string()),
                value => Cow::Borrowed(value.as_str()?),
            };
            let text = domain::visible_line(&text);
            (!text.is_empty()).then(|| text.chars().take(longest).collect::<String>())
        };
        let id = text(profile.id, 200).ok_or_else(malformed_failure)?;
        let named = profile.display_name.iter();
        Ok(NetworkAccount {
            display_name: { named }
                .find_map(|pointer| text(pointer, 200))
                .unwrap_or_else(|| id.clone()),
            avatar_url: text(profile.avatar_url, 2_000).filter(|url| is_https(url)),
            id,
        })
    }

    /// Sends an invalid authorization code. A network answers an unknown client with a different
    /// error code than an invalid authorization code.
    async fn check_available(&self) -> Result<()> {
        let asked = Authorization {
            state: "",
            redirect_uri: "https://pauta.invalid/",
            verifier: NO_CODE,
        };
        let facts = self.facts();
        let (title, settings, base) = (facts.title, facts.settings, facts.token.0.setting_suffix());
        let failed = |text: String| Err(Error::new(Code::PROVIDER_FAILED).because(text));
        let strange = |code: &str| {
            failed(format!(
                "{title} não responde como esperado ({code}); confira {settings}_{base}"
            ))
        };
        let reply = match self.send(self.exchange_request(NO_CODE, asked)).await {
            Ok(reply) => reply,
            Err(failure) => return strange(failure.code()),
        };
        match reply.status {
            // Other services answer an unknown path with these statuses, with or without an error
            // code.
            status @ (404 | 405 | 410) => return strange(&format!("http_{status}")),
            429 => {
                return failed(format!(
                    "{title} está limitando os pedidos agora (http_429); espere e tente de novo"
                ));
            }
            _ => {}
        }
        let status = reply.status;
        let Err(failure) = self.parse_reply(reply) else {
            // A network would reject the invalid authorization code.
            return strange(&format!("http_{status}"));
        };
        let code = failure.code();
        if facts.unknown_client.contains(&code) {
            return failed(format!(
                "{title} não aceita as credenciais do aplicativo ({code}); confira {settings}_*"
            ));
        }
        if code.starts_with("http_5") || code.starts_with("http_3") {
            return strange(code);
        }
        Ok(())
    }
}

fn malformed_failure() -> GrantFailure {
    GrantFailure::from_code("malformed")
}

/// Parses a token, which must be printable ASCII (RFC 6749, appendix A).
fn parse_token(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let plain = text.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
    (!text.is_empty() && text.len() <= LONGEST_TOKEN && plain).then(|| text.to_owned())
}

fn is_https(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| url.scheme() == "https" && url.host_str().is_some())
}

/// Returns the error code of a response body, whatever its status: `error` as in RFC 6749, an object
/// with a `code` as in the APIs of TikTok, Google and Meta, or the `error_type` of Instagram.
fn error_code(body: &Value) -> Option<String> {
    let error = body.get("error");
    let code = match error {
        Some(Value::String(code)) => Some(code.clone()),
        Some(Value::Object(error)) => match error.get("code") {
            Some(Value::String(code)) if code == "ok" => None,
            Some(Value::String(code)) => Some(code.clone()),
            Some(Value::Number(code)) => Some(code.to_string()),
            _ => Some("error".to_owned()),
        },
        _ => body["error_type"].as_str().map(str::to_owned),
    }?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_plain = (1..=60).contains(&code.len()) && code.bytes().all(plain);
    Some(if is_plain { code } else { "error".to_owned() })
}
