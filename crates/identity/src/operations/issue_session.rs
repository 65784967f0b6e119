use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{password_grant, refresh_grant, session_tokens::SessionTokens};
use domain::{Email, text_enum};
use gateway::{Access, Context, Error, Fault, Operation, Result, Spec, Verb};

text_enum! {
    /// The credential with which a session is requested.
    pub enum GrantType {
        Password = "password",
        RefreshToken = "refresh_token",
    }
}

/// Abre uma sessão com e-mail e senha, ou renova uma com o `refresh_token`.
///
/// O token de acesso vale 15 minutos; o de renovação vale 30 dias e uma vez só. Usar de novo um
/// token de renovação já trocado devolve o mesmo sucessor por 10 segundos; depois disso, encerra a
/// sessão inteira.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct IssueSession {
    /// `password` pede `email` e `password`; `refresh_token` pede `refresh_token`.
    grant_type: GrantType,
    /// E-mail do membro.
    email: Option<Email>,
    /// Senha do membro.
    #[schemars(length(min = 1, max = 256))]
    password: Option<String>,
    /// O último token de renovação recebido.
    #[schemars(length(min = 1, max = 256))]
    refresh_token: Option<String>,
    /// Aceito de clientes GoTrue, e ignorado.
    #[serde(rename = "gotrue_meta_security")]
    #[expect(dead_code, reason = "GoTrue clients send it")]
    ignored: Option<Map<String, Value>>,
}

impl Operation for IssueSession {
    const SPEC: Spec = Spec::new(
        "issue_session",
        "Abrir ou renovar sessão",
        Verb::Post,
        "/auth/v1/token",
    )
    .access(Access::Public)
    .query(&["grant_type"])
    .fails(&[401, 429])
    .extension()
    .outside()
    .unkeyed();
    type Output = SessionTokens;

    async fn run(self, ctx: &Context<'_>) -> Result<SessionTokens> {
        match self.grant_type {
            GrantType::Password => match (self.email, self.password) {
                (Some(email), Some(password)) => password_grant::run(ctx, &email, &password).await,
                (email, password) => Err(missing_fields_error(&[
                    ("email", email.is_none()),
                    ("password", password.is_none()),
                ])),
            },
            GrantType::RefreshToken => match self.refresh_token {
                Some(token) => {
                    let renewed = refresh_grant::run(ctx, &Self::SPEC, &token).await;
                    renewed.inspect_err(|error| {
                        if error.status() == 401 {
                            ctx.note_refusal("token de renovação recusado", error.code);
                        }
                    })
                }
                None => Err(missing_fields_error(&[("refresh_token", true)])),
            },
        }
    }
}

fn missing_fields_error(fields: &[(&str, bool)]) -> Error {
    let absent = fields.iter().filter(|(_, absent)| *absent);
    let fault = |(field, _): &(&str, bool)| Fault {
        field: (*field).into(),
        rule: "required".into(),
        message: "é obrigatório".into(),
    };
    Error::from_faults(absent.map(fault).collect())
}
