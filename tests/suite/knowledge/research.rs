//! `POST /api/rag` and its tool: limits, permissions, and the format of an answer.

use domain::{Capability, Level, Role, is_id};
use serde_json::{Value, json};

use super::{add_document, passage_sources, school_service, search_passages, search_sources};
use crate::support::TestApp;

#[tokio::test]
async fn an_answer_cites_its_sources() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let answer = search_passages(&reader, "Que temperatura é segura para o frango?").await;
    let citations = answer["citacoes"].as_array().expect("a list");
    assert_eq!(citations.len(), 6);
    let context = answer["contexto"].as_str().expect("text");
    assert!(context.chars().count() <= 16_000);
    let scores: Vec<f64> = citations
        .iter()
        .map(|c| c["pontuacao"].as_f64().expect("a number"))
        .collect();
    assert!(
        scores.is_sorted_by(|a, b| a >= b) && scores[5] > 0.0,
        "{scores:?}"
    );
    for (number, citation) in (1..).zip(citations) {
        for field in ["id", "documento_id"] {
            assert!(is_id(citation[field].as_str().expect("text")));
        }
        let (title, source) = (&citation["titulo"], &citation["fonte"]);
        let head = format!(
            "[{number}] {} (fonte: {})\n",
            title.as_str().expect("text"),
            source.as_str().expect("text")
        );
        assert!(context.contains(&head), "{head}");
        let excerpt = citation["trecho"].as_str().expect("text");
        assert!(excerpt.chars().count() <= 282 && !excerpt.is_empty());
        let folded = format!("{title} {excerpt}").to_lowercase();
        assert!(
            ["temperatura", "segur", "frango"]
                .iter()
                .any(|w| folded.contains(w)),
            "{excerpt}"
        );
    }
    assert!(passage_sources(&answer).contains(&"escola/seguranca-temperaturas.md"));
}

#[tokio::test]
async fn a_search_without_results_returns_an_empty_list() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let nothing = json!({ "contexto": "", "citacoes": [], "busca": "texto" });
    for question in [
        "xilofone",
        "o que é isso?",
        "?!…",
        "🎉🎉",
        "\"\"",
        "* \" ( ) : ^ - + AND",
        "日本語",
        "Что это",
        "\"frango de bicicleta\"",
        "zz*",
    ] {
        assert_eq!(
            search_passages(&reader, question).await,
            nothing,
            "{question}"
        );
    }
    let empty = TestApp::new().await;
    let reader = empty.as_member(Role::Criador).await;
    assert_eq!(search_passages(&reader, "frango").await, nothing);
}

#[tokio::test]
async fn accents_case_and_number_of_a_question_do_not_matter() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let plain = search_sources(&reader, "fermentações naturais do pão").await;
    for question in [
        "FERMENTACAO NATURAL DO PAO",
        "fermentac\u{327}a\u{303}o natural dos pães",
    ] {
        assert_eq!(search_sources(&reader, question).await, plain, "{question}");
    }
}

#[tokio::test]
async fn texts_in_other_scripts_are_found_too() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    add_document(&app, "a.md", &[], "# Борщ\n\nСвёкла и капуста.").await;
    add_document(&app, "b.md", &[], "# 味噌汁\n\n味噌 と 豆腐。").await;
    assert_eq!(search_sources(&reader, "капуста").await, ["a.md"]);
    assert_eq!(search_sources(&reader, "СВЕКЛА").await, ["a.md"]);
    assert_eq!(search_sources(&reader, "豆腐").await, ["b.md"]);
    assert_eq!(search_sources(&reader, "капу*").await, ["a.md"]);
}

#[tokio::test]
async fn quoted_expressions_prefixes_and_misspellings_are_found() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    add_document(
        &app,
        "a.md",
        &[],
        "A calda chega ao ponto de bala depressa.",
    )
    .await;
    add_document(
        &app,
        "b.md",
        &[],
        "A bala tem um ponto na embalagem. Outro ponto.",
    )
    .await;
    add_document(&app, "c.md", &[], "Fermentar demora; o fermentado azeda.").await;
    assert_eq!(search_sources(&reader, "\"ponto de bala\"").await, ["a.md"]);
    assert_eq!(
        search_sources(&reader, "“PONTO DE BALAS” calda").await,
        ["a.md"]
    );
    assert_eq!(search_sources(&reader, "ponto bala").await.len(), 2);
    assert_eq!(search_sources(&reader, "fer*").await, ["c.md"]);
    assert_eq!(search_sources(&reader, "fermentação*").await, ["c.md"]);
    assert_eq!(
        search_sources(&reader, "\"ponto de bala").await.len(),
        2,
        "a quote without an end must be ignored"
    );
    assert_eq!(
        search_sources(&reader, "emblagem").await,
        ["b.md"],
        "a misspelt word must find the correct one"
    );
}

#[tokio::test]
async fn each_of_two_quoted_expressions_must_match() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    add_document(&app, "a.md", &[], "Ponto de bala e banho maria.").await;
    add_document(&app, "b.md", &[], "Só ponto de bala.").await;
    add_document(&app, "c.md", &[], "Só banho maria.").await;
    let both = "\"ponto de bala\" \"banho maria\"";
    assert_eq!(search_sources(&reader, both).await, ["a.md"]);
}

#[tokio::test]
async fn a_prefix_matches_every_word_that_begins_with_it() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    for (source, text) in [
        ("a.md", "Salsa."),
        ("b.md", "Salmoura."),
        ("c.md", "Salgados."),
    ] {
        add_document(&app, source, &[], text).await;
    }
    add_document(&app, "d.md", &[], "Açúcar.").await;
    let mut all = search_sources(&reader, "sa*").await;
    all.sort();
    assert_eq!(all, ["a.md", "b.md", "c.md"]);
}

/// More passages match than the search ranks. On both databases, the passages with the rare word
/// are among those that it ranks.
#[tokio::test]
async fn a_rare_word_is_found_among_many_common_ones() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    let filling =
        "Mexa a panela em fogo baixo até engrossar e deixe esfriar na bancada. ".repeat(6);
    let sections = (0..450).map(|n| match n % 150 {
        70 => format!("## Doce {n}\n\nTamarindo. {filling}\n\n"),
        _ => format!("## Receita {n}\n\nReceita de família. {filling}\n\n"),
    });
    add_document(&app, "livro.md", &[], &sections.collect::<String>()).await;
    let answer = search_passages(&reader, "tamarindo receita").await;
    let titles = answer["citacoes"].as_array().expect("a list").iter();
    let mut titles: Vec<&str> = titles
        .map(|c| c["titulo"].as_str().expect("text"))
        .collect();
    titles.truncate(3);
    titles.sort_unstable();
    assert_eq!(
        titles,
        [
            "livro.md › Doce 220",
            "livro.md › Doce 370",
            "livro.md › Doce 70"
        ]
    );
}

#[tokio::test]
async fn an_excerpt_shows_the_matching_words() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    let filling = "palavras que enchem a linha ".repeat(14);
    let text = format!("{filling} tamarindo maduro {filling} calda grossa {filling}");
    add_document(&app, "a.md", &[], &text).await;
    for (question, shown) in [("tamarindo", "tamarindo maduro"), ("calda", "calda grossa")] {
        let answer = search_passages(&reader, question).await;
        let excerpt = answer["citacoes"][0]["trecho"].as_str().expect("text");
        assert!(excerpt.contains(shown), "{excerpt}");
        assert!(
            excerpt.starts_with('…') && excerpt.ends_with('…'),
            "{excerpt}"
        );
        assert!(excerpt.chars().count() <= 282, "{excerpt}");
    }
}

#[tokio::test]
async fn tags_narrow_the_results() {
    let app = TestApp::new().await;
    let reader = app.as_member(Role::Criador).await;
    add_document(&app, "a.md", &["receita", "doce"], "Bolo de fubá cremoso.").await;
    add_document(&app, "b.md", &["norma"], "Bolo na vitrine: duas horas.").await;
    add_document(&app, "c.md", &[], "Bolo gelado.").await;
    let tagged = async |tags: Value| {
        let input = json!({ "pergunta": "bolo", "tags": tags });
        let answer = reader.post("/api/rag", input).await.expect(200).body;
        let mut found: Vec<String> = passage_sources(&answer)
            .into_iter()
            .map(str::to_owned)
            .collect();
        found.sort();
        found
    };
    assert_eq!(tagged(json!(["doce"])).await, ["a.md"]);
    assert_eq!(tagged(json!([" DOCE ", "norma"])).await, ["a.md", "b.md"]);
    assert_eq!(tagged(json!(["outra", "'; --"])).await, [""; 0]);
    let many: Vec<String> = (0..20).map(|n| format!("{n}{}", "é".repeat(62))).collect();
    assert_eq!(tagged(json!(many)).await, [""; 0]);
}

#[tokio::test]
async fn the_limits_apply_over_rest_and_mcp() {
    let app = school_service().await;
    let reader = app.as_member(Role::Criador).await;
    let refused = [
        (json!({}), "pergunta"),
        (json!({ "pergunta": "" }), "pergunta"),
        (json!({ "pergunta": null }), "pergunta"),
        (json!({ "pergunta": 7 }), "pergunta"),
        (json!({ "pergunta": ["a"] }), "pergunta"),
        (json!({ "pergunta": "a\u{0}b" }), "pergunta"),
        (json!({ "pergunta": "ã".repeat(4_001) }), "pergunta"),
        (json!({ "pergunta": "a", "limite": 0 }), "limite"),
        (json!({ "pergunta": "a", "limite": 21 }), "limite"),
        (json!({ "pergunta": "a", "limite": -1 }), "limite"),
        (json!({ "pergunta": "a", "limite": 1.5 }), "limite"),
        (json!({ "pergunta": "a", "limite": "6" }), "limite"),
        (json!({ "pergunta": "a", "tags": "a" }), "tags"),
        (json!({ "pergunta": "a", "tags": [] }), "tags"),
        (json!({ "pergunta": "a", "tags": [7] }), "tags.0"),
        (json!({ "pergunta": "a", "tags": [""] }), "tags.0"),
        (json!({ "pergunta": "a", "tags": ["\u{0}"] }), "tags.0"),
        (
            json!({ "pergunta": "a", "tags": ["a".repeat(65)] }),
            "tags.0",
        ),
        (json!({ "pergunta": "a", "tags": vec!["a"; 21] }), "tags"),
        (
            json!({ "pergunta": "a", "idempotency_key": "chave-0001" }),
            "idempotency_key",
        ),
        (json!({ "pergunta": "a", "top_k": 3 }), "top_k"),
    ];
    for (input, field) in refused {
        assert_eq!(
            reader
                .post("/api/rag", input.clone())
                .await
                .invalid_fields(),
            [field],
            "{input}"
        );
        let tool = reader.call_tool("search_knowledge", input.clone()).await;
        assert!(
            tool.is_error && tool.text.contains(&format!("`{field}`")),
            "{input}: {}",
            tool.text
        );
    }
    for (limit, most) in [(1, 1), (20, 20)] {
        let input = json!({ "pergunta": "água quente e sal", "limite": limit });
        let answer = reader
            .post("/api/rag", input.clone())
            .await
            .expect(200)
            .body;
        assert_eq!(passage_sources(&answer).len(), most);
        assert_eq!(
            reader.call_tool("search_knowledge", input).await.structured,
            answer
        );
        assert!(answer["contexto"].as_str().expect("text").chars().count() <= 16_000);
    }
    let long = "frango assado com sal ".repeat(182)[..4_000].to_owned();
    assert_eq!(
        search_passages(&reader, &long).await["citacoes"]
            .as_array()
            .expect("a list")
            .len(),
        6
    );
    for text in [
        "ã".repeat(4_000),
        "🎉".repeat(4_000),
        "\"".repeat(4_000),
        "a* ".repeat(1_333),
    ] {
        search_passages(&reader, &text).await;
    }
}

#[tokio::test]
async fn only_members_who_may_research_get_results() {
    let app = school_service().await;
    let input = json!({ "pergunta": "frango" });
    app.anonymous()
        .post("/api/rag", input.clone())
        .await
        .expect_refusal(401, "UNAUTHENTICATED");
    let member = app
        .add_member_with(Role::Criador, Level::Leitor, false)
        .await;
    let (without, _) = app
        .token_client_with(&member, &[Capability::TasksView])
        .await;
    without
        .post("/api/rag", input.clone())
        .await
        .expect_refusal(403, "CAPABILITY_REQUIRED");
    let (with, _) = app.token_client_with(&member, &[Capability::Rag]).await;
    with.post("/api/rag", input.clone()).await.expect(200);
    assert!(
        with.tool_names()
            .await
            .contains(&"search_knowledge".to_owned())
    );
    assert!(
        !without
            .tool_names()
            .await
            .contains(&"search_knowledge".to_owned())
    );
    // A read ignores the idempotency key header.
    with.with_idempotency_key("x")
        .post("/api/rag", input)
        .await
        .expect(200);
    assert_eq!(app.count_rows("idempotency_keys").await, 0);
}
