//! Searches of the agenda over more events than the first query reads.

use domain::Role;
use serde_json::json;

use super::path_with_query;
use crate::support::{Client, TestApp};

/// Words of the titles. Each title has one word of each group, so that some texts are common and
/// others rare.
const WORDS: [&[&str]; 3] = [
    &["bolo", "bolo", "bolo", "bolo", "broa", "#boladefoga"],
    &["de", "de", "com", "100%"],
    &[
        "fuba",
        "milho",
        "queijo",
        "requeijao",
        "laranja",
        "coco",
        "☕",
    ],
];

/// Search texts: common, rare and absent ones, punctuation, and parts within or across words.
const TEXTS: [&str; 17] = [
    "  ",
    "bolo",
    "broa",
    "adefo",
    "queijo",
    "eij",
    "o de f",
    "bolo de coco",
    "coco bolo",
    "%",
    "☕",
    "o 1",
    "zz",
    "00% c",
    "laranja 7",
    " ",
    "requeijao 12",
];

async fn run_jobs(app: &TestApp) {
    app.advance_clock(61_000);
    app.app.worker().drain().await.expect("the jobs run");
}

/// Searches in pages of `limit` rows; returns the titles of all results.
async fn search_titles(client: &Client, path: &str, text: &str, limit: &str) -> Vec<String> {
    let (mut titles, mut cursor) = (vec![], String::new());
    loop {
        let mut pairs = vec![("q", text), ("limit", limit)];
        if !cursor.is_empty() {
            pairs.push(("cursor", &cursor));
        }
        let page = client
            .get(&path_with_query(path, &pairs))
            .await
            .expect(200)
            .body;
        let lists = ["eventos", "tarefas"];
        let list = lists.iter().find_map(|name| page[name].as_array());
        for event in list.expect("a list") {
            titles.push(event["title"].as_str().expect("a title").to_owned());
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => return titles,
        }
    }
}

#[tokio::test]
async fn a_search_finds_the_same_texts_before_and_after_they_are_indexed() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let creator = app.add_member(Role::Criador).await;
    let mut titles = vec![];
    for batch in 0..3 {
        let demands: Vec<_> = (0..40)
            .map(|n| {
                let number = batch * 40 + n;
                let word =
                    |group: usize, step: usize| WORDS[group][number * step % WORDS[group].len()];
                // The index contains no spaces, so a search for two spaces reads the events in the
                // order of the agenda.
                let space = if number % 41 == 5 { "  " } else { " " };
                let title = format!(
                    "{}{space}{} {} {number}",
                    word(0, 5),
                    word(1, 3),
                    word(2, 2)
                );
                let at = (number % 28 + 1, number / 28);
                let hour = format!("{:02}:00", at.1);
                let mut demand = json!({ "title": title, "day": at.0, "month": 10, "hour": hour });
                if number % 3 == 0 {
                    demand["assignee_id"] = creator.id.as_str().into();
                }
                titles.push((at, title, number % 3 == 0));
                demand
            })
            .collect();
        let sent = json!({ "demandas": demands });
        lead.post("/api/demandas", sent).await.expect(200);
    }
    titles.sort();
    let creator = app.session_client(&creator).await;
    for is_indexed in [false, true] {
        for text in TEXTS {
            let all = titles.iter().filter(|(_, title, _)| title.contains(text));
            let mut theirs: Vec<&String> = vec![];
            let mut expected: Vec<&String> = vec![];
            for (_, title, is_theirs) in all {
                expected.push(title);
                if *is_theirs {
                    theirs.push(title);
                }
            }
            for (client, path, expected) in [
                (&lead, "/api/eventos", &expected),
                (&creator, "/api/eventos", &theirs),
                (&creator, "/api/tarefas", &theirs),
            ] {
                let limit = if expected.len() > 20 { "13" } else { "2" };
                let found = search_titles(client, path, text, limit).await;
                let context = format!("{path} {text:?}, indexed: {is_indexed}");
                assert_eq!(found.iter().collect::<Vec<_>>(), *expected, "{context}");
            }
        }
        run_jobs(&app).await;
        assert_eq!(app.count_rows("event_texts WHERE pending").await, 0);
    }
}

#[tokio::test]
async fn a_changed_text_is_found_only_by_its_new_words() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let mut ids = vec![];
    for number in 0..30 {
        let demand = json!({ "title": format!("Peça {number}"), "day": 1, "month": 10,
            "description": format!("rara{number:02}") });
        ids.push(lead.create_demand(demand).await);
    }
    run_jobs(&app).await;
    let find = async |text: &str| search_titles(&lead, "/api/eventos", text, "1").await;
    assert_eq!(find("rara29").await, ["Peça 29"]);

    let draft = json!({ "event_id": ids[29], "expected_revision": 1, "caption": "outra coisa" });
    lead.post("/api/draft", draft).await.expect(200);
    for _ in 0..2 {
        assert_eq!(find("rara29").await, [""; 0]);
        assert_eq!(find("outra coi").await, ["Peça 29"]);
        run_jobs(&app).await;
    }
    // Every event is indexed, and none of them twice.
    assert_eq!(app.count_rows("event_texts WHERE number IS NULL").await, 0);
    assert_eq!(app.count_rows("event_index").await, 30);

    // A search for the name of the member finds the event only while the member is assigned.
    let name = &member.name;
    assert_eq!(find(name).await, [""; 0]);
    for (revision, people, expected) in [(2, json!([member.id]), 1), (3, json!([]), 0)] {
        let patch = json!({ "expected_revision": revision, "assignee_ids": people });
        let path = format!("/api/eventos/{}", ids[29]);
        lead.patch(&path, patch).await.expect(200);
        assert_eq!(find(name).await.len(), expected);
    }
}

#[tokio::test]
async fn the_lists_of_a_member_follow_date_status_and_assignment() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let theirs = app.session_client(&member).await;
    let id = lead
        .create_demand(json!({ "title": "Broa", "day": 1, "month": 10 }))
        .await;
    let path = format!("/api/eventos/{id}");
    let lists = async || {
        let month = "/api/eventos?de=2026-10-01&ate=2026-10-31";
        let events = super::list_titles(&theirs, "/api/eventos").await.len();
        let october = super::list_titles(&theirs, month).await.len();
        let tasks = super::list_titles(&theirs, "/api/tarefas").await.len();
        (events, october, tasks)
    };
    assert_eq!(lists().await, (0, 0, 0));
    let steps = [
        (json!({ "assignee_ids": [member.id] }), (1, 1, 1)),
        (json!({ "day": 1, "month": 11 }), (1, 0, 1)),
        (json!({ "status": "arquivado" }), (1, 0, 0)),
        (
            json!({ "status": "a fazer", "day": 2, "month": 10 }),
            (1, 1, 1),
        ),
        (json!({ "assignee_ids": [] }), (0, 0, 0)),
    ];
    for (revision, (mut patch, expected)) in (1..).zip(steps) {
        patch["expected_revision"] = revision.into();
        lead.patch(&path, patch.clone()).await.expect(200);
        assert_eq!(lists().await, expected, "{patch}");
    }
    // An event does not become a task of its creator unless the creator is assigned.
    assert_eq!(super::list_titles(&lead, "/api/tarefas").await, [""; 0]);
}
