use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::audit::Stored as Model;

use domain::{
    AuditEventId, Capability, Cursor, Limit, ListPage, MemberId, TokenId, UserId,
    time::{self, LocalDay, Timestamp},
};
use gateway::{Access, Context, Door, Error, Operation, Outcome, Result, Spec, Verb};
use store::{
    audit::{self, Filter},
    members,
};

/// Lista a auditoria do acesso à API, do mais novo ao mais antigo.
///
/// Nunca contém corpos, segredos nem cabeçalhos. Leituras comuns aparecem somadas por minuto, em
/// `metadata.count`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListAuditEvents {
    /// Só o que este membro fez.
    member_id: Option<MemberId>,
    /// Só esta ação, como `create_my_token` ou `sign_in_failed`.
    #[schemars(length(min = 1, max = 80))]
    action: Option<String>,
    /// Só este desfecho.
    outcome: Option<Outcome>,
    /// Só o que este token pessoal ou agente conectado fez.
    token_id: Option<TokenId>,
    /// Só o que veio por esta porta: API, MCP, console ou linha de comando.
    door: Option<Door>,
    /// Primeiro dia (AAAA-MM-DD), no horário de Brasília.
    de: Option<LocalDay>,
    /// Último dia, inclusive (AAAA-MM-DD), no horário de Brasília.
    ate: Option<LocalDay>,
    /// Quantas linhas por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` da página anterior.
    cursor: Option<Cursor>,
}

/// All values of `auth_method`.
const AUTH_METHODS: [&str; 7] = [
    "session",
    "personal_token",
    "connected_agent",
    "shared_secret",
    "guest",
    "system",
    "anonymous",
];

/// Linhas da auditoria.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditEvents {
    audit: Vec<AuditEvent>,
    /// Para pedir a próxima página; nulo na última.
    next_cursor: Option<String>,
}

/// Uma linha da auditoria.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditEvent {
    id: AuditEventId,
    occurred_at: Timestamp,
    request_id: Option<String>,
    actor_member_id: Option<MemberId>,
    /// Nome do membro.
    actor_name: Option<String>,
    actor_user_id: Option<UserId>,
    token_id: Option<TokenId>,
    /// Com que credencial.
    #[schemars(extend("enum" = AUTH_METHODS))]
    auth_method: String,
    capability: Option<String>,
    /// O nome da operação, ou `sign_in`, `sign_in_failed`, `sign_out`, `token_refresh_reuse`.
    action: String,
    resource_type: Option<String>,
    resource_id: Option<String>,
    /// `allowed`, `denied`, `succeeded` ou `failed`.
    outcome: String,
    status_code: Option<i64>,
    /// O que há, de: `door` (porta), `client`, `address` (endereço IP de quem chamou), `tool`, `code` (do
    /// erro), `count` e `addresses` (de leituras somadas), `resource_ids`, `agent` e `cause`.
    metadata: Map<String, Value>,
}

impl Operation for ListAuditEvents {
    const SPEC: Spec = Spec::new(
        "list_audit_events",
        "Listar auditoria",
        Verb::Get,
        "/api/access/audit",
    )
    .access(Access::Session(Capability::TeamAdmin));
    type Output = AuditEvents;

    async fn run(self, ctx: &Context<'_>) -> Result<AuditEvents> {
        if self.de.zip(self.ate).is_some_and(|(de, ate)| ate < de) {
            let message = "não pode ser um dia anterior a `de`";
            return Err(Error::invalid("ate", "minimum", message));
        }
        let filter = Filter {
            member_id: self.member_id,
            action: self.action,
            outcome: self.outcome,
            token_id: self.token_id,
            door: self.door.map(Door::as_str),
            from: self.de.map(|day| time::start_of_day(day.0)),
            until: self.ate.map(|day| time::end_of_day(day.0)),
            before: self.cursor.as_ref().map(Cursor::read).transpose()?,
        };
        let rows = audit::list(&ctx.db(), filter, self.limit.fetch_limit()).await?;
        let page = ListPage::cut(rows, self.limit, |row| (row.occurred_at, row.id.clone()));
        let actors = page
            .rows
            .iter()
            .filter_map(|row| row.actor_member_id.as_ref());
        let names = members::load_names(&ctx.db(), actors.collect::<BTreeSet<_>>()).await?;
        let view = |row| audit_event_view(row, &names);
        Ok(AuditEvents {
            audit: page.rows.into_iter().map(view).collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}

fn audit_event_view(row: Model, names: &HashMap<MemberId, String>) -> Result<AuditEvent> {
    let actor = row.actor_member_id.as_ref();
    Ok(AuditEvent {
        id: row.id,
        occurred_at: Timestamp(row.occurred_at),
        request_id: row.request_id,
        actor_name: actor.and_then(|id| names.get(id)).cloned(),
        actor_member_id: row.actor_member_id,
        actor_user_id: row.actor_user_id,
        token_id: row.token_id,
        auth_method: row.auth_method,
        capability: row.capability,
        action: row.action,
        resource_type: row.resource_type,
        resource_id: row.resource_id,
        outcome: row.outcome,
        status_code: row.status_code,
        metadata: serde_json::from_str(&row.metadata)?,
    })
}
