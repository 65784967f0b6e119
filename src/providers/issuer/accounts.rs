//! Accounts at the issuer, managed through the Supabase Auth admin API if its key is configured.

use async_trait::async_trait;
use domain::{ACCOUNT_NOT_LINKED, Member, is_id, time::Millis};
use gateway::{Code, Error, Result};
use identity::{WEAK_PASSWORD, require_strong};
use ports::{IdentityProvider, Invited};
use reqwest::{Method, Response, header};
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::Instrument;

use super::{HostedIssuer, malformed_error, read_body, to_provider_error, with_timeout};
use crate::providers::outgoing;

/// A ban of a hundred years, which is practically permanent.
const BANNED: &str = "876000h";

const HAS_ACCOUNT: &str = "A pessoa já tem conta no provedor de identidade, e nenhum convite foi \
    enviado: avise-a de que pode entrar.";
const NEEDS_ACCOUNT: &str = "Nenhum convite foi enviado: crie a conta desta pessoa no provedor de \
    identidade, com este e-mail. Ela passa a ter acesso quando entrar com o e-mail confirmado.";

/// An account, as the admin API returns it.
#[derive(Deserialize)]
struct IssuerAccount {
    id: String,
    email: Option<String>,
    email_confirmed_at: Option<String>,
}

/// An error response of the admin API.
struct Refusal {
    status: u16,
    code: Option<String>,
    error: Error,
}

impl Refusal {
    fn has_code(&self, status: u16, code: &str) -> bool {
        self.status == status && self.code.as_deref() == Some(code)
    }
}

#[async_trait]
impl IdentityProvider for HostedIssuer {
    fn issuer(&self) -> Option<&str> {
        Some(&self.config.issuer)
    }

    /// Requests an invitation e-mail from the issuer. It is sent again if the person has not
    /// accepted the first one yet.
    async fn invite(&self, member: &Member, _: Millis) -> Result<Invited> {
        let Some(key) = self.config.admin_key.as_deref() else {
            return Ok(Invited::OnSignIn(NEEDS_ACCOUNT));
        };
        let request = json!({ "email": member.email, "data": { "name": member.name } });
        match self
            .call_admin_api(key, Method::POST, "invite", Some(&request))
            .await?
        {
            Ok(answer) => Ok(Invited::Account(parse_account(answer)?.id)),
            Err(refusal) if refusal.has_code(422, "email_exists") => {
                Ok(Invited::OnSignIn(HAS_ACCOUNT))
            }
            Err(refusal) => Err(refusal.error),
        }
    }

    async fn set_password(
        &self,
        member: &Member,
        subject: Option<&str>,
        password: &str,
    ) -> Result<Option<String>> {
        let Some(key) = self.config.admin_key.as_deref() else {
            return Err(Error::new(Code::PROVIDER_NOT_CONFIGURED)
                .because("As senhas são definidas no provedor de identidade.")
                .with_detail(
                    "next",
                    format!(
                        "Diga à pessoa que troque a senha em {}; para defini-la por aqui, quem opera \
                         o serviço configura PAUTA_IDENTITY_ADMIN_KEY (só Supabase Auth).",
                        self.config.issuer
                    )
                    .into(),
                ));
        };
        require_strong(password, member)?;
        let path = account_path(subject.ok_or_else(|| Error::new(ACCOUNT_NOT_LINKED))?)?;
        let request = json!({ "password": password });
        match self
            .call_admin_api(key, Method::PUT, &path, Some(&request))
            .await?
        {
            Ok(_) => Ok(None),
            Err(refusal) if refusal.has_code(422, "weak_password") => {
                Err(Error::new(WEAK_PASSWORD)
                    .because("O provedor de identidade recusa a senha: é fraca."))
            }
            Err(refusal) if refusal.has_code(404, "user_not_found") => {
                Err(Error::new(ACCOUNT_NOT_LINKED)
                    .because("A conta desta pessoa não existe mais no provedor de identidade."))
            }
            Err(refusal) => Err(refusal.error),
        }
    }

    /// Bans the account; succeeds if the account no longer exists. Without an admin API key, only
    /// the member's row denies access.
    async fn close_account(&self, subject: Option<&str>) -> Result<()> {
        let (Some(key), Some(subject)) = (self.config.admin_key.as_deref(), subject) else {
            return Ok(());
        };
        self.ban(key, subject, BANNED).await.map(drop)
    }

    async fn reopen_account(&self, subject: &str) -> Result<bool> {
        match self.config.admin_key.as_deref() {
            Some(key) => self.ban(key, subject, "none").await,
            None => Ok(false),
        }
    }

    async fn is_email_confirmed(&self, subject: &str, email: &str) -> Result<bool> {
        let Some(key) = self.config.admin_key.as_deref().filter(|_| is_id(subject)) else {
            return Ok(false);
        };
        match self
            .call_admin_api(key, Method::GET, &account_path(subject)?, None)
            .await?
        {
            Ok(answer) => {
                let account = parse_account(answer)?;
                let same = account
                    .email
                    .is_some_and(|own| own.eq_ignore_ascii_case(email));
                Ok(account.id == subject && same && account.email_confirmed_at.is_some())
            }
            Err(refusal) if refusal.has_code(404, "user_not_found") => Ok(false),
            Err(refusal) => Err(refusal.error),
        }
    }
}

impl HostedIssuer {
    /// Checks that the admin API accepts the key; `None` without a key.
    pub async fn check_accounts(&self) -> Option<Result<()>> {
        let key = self.config.admin_key.as_deref()?;
        let listed = self.call_admin_api(key, Method::GET, "admin/users?page=1&per_page=1", None);
        Some(listed.await.and_then(|answer| match answer {
            Ok(_) => Ok(()),
            Err(refusal) => Err(refusal.error),
        }))
    }

    /// Bans the account for `duration`, or lifts the ban; `false` if the account does not exist.
    async fn ban(&self, key: &str, subject: &str, duration: &str) -> Result<bool> {
        let request = json!({ "ban_duration": duration });
        let path = account_path(subject)?;
        match self
            .call_admin_api(key, Method::PUT, &path, Some(&request))
            .await?
        {
            Ok(answer) => {
                parse_account(answer)?;
                Ok(true)
            }
            Err(refusal) if refusal.has_code(404, "user_not_found") => Ok(false),
            Err(refusal) => Err(refusal.error),
        }
    }

    /// Calls the admin API. The inner error is the issuer's error response.
    ///
    /// The outer error means that there was no usable response.
    async fn call_admin_api(
        &self,
        key: &str,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Result<Value, Refusal>> {
        let mut request = self
            .client
            .request(method, self.endpoint_url(path))
            .header("apikey", key);
        // A secret key is not a JWT, and the issuer rejects it as a bearer token.
        if !key.starts_with("sb_secret_") {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let span = tracing::info_span!("provider_request", issuer = self.config.issuer);
        let work = async {
            let answer = outgoing::send(request)
                .await
                .map_err(|error| to_provider_error(&error))?;
            if !answer.status().is_success() {
                return Ok(Err(read_refusal(answer).await));
            }
            let body = read_body(answer).await?;
            let told = serde_json::from_slice(&body);
            told.map(Ok)
                .map_err(|_| malformed_error("a resposta não é JSON"))
        };
        with_timeout(self.config.timeout, work)
            .instrument(span)
            .await
    }
}

/// Returns the path of an account. Supabase Auth subjects are UUIDs, so any other text is rejected.
fn account_path(subject: &str) -> Result<String> {
    if is_id(subject) {
        Ok(format!("admin/users/{subject}"))
    } else {
        Err(Error::internal("the subject of the account is not a UUID"))
    }
}

fn parse_account(answer: Value) -> Result<IssuerAccount> {
    let account = serde_json::from_value(answer).ok();
    let account = account.filter(|account: &IssuerAccount| is_id(&account.id));
    account.ok_or_else(|| malformed_error("a resposta não descreve uma conta"))
}

#[derive(Default, Deserialize)]
struct Told {
    /// The error code: a number in old versions of the API, a text in new ones.
    #[serde(default)]
    code: Value,
    #[serde(default)]
    error_code: Option<String>,
}

/// Reads the code of an error response; the message is ignored.
async fn read_refusal(answer: Response) -> Refusal {
    let status = answer.status().as_u16();
    let wait = answer.headers().get(header::RETRY_AFTER);
    let wait = wait.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    let body = read_body(answer).await.unwrap_or_default();
    let told: Told = serde_json::from_slice(&body).unwrap_or_default();
    let plain = |code: &String| {
        (1..=80).contains(&code.len())
            && code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let code = told
        .error_code
        .or_else(|| told.code.as_str().map(Into::into));
    let code = code.filter(plain);
    let (message, next) = match status {
        401 | 403 => (
            "O provedor de identidade não aceitou a chave do serviço.",
            Some("Peça a quem opera o serviço que confira PAUTA_IDENTITY_ADMIN_KEY."),
        ),
        429 => (
            "O provedor de identidade está limitando os pedidos.",
            Some("Espere e repita o mesmo pedido."),
        ),
        500.. => (
            "O provedor de identidade está com falha.",
            Some("Repita o mesmo pedido mais tarde."),
        ),
        _ => ("O provedor de identidade recusou o pedido.", None),
    };
    let shown = code.clone().unwrap_or_else(|| status.to_string());
    let mut error = Error::new(Code::PROVIDER_FAILED)
        .because(message)
        .with_detail("provider_code", shown.into());
    if let Some(next) = next {
        error = error.with_detail("next", next.into());
    }
    if let Some(seconds) = wait {
        error = error.with_retry_after(seconds);
    }
    Refusal {
        status,
        code,
        error,
    }
}
