//! A client that polls tasks (extension `io.modelcontextprotocol/tasks`).

use serde_json::{Value, json};

use super::{Answer, Client};

impl Client {
    /// Sends a request of protocol version 2026-07-28 that declares the extension.
    pub async fn send_as_task_client(&self, method: &str, mut params: Value) -> Answer {
        let extensions = json!({ "io.modelcontextprotocol/tasks": {} });
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            json!({ "extensions": extensions });
        self.send_modern_rpc(method, params).await
    }

    /// Calls a tool; returns the task that it starts.
    pub async fn start_task(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self
            .send_as_task_client("tools/call", params)
            .await
            .expect(200);
        let task = &answer.body["result"];
        assert_eq!(task["resultType"], "task", "{}", answer.text);
        assert_eq!(task["ttlMs"], Value::Null);
        assert!(task.get("ttlMs").is_some(), "{task}");
        assert!(
            task["pollIntervalMs"]
                .as_u64()
                .is_some_and(|interval| interval >= 1_000)
        );
        task.clone()
    }

    /// The state of a task.
    pub async fn load_task(&self, id: &Value) -> Value {
        let params = json!({ "taskId": id });
        let answer = self
            .send_as_task_client("tasks/get", params)
            .await
            .expect(200);
        let task = &answer.body["result"];
        assert_eq!(task["resultType"], "complete", "{}", answer.text);
        assert_eq!(&task["taskId"], id, "{}", answer.text);
        task.clone()
    }
}
