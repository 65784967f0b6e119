//! Errors of operations: status, code and message.

use std::{borrow::Cow, fmt, num::NonZeroU64};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{Capability, Lack};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A stable error code on which clients base their logic. Each area defines its own codes next to
/// its operations. The codes that any call may return are constants here.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code {
    text: &'static str,
    status: u16,
    message: &'static str,
    next: Option<&'static str>,
}

impl Code {
    /// Creates a code from its text, its HTTP status and its message (Portuguese; published).
    #[must_use]
    pub const fn new(text: &'static str, status: u16, message: &'static str) -> Self {
        Self {
            text,
            status,
            message,
            next: None,
        }
    }

    /// Sets the next step for the caller (Portuguese; published).
    #[must_use]
    pub const fn with_next_step(self, next: &'static str) -> Self {
        Self {
            next: Some(next),
            ..self
        }
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.text
    }

    #[must_use]
    pub const fn status(self) -> u16 {
        self.status
    }

    /// Returns the default message of errors with this code.
    #[must_use]
    pub const fn message(self) -> &'static str {
        self.message
    }

    /// Returns the next step for the caller, if the code has one.
    #[must_use]
    pub const fn next_step(self) -> Option<&'static str> {
        self.next
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

macro_rules! common {
    ($($name:ident = $status:literal, $message:literal, $next:expr;)+) => {
        impl Code {
            $(
                pub const $name: Self = Self {
                    text: stringify!($name),
                    status: $status,
                    message: $message,
                    next: $next,
                };
            )+

            /// The codes that any call may return.
            pub const COMMON: &[Self] = &[$(Self::$name),+];
        }
    };
}

common! {
    UNAUTHENTICATED = 401, "Credencial ausente ou inválida.",
        Some("Envie `Authorization: Bearer` com uma sessão ou um token pessoal válido.");
    TOKEN_EXPIRED = 401, "A credencial expirou.",
        Some("Entre de novo ou crie outro token pessoal.");
    TOKEN_REVOKED = 401, "O token pessoal foi revogado.",
        Some("Crie outro token pessoal em uma sessão.");
    NOT_A_MEMBER = 403, "A pessoa não é membro ativo da equipe.",
        Some("Peça a um admin da equipe que convide ou reative este acesso.");
    SESSION_REQUIRED = 403, "Esta operação só aceita a sessão interativa.",
        Some("Entre com e-mail e senha: na linha de comando, `node cli.mjs login --session`; por HTTP, `POST /auth/v1/token?grant_type=password`.");
    CAPABILITY_REQUIRED = 403, "Falta a permissão para esta operação.",
        Some("Não contorne: diga à pessoa qual permissão falta e que um admin da equipe a dá. `get_me` mostra o que esta credencial pode fazer.");
    API_ACCESS_DISABLED = 403, "O acesso por API deste membro está desligado.",
        Some("Não contorne: diga à pessoa que um admin da equipe define o nível dela em `update_member_api_access`.");
    SCOPE_NOT_GRANTED = 403, "Há escopos que este membro não pode conceder agora.",
        Some("Peça só as capacidades que `get_my_access` lista; para outras, diga à pessoa que fale com um admin da equipe.");
    INVALID_INPUT = 400, "Entrada inválida.", None;
    NOT_FOUND = 404, "Recurso não encontrado.", None;
    METHOD_NOT_ALLOWED = 405, "Método não aceito neste endereço.", None;
    STALE_REVISION = 409, "O recurso mudou desde a sua leitura.",
        Some("Releia o recurso, reavalie a mudança e tente de novo com a revisão atual.");
    IDEMPOTENCY_KEY_REUSED = 409, "Esta chave de idempotência já foi usada com outro conteúdo.",
        Some("Use uma chave nova para um pedido diferente.");
    IDEMPOTENCY_IN_PROGRESS = 409, "Um pedido com esta chave ainda está em andamento.",
        Some("Espere alguns segundos e repita com a mesma chave.");
    OUTCOME_UNKNOWN = 409, "Não se sabe se o pedido anterior teve efeito.",
        Some("Confira o resultado antes de repetir com uma chave nova.");
    ORIGIN_NOT_ALLOWED = 403, "Host ou Origin não aceito.",
        Some("Use o endereço público do serviço; quem o opera confere PAUTA_PUBLIC_URL.");
    REQUEST_TIMEOUT = 408, "O pedido não chegou inteiro a tempo.",
        Some("Envie o pedido de novo, sem pausas; por uma rede muito lenta, envie menos de cada vez.");
    PAYLOAD_TOO_LARGE = 413, "O corpo do pedido é grande demais.", None;
    UNSUPPORTED_MEDIA_TYPE = 415, "Tipo de conteúdo não aceito.",
        Some("Envie JSON com `Content-Type: application/json`.");
    RATE_LIMITED = 429, "Tentativas demais.",
        Some("Espere o tempo de `Retry-After` e tente de novo.");
    HEADERS_TOO_LARGE = 431, "O cabeçalho do pedido é grande demais.",
        Some("Endereço e cabeçalhos somam no máximo 64 KiB; envie dados no corpo.");
    PROVIDER_NOT_CONFIGURED = 500, "Não há provedor configurado para isto.",
        Some("Peça a quem opera o serviço que configure o provedor; `pauta doctor` diz o que falta.");
    PROVIDER_FAILED = 500, "O provedor recusou ou falhou.",
        Some("Tente de novo mais tarde; se persistir, peça a quem opera o serviço que rode `pauta doctor`.");
    PROVIDER_TIMEOUT = 500, "O provedor não respondeu a tempo.",
        Some("Espere e confira o resultado; repita com uma chave nova se nada foi gerado.");
    RESULT_TOO_LARGE = 500, "O resultado é grande demais para uma ferramenta.",
        Some("Peça menos: use `limit`, filtros, `cursor` ou uma janela (`de`, `tamanho`).");
    INTERNAL = 500, "Falha interna.",
        Some("Tente de novo; se persistir, informe o `x-request-id` a quem opera o serviço.");
    UNAVAILABLE = 503, "O banco de dados não está disponível agora.",
        Some("Espere o tempo de `Retry-After` e repita o mesmo pedido, com a mesma chave se houver.");
    STORAGE_UNAVAILABLE = 503, "A guarda de mídias não está disponível agora.",
        Some("Espere o tempo de `Retry-After` e tente de novo; se persistir, peça a quem opera o serviço que rode `pauta doctor`.");
    TOO_MANY_CONNECTIONS = 503, "Há conexões demais abertas no serviço.",
        Some("Espere o tempo de `Retry-After` e tente de novo, reusando as conexões que já tem.");
}

/// Maximum number of field errors in one response.
pub const MOST_FAULTS: usize = 50;

/// One field error: the field, the violated rule, and how to correct the value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct Fault {
    /// Nome ou caminho do campo.
    pub field: String,
    /// Regra violada.
    pub rule: String,
    /// Explicação, sem repetir o valor.
    pub message: String,
}

/// An error: its code and the details that the caller needs to act on it.
#[derive(Debug)]
pub struct Error {
    pub code: Code,
    message: Option<Cow<'static, str>>,
    details: Option<Box<Map<String, Value>>>,
    /// Seconds to wait before a retry.
    retry_after: Option<NonZeroU64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    #[must_use]
    pub fn new(code: Code) -> Self {
        Self {
            code,
            message: None,
            details: None,
            retry_after: None,
            source: None,
        }
    }

    /// Creates an error (400) with a single field error.
    #[must_use]
    pub fn invalid_field(field: &str, rule: &str, message: &str) -> Self {
        let fault = Fault {
            field: field.into(),
            rule: rule.into(),
            message: message.into(),
        };
        Self::from_faults(vec![fault])
    }

    /// Creates an error (400) with several field errors. The error lists the first [`MOST_FAULTS`]
    /// field errors and states whether there are more.
    #[must_use]
    pub fn from_faults(mut faults: Vec<Fault>) -> Self {
        let untold = faults.len() > MOST_FAULTS;
        faults.truncate(MOST_FAULTS);
        let listed: Vec<String> = faults
            .iter()
            .take(5)
            .map(|f| format!("`{}` {}", f.field, f.message))
            .collect();
        let more = if faults.len() > 5 { " (e outras)" } else { "" };
        let refused = Self::new(Code::INVALID_INPUT)
            .because(format!("Entrada inválida: {}{more}.", listed.join("; ")))
            .with_detail("fields", json!(faults));
        match untold {
            true => refused.with_detail("more_fields", true.into()),
            false => refused,
        }
    }

    /// Creates the error (413) for a body that exceeds this many bytes.
    #[must_use]
    pub fn body_too_large(limit: usize) -> Self {
        Self::new(Code::PAYLOAD_TOO_LARGE)
            .because(format!("O corpo do pedido passa de {limit} bytes."))
            .with_detail("limit", limit.into())
    }

    /// Creates the error (404) for a resource that does not exist or is hidden from the caller.
    /// `what` is its kind: `evento`, `membro`, `token`…
    #[must_use]
    pub fn not_found(what: &'static str) -> Self {
        Self::new(Code::NOT_FOUND).because(format!("Não encontrado: {what}."))
    }

    /// Creates the same error as [`Self::not_found`]; its next step names the operation that lists
    /// the existing resources.
    #[must_use]
    pub fn not_found_in(what: &'static str, list: &'static str) -> Self {
        Self::not_found(what).with_detail(
            "next",
            format!("Procure o identificador em `{list}`.").into(),
        )
    }

    /// Creates the error of a failed compare-and-set; `current` is the token of the stored state.
    #[must_use]
    pub fn stale_revision(current: impl Into<Value>) -> Self {
        Self::new(Code::STALE_REVISION).with_detail("current", current.into())
    }

    /// Creates the error (403) for a missing capability. `lack` states whether the token, the
    /// agent, the API level or the role lacks the capability.
    #[must_use]
    pub fn capability_required(capability: Capability, lack: Lack) -> Self {
        Self::new(Code::CAPABILITY_REQUIRED)
            .because(lack.message(capability))
            .with_detail("capability", json!(capability))
            .with_detail("missing_from", json!(lack))
            .with_detail("roles", json!(capability.granting_roles()))
            .with_detail("next", lack.advice().into())
    }

    /// Creates an internal error. Its source is logged and never sent to the caller.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(Code::INTERNAL).caused_by(source)
    }

    /// Sets the source error, which is only logged.
    #[must_use]
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }

    #[must_use]
    pub fn because(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.message = Some(message.into());
        self
    }

    #[must_use]
    pub fn with_detail(mut self, key: &str, value: Value) -> Self {
        let details = self.details.get_or_insert_default();
        details.insert(key.into(), value);
        self
    }

    /// True if the details of this error contain a next step. The next step of its code does not count.
    #[must_use]
    pub fn has_next_step(&self) -> bool {
        let mut details = self.details.iter();
        details.any(|details| details.contains_key("next"))
    }

    /// Sets the seconds to wait before a retry (`Retry-After`).
    #[must_use]
    pub fn with_retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = NonZeroU64::new(seconds.max(1));
        self
    }

    #[must_use]
    pub fn status(&self) -> u16 {
        self.code.status()
    }

    #[must_use]
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.retry_after.map(NonZeroU64::get)
    }

    #[must_use]
    pub fn message(&self) -> &str {
        self.message.as_deref().unwrap_or(self.code.message())
    }

    /// Returns the JSON body that the caller receives.
    #[must_use]
    pub fn body(&self) -> ErrorBody {
        let mut details = self.details.as_deref().cloned().unwrap_or_default();
        if let (Some(next), None) = (self.code.next_step(), details.get("next")) {
            details.insert("next".into(), next.into());
        }
        ErrorBody {
            error: self.message().to_owned(),
            code: self.code.as_str(),
            details: (!details.is_empty()).then_some(details),
        }
    }
}

impl Error {
    /// Returns the code, the message and the chain of source errors, for the log. Callers never
    /// receive the sources.
    #[must_use]
    pub fn text_with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let words = error.to_string();
            if !text.contains(&words) {
                text = format!("{text}: {words}");
            }
            cause = error.source();
        }
        text
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

/// The JSON error object of every error response.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorBody {
    /// Mensagem de diagnóstico para pessoas.
    pub error: String,
    /// Código estável para programas.
    pub code: &'static str,
    /// Diagnóstico acionável, quando existe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Map<String, Value>>,
}
