//! Tests that the right passage ranks first: sixty questions of a food and editorial team, over the
//! school's documents and three more documents that compete with them.
//!
//! Each question identifies its passage by a text in it. Twenty of the questions (`prova`) were
//! held out while the ranking was tuned.

use domain::Role;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{add_document, school_service};
use crate::support::{Client, TestApp};

#[derive(Deserialize)]
struct Fixture {
    documentos: Vec<Added>,
    perguntas: Vec<Asked>,
}

#[derive(Deserialize)]
struct Added {
    fonte: String,
    texto: String,
}

#[derive(Deserialize)]
struct Asked {
    pergunta: String,
    /// The source of the right passage; absent if no document has the answer.
    fonte: Option<String>,
    /// A text that the right passage contains.
    #[serde(default)]
    contem: String,
    /// The expected result if no document has the answer: `nada` for no passages, `duvida` for a
    /// warning in `avisos`.
    #[serde(default)]
    esperado: String,
    /// Whether the question was held out while the ranking was tuned.
    #[serde(default)]
    prova: bool,
}

fn load_fixture() -> Fixture {
    serde_json::from_str(include_str!("../../knowledge/relevance.json")).expect("questions")
}

async fn service_with_documents() -> TestApp {
    let app = school_service().await;
    for document in load_fixture().documentos {
        add_document(&app, &document.fonte, &[], &document.texto).await;
    }
    app
}

async fn search_passages(reader: &Client, question: &str) -> Value {
    let input = json!({ "pergunta": question, "limite": 3 });
    reader.post("/api/rag", input).await.expect(200).body
}

/// Returns the passages of an answer, best first. Joins each passage into one line that begins with
/// its source.
fn passage_lines(answer: &Value) -> Vec<String> {
    let citations = answer["citacoes"].as_array().expect("a list").len();
    let context = answer["contexto"].as_str().expect("text");
    let start = |number: usize| context.find(&format!("[{number}] "));
    (1..=citations)
        .filter_map(|number| {
            let block = &context[start(number)?..start(number + 1).unwrap_or(context.len())];
            Some(block.split_whitespace().collect::<Vec<_>>().join(" "))
        })
        .collect()
}

/// The number of questions, of those with the right passage in first place, and of those with the
/// right passage among the first three.
#[derive(Debug, Default)]
struct Share {
    asked: f64,
    first: f64,
    three: f64,
}

impl Share {
    fn record_rank(&mut self, place: Option<usize>) {
        self.asked += 1.0;
        self.first += f64::from(u8::from(place == Some(0)));
        self.three += f64::from(u8::from(place.is_some()));
    }

    fn first_and_top_three(&self) -> (f64, f64) {
        (self.first / self.asked, self.three / self.asked)
    }
}

#[tokio::test]
async fn the_right_passage_ranks_first() {
    let app = service_with_documents().await;
    let reader = app.as_member(Role::Criador).await;
    let (mut tuned, mut held_out) = (Share::default(), Share::default());
    for asked in load_fixture().perguntas {
        let Some(source) = &asked.fonte else { continue };
        let answer = search_passages(&reader, &asked.pergunta).await;
        let found = passage_lines(&answer);
        let is_right = |passage: &String| {
            passage.contains(&format!("(fonte: {source})")) && passage.contains(&asked.contem)
        };
        let place = found.iter().position(is_right);
        if place != Some(0) && !asked.prova {
            let titles = answer["citacoes"].as_array().expect("a list").iter();
            let titles: Vec<String> = titles
                .map(|c| format!("{} {}", c["pontuacao"], c["titulo"]))
                .collect();
            println!("{place:?} {} → {titles:?}", asked.pergunta);
        }
        match asked.prova {
            true => held_out.record_rank(place),
            false => tuned.record_rank(place),
        }
    }
    println!("{tuned:?} {:?}", tuned.first_and_top_three());
    println!("{held_out:?} {:?}", held_out.first_and_top_three());
    for (share, first, three) in [(&tuned, 0.77, 0.94), (&held_out, 0.58, 0.94)] {
        let reached = share.first_and_top_three();
        assert!(reached.0 >= first && reached.1 >= three, "{share:?}");
    }
}

#[tokio::test]
async fn a_question_without_an_answer_finds_nothing_or_has_a_warning() {
    let app = service_with_documents().await;
    let reader = app.as_member(Role::Criador).await;
    let (mut unknown, mut doubted, mut wrong) = (0, 0, vec![]);
    for asked in load_fixture().perguntas {
        if asked.fonte.is_some() {
            continue;
        }
        let answer = search_passages(&reader, &asked.pergunta).await;
        let found = passage_lines(&answer).len();
        let doubt = answer["avisos"][0].as_str().unwrap_or_default();
        if asked.esperado == "nada" {
            if found > 0 {
                wrong.push(asked.pergunta);
            }
            continue;
        }
        unknown += 1;
        let is_doubted = found > 0 && doubt.starts_with("Pouca confiança");
        doubted += usize::from(is_doubted);
        if !is_doubted {
            println!("not doubted: {}", asked.pergunta);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(doubted >= 1, "{doubted} of {unknown}");
}
