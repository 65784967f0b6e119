//! The order of results, and the words that find them.

use domain::{MemberId, Role};
use serde_json::json;

use super::{bracket_matches, run_jobs, search, search_titles, search_with};
use crate::support::{Client, TestApp};

#[tokio::test]
async fn words_match_by_stem_without_accents_and_the_last_word_by_its_prefix() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let titles = [
        "Pão de queijo",
        "Limões congelados",
        "Receitas da avó",
        "Coração de mãe",
    ];
    for title in titles {
        lead.create_demand(json!({ "title": title })).await;
    }
    let searches = [
        ("pães", vec!["Pão de queijo"]),
        ("PAO queijo", vec!["Pão de queijo"]),
        ("queijo pao", vec!["Pão de queijo"]),
        ("pao de q", vec!["Pão de queijo"]),
        ("pao de", vec!["Pão de queijo"]),
        ("limao congelar", vec!["Limões congelados"]),
        ("receit", vec!["Receitas da avó"]),
        ("rece", vec!["Receitas da avó"]),
        ("receita av", vec!["Receitas da avó"]),
        ("corações", vec!["Coração de mãe"]),
        ("co", vec!["Limões congelados", "Coração de mãe"]),
        ("rece pao", vec![]),
        ("ueijo", vec![]),
        ("co ", vec![]),
        ("mandioca", vec![]),
    ];
    for indexed in [false, true] {
        if indexed {
            run_jobs(&app).await;
            assert_eq!(app.count_rows("event_texts WHERE pending").await, 0);
        }
        for (q, expected) in &searches {
            let mut found = search_titles(&lead, q).await;
            found.sort();
            let mut expected = expected.clone();
            expected.sort_unstable();
            assert_eq!(found, expected, "{q:?}, indexed: {indexed}");
        }
    }
}

#[tokio::test]
async fn matches_in_titles_rank_before_captions_and_recent_events_before_old_ones() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let demand = async |title: &str, briefing: &str, month: Option<u8>| {
        app.advance_clock(1_000);
        let mut fields = json!({ "title": title, "description": briefing });
        if let Some(month) = month {
            fields["day"] = 10.into();
            fields["month"] = month.into();
        }
        lead.create_demand(fields).await
    };
    demand("Um", "Cuscuz paulista", Some(12)).await;
    demand("Cuscuz de outubro", "", Some(10)).await;
    demand("Cuscuz de dezembro", "", Some(12)).await;
    demand("Cuscuz sem data", "", None).await;
    demand("Cuscuz de novembro", "", Some(11)).await;
    demand("Dois", "O cuscuz nordestino", Some(9)).await;
    // A piece without a date is sorted by its creation date, which is today.
    let expected = [
        "Cuscuz de dezembro",
        "Cuscuz de novembro",
        "Cuscuz de outubro",
        "Cuscuz sem data",
        "Um",
        "Dois",
    ];
    for indexed in [false, true] {
        if indexed {
            run_jobs(&app).await;
        }
        assert_eq!(search_titles(&lead, "cuscuz").await, expected, "{indexed}");
        let limited = search_with(&lead, &[("q", "cuscuz"), ("limite", "2")]).await;
        assert_eq!(
            super::titles_by_kind(&limited),
            [("evento", expected[..2].to_vec())]
        );
        assert_eq!(limited[0]["ha_mais"], true);
        let exact = search_with(&lead, &[("q", "cuscuz"), ("limite", "6")]).await;
        assert_eq!(exact[0]["ha_mais"], false);
    }
    let found = search(&lead, "cuscuz nordestinos").await;
    let one = &found[0]["resultados"][0];
    assert_eq!(
        (&one["titulo"], &one["no_titulo"]),
        (&json!("Dois"), &json!(false))
    );
    assert_eq!(bracket_matches(&one["trecho"]), "O [cuscuz] [nordestino]");
}

/// Adds `count` copies of an event. Each has the word `comum`, the oldest 2,200 also have `antiga`,
/// and every 700th has `rara` in its title. Some copies belong to a member who sees no other events.
async fn copy_events(app: &TestApp, id: &str, member: &MemberId, count: usize) {
    let numbers = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
    );
    let title = "'Peça ' || i || CASE WHEN i % 700 = 0 THEN ' rara' ELSE '' END";
    let searched = "'peca ' || i || CASE WHEN i % 700 = 0 THEN ' rara' ELSE '' END
        || chr(10) || 'texto comum' || CASE WHEN i <= 2200 THEN ' antiga' ELSE '' END";
    let searched = match app.backend() {
        sea_orm::DbBackend::Postgres => searched.to_owned(),
        _ => searched.replace("chr(", "char("),
    };
    let statements = [
        format!(
            "INSERT INTO events (id, api_revision, title, channel, status, description, due_at,
                agenda_at, created_by, created_at, updated_at)
             {numbers} SELECT 'copia-' || i, 1, {title}, channel, status, 'Texto comum',
                100000 * i, 100000 * i, created_by, created_at, updated_at
             FROM events, n WHERE id = '{id}'"
        ),
        format!(
            "INSERT INTO event_texts (event_id, searched) {numbers}
             SELECT 'copia-' || i, {searched} FROM n"
        ),
        format!(
            "INSERT INTO event_people (event_id, member_id, agenda_at, is_open, is_assigned)
             {numbers} SELECT 'copia-' || i, '{member}', 100000 * i, TRUE, TRUE
             FROM n WHERE i % 500 = 3"
        ),
    ];
    for statement in statements {
        app.execute_statement(&statement, []).await;
    }
}

async fn search_ids(client: &Client, q: &str, limit: &str) -> Vec<String> {
    let groups = search_with(client, &[("q", q), ("limite", limit), ("tipos", "evento")]).await;
    let found = groups[0]["resultados"].as_array().into_iter().flatten();
    let found = found.map(|one| one["id"].as_str().expect("an id").to_owned());
    found.collect()
}

#[tokio::test]
async fn a_common_word_finds_the_most_recent_events_and_a_rare_word_finds_all() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let member = app.add_member(Role::Criador).await;
    let creator = app.session_client(&member).await;
    let id = lead.create_demand(json!({ "title": "Modelo" })).await;
    copy_events(&app, &id, &member.id, 2_800).await;
    lead.create_demand(json!({ "title": "Um comum no título" }))
        .await;
    run_jobs(&app).await;
    let copies = |numbers: &[usize]| -> Vec<String> {
        numbers.iter().map(|n| format!("copia-{n}")).collect()
    };
    // More texts contain the word than the search sorts by grade, so it returns the title with the
    // word, and then the most recent texts.
    let found = search_ids(&lead, "comum", "5").await;
    assert_eq!(found[1..], copies(&[2_800, 2_799, 2_798, 2_797]));
    let found = search_ids(&lead, "pec", "3").await;
    assert_eq!(found, copies(&[2_800, 2_799, 2_798]));
    // The search gives up reading the most recent texts, none of which match, and sorts all matches.
    let found = search_ids(&lead, "antigas", "3").await;
    assert_eq!(found, copies(&[2_200, 2_199, 2_198]));
    assert_eq!(
        search_ids(&lead, "raras", "9").await,
        copies(&[2_800, 2_100, 1_400, 700])
    );
    assert_eq!(
        search_ids(&lead, "comum rara", "2").await,
        copies(&[2_800, 2_100])
    );
    assert_eq!(search_ids(&lead, "pec 2100", "2").await, copies(&[2_100]));
    assert_eq!(search_ids(&lead, "comum inexistente", "2").await, [""; 0]);
    // A member who sees few events finds all of them, even by a common word.
    let own = copies(&[2_503, 2_003, 1_503, 1_003, 503, 3]);
    assert_eq!(search_ids(&creator, "comum", "50").await, own);
    assert_eq!(search_ids(&creator, "comum", "2").await, own[..2]);
    assert_eq!(search_ids(&creator, "antiga", "50").await, own[1..]);
    assert_eq!(search_ids(&creator, "rara", "50").await, [""; 0]);
}
