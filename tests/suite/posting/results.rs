//! The list of the results of posts: its filters, its order, and who sees which posts.

use std::collections::BTreeSet;

use domain::{Capability, PublicationId, Role, time::HOUR};
use serde_json::{Value, json};

use super::Stage;
use crate::support::Client;

/// The age and the reach of each reading of a post.
type Readings = &'static [(&'static str, Option<i64>)];

/// Publishes one post for each title and stores its readings; returns the ids of the pieces.
async fn publish_posts(stage: &Stage, posts: &[(&str, Readings)]) -> Vec<String> {
    let mut pieces = vec![];
    for (number, (title, readings)) in (0..).zip(posts) {
        let fields = json!({ "title": title, "channel": "instagram" });
        let piece = stage.lead.create_demand(fields).await;
        let variant = stage
            .add_variant(&piece, domain::Format::Feed, super::plain())
            .await;
        let now = stage.app.now();
        let at = now - (number + 1) * HOUR;
        let id = PublicationId::new(at);
        let tx = stage.app.begin().await;
        let found = store::variants::find(&tx.conn(), &variant).await;
        let variant = found.expect("the database").expect("the variant");
        let hour = ("1784", at);
        let inserted = store::scheduled_posts::insert(&tx.conn(), &id, &variant, hour, now).await;
        assert!(inserted.expect("the database"));
        tx.commit().await.expect("committed");
        let sql = format!(
            "UPDATE publications SET state = 'published', open = 0, post_id = 'p{number}',
                finished_at = {at} WHERE id = $1"
        );
        stage
            .app
            .execute_statement(&sql, [id.as_str().to_owned()])
            .await;
        for (place, (age, reach)) in (1..).zip(*readings) {
            let reach = reach.map_or("NULL".to_owned(), |reach| reach.to_string());
            let due = at + place;
            let sql = format!(
                "INSERT INTO post_results (publication_id, age, due_at, read_at, attempts, reach)
                 VALUES ($1, '{age}', {due}, {due}, 1, {reach})"
            );
            stage
                .app
                .execute_statement(&sql, [id.as_str().to_owned()])
                .await;
        }
        pieces.push(piece);
    }
    pieces
}

async fn list_titles(client: &Client, query: &str) -> Vec<String> {
    let body = client
        .get(&format!("/api/resultados{query}"))
        .await
        .expect(200)
        .body;
    let list = body["resultados"].as_array().expect("a list").iter();
    let titles = list.map(|one| one["titulo"].as_str().expect("a title").to_owned());
    titles.collect()
}

#[tokio::test]
async fn posts_are_sorted_by_a_figure_of_one_age_and_those_without_it_are_last() {
    let stage = Stage::new().await;
    let posts: [(&str, Readings); 4] = [
        ("A", &[("1h", Some(5)), ("24h", Some(50))]),
        ("B", &[("1h", Some(9))]),
        ("C", &[("1h", Some(0)), ("24h", None)]),
        ("D", &[]),
    ];
    publish_posts(&stage, &posts).await;
    assert_eq!(list_titles(&stage.lead, "").await, ["A", "B", "C", "D"]);
    assert_eq!(
        list_titles(&stage.lead, "?ordem=alcance").await,
        ["A", "B", "C", "D"]
    );
    let at_first = list_titles(&stage.lead, "?ordem=alcance&idade=1h").await;
    assert_eq!(at_first, ["B", "A", "C", "D"]);
    // A reach of 0 sorts before an unavailable reach.
    let by_day = list_titles(&stage.lead, "?ordem=alcance&idade=24h").await;
    assert_eq!(by_day, ["A", "B", "C", "D"]);
    for wrong in [
        "?ordem=lucro",
        "?idade=2h",
        "?inicio=2026-02-02&fim=2026-02-01",
        "?cursor=x",
    ] {
        stage
            .lead
            .get(&format!("/api/resultados{wrong}"))
            .await
            .expect(400);
    }
}

#[tokio::test]
async fn pages_have_each_post_once() {
    let stage = Stage::new().await;
    let some: Readings = &[("1h", Some(3))];
    let none: Readings = &[];
    let names = ["A", "B", "C", "D", "E", "F", "G"];
    let posts: Vec<_> = (0..)
        .zip(names)
        .map(|(n, name)| (name, [some, none][n % 2]))
        .collect();
    publish_posts(&stage, &posts).await;
    for order in ["", "&ordem=alcance", "&ordem=alcance&idade=7d"] {
        let mut seen = vec![];
        let mut cursor = String::new();
        loop {
            let path = format!("/api/resultados?limit=2{order}{cursor}");
            let body = stage.lead.get(&path).await.expect(200).body;
            let list = body["resultados"].as_array().expect("a list").clone();
            assert!(list.len() <= 2);
            seen.extend(list.into_iter().map(|one| one["titulo"].to_string()));
            match body["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), names.len(), "{order}: {seen:?}");
        assert_eq!(
            seen.iter().collect::<BTreeSet<_>>().len(),
            names.len(),
            "{order}"
        );
    }
}

#[tokio::test]
async fn the_filters_narrow_the_list() {
    let stage = Stage::new().await;
    let read: Readings = &[("1h", Some(3))];
    let pieces = publish_posts(&stage, &[("A", read), ("B", read)]).await;
    let one = format!("?event_id={}", pieces[1]);
    assert_eq!(list_titles(&stage.lead, &one).await, ["B"]);
    assert_eq!(
        list_titles(&stage.lead, "?channel=instagram").await.len(),
        2
    );
    assert!(
        list_titles(&stage.lead, "?channel=linkedin")
            .await
            .is_empty()
    );
    assert!(
        list_titles(&stage.lead, "?inicio=2020-01-01&fim=2020-02-01")
            .await
            .is_empty()
    );
    let nobody = "?projeto_id=01990000-0000-7000-8000-00000000ffff";
    assert!(list_titles(&stage.lead, nobody).await.is_empty());
    let tool = stage
        .lead
        .call_tool("list_results", json!({ "ordem": "alcance" }))
        .await;
    let text = format!("{tool:?}");
    assert!(text.contains("alcance"), "{text}");
}

#[tokio::test]
async fn only_members_who_see_a_piece_see_its_results() {
    let stage = Stage::new().await;
    let read: Readings = &[("1h", Some(3))];
    let pieces = publish_posts(&stage, &[("Segredo", read), ("Feira", read)]).await;
    let caio = stage.app.add_member(Role::Criador).await;
    let assign = json!({ "assignee_ids": [caio.id], "expected_revision":
        stage.lead.load_event(&pieces[1]).await["api_revision"] });
    let path = format!("/api/eventos/{}", pieces[1]);
    stage.lead.patch(&path, assign).await.expect(200);
    let caio_client = stage.app.token_client(&caio).await;
    assert_eq!(list_titles(&caio_client, "").await, ["Feira"]);
    assert_eq!(list_titles(&caio_client, "?ordem=alcance").await, ["Feira"]);
    let hidden = format!("/api/resultados?event_id={}", pieces[0]);
    caio_client.get(&hidden).await.expect(404);
    let answer = caio_client.call_tool("list_results", json!({})).await;
    assert!(!format!("{answer:?}").contains("Segredo"));
    stage
        .app
        .anonymous()
        .get("/api/resultados")
        .await
        .expect(401);
    let few = [Capability::TasksView];
    let (none, _) = stage.app.token_client_with(&caio, &few).await;
    none.get("/api/resultados").await.expect(403);
    // The page and its CSV file show the same posts.
    let browser = stage.app.browser_client(&caio).await;
    let page = browser.get("/resultados").await.expect(200).text;
    assert!(page.contains("Feira") && !page.contains("Segredo"));
    let file = browser
        .get("/resultados?csv=resultados")
        .await
        .expect(200)
        .text;
    assert!(
        file.contains("Feira") && !file.contains("Segredo"),
        "{file}"
    );
    assert!(file.contains(";3;;;;;;"), "{file}");
}

#[tokio::test]
async fn the_csv_file_has_all_posts_and_escapes_formulas() {
    let stage = Stage::new().await;
    let read: Readings = &[("1h", Some(3))];
    publish_posts(&stage, &[("=1+1", read), ("Feira", &[])]).await;
    let admin = stage.app.add_member(Role::Admin).await;
    let browser = stage.app.browser_client(&admin).await;
    let answer = browser
        .get("/resultados?csv=resultados&ordem=alcance")
        .await
        .expect(200);
    assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8");
    assert!(answer.text.contains("\"'=1+1\""), "{}", answer.text);
    assert_eq!(answer.text.lines().count(), 3);
    let wrong: Value = browser.get("/resultados?ordem=lucro").await.status.into();
    assert_eq!(wrong, 400);
}

/// Copies the only publication `copies` times, each copy with a reading at the age of 24 hours.
/// `finished_at` and `reach` are SQL expressions, in which `n.i` is the number of the copy.
async fn copy_publication(stage: &Stage, copies: usize, finished_at: &str, reach: &str) {
    let many = format!(
        "(WITH RECURSIVE many (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < {copies})
          SELECT i FROM many) n"
    );
    let copy = format!(
        "INSERT INTO publications (id, network, kind, state, open, guard, account_id, event_id,
            variant_id, variant_revision, due_at, post, bytes, uploaded, finishing, polls,
            comment_state, followed, created_by, created_at, updated_at, finished_at, post_id)
         SELECT '01990000-0000-7000-8000-' || CAST(100000000000 + n.i AS TEXT), network, kind, state, open,
            guard || CAST(n.i AS TEXT), account_id, event_id, variant_id, variant_revision, due_at,
            post, bytes, uploaded, finishing, polls, comment_state, followed, created_by, created_at,
            updated_at, {finished_at}, 'c' || CAST(n.i AS TEXT)
         FROM publications CROSS JOIN {many}"
    );
    stage.app.execute_statement(&copy, []).await;
    let read = format!(
        "INSERT INTO post_results (publication_id, age, due_at, read_at, attempts, reach)
         SELECT '01990000-0000-7000-8000-' || CAST(100000000000 + n.i AS TEXT), '24h', {finished_at}, {finished_at}, 1, {reach}
         FROM publications p CROSS JOIN {many} WHERE p.post_id = 'p0'"
    );
    stage.app.execute_statement(&read, []).await;
}

#[tokio::test]
async fn the_csv_file_has_more_posts_than_ten_pages() {
    let stage = Stage::new().await;
    publish_posts(&stage, &[("Feira", &[("24h", Some(3))])]).await;
    copy_publication(&stage, 2_100, "finished_at", "n.i").await;
    let admin = stage.app.add_member(Role::Admin).await;
    let browser = stage.app.browser_client(&admin).await;
    let answer = browser.get("/resultados?csv=resultados").await.expect(200);
    assert_eq!(answer.text.lines().count(), 2_102);
    let last: std::collections::BTreeSet<&str> = answer.text.lines().collect();
    assert!(
        last.iter().any(|line| line.contains(";2100;")),
        "the last post"
    );
}

#[tokio::test]
async fn best_hours_use_the_results_of_channels_with_enough_posts() {
    let stage = Stage::new().await;
    publish_posts(&stage, &[("Feira", &[("24h", Some(5))])]).await;
    let hours = async |query: &str| {
        let path = format!("/api/insights/horarios{query}");
        stage.lead.get(&path).await.expect(200).body
    };
    assert_eq!(hours("").await["fonte"], "padrao");
    // Adds twelve posts of the last weeks at the current weekday and hour, and twelve posts 29 hours
    // later in the week, whose reach is three times as large.
    let (week, later) = (7 * domain::time::DAY, 29 * HOUR);
    let now = stage.app.now();
    let at = format!("{now} - (n.i / 2 + 2) * CAST({week} AS BIGINT) + (n.i % 2) * {later}");
    copy_publication(&stage, 24, &at, "100 + (n.i % 2) * 200").await;
    let learnt = hours("").await;
    assert_eq!(
        (&learnt["fonte"], &learnt["amostra"]),
        (&json!("resultados"), &json!(25))
    );
    let (weekday, hour) = domain::time::weekday_and_hour(now - week + later);
    let best = &learnt["horarios"][0];
    assert_eq!(
        (&best["dia_semana"], &best["hora"]),
        (&json!(weekday), &json!(hour))
    );
    assert_eq!(
        (&best["pontuacao"], &best["publicacoes"]),
        (&json!(1.0), &json!(12))
    );
    assert_eq!(learnt["horarios"].as_array().map(Vec::len), Some(2));
    assert_eq!(learnt["horarios"][1]["pontuacao"], 0.33);
    let said = learnt["avisos"][0].as_str().expect("a sentence");
    assert!(said.contains("25 posts"), "{said}");
    // The channel LinkedIn has no results, so its best hours are the default ones.
    assert_eq!(hours("?channel=LinkedIn").await["fonte"], "padrao");
    assert_eq!(hours("?channel=Instagram").await["fonte"], "resultados");
}
