use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::audit::Stored as Model;

use domain::{
    AuditEventId, Capability, Cursor, EventId, Limit, ListPage, MemberId, Revision, TokenId,
    UserId,
    time::{self, LocalDay, Timestamp},
};
use gateway::{
    AUDITED_CHANGES, Access, Context, Door, Error, Operation, Outcome, Result, Spec, Verb,
};
use store::{
    Conn,
    audit::{self, Filter},
    history::{self, ChangedAt, FieldChanges},
    members, resource_names,
};

use crate::visibility::EVENT;

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
    /// Por página.
    #[serde(default)]
    limit: Limit,
    /// O `next_cursor` anterior.
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
    /// O nome do token pessoal, do agente conectado ou da pessoa convidada, também depois de revogado.
    token_name: Option<String>,
    /// Com que credencial.
    #[schemars(extend("enum" = AUTH_METHODS))]
    auth_method: String,
    capability: Option<String>,
    /// O nome da operação, ou `sign_in`, `sign_in_failed`, `sign_out`, `token_refresh_reuse`.
    action: String,
    resource_type: Option<String>,
    resource_id: Option<String>,
    /// O nome atual do recurso; nulo quando ele foi apagado ou não tem nome além do id.
    resource_name: Option<String>,
    /// O que a chamada mudou: situação, data, título e canal de uma peça; papel, nível de API e permissão
    /// financeira de um membro. Vazio quando nada disso mudou.
    changes: Vec<FieldChange>,
    /// `allowed`, `denied`, `succeeded` ou `failed`.
    outcome: String,
    status_code: Option<i64>,
    /// O que há, de: `door` (porta), `client`, `address` (endereço IP de quem chamou), `tool`, `code` (do
    /// erro), `count` e `addresses` (de leituras somadas), `resource_ids`, `agent` e `cause`.
    metadata: Map<String, Value>,
}

/// Um campo que mudou.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FieldChange {
    /// O nome do campo, como em `status` ou `api_access_level`.
    field: String,
    /// O valor de antes.
    before: Value,
    /// O valor de depois.
    after: Value,
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
            return Err(Error::invalid_field("ate", "minimum", message));
        }
        let filter = Filter {
            member_id: self.member_id,
            action: self.action,
            outcome: self.outcome,
            token_id: self.token_id,
            door: self.door.map(Door::as_str),
            from: self.de.map(|day| time::start_of_day(day.0)),
            until: self.ate.map(|day| time::end_of_day(day.0)),
            before: self
                .cursor
                .as_ref()
                .map(Cursor::decode_position)
                .transpose()?,
        };
        let rows = audit::list(&ctx.db(), filter, self.limit.fetch_limit()).await?;
        let page =
            ListPage::from_fetched_rows(rows, self.limit, |row| (row.occurred_at, row.id.clone()));
        let names = Names::load_for_rows(&ctx.db(), &page.rows).await?;
        let view = |row| names.audit_event_view(row);
        Ok(AuditEvents {
            audit: page.rows.into_iter().map(view).collect::<Result<_>>()?,
            next_cursor: page.next_cursor,
        })
    }
}

/// The names and event changes to which the rows of a page refer. The names include those of former
/// members and revoked credentials.
struct Names {
    members: HashMap<MemberId, String>,
    /// The names, by kind and id of the resource. Agents and tokens also count as resources.
    resources: HashMap<(String, String), String>,
    changes: HashMap<ChangedAt, (Revision, FieldChanges)>,
}

impl Names {
    async fn load_for_rows(db: &Conn<'_>, rows: &[Model]) -> Result<Self> {
        let actors = rows.iter().filter_map(|row| row.actor_member_id.as_ref());
        let actors: BTreeSet<_> = actors.collect();
        let resources = rows.iter().filter_map(|row| {
            let (kind, id) = (row.resource_type.as_deref()?, row.resource_id.as_deref()?);
            Some((kind, id))
        });
        let credentials = rows.iter().filter_map(credential_key);
        let resources: BTreeSet<_> = resources.chain(credentials).collect();
        let changes: HashSet<_> = rows.iter().filter_map(event_change_key).collect();
        Ok(Self {
            members: members::load_names(db, actors).await?,
            resources: resource_names::load_names(db, &resources).await?,
            changes: history::load_state_changes(db, &changes).await?,
        })
    }

    fn audit_event_view(&self, row: Model) -> Result<AuditEvent> {
        let actor = row.actor_member_id.as_ref();
        let mut metadata: Map<String, Value> = serde_json::from_str(&row.metadata)?;
        let named = metadata.remove(AUDITED_CHANGES);
        let recorded = event_change_key(&row).and_then(|at| self.changes.get(&at));
        let recorded = recorded.map(|(_, changes)| changes);
        let changes = match (named, recorded) {
            (Some(Value::Object(changes)), _) => changes,
            (_, Some(changes)) => changes.0.clone(),
            _ => Map::new(),
        };
        let resource = row.resource_type.clone().zip(row.resource_id.clone());
        let credential = credential_key(&row).map(|(kind, id)| (kind.to_owned(), id.to_owned()));
        Ok(AuditEvent {
            id: row.id,
            occurred_at: Timestamp(row.occurred_at),
            request_id: row.request_id,
            actor_name: actor.and_then(|id| self.members.get(id)).cloned(),
            actor_member_id: row.actor_member_id,
            actor_user_id: row.actor_user_id,
            token_id: row.token_id,
            token_name: credential.and_then(|key| self.resources.get(&key)).cloned(),
            auth_method: row.auth_method,
            capability: row.capability,
            action: row.action,
            resource_name: resource.and_then(|key| self.resources.get(&key)).cloned(),
            resource_type: row.resource_type,
            resource_id: row.resource_id,
            changes: changes
                .into_iter()
                .map(FieldChange::from_named_change)
                .collect(),
            outcome: row.outcome,
            status_code: row.status_code,
            metadata,
        })
    }
}

/// Returns the key under which the history of an event may contain the change of this audit row; `None`
/// if the row is not about a successful call on an event.
fn event_change_key(row: &Model) -> Option<ChangedAt> {
    if row.resource_type.as_deref() != Some(EVENT.kind)
        || row.outcome != Outcome::Succeeded.as_str()
    {
        return None;
    }
    let id = EventId::from_stored(row.resource_id.clone()?)?;
    Some((id, row.actor_member_id.clone()?, row.occurred_at))
}

/// Returns the kind and id of the credential that made the call of this audit row: an agent, a token or
/// a guest's link.
fn credential_key(row: &Model) -> Option<(&str, &str)> {
    let kind = match row.auth_method.as_str() {
        "connected_agent" => "agent",
        "personal_token" => "token",
        "guest" => "guest_link",
        _ => return None,
    };
    Some((kind, row.token_id.as_ref()?.as_str()))
}

impl FieldChange {
    fn from_named_change((field, mut change): (String, Value)) -> Self {
        Self {
            field,
            before: change["before"].take(),
            after: change["after"].take(),
        }
    }
}
