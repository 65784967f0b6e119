//! Many clients read, change and write one draft over both interfaces and two instances: no change
//! is lost.
//!
//! `PAUTA_TEST_WRITES=20000` makes that many writes.

use std::time::Instant;

use domain::Role;
use serde_json::{Value, json};

use super::{create_draft, draft_path};
use crate::support::{Client, TestApp, write_count};

/// The number of clients. Each one repeatedly increments a counter that it has read.
const CLIENTS: usize = 8;
/// The number of counters in the draft.
const COUNTERS: usize = 4;
const DRAFT: &str = "contadores";

/// The way a client writes.
#[derive(Clone, Copy)]
enum Way {
    Put,
    PutTool,
    Replace,
    ReplaceTool,
}

const WAYS: [Way; 4] = [Way::Put, Way::ReplaceTool, Way::Replace, Way::PutTool];

/// The draft that a client has last read.
struct Seen {
    token: Value,
    html: String,
}

impl Seen {
    async fn read_draft(client: &Client) -> Self {
        let read = client.get(&draft_path(DRAFT)).await.expect(200).body;
        Self {
            token: read["draft"]["updated_at"].clone(),
            html: read["draft"]["html"].as_str().expect("HTML").to_owned(),
        }
    }

    fn counter_replacement(&self, index: usize) -> (String, String) {
        let start = format!("<b id=\"{index}\">");
        let (_, rest) = self.html.split_once(&start).expect("the counter");
        let (number, _) = rest.split_once('<').expect("the end of the counter");
        let next = number.parse::<u64>().expect("a number") + 1;
        (format!("{start}{number}<"), format!("{start}{next}<"))
    }
}

/// Increments a counter of the draft. Returns false if another client has written first.
async fn increment_counter(client: &Client, way: Way, index: usize, seen: &Seen) -> bool {
    let (old, new) = seen.counter_replacement(index);
    let html = seen.html.replace(&old, &new);
    let put = json!({ "html": html, "expected_updated_at": seen.token });
    let replace = json!({ "procurar": old, "trocar_por": new, "expected_updated_at": seen.token });
    let with_id = |mut input: Value| {
        input["templateId"] = DRAFT.into();
        input
    };
    let answer = match way {
        Way::Put => client.put(&draft_path(DRAFT), put).await,
        Way::Replace => {
            client
                .post(&format!("{}/substituir", draft_path(DRAFT)), replace)
                .await
        }
        Way::PutTool | Way::ReplaceTool => {
            let (name, input) = match way {
                Way::PutTool => ("put_email_draft", put),
                _ => ("replace_in_email_draft", replace),
            };
            let tool = client.call_tool(name, with_id(input)).await;
            let stale = tool.text.starts_with("STALE_REVISION");
            assert!(!tool.is_error || stale, "{}", tool.text);
            return !tool.is_error;
        }
    };
    if answer.status == 200 {
        return true;
    }
    answer.expect_refusal(409, "STALE_REVISION");
    false
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_change_is_lost_between_competing_clients() {
    let app = TestApp::new().await;
    let second = app.second_instance().await;
    let lead = app.as_member(Role::Lider).await;
    let counters = (0..COUNTERS).map(|index| format!("<b id=\"{index}\">0</b>\n"));
    create_draft(&lead, DRAFT, &counters.collect::<String>()).await;
    let (each, begun) = (write_count() / CLIENTS, Instant::now());
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let member = app.add_member(Role::Lider).await;
        let client = app.token_client(&member).await;
        let client = if number % 2 == 0 {
            client
        } else {
            client.at_instance(&second)
        };
        clients.spawn(async move {
            let (mut done, mut refused) = (0, 0);
            while done < each {
                let seen = Seen::read_draft(&client).await;
                let way = WAYS[(done + number) % WAYS.len()];
                match increment_counter(&client, way, number % COUNTERS, &seen).await {
                    true => done += 1,
                    false => refused += 1,
                }
            }
            refused
        });
    }
    let refused: usize = clients.join_all().await.into_iter().sum();
    let seen = Seen::read_draft(&lead).await;
    let expected = (each * CLIENTS / COUNTERS).to_string();
    for index in 0..COUNTERS {
        let counter = format!("<b id=\"{index}\">{expected}</b>");
        assert!(seen.html.contains(&counter), "{}", seen.html);
    }
    println!(
        "{} writes, {refused} refused as stale, {:?}",
        each * CLIENTS,
        begun.elapsed()
    );
}
