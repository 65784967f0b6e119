//! Measures the search results for questions about the school's documents.

use std::collections::BTreeMap;

use domain::Role;
use serde::Deserialize;
use serde_json::json;

use super::{passage_sources, school_service};
use crate::support::Client;

#[derive(Deserialize)]
pub struct Asked {
    pub pergunta: String,
    /// The grade of each relevant document, from 1 to 3.
    relevantes: BTreeMap<String, i32>,
}

/// Returns the discounted cumulative gain of the grades in their order.
fn discounted_gain(grades: impl Iterator<Item = i32>) -> f64 {
    let gains = grades.enumerate().map(|(place, grade)| {
        let place = u32::try_from(place).expect("few places");
        f64::from((1 << grade) - 1) / (f64::from(place) + 2.0).log2()
    });
    gains.sum()
}

/// The quality of search results with six passages. Each value is from 0 to 1.
#[derive(Debug)]
#[expect(dead_code, reason = "`first` is only printed")]
pub struct Quality {
    pub ndcg: f64,
    pub recall: f64,
    /// The share of questions with the best document in first place.
    pub first: f64,
}

pub fn load_questions() -> Vec<Asked> {
    serde_json::from_str(include_str!("../../knowledge/questions.json")).expect("questions")
}

/// Asks every question. Prints the questions with missing or misplaced documents.
pub async fn measure_quality(reader: &Client) -> Quality {
    let asked = load_questions();
    assert!(asked.len() >= 60);
    let (mut ndcg, mut recall, mut first, mut missed) = (0.0, 0.0, 0.0, vec![]);
    for question in &asked {
        let input = json!({ "pergunta": question.pergunta, "limite": 6 });
        let answer = reader.post("/api/rag", input).await.expect(200).body;
        let mut seen: Vec<&str> = vec![];
        let grades: Vec<i32> = passage_sources(&answer)
            .into_iter()
            .map(|source| {
                let name = source.trim_start_matches("escola/");
                // A second passage of the same document has grade 0.
                let again = seen.contains(&name);
                seen.push(name);
                let grade = question.relevantes.get(name).copied().unwrap_or(0);
                if again { 0 } else { grade }
            })
            .collect();
        let mut best: Vec<i32> = question.relevantes.values().copied().collect();
        best.sort_unstable_by(|a, b| b.cmp(a));
        ndcg += discounted_gain(grades.iter().copied()) / discounted_gain(best.iter().copied());
        let hits = grades.iter().filter(|grade| **grade > 0).count();
        recall += hits as f64 / best.len() as f64;
        let leads = grades.first().is_some_and(|grade| *grade == 3);
        first += f64::from(u8::from(leads));
        if hits < best.len() || !leads {
            missed.push(format!("{grades:?} {} → {seen:?}", question.pergunta));
        }
    }
    println!("{}", missed.join("\n"));
    let count = asked.len() as f64;
    Quality {
        ndcg: ndcg / count,
        recall: recall / count,
        first: first / count,
    }
}

#[tokio::test]
async fn six_passages_contain_the_relevant_documents() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let quality = measure_quality(&reader).await;
    println!("{quality:?}");
    assert!(quality.recall >= 0.85, "{quality:?}");
    assert!(quality.ndcg >= 0.80, "{quality:?}");
}

/// SQLite and PostgreSQL must match the same snapshot.
#[tokio::test]
async fn both_databases_give_the_same_ranking() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let asked = load_questions();
    let mut told = vec![];
    for question in asked.iter().step_by(4) {
        let input = json!({ "pergunta": question.pergunta, "limite": 3 });
        let answer = reader.post("/api/rag", input).await.expect(200).body;
        let citations = answer["citacoes"].as_array().expect("a list").iter();
        let lines = citations.map(|c| format!("{} {}", c["pontuacao"], c["titulo"]));
        told.push(json!({ question.pergunta.as_str(): lines.collect::<Vec<_>>() }));
    }
    insta::assert_json_snapshot!("ranking", told);
}
