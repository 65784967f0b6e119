//! Concurrent writes, and repeated calls with idempotency keys.
//!
//! Most races run against one instance of the service and against two instances over one database.

mod keys;
mod one_effect;
mod replays;
mod writers;

use std::sync::Arc;

use serde_json::Value;
use tokio::{sync::Barrier, task::JoinSet};

use crate::support::{Client, TestApp};

/// The number of callers in a race.
const CALLERS: usize = 50;

/// A write operation: its tool and its REST path.
#[derive(Clone, Copy)]
struct Write {
    tool: &'static str,
    path: &'static str,
}

const CREATE: Write = Write {
    tool: "create_demand",
    path: "/api/demanda",
};

const DRAFT: Write = Write {
    tool: "save_draft",
    path: "/api/draft",
};

const SUBMIT: Write = Write {
    tool: "submit_for_approval",
    path: "/api/enviar",
};

const DECIDE: Write = Write {
    tool: "decide_approval",
    path: "/api/aprovar",
};

const PUBLISH: Write = Write {
    tool: "publish_config_version",
    path: "/api/config",
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interface {
    Rest,
    Mcp,
}

/// The outcome of a call over REST or MCP.
#[derive(Debug)]
struct Outcome {
    interface: Interface,
    /// The code of a refusal.
    code: Option<String>,
    /// The body of the response, or the text of the tool result.
    text: String,
    /// The `current` revision in a refusal's details.
    current: Value,
    /// Whether the response is a replay. Only REST reports it.
    replayed: bool,
}

impl Outcome {
    fn parse_body(&self) -> Value {
        serde_json::from_str(&self.text).expect("an answer")
    }

    fn is_ok(&self) -> bool {
        self.code.is_none()
    }
}

/// Calls the operation over the interface. The key is sent in the header over REST and in the
/// arguments over MCP.
async fn call_operation(
    client: Client,
    interface: Interface,
    write: Write,
    mut input: Value,
    key: Option<String>,
) -> Outcome {
    if interface == Interface::Rest {
        let client = key.map_or(client.clone(), |key| client.with_idempotency_key(&key));
        let answer = client.post(write.path, input).await;
        let replayed = answer.headers.get("idempotency-replayed");
        return Outcome {
            interface,
            code: (answer.status != 200).then(|| answer.error_code().to_owned()),
            current: answer.body["details"]["current"].clone(),
            replayed: replayed.is_some_and(|value| value == "true"),
            text: answer.text,
        };
    }
    if let Some(key) = key {
        input["idempotency_key"] = key.into();
    }
    let tool = client.call_tool(write.tool, input).await;
    assert_eq!(tool.rpc_error, None);
    let code = tool.text.split(':').next().unwrap_or_default().to_owned();
    let details = tool
        .text
        .lines()
        .find_map(|line| line.strip_prefix("Detalhes: "));
    let details: Value = details.map_or(Value::Null, |json| {
        serde_json::from_str(json).expect("JSON")
    });
    Outcome {
        interface,
        code: tool.is_error.then_some(code),
        current: details["current"].clone(),
        replayed: false,
        text: tool.text,
    }
}

/// Runs all calls on separate tasks that start at the same moment.
async fn run_simultaneously<F>(calls: impl IntoIterator<Item = F>) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let calls: Vec<F> = calls.into_iter().collect();
    let gate = Arc::new(Barrier::new(calls.len()));
    let mut tasks = JoinSet::new();
    for call in calls {
        let gate = gate.clone();
        tasks.spawn(async move {
            gate.wait().await;
            call.await
        });
    }
    tasks.join_all().await
}

/// Callers with an even index use REST, those with an odd index MCP.
fn interface_for(index: usize) -> Interface {
    if index.is_multiple_of(2) {
        Interface::Rest
    } else {
        Interface::Mcp
    }
}

/// One instance of the service, or two instances over one database. Callers are assigned in pairs, so
/// that both interfaces of both instances are used.
struct Instances(Vec<TestApp>);

impl Instances {
    async fn new(count: usize) -> Self {
        let mut apps = vec![TestApp::new().await];
        if count == 2 {
            apps.push(apps[0].second_instance().await);
        }
        Self(apps)
    }

    fn first_instance(&self) -> &TestApp {
        &self.0[0]
    }

    fn client_at(&self, client: &Client, index: usize) -> Client {
        client.at_instance(&self.0[index / 2 % self.0.len()])
    }
}
