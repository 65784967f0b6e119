//! The search in a draft reads the visible text, and returns the HTML of each match.

use domain::Role;
use serde_json::{Value, json};

use super::{create_draft, draft_path, load_html};
use crate::support::{Client, TestApp};

const PRICE: &str = "R$&nbsp;<b>78</b>,50";

/// Returns the matches of a search, starting after the cursor if there is one.
async fn search_draft(client: &Client, search: &str, cursor: Option<&str>) -> Value {
    let mut input = json!({ "templateId": "a", "busca": search });
    if let Some(cursor) = cursor {
        input["cursor"] = cursor.into();
    }
    let tool = client.call_tool("get_email_draft", input).await;
    assert!(!tool.is_error, "{}", tool.text);
    let encoded = |text: &str| {
        percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
    };
    let cursor = cursor.map(|cursor| format!("&cursor={}", encoded(cursor)));
    let path = format!(
        "{}?busca={}{}",
        draft_path("a"),
        encoded(search),
        cursor.unwrap_or_default()
    );
    let rest = client.get(&path).await.expect(200).body;
    assert_eq!(
        tool.structured, rest,
        "both interfaces must give the same answer"
    );
    rest["ocorrencias"].clone()
}

#[tokio::test]
async fn an_occurrence_can_be_read_at_its_position_and_replaced_by_its_text() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let before = "🎉<p style=\"color:red\">Só por ".repeat(9);
    let token = create_draft(&lead, "a", &format!("{before}{PRICE} à vista</p>")).await;
    let all = search_draft(&lead, "r$ 78,50 A VISTA", None).await;
    assert_eq!(
        (&all["total"], &all["next_cursor"]),
        (&json!(1), &Value::Null)
    );
    let passage = &all["trechos"][0];
    assert_eq!(passage["procurar"], format!("{PRICE} à vista"));
    assert_eq!(passage["de"], before.chars().count());
    let path = format!(
        "{}?de={}&tamanho={}",
        draft_path("a"),
        passage["de"],
        passage["tamanho"]
    );
    let window = lead.get(&path).await.expect(200).body;
    assert_eq!(window["draft"]["html"], passage["procurar"]);
    let change = json!({
        "procurar": passage["procurar"], "trocar_por": "R$ 80", "expected_updated_at": token,
    });
    let path = format!("{}/substituir", draft_path("a"));
    lead.post(&path, change).await.expect(200);
    assert_eq!(load_html(&lead, "a").await, format!("{before}R$ 80</p>"));
}

#[tokio::test]
async fn the_error_for_a_search_text_split_by_tags_contains_the_html() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let token = create_draft(&lead, "a", &format!("<p>{PRICE}</p>")).await;
    let change = json!({
        "procurar": "R$ 78,50", "trocar_por": "R$ 80", "expected_updated_at": token,
    });
    let path = format!("{}/substituir", draft_path("a"));
    let refused = lead.post(&path, change.clone()).await;
    let refused = refused.expect_refusal(409, "TEXT_NOT_FOUND");
    assert_eq!(refused.body["details"]["trechos"][0]["procurar"], PRICE);
    assert_eq!(refused.body["details"]["total"], 0);
    let next = refused.body["details"]["next"].as_str().expect("a step");
    assert!(next.contains("trechos[].procurar"), "{next}");
    assert!(
        refused.text.contains("escrito de outro modo"),
        "{}",
        refused.text
    );
    let mut tool = change;
    tool["templateId"] = "a".into();
    tool["procurar"] = "R$ 79".into();
    let absent = lead.call_tool("replace_in_email_draft", tool).await;
    assert!(
        absent
            .text
            .starts_with("TEXT_NOT_FOUND: O trecho não aparece"),
        "{}",
        absent.text
    );
}

#[tokio::test]
async fn a_text_in_the_metadata_is_found_and_its_replacement_names_the_field() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let draft = json!({
        "html": "<p>Oi</p>", "expected_updated_at": null,
        "metadata": { "assunto": "Última chance", "blocos": [{ "titulo": "Só hoje" }], "n": 1 },
    });
    let put = lead.put(&draft_path("a"), draft).await.expect(200).body;
    for (text, campo, texto) in [
        ("ULTIMA", "assunto", "Última chance"),
        ("só hoje", "blocos.0.titulo", "Só hoje"),
    ] {
        let input = json!({ "templateId": "a", "busca": text });
        let found = lead.call_tool("get_email_draft", input).await.structured;
        assert_eq!(found["ocorrencias"]["total"], 0);
        let expected = json!([{ "campo": campo, "texto": texto }]);
        assert_eq!(found["nos_metadados"], expected);
        let change = json!({
            "procurar": texto, "trocar_por": "x", "expected_updated_at": put["draft"]["updated_at"],
        });
        let path = format!("{}/substituir", draft_path("a"));
        let refused = lead.post(&path, change).await;
        let refused = refused.expect_refusal(409, "TEXT_NOT_FOUND");
        assert!(
            refused.text.contains(&format!("`{campo}`")),
            "{}",
            refused.text
        );
        let next = refused.body["details"]["next"].as_str().expect("a step");
        assert!(next.contains("put_email_draft"), "{next}");
    }
    let input = json!({ "templateId": "a", "busca": "Oi" });
    let found = lead.call_tool("get_email_draft", input).await.structured;
    assert_eq!(found.get("nos_metadados"), None);
}

#[tokio::test]
async fn more_than_twenty_occurrences_are_listed_in_pages_without_gaps() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    create_draft(&lead, "a", &"<td>pr&eacute;via</td>ç".repeat(45)).await;
    let (mut places, mut cursor, mut pages) = (vec![], None::<String>, vec![]);
    loop {
        let page = search_draft(&lead, "prévia", cursor.as_deref()).await;
        assert_eq!(page["total"], 45);
        let passages = page["trechos"].as_array().expect("a list");
        pages.push(passages.len());
        places.extend(passages.iter().map(|p| p["de"].as_u64().expect("a number")));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(pages, [20, 20, 5]);
    let expected: Vec<u64> = (0..45).map(|n| n * 23 + 4).collect();
    assert_eq!(places, expected);
    let alone = lead
        .get(&format!(
            "{}?cursor={}",
            draft_path("a"),
            cursor.expect("a cursor")
        ))
        .await;
    assert_eq!(alone.invalid_fields(), ["cursor"]);
    for foreign in ["x", "bnVsbA", "LTE", "eyJ9"] {
        let path = format!("{}?busca=a&cursor={foreign}", draft_path("a"));
        assert_eq!(
            lead.get(&path).await.invalid_fields(),
            ["cursor"],
            "{foreign}"
        );
    }
}

#[tokio::test]
async fn long_occurrences_are_cut_and_their_answer_fits_into_a_tool_result() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    let image = format!("<img src=\"data:{}\">", "\u{1}".repeat(90_000));
    create_draft(&lead, "a", &format!("um{image}dois ").repeat(20)).await;
    let all = search_draft(&lead, "umdois", None).await;
    assert_eq!(all["total"], 20);
    let passage = &all["trechos"][1];
    assert_eq!(passage["procurar"], Value::Null);
    assert_eq!(passage["tamanho"], image.len() + 6);
    assert_eq!(
        passage["trecho"].as_str().expect("text").chars().count(),
        1_080
    );
    let long = "\u{1}".repeat(990);
    let all = search_draft(&lead, &long, None).await;
    let shown = all["trechos"].as_array().expect("a list").len();
    assert!(
        (5..20).contains(&shown) && all["next_cursor"].is_string(),
        "{shown}"
    );
}

#[tokio::test]
async fn the_largest_hostile_drafts_are_searched() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    for piece in ["<div>", "&a", "<a b=", "é"] {
        let count = 1_900_000 / piece.chars().count();
        let draft = format!("alvo {}", piece.repeat(count));
        let put = json!({ "html": draft, "expected_updated_at": null });
        lead.put(&draft_path("a"), put).await.expect(200);
        let path = format!("{}?busca=alvo", draft_path("a"));
        let answer = lead.get(&path).await.expect(200).body;
        assert_eq!(answer["ocorrencias"]["total"], 1, "{piece}");
        let token = answer["draft"]["updated_at"].as_str().expect("a token");
        let path = format!("{}?expected_updated_at={token}", draft_path("a"));
        lead.delete(&path).await.expect(200);
    }
}

#[tokio::test]
async fn a_member_who_may_not_see_drafts_finds_nothing_in_them() {
    let app = TestApp::new().await;
    let lead = app.as_member(Role::Lider).await;
    create_draft(&lead, "a", PRICE).await;
    let anonymous = app.anonymous();
    anonymous
        .get(&format!("{}?busca=78", draft_path("a")))
        .await
        .expect(401);
}
