//! Callers who write at the same moment, and callers who repeat themselves.
//!
//! Every race is run against one instance of the service and against two over one database.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};
use tokio::{sync::Barrier, task::JoinSet};
use tools::domain::{Role, time::DAY};

use crate::support::{Client, TestApp};

/// How many callers meet in a race.
const CALLERS: usize = 50;

/// A write as each door knows it.
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
enum Door {
    Rest,
    Mcp,
}

/// What came back, whichever door it came through.
#[derive(Debug)]
struct Outcome {
    door: Door,
    /// The code of a refusal.
    code: Option<String>,
    /// The answer as text.
    text: String,
    /// `current` of a refusal.
    current: Value,
    /// Only REST tells.
    replayed: bool,
}

impl Outcome {
    fn body(&self) -> Value {
        serde_json::from_str(&self.text).expect("an answer")
    }

    fn is_ok(&self) -> bool {
        self.code.is_none()
    }
}

/// Writes through a door; a key goes into the header of REST and the arguments of MCP.
async fn write(
    client: Client,
    door: Door,
    write: Write,
    mut input: Value,
    key: Option<String>,
) -> Outcome {
    if door == Door::Rest {
        let client = key.map_or(client.clone(), |key| client.with_key(&key));
        let answer = client.post(write.path, input).await;
        let replayed = answer.headers.get("idempotency-replayed");
        return Outcome {
            door,
            code: (answer.status != 200).then(|| answer.code().to_owned()),
            current: answer.body["details"]["current"].clone(),
            replayed: replayed.is_some_and(|value| value == "true"),
            text: answer.text,
        };
    }
    if let Some(key) = key {
        input["idempotency_key"] = key.into();
    }
    let tool = client.call(write.tool, input).await;
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
        door,
        code: tool.is_error.then_some(code),
        current: details["current"].clone(),
        replayed: false,
        text: tool.text,
    }
}

/// Runs all calls on tasks of their own, released at the same moment.
async fn at_once<F>(calls: impl IntoIterator<Item = F>) -> Vec<F::Output>
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

/// Every second caller comes through MCP.
fn door(index: usize) -> Door {
    if index.is_multiple_of(2) {
        Door::Rest
    } else {
        Door::Mcp
    }
}

/// One instance, or two over one database. Callers are spread over them in pairs, so that both
/// doors of both are used.
struct Instances(Vec<TestApp>);

impl Instances {
    async fn new(count: usize) -> Self {
        let mut apps = vec![TestApp::new().await];
        if count == 2 {
            apps.push(apps[0].second_instance().await);
        }
        Self(apps)
    }

    fn first(&self) -> &TestApp {
        &self.0[0]
    }

    fn at(&self, client: &Client, index: usize) -> Client {
        client.at(&self.0[index / 2 % self.0.len()])
    }
}

async fn one_writer_wins(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first().as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    let outcomes = at_once((0..CALLERS).map(|index| {
        let caption = format!("legenda {index}");
        let input = json!({ "event_id": id, "expected_revision": 1, "caption": caption });
        let call = write(apps.at(&lead, index), door(index), DRAFT, input, None);
        async move { (caption, call.await) }
    }))
    .await;

    let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().partition(|(_, o)| o.is_ok());
    assert_eq!((won.len(), lost.len()), (1, CALLERS - 1));
    for (_, outcome) in lost {
        assert_eq!(
            outcome.code.as_deref(),
            Some("STALE_REVISION"),
            "{}",
            outcome.text
        );
        assert_eq!(outcome.current, 2, "{}", outcome.text);
    }
    let event = lead.event(&id).await;
    assert_eq!(event["api_revision"], 2);
    assert_eq!(event["description"], *won[0].0);
    assert_eq!(apps.first().count("event_history").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_fifty_writers_with_one_revision_one_wins_and_the_others_learn_the_new_one() {
    one_writer_wins(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_fifty_writers_at_two_instances_one_wins() {
    one_writer_wins(2).await;
}

/// Fifty calls with one key; the answer is the one that all of them got.
async fn one_effect(apps: &Instances, client: &Client, call: Write, input: Value) -> Value {
    let key = "a-mesma-chave".to_owned();
    let outcomes = at_once((0..CALLERS).map(|index| {
        let client = apps.at(client, index);
        write(client, door(index), call, input.clone(), Some(key.clone()))
    }))
    .await;
    for outcome in &outcomes {
        assert_eq!(outcome.code, None, "{}", outcome.text);
    }
    let answers: BTreeSet<&str> = outcomes.iter().map(|o| o.text.as_str()).collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let first = outcomes
        .iter()
        .filter(|o| o.door == Door::Rest && !o.replayed)
        .count();
    assert!(first <= 1, "{first} REST answers claim to be the first");
    let again = write(client.clone(), Door::Rest, call, input, Some(key)).await;
    assert!(again.replayed);
    assert_eq!(again.text, outcomes[0].text);
    let written = format!(
        "audit_events WHERE action = '{}' AND outcome = 'succeeded'",
        call.tool
    );
    assert_eq!(apps.first().count(&written).await, 1);
    again.body()
}

async fn one_demand(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first().as_member(Role::Lider).await;
    let answer = one_effect(&apps, &lead, CREATE, json!({ "title": "Uma só" })).await;
    assert_eq!(answer["event"]["title"], "Uma só");
    let app = apps.first();
    assert_eq!(app.count("events").await, 1);
    assert_eq!(app.count("event_history").await, 1);
    assert_eq!(app.count("idempotency_keys").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_demands_with_one_key_are_one_demand() {
    one_demand(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_demands_with_one_key_at_two_instances_are_one_demand() {
    one_demand(2).await;
}

async fn one_submission(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first().as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    let input = json!({ "event_id": id, "expected_revision": 1, "caption": "Pronta" });
    let answer = one_effect(&apps, &lead, SUBMIT, input).await;
    assert_eq!(answer["api_revision"], 2);
    assert_eq!(apps.first().count("event_history").await, 2);
    assert_eq!(lead.event(&id).await["api_revision"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_submissions_with_one_key_are_one_submission() {
    one_submission(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_submissions_with_one_key_at_two_instances_are_one_submission() {
    one_submission(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_payloads_with_one_key_at_once_only_one_has_an_effect() {
    let apps = Instances::new(2).await;
    let lead = apps.first().as_member(Role::Lider).await;
    let outcomes = at_once((0..CALLERS).map(|index| {
        // Doors and instances alternate faster than payloads, so each pair meets.
        let title = if index % 8 < 4 { "Uma" } else { "Outra" };
        let (client, key) = (apps.at(&lead, index), Some("disputada".into()));
        let call = write(client, door(index), CREATE, json!({ "title": title }), key);
        async move { (title, call.await) }
    }))
    .await;
    assert_eq!(apps.first().count("events").await, 1);
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().partition(|(_, o)| o.is_ok());
    let titles: BTreeSet<_> = won.iter().map(|(title, _)| *title).collect();
    assert_eq!(titles.len(), 1, "{titles:?}");
    assert!(lost.iter().all(|(title, _)| !titles.contains(title)));
    for (_, outcome) in lost {
        assert_eq!(
            outcome.code.as_deref(),
            Some("IDEMPOTENCY_KEY_REUSED"),
            "{}",
            outcome.text
        );
    }
}

async fn one_decision(instances: usize) {
    let apps = Instances::new(instances).await;
    let lead = apps.first().as_member(Role::Lider).await;
    for round in 0..20 {
        let id = lead.demand(json!({})).await;
        let submit = json!({ "event_id": id, "expected_revision": 1 });
        lead.post("/api/enviar", submit).await.expect(200);
        let outcomes = at_once(["aprovar", "recusar"].into_iter().enumerate().map(
            |(i, action)| {
                let client = apps.at(&lead, 2 * i);
                let input = json!({ "event_id": id, "action": action });
                let call = write(client, door(round + i), DECIDE, input, None);
                async move { (action, call.await) }
            },
        ))
        .await;
        let (won, lost): (Vec<_>, Vec<_>) = outcomes.iter().partition(|(_, o)| o.is_ok());
        assert_eq!((won.len(), lost.len()), (1, 1));
        assert_eq!(
            lost[0].1.code.as_deref(),
            Some("EVENT_NOT_PENDING"),
            "{}",
            lost[0].1.text
        );
        let status = if won[0].0 == "aprovar" {
            "aprovado"
        } else {
            "recusado"
        };
        let event = lead.event(&id).await;
        assert_eq!(
            (&event["status"], &event["api_revision"]),
            (&json!(status), &json!(3))
        );
    }
    let decided = "event_history WHERE action = 'decide_approval'";
    assert_eq!(apps.first().count(decided).await, 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_approval_and_refusal_at_once_exactly_one_decides() {
    one_decision(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_approval_and_refusal_at_two_instances_exactly_one_decides() {
    one_decision(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn identical_approvals_at_once_all_succeed_and_leave_one_line() {
    let apps = Instances::new(2).await;
    let lead = apps.first().as_member(Role::Lider).await;
    let id = lead.demand(json!({})).await;
    lead.post(
        "/api/enviar",
        json!({ "event_id": id, "expected_revision": 1 }),
    )
    .await
    .expect(200);
    let input = json!({ "event_id": id, "action": "aprovar", "caption": "Final" });
    let outcomes = at_once((0..CALLERS).map(|index| {
        write(
            apps.at(&lead, index),
            door(index),
            DECIDE,
            input.clone(),
            None,
        )
    }))
    .await;
    for outcome in &outcomes {
        assert_eq!(outcome.code, None, "{}", outcome.text);
        assert_eq!(outcome.body()["api_revision"], 3);
    }
    let decided = "event_history WHERE action = 'decide_approval'";
    assert_eq!(apps.first().count(decided).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn configurations_published_at_once_get_different_versions() {
    let apps = Instances::new(2).await;
    let admin = apps.first().as_member(Role::Admin).await;
    let outcomes = at_once((0..CALLERS).map(|index| {
        let input = json!({ "key": "cores", "value": { "tom": index } });
        let call = write(apps.at(&admin, index), door(index), PUBLISH, input, None);
        async move { (index, call.await) }
    }))
    .await;
    let mut versions: Vec<_> = outcomes
        .iter()
        .map(|(index, outcome)| {
            (
                outcome.body()["version"].as_i64().expect("a version"),
                *index,
            )
        })
        .collect();
    versions.sort_unstable();
    let expected: Vec<i64> = (1..=50).collect();
    assert_eq!(
        versions
            .iter()
            .map(|(version, _)| *version)
            .collect::<Vec<_>>(),
        expected
    );

    // The log holds each version with the value that its caller sent, the newest first.
    let log = admin
        .get("/api/config/log?key=cores")
        .await
        .expect(200)
        .body;
    let log = log["log"].as_array().expect("a list").iter();
    let logged: Vec<_> = log
        .map(|v| (v["version"].clone(), v["value"]["tom"].clone()))
        .collect();
    let sent: Vec<_> = versions
        .iter()
        .rev()
        .map(|(v, i)| (json!(v), json!(i)))
        .collect();
    assert_eq!(logged, sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_assignment_at_once_with_a_draft_loses_nothing() {
    let apps = Instances::new(2).await;
    let lead = apps.first().as_member(Role::Lider).await;
    let author = apps.first().member(Role::Criador).await;
    for _ in 0..20 {
        let id = lead.demand(json!({})).await;
        let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "Legenda" });
        let patch = json!({ "expected_revision": 1, "assignee_ids": [author.id] });
        let (one, other) = (apps.at(&lead, 0), apps.at(&lead, 2));
        let path = format!("/api/eventos/{id}");
        let drafted = async move { one.post("/api/draft", draft).await.status };
        let assigned = async move { other.patch(&path, patch).await.status };
        let calls: [futures::future::BoxFuture<'static, u16>; 2] =
            [Box::pin(drafted), Box::pin(assigned)];
        let mut statuses = at_once(calls).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
        let event = lead.event(&id).await;
        let drafted = event["description"] == "Legenda";
        let assigned = event["assignee_member_ids"] == json!([author.id]);
        assert!(drafted ^ assigned, "{event}");
        assert_eq!(event["api_revision"], 2);
    }
}

#[tokio::test]
async fn a_key_with_another_payload_is_refused_at_both_doors() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let key = || Some("chave-0001".to_owned());
    let first = write(
        lead.clone(),
        Door::Rest,
        CREATE,
        json!({ "title": "A" }),
        key(),
    )
    .await;
    assert!(first.is_ok());
    for door in [Door::Rest, Door::Mcp] {
        for other in [
            json!({ "title": "B" }),
            json!({ "title": "A", "channel": "blog" }),
        ] {
            let refused = write(lead.clone(), door, CREATE, other, key()).await;
            assert_eq!(refused.code.as_deref(), Some("IDEMPOTENCY_KEY_REUSED"));
        }
    }
    let answer = lead
        .with_key("chave-0001")
        .post("/api/demanda", json!({ "title": "B" }))
        .await;
    answer.refused(409, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(app.count("events").await, 1);
}

#[tokio::test]
async fn the_order_of_fields_and_spaces_make_no_other_payload() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await.with_key("chave-0001");
    let post = async |text: &'static str| {
        lead.send(axum::http::Method::POST, "/api/demanda", Some(text.into()))
            .await
            .expect(200)
    };
    let first = post(r#"{"title":"A","day":1,"month":9}"#).await;
    let again = post(r#" { "month": 9.0, "day": 1e0, "title": "\u0041" } "#).await;
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(first.text, again.text);
    assert_eq!(first.headers.get("idempotency-replayed"), None);
}

#[tokio::test]
async fn a_key_belongs_to_one_member_and_one_operation() {
    let app = TestApp::new().await;
    let (ana, bia) = (
        app.as_member(Role::Lider).await,
        app.as_member(Role::Lider).await,
    );
    let key = || Some("chave-0001".to_owned());
    let input = json!({ "title": "A" });
    let of_ana = write(ana.clone(), Door::Rest, CREATE, input.clone(), key()).await;
    let of_bia = write(bia, Door::Mcp, CREATE, input, key()).await;
    let (one, other) = (
        of_ana.body()["event_id"].clone(),
        of_bia.body()["event_id"].clone(),
    );
    assert_ne!(one, other);
    assert_eq!(app.count("events").await, 2);

    let draft = json!({ "event_id": one, "expected_revision": 1, "caption": "x" });
    let drafted = write(ana.clone(), Door::Rest, DRAFT, draft, key()).await;
    assert!(drafted.is_ok() && !drafted.replayed, "{}", drafted.text);
    assert_eq!(
        ana.event(one.as_str().expect("an id")).await["api_revision"],
        2
    );
}

#[tokio::test]
async fn a_key_is_the_same_for_every_credential_of_a_member() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    let credentials = [
        app.session(&member).await,
        app.token(&member).await,
        app.token(&member).await,
    ];
    let mut answers = BTreeSet::new();
    for client in &credentials {
        for door in [Door::Rest, Door::Mcp] {
            let key = Some("chave-0001".into());
            let outcome = write(client.clone(), door, CREATE, json!({ "title": "A" }), key).await;
            assert!(outcome.is_ok(), "{}", outcome.text);
            answers.insert(outcome.text);
        }
    }
    assert_eq!(answers.len(), 1);
    assert_eq!(app.count("events").await, 1);
}

#[tokio::test]
async fn a_key_is_kept_for_a_day_and_then_free() {
    let app = TestApp::new().await;
    let member = app.member(Role::Lider).await;
    let agent = app.token(&member).await.with_key("chave-0001");
    let first = agent
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);

    app.pass(DAY - 1);
    let again = agent
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    assert_eq!(again.text, first.text);

    app.pass(1);
    let free = agent
        .post("/api/demanda", json!({ "title": "B" }))
        .await
        .expect(200);
    assert_eq!(free.headers.get("idempotency-replayed"), None);
    assert_eq!(free.body["event"]["title"], "B");
    assert_eq!(app.count("events").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_callers_of_a_key_that_is_free_again_have_one_more_effect() {
    let apps = Instances::new(2).await;
    let member = apps.first().member(Role::Lider).await;
    let agent = apps.first().token(&member).await;
    let input = json!({ "title": "A" });
    let key = || Some("chave-0001".to_owned());
    let first = write(agent.clone(), Door::Rest, CREATE, input.clone(), key()).await;
    apps.first().pass(DAY);
    let outcomes = at_once((0..CALLERS).map(|index| {
        write(
            apps.at(&agent, index),
            door(index),
            CREATE,
            input.clone(),
            key(),
        )
    }))
    .await;
    let answers: BTreeSet<_> = outcomes.iter().map(|o| &o.text).collect();
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(outcomes[0].is_ok());
    assert_ne!(outcomes[0].text, first.text);
    assert_eq!(apps.first().count("events").await, 2);
}

#[tokio::test]
async fn a_refusal_without_effect_releases_its_key() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let keyed = lead.with_key("chave-0001");
    let nobody = json!({ "title": "A", "assignee_id": "0198c0de-0000-7000-8000-000000000000" });
    keyed
        .post("/api/demanda", nobody)
        .await
        .refused(404, "NOT_FOUND");
    let invalid = json!({ "title": "A", "day": 31, "month": 2 });
    keyed
        .post("/api/demanda", invalid)
        .await
        .refused(400, "INVALID_INPUT");
    assert_eq!(app.count("idempotency_keys").await, 0);
    let created = keyed
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    assert_eq!(created.headers.get("idempotency-replayed"), None);

    let id = created.body["event_id"].clone();
    let submit = |revision: i64| json!({ "event_id": id, "expected_revision": revision });
    keyed
        .post("/api/enviar", submit(7))
        .await
        .refused(409, "STALE_REVISION");
    keyed.post("/api/enviar", submit(1)).await.expect(200);
    let again = keyed.post("/api/enviar", submit(1)).await.expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
}

#[tokio::test]
async fn a_replay_needs_the_capability_that_the_call_needed() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Lider).await;
    let (session, agent) = (app.session(&member).await, app.token(&member).await);
    let input = || json!({ "title": "A" });
    let key = || Some("chave-0001".to_owned());
    let first = write(session.clone(), Door::Rest, CREATE, input(), key()).await;
    let set_role = async |role: &str| {
        let change = json!({ "member_id": member.id, "access_level": role });
        admin.patch("/api/membros", change).await.expect(200);
    };

    set_role("criador").await;
    for client in [&session, &agent] {
        let refused = write(client.clone(), Door::Rest, CREATE, input(), key()).await;
        assert_eq!(refused.code.as_deref(), Some("CAPABILITY_REQUIRED"));
    }
    let withheld = agent.call("create_demand", json!({ "title": "A" })).await;
    assert_eq!(withheld.rpc_error, Some(-32602));

    set_role("lider").await;
    for door in [Door::Rest, Door::Mcp] {
        assert_eq!(
            write(agent.clone(), door, CREATE, input(), key())
                .await
                .text,
            first.text
        );
    }
    assert_eq!(app.count("events").await, 1);
}

#[tokio::test]
async fn a_replay_needs_the_level_that_the_call_needed() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Lider).await;
    let agent = app.token(&member).await;
    let key = || Some("chave-0001".to_owned());
    let first = write(
        agent.clone(),
        Door::Rest,
        CREATE,
        json!({ "title": "A" }),
        key(),
    )
    .await;
    assert!(first.is_ok());
    let path = format!("/api/access/members/{}", member.id);
    admin
        .patch(&path, json!({ "api_access_level": "criador" }))
        .await
        .expect(200);
    let refused = write(agent, Door::Rest, CREATE, json!({ "title": "A" }), key()).await;
    assert_eq!(refused.code.as_deref(), Some("CAPABILITY_REQUIRED"));
}

#[tokio::test]
async fn a_replay_needs_the_event_to_be_visible_still() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.member(Role::Criador).await;
    let author = app.session(&member).await;
    let id = lead.demand(json!({ "assignee_id": member.id })).await;
    let path = format!("/api/eventos/{id}");
    let key = || Some("chave-0001".to_owned());
    let draft = json!({ "event_id": id, "expected_revision": 1, "caption": "x" });
    let drafted = write(author.clone(), Door::Rest, DRAFT, draft.clone(), key()).await;
    let submit = json!({ "event_id": id, "expected_revision": 2 });
    let sent = write(author.clone(), Door::Mcp, SUBMIT, submit.clone(), key()).await;
    assert!(drafted.is_ok() && sent.is_ok());

    let away = json!({ "expected_revision": 3, "assignee_ids": [] });
    lead.patch(&path, away).await.expect(200);
    for door in [Door::Rest, Door::Mcp] {
        for (call, input) in [(DRAFT, &draft), (SUBMIT, &submit)] {
            let hidden = write(author.clone(), door, call, input.clone(), key()).await;
            assert_eq!(hidden.code.as_deref(), Some("NOT_FOUND"), "{}", hidden.text);
        }
    }

    let back = json!({ "expected_revision": 4, "assignee_ids": [member.id] });
    lead.patch(&path, back).await.expect(200);
    for door in [Door::Rest, Door::Mcp] {
        let replay = write(author.clone(), door, DRAFT, draft.clone(), key()).await;
        assert_eq!(replay.text, drafted.text);
        let replay = write(author.clone(), door, SUBMIT, submit.clone(), key()).await;
        assert_eq!(replay.text, sent.text);
    }
    assert_eq!(lead.event(&id).await["api_revision"], 5);
}

#[tokio::test]
async fn an_offboarded_member_gets_no_replay() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let member = app.member(Role::Lider).await;
    let (session, agent) = (app.session(&member).await, app.token(&member).await);
    session
        .with_key("chave-0001")
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    admin
        .delete(&format!("/api/membros/{}", member.id))
        .await
        .expect(200);
    let again = |client: &Client| client.with_key("chave-0001");
    let input = json!({ "title": "A" });
    again(&session)
        .post("/api/demanda", input.clone())
        .await
        .refused(403, "NOT_A_MEMBER");
    again(&agent)
        .post("/api/demanda", input)
        .await
        .refused(401, "TOKEN_REVOKED");
}

#[tokio::test]
async fn header_and_field_must_be_the_same_key() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await.with_key("chave-0001");
    let with = |key: &str| json!({ "title": "A", "idempotency_key": key });
    let answer = lead.post("/api/demanda", with("chave-0002")).await;
    assert_eq!(answer.fields(), ["idempotency_key"]);
    lead.post("/api/demanda", with("chave-0001"))
        .await
        .expect(200);
    let again = lead
        .post("/api/demanda", json!({ "title": "A" }))
        .await
        .expect(200);
    assert_eq!(again.headers["idempotency-replayed"], "true");
    let twice = lead
        .with_key("chave-0001")
        .post("/api/demanda", json!({ "title": "A" }))
        .await;
    assert_eq!(twice.fields(), ["Idempotency-Key"]);
    assert_eq!(app.count("events").await, 1);
}

#[tokio::test]
async fn a_key_has_8_to_128_plain_characters() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let bad = [
        "",
        "1234567",
        &"k".repeat(129),
        "chave 0001",
        "chave/0001",
        "chave-ção",
        "chave\t001",
        "12345678\"",
        "chave+0001",
        "{chave-01}",
    ];
    for key in bad {
        let answer = lead
            .with_key(key)
            .post("/api/demanda", json!({ "title": "A" }))
            .await;
        assert_eq!(
            answer.fields(),
            ["idempotency_key"],
            "{key:?} in the header"
        );
        let input = json!({ "title": "A", "idempotency_key": key });
        let answer = lead.post("/api/demanda", input.clone()).await;
        assert_eq!(answer.fields(), ["idempotency_key"], "{key:?} in the body");
        let tool = lead.call("create_demand", input).await;
        assert!(
            tool.is_error && tool.text.starts_with("INVALID_INPUT"),
            "{key:?} as argument"
        );
    }
    for key in [
        json!(12345678),
        json!(null),
        json!(["chave-0001"]),
        json!("chave-01\u{0}"),
    ] {
        let input = json!({ "title": "A", "idempotency_key": key });
        assert_eq!(
            lead.post("/api/demanda", input).await.fields(),
            ["idempotency_key"],
            "{key}"
        );
    }
    assert_eq!(app.count("events").await, 0);

    let good = [
        "12345678",
        &"k".repeat(128),
        "aZ09._:~-",
        "........",
        "~~~~~~~~",
        "--------",
    ];
    for key in good {
        lead.with_key(key)
            .post("/api/demanda", json!({ "title": "A" }))
            .await
            .expect(200);
    }
    assert_eq!(app.count("events").await, 6);
}

#[tokio::test]
async fn a_key_is_judged_by_its_letters_and_its_case() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for key in ["chave-0001", "CHAVE-0001", "chave-0001.", "chave-000"] {
        let answer = lead
            .with_key(key)
            .post("/api/demanda", json!({ "title": "A" }))
            .await;
        assert_eq!(
            answer.expect(200).headers.get("idempotency-replayed"),
            None,
            "{key}"
        );
    }
    assert_eq!(app.count("events").await, 4);
}

#[tokio::test]
async fn reads_ignore_the_key() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for key in ["chave-0001", "x"] {
        let answer = lead.with_key(key).get("/api/eventos").await.expect(200);
        assert_eq!(answer.headers.get("idempotency-replayed"), None);
    }
    assert_eq!(app.count("idempotency_keys").await, 0);
}
