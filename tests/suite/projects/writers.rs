//! No change is lost when many clients read, change and write one project.
//!
//! `PAUTA_TEST_WRITES=20000` sets the number of writes.

use std::time::Instant;

use domain::Role;
use serde_json::{Value, json};

use super::{Desk, string_value};
use crate::support::{Client, write_count};

/// The number of clients. Each client repeatedly increments the counter that it has read.
const CLIENTS: usize = 8;
/// The number of items whose titles are counters. Several clients share each item.
const ITEMS: usize = 4;

/// The state that a client read last: the revision, and the counter in its item's title.
struct Seen {
    revision: Value,
    number: u64,
}

async fn read_counter(client: &Client, id: &str, item: &str) -> Seen {
    let project = client
        .get(&format!("/api/projects/{id}"))
        .await
        .expect(200)
        .body;
    let sections = project["project"]["sections"].as_array().expect("sections");
    let mut items = sections
        .iter()
        .flat_map(|s| s["items"].as_array().expect("items"));
    let item = items.find(|i| i["id"] == item).expect("the item");
    Seen {
        revision: project["project"]["revision"].clone(),
        number: string_value(&item["title"]).parse().expect("a number"),
    }
}

/// Increments the counter of the item `times` times; returns how many writes were refused as stale.
async fn increment_counter(client: Client, id: String, item: String, times: usize) -> usize {
    let path = format!("/api/projects/{id}/operations");
    let mut seen = read_counter(&client, &id, &item).await;
    let (mut done, mut refused) = (0, 0);
    while done < times {
        let input = json!({
            "type": "item.update", "expected_revision": seen.revision,
            "payload": { "item_id": item, "title": (seen.number + 1).to_string() },
        });
        let answer = client.post(&path, input).await;
        if answer.status == 200 {
            seen = Seen {
                revision: answer.body["revision"].clone(),
                number: seen.number + 1,
            };
            done += 1;
            continue;
        }
        let details = answer.expect_refusal(409, "STALE_REVISION").body["details"].clone();
        refused += 1;
        let since = details["since"].as_array().expect("operations");
        let whole = details.get("since_omitted").is_none();
        if whole && since.iter().all(|operation| operation["item_id"] != *item) {
            // The operations since the read have changed other items, so the counter is still
            // current.
            seen.revision = details["current"].clone();
        } else {
            seen = read_counter(&client, &id, &item).await;
        }
    }
    refused
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_update_is_lost_between_competing_clients() {
    let desk = Desk::new().await;
    let second = desk.app.second_instance().await;
    let section = desk.add_section("Contadores").await;
    let mut items = vec![];
    for _ in 0..ITEMS {
        items.push(desk.add_item(&section, "0").await);
    }
    let before = desk.load_stored_project().await.revision.get();
    let (each, begun) = (write_count() / CLIENTS, Instant::now());
    let mut clients = tokio::task::JoinSet::new();
    for index in 0..CLIENTS {
        let member = desk.app.add_member(Role::Criador).await;
        let client = desk.app.token_client(&member).await;
        let client = if index % 2 == 0 {
            client
        } else {
            client.at_instance(&second)
        };
        clients.spawn(increment_counter(
            client,
            desk.id.clone(),
            items[index % ITEMS].clone(),
            each,
        ));
    }
    let refused: usize = clients.join_all().await.into_iter().sum();
    let project = desk.read_project().await;
    for item in project["sections"][0]["items"].as_array().expect("items") {
        assert_eq!(item["title"], (each * CLIENTS / ITEMS).to_string());
    }
    let written = i64::try_from(each * CLIENTS).expect("a count");
    assert_eq!(project["revision"], before + written);
    desk.assert_replays().await;
    println!(
        "{written} writes, {refused} refused as stale, {:?}",
        begun.elapsed()
    );
}
