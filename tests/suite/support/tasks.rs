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

    /// Asks to cancel a task, and asserts that the request is acknowledged.
    pub async fn cancel_task(&self, id: &Value) {
        let params = json!({ "taskId": id });
        let answer = self.send_as_task_client("tasks/cancel", params).await;
        let kind = &answer.body["result"]["resultType"];
        assert_eq!(kind, "complete", "{}", answer.text);
    }

    /// Asserts that a structured result follows the output schema that the tool publishes.
    pub async fn assert_follows_output_schema(&self, tool: &str, structured: &Value) {
        let listed = self.send_modern_rpc("tools/list", json!({})).await.body;
        let tools = listed["result"]["tools"].as_array().expect("tools");
        let tool = tools.iter().find(|listed| listed["name"] == tool);
        let schema = &tool.expect("the tool")["outputSchema"];
        let schema = jsonschema::validator_for(schema).expect("a schema");
        assert!(schema.is_valid(structured), "{structured}");
    }
}
