//! Tasks (SEP-2663, extension `io.modelcontextprotocol/tasks`): videos and publications, which
//! continue after the call that starts them.
//!
//! The service does not store tasks: a task is derived from the row that the operation stores anyway,
//! and its id contains the id of that row. `tasks/get` and `tasks/cancel` call, through the gateway, the
//! operations that agents without tasks use to poll and cancel, so the same guards and the same audit
//! apply. `tasks/cancel` asks no question first, because a host sends it when its user cancels.
//!
//! In addition, only the member who started a task can see it; for all others it does not exist. The
//! publication of a variant has no single owner: its task belongs to everyone who may decide about it.
//!
//! A call becomes a task only if its client declares the extension in the request (protocol version
//! 2026-07-28), its caller may read the state, and work is left to do. Other calls get the ordinary
//! result, and their clients poll.
//!
//! If a video or a publication fails, its task is `completed` with an `isError` result, as the
//! specification requires: `failed` is reserved for JSON-RPC errors. Tasks never ask for input, so
//! `tasks/update` is acknowledged without effect. This protocol version has no `tasks/result`.

use gateway::{CallInput, Code, Error, Input, Registered};
use rmcp::{
    ErrorData,
    model::{
        CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, GetTaskResult, JsonObject,
        Task, TaskPayload, TaskStatus,
    },
};
use serde_json::{Map, Value};

use super::{
    caller::Caller,
    results::{Called, error_text, server_meta},
};

/// Maximum length of the row's id in a task id, in bytes. A longer id is unknown.
const LONGEST_ID: usize = 80;

/// The state of a task, derived from its row.
enum Stage {
    Working(String),
    Succeeded,
    Failed,
    Canceled,
}

/// A kind of task.
struct Kind {
    /// The prefix of the task ids.
    prefix: &'static str,
    /// The operation that starts a task, and the JSON pointer to the row's id in its answer.
    started_by: &'static str,
    id_pointer: &'static str,
    /// The JSON pointer to the row in that answer, if some calls of the operation leave nothing to do.
    answered_row: Option<&'static str>,
    /// The operation that reads the row, its input field for the id, and the JSON pointer to the
    /// row in its answer.
    read_by: &'static str,
    asked_by: &'static str,
    row: &'static str,
    /// Whether only the member who created the row can see the task.
    is_private: bool,
    cancellation: Option<Cancellation>,
    poll_interval_ms: u64,
    stage: fn(&Value) -> Stage,
    /// Adds to a row the fields that have other names in the answer of the operation that starts a
    /// task.
    complete_result: fn(&mut Map<String, Value>),
}

/// How a task is canceled.
struct Cancellation {
    operation: &'static str,
    /// The input of the operation, apart from the id of the row.
    action: Option<(&'static str, &'static str)>,
    /// The refusal of a row whose state does not allow the cancellation, or has just changed.
    refused: Code,
}

/// How often a cancellation is tried while the state of the row changes.
const CANCELLATIONS: usize = 3;

static KINDS: [Kind; 3] = [
    Kind {
        prefix: "video-",
        started_by: "start_video_generation",
        id_pointer: "/id",
        answered_row: None,
        read_by: "get_video_generation",
        asked_by: "id",
        row: "",
        is_private: true,
        cancellation: Some(Cancellation {
            operation: "cancel_video_generation",
            action: None,
            refused: tools::video::JOB_FINISHED,
        }),
        poll_interval_ms: 30_000,
        stage: stage_of_video,
        complete_result: |_| {},
    },
    Kind {
        prefix: "publicacao-",
        started_by: "publish_shortvideo",
        id_pointer: "/publication_id",
        answered_row: None,
        read_by: "list_shortvideo_publications",
        asked_by: "publication_id",
        row: "/publications/0",
        is_private: true,
        // A publication that TikTok has accepted cannot be cancelled.
        cancellation: None,
        poll_interval_ms: 10_000,
        stage: stage_of_publication,
        complete_result: |row| {
            row.insert("ok".into(), true.into());
            if let Some(id) = row.get("id").cloned() {
                row.insert("publication_id".into(), id);
            }
        },
    },
    Kind {
        prefix: "postagem-",
        started_by: "decide_publication",
        id_pointer: "/publication/id",
        answered_row: Some("/publication"),
        read_by: "list_publications",
        asked_by: "publication_id",
        row: "/publications/0",
        is_private: false,
        cancellation: Some(Cancellation {
            operation: "decide_publication",
            action: Some(("action", "cancelar")),
            refused: tools::publishing::PUBLICATION_STATE,
        }),
        poll_interval_ms: 10_000,
        stage: stage_of_scheduled_post,
        complete_result: |row| {
            let publication = std::mem::take(row);
            row.insert("ok".into(), true.into());
            row.insert("publication".into(), Value::Object(publication));
        },
    },
];

fn stage_of_video(row: &Value) -> Stage {
    match row["status"].as_str().unwrap_or_default() {
        "completed" => Stage::Succeeded,
        "canceled" => Stage::Canceled,
        "failed" => Stage::Failed,
        "queued" => Stage::Working("O vídeo está na fila.".into()),
        _ => Stage::Working(format!("O vídeo está em {} %.", row["progress"])),
    }
}

fn stage_of_publication(row: &Value) -> Stage {
    let working = |message: &str| Stage::Working(message.into());
    match row["status"].as_str().unwrap_or_default() {
        "published" => Stage::Succeeded,
        "failed" | "unknown" => Stage::Failed,
        "submitting" => working("O pedido está sendo enviado ao TikTok."),
        "uploading" => working("O vídeo está subindo para o TikTok."),
        _ => working("O TikTok está processando."),
    }
}

fn stage_of_scheduled_post(row: &Value) -> Stage {
    let working = |message: &str| Stage::Working(message.into());
    match row["status"].as_str().unwrap_or_default() {
        "published" => Stage::Succeeded,
        "canceled" => Stage::Canceled,
        "failed" | "unknown" | "late" => Stage::Failed,
        // What holds the publication up, such as the pause of all publications.
        _ if let Some(reason) = row["message"].as_str() => working(reason),
        "scheduled" => working("A publicação está na fila."),
        "preparing" | "ready" => working("O post está sendo preparado."),
        _ => working("A rede está publicando o post."),
    }
}

/// Finds the task that a call has started; `None` if the operation starts no task, the client does not
/// support tasks, the caller may not read the row, or nothing is left to do.
pub(super) async fn find_started_task(
    caller: &Caller<'_>,
    operation: &Registered,
    called: &Called,
) -> Option<CreateTaskResult> {
    let mut kinds = KINDS.iter();
    let kind = kinds.find(|kind| kind.started_by == operation.spec.name)?;
    if !caller.supports_tasks() {
        return None;
    }
    let started: Value = serde_json::from_str(&called.body).ok()?;
    let answered = kind.answered_row.and_then(|at| started.pointer(at));
    if answered.is_some_and(|row| !kind.is_working(row)) {
        return None;
    }
    let id = started.pointer(kind.id_pointer)?.as_str()?;
    let row = kind.read_row(caller, id).await.ok()??;
    let task = kind.build_task(id, &row)?;
    Some(CreateTaskResult::new(task).with_meta(server_meta()))
}

/// Returns the state of a task.
pub(super) async fn get_task(caller: &Caller<'_>, id: &str) -> Result<GetTaskResult, ErrorData> {
    let (kind, id, row) = find_task(caller, id).await?;
    let unreadable = || ErrorData::internal_error("the row of a task has no times", None);
    let task = kind.build_task(id, &row).ok_or_else(unreadable)?;
    let payload = match (kind.stage)(&row) {
        Stage::Working(_) => TaskPayload::Working,
        Stage::Canceled => TaskPayload::Cancelled,
        Stage::Failed => TaskPayload::Completed {
            result: to_object(&failure(&row, caller.request_id())),
        },
        Stage::Succeeded => TaskPayload::Completed {
            result: to_object(&kind.success(caller, row)),
        },
    };
    let mut result = GetTaskResult::new(DetailedTask::new(task, payload));
    result.meta = Some(server_meta());
    Ok(result)
}

/// Cancels a task. Acknowledged without effect if the task has ended or can no longer be canceled.
///
/// Fails with -32602 if the task is unknown, or if this client may not call the operation that cancels.
pub(super) async fn cancel_task(caller: &Caller<'_>, id: &str) -> Result<(), ErrorData> {
    let (kind, id, mut row) = find_task(caller, id).await?;
    let Some(cancellation) = &kind.cancellation else {
        return Ok(());
    };
    let operation = caller.app.gateway.registry.find(cancellation.operation);
    if !operation.is_some_and(|operation| caller.can_see(operation)) {
        let message = "Esta conexão não pode cancelar a tarefa.";
        return Err(ErrorData::invalid_params(message, None));
    }
    for _ in 0..CANCELLATIONS {
        // The operation would also cancel what waits for a person, such as a late publication. What is
        // being published can no longer be canceled.
        if !kind.is_working(&row) || !allows(&row, cancellation.action) {
            return Ok(());
        }
        let action = cancellation.action.into_iter();
        let fields = action.map(|(name, value)| (name.to_owned(), value.into()));
        let of_row = (kind.asked_by.to_owned(), id.into());
        let input = Input::from_iter(fields.chain([of_row]));
        match call_operation(caller, cancellation.operation, input).await {
            Ok(_) => return Ok(()),
            Err(error) if error.code != cancellation.refused => {
                return Err(to_protocol_error(&error));
            }
            Err(_) => match kind.read_row(caller, id).await? {
                Some(read) => row = read,
                None => return Ok(()),
            },
        }
    }
    Ok(())
}

/// Whether a row that lists its possible actions lists this one.
fn allows(row: &Value, action: Option<(&str, &str)>) -> bool {
    match (row["actions"].as_array(), action) {
        (Some(possible), Some((_, action))) => possible.iter().any(|one| one == action),
        _ => true,
    }
}

/// Fails with -32602 if the task is unknown or, for a private kind, another member started it.
pub(super) async fn require_task(caller: &Caller<'_>, id: &str) -> Result<(), ErrorData> {
    find_task(caller, id).await.map(|_| ())
}

async fn find_task<'i>(
    caller: &Caller<'_>,
    id: &'i str,
) -> Result<(&'static Kind, &'i str, Value), ErrorData> {
    let named = KINDS
        .iter()
        .find_map(|kind| Some((kind, id.strip_prefix(kind.prefix)?)));
    if let Some((kind, id)) = named.filter(|(_, id)| id.len() <= LONGEST_ID)
        && let Some(row) = kind.read_row(caller, id).await?
    {
        return Ok((kind, id, row));
    }
    let message = "Tarefa desconhecida: não existe, ou é de outra pessoa.";
    Err(ErrorData::invalid_params(message, None))
}

impl Kind {
    fn is_working(&self, row: &Value) -> bool {
        matches!((self.stage)(row), Stage::Working(_))
    }

    /// Reads the row of a task; `None` if the row does not exist, the caller may not see it or, for a
    /// private kind, another member started the task.
    async fn read_row(&self, caller: &Caller<'_>, id: &str) -> Result<Option<Value>, ErrorData> {
        let operation = caller.app.gateway.registry.find(self.read_by);
        if !operation.is_some_and(|operation| caller.can_see(operation)) {
            return Ok(None);
        }
        let input = Input::from_iter([(self.asked_by.to_owned(), id.into())]);
        let answer: Value = match call_operation(caller, self.read_by, input).await {
            Ok(body) => serde_json::from_str(&body)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
            // The id is malformed, or the caller may see no row with this id.
            Err(error) if matches!(error.status(), 400 | 403 | 404) => return Ok(None),
            Err(error) => return Err(to_protocol_error(&error)),
        };
        let is_own = |row: &Value| row["created_by"] == caller.principal.member.id.as_str();
        let row = answer.pointer(self.row);
        Ok(row.filter(|row| !self.is_private || is_own(row)).cloned())
    }

    fn build_task(&self, id: &str, row: &Value) -> Option<Task> {
        let (created, updated) = (row["created_at"].as_str()?, row["updated_at"].as_str()?);
        let (status, message) = match (self.stage)(row) {
            Stage::Working(message) => (TaskStatus::Working, Some(message)),
            Stage::Canceled => (TaskStatus::Cancelled, None),
            Stage::Failed | Stage::Succeeded => (TaskStatus::Completed, None),
        };
        let id = format!("{}{id}", self.prefix);
        let task = Task::new(id, status, created, updated);
        let task = task.with_poll_interval_ms(self.poll_interval_ms);
        Some(match message {
            Some(message) => task.with_status_message(message),
            None => task,
        })
    }

    /// Returns the result of a successful task: as structured content, the fields that the output
    /// schema of the starting operation lists, and as text, also the whole row.
    fn success(&self, caller: &Caller<'_>, row: Value) -> CallToolResult {
        let whole = ContentBlock::text(row.to_string());
        let mut fields = match row {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        (self.complete_result)(&mut fields);
        let operation = caller.app.gateway.registry.find(self.started_by);
        let schema = operation.map(Registered::output_schema).unwrap_or_default();
        let published = schema.get("properties").and_then(Value::as_object);
        fields.retain(|name, _| published.is_some_and(|published| published.contains_key(name)));
        let structured = Value::Object(fields);
        let mut result =
            CallToolResult::success(vec![ContentBlock::text(structured.to_string()), whole]);
        result.structured_content = Some(structured);
        result
    }
}

/// Returns the error result of a failed task. The row of a video contains the reason in `error`; the
/// row of a publication contains it in its own fields.
fn failure(row: &Value, request_id: &str) -> CallToolResult {
    let reason = &row["error"];
    if reason.is_object() {
        failure_with_reason(reason, "error", request_id)
    } else {
        failure_with_reason(row, "message", request_id)
    }
}

fn failure_with_reason(reason: &Value, message: &str, request_id: &str) -> CallToolResult {
    let code = reason["code"]
        .as_str()
        .unwrap_or(Code::OUTCOME_UNKNOWN.as_str());
    let message = reason[message].as_str();
    let message = message.unwrap_or(Code::OUTCOME_UNKNOWN.message());
    let mut details = match &reason["details"] {
        Value::Object(details) => details.clone(),
        _ => Map::new(),
    };
    for name in ["provider_code", "next"] {
        if let Some(value) = reason.get(name).filter(|value| value.is_string()) {
            details.insert(name.into(), value.clone());
        }
    }
    let text = error_text(code, message, details, request_id);
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Calls an operation for the caller, with its guards and its audit.
async fn call_operation(caller: &Caller<'_>, name: &str, input: Input) -> Result<String, Error> {
    let gateway = &caller.app.gateway;
    let operation = gateway.registry.find(name);
    let operation = operation.ok_or_else(|| Error::not_found("operação"))?;
    let origin = caller.origin();
    let input = async { Ok(CallInput::Fields(input)) };
    let answer = gateway.invoke(operation, Some(caller.principal), &origin, input);
    answer.await?.body.into_json_text()
}

fn to_object(result: &CallToolResult) -> JsonObject {
    match serde_json::to_value(result) {
        Ok(Value::Object(result)) => result,
        _ => JsonObject::new(),
    }
}

fn to_protocol_error(error: &Error) -> ErrorData {
    let body = error.body();
    let message = format!("{}: {}", body.code, body.error);
    match error.status() {
        500.. => ErrorData::internal_error(message, None),
        _ => ErrorData::invalid_params(message, None),
    }
}
