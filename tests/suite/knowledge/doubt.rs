//! An answer whose passages match the question only partly has a warning.

use domain::Role;

use super::{passage_sources, quality::load_questions, school_service, search_passages};

#[tokio::test]
async fn only_an_answer_of_low_confidence_has_a_warning() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    for question in [
        "Qual o preço da assinatura anual?",
        "Quem ganhou a copa de 1998?",
        "Qual a senha do wifi da escola?",
        "como trocar o pneu do carro",
    ] {
        let answer = search_passages(&reader, question).await;
        assert!(!passage_sources(&answer).is_empty(), "{question}");
        let told = answer["avisos"][0].as_str().unwrap_or_default();
        assert!(told.starts_with("Pouca confiança"), "{question}: {answer}");
    }
    let asked = load_questions();
    let mut doubted = vec![];
    for question in &asked {
        let answer = search_passages(&reader, &question.pergunta).await;
        if answer.get("avisos").is_some() {
            doubted.push(&question.pergunta);
        }
    }
    assert!(doubted.len() * 50 <= asked.len(), "{doubted:?}");
    for nothing in ["xilofone", "Quantos seguidores temos no TikTok?"] {
        let nothing = search_passages(&reader, nothing).await;
        assert!(passage_sources(&nothing).is_empty(), "{nothing}");
        assert!(nothing.get("avisos").is_none(), "{nothing}");
    }
}

#[tokio::test]
async fn the_rare_word_of_a_question_decides_the_first_passage() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let answer = search_passages(&reader, "A que horas sai o post do LinkedIn?").await;
    let title = answer["citacoes"][0]["titulo"].as_str().expect("a title");
    assert!(title.contains("LinkedIn"), "{title}");
    // In the passage and in the excerpt, a heading is directly before its text.
    let context = answer["contexto"].as_str().expect("text");
    assert!(context.contains("YouTube:\nTítulo de até"), "{context}");
    let excerpt = answer["citacoes"][0]["trecho"].as_str().expect("text");
    assert!(excerpt.contains("YouTube: Título de até"), "{excerpt}");
}
