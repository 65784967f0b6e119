//! The descriptions of figures in the contract.

use serde_json::Value;

use super::get;
use crate::support::TestApp;

/// The figures whose descriptions must say what they count and by which date, because their names
/// do not.
const TOLD: [&str; 11] = [
    "vendas",
    "reembolsos",
    "reembolsos_centavos",
    "ticket_medio_centavos",
    "conversao",
    "taxa",
    "taxa_anterior",
    "taxa_sessoes",
    "taxa_pessoas",
    "em_atraso",
    "cancelados",
];

/// Calls `tell` with the name and schema of each property.
fn visit_properties<'a>(value: &'a Value, tell: &mut impl FnMut(&'a str, &'a Value)) {
    match value {
        Value::Array(values) => values
            .iter()
            .for_each(|value| visit_properties(value, tell)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if let ("properties", Value::Object(described)) = (name.as_str(), value) {
                    for (name, schema) in described {
                        tell(name, schema);
                    }
                }
                visit_properties(value, tell);
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn the_contract_says_what_the_figures_count_and_by_which_date() {
    let app = TestApp::new().await;
    let contract = get(&app.anonymous(), "/api/ai/openapi.json").await;
    let (mut told, mut untold) = (vec![], vec![]);
    visit_properties(&contract, &mut |name, schema| {
        if TOLD.contains(&name) && schema["type"] != "object" {
            match schema["description"].as_str() {
                Some(text) => told.push((name, text)),
                None => untold.push((name, schema.to_string())),
            }
        }
    });
    assert!(untold.is_empty(), "{untold:?}");
    for (name, words) in [
        ("vendas", "pagas no período"),
        ("reembolsos", "em qualquer data"),
        ("em_atraso", "agora"),
    ] {
        let mut of_name = told.iter().filter(|(one, _)| *one == name);
        assert!(of_name.any(|(_, text)| text.contains(words)), "{name}");
    }
}
