//! No answer to a guest has an internal text. The routes come from the table, so that a new one
//! fails until it is called here.

use std::collections::BTreeSet;

use axum::{body::Body, http::Method};
use domain::{GUEST_PREFIX, Role};
use gateway::Access;
use serde_json::{Value, json};

use super::{create_link, secret_of};
use crate::support::{Client, TestApp};

/// Marks every kind of internal text, so that an answer with one of them is found.
const INTERNAL: &str = "interno-";

fn internal(what: &str) -> String {
    format!("{INTERNAL}{what}")
}

struct Planted {
    /// The piece that the link shows.
    id: String,
    /// A remark of the team on it.
    team_remark: String,
    /// Its medium.
    medium: String,
    revision: i64,
}

/// A submitted piece, with internal texts wherever members write any.
async fn plant(session: &Client) -> Planted {
    let title = internal("outra-peca");
    session.create_demand(json!({ "title": title })).await;
    let demand = json!({ "title": "Para você", "description": internal("briefing"),
        "tipo": internal("etiqueta") });
    let id = session.create_demand(demand).await;
    let art = json!({ "event_id": id, "prompt": "Pão", "size": "540x675" });
    let art = session.post("/api/art", art).await;
    assert!(art.status < 300, "{}", art.text);
    let medium = session.load_event(&id).await["media"][0]["id"].clone();
    let revision = async || session.load_event(&id).await["api_revision"].clone();
    let save = json!({ "event_id": id, "expected_revision": revision().await,
        "caption": internal("rascunho") });
    session.post("/api/draft", save).await.expect(200);
    // A round that was refused, with its reason.
    for caption in [internal("versao-recusada"), "Legenda final".into()] {
        let send = json!({ "event_id": id, "expected_revision": revision().await,
            "caption": caption, "day": 20, "month": 11, "year": 2026 });
        session.post("/api/enviar", send).await.expect(200);
        if caption != "Legenda final" {
            let refuse = json!({ "event_id": id, "action": "recusar",
                "motivo": internal("motivo") });
            session.post("/api/aprovar", refuse).await.expect(200);
        }
    }
    let draft = json!({ "expected_updated_at": null,
        "html": format!("<p>{}</p>", internal("email")),
        "metadata": { "assunto": internal("assunto") } });
    let draft = session.put("/api/email-drafts/interno-modelo", draft).await;
    draft.expect(200);
    let place = json!({ "tipo": "email", "template_id": internal("modelo"),
        "trecho": internal("email") });
    let path = format!("/api/eventos/{id}/comentarios");
    let mut threads = vec![];
    for remark in [
        json!({ "texto": internal("comentario") }),
        json!({ "texto": internal("sobre-o-email"), "ancora": place }),
    ] {
        let added = session.post(&path, remark).await.expect(200).body;
        threads.push(added["id"].as_str().expect("an id").to_owned());
    }
    let open = json!({ "texto": "Pode ser?", "publico": "convidados" });
    session.post(&path, open).await.expect(200);
    let project = json!({ "name": internal("projeto") });
    session.post("/api/projects", project).await.expect(201);
    Planted {
        team_remark: threads.swap_remove(0),
        medium: medium.as_str().expect("a medium").to_owned(),
        revision: revision().await.as_i64().expect("a revision"),
        id,
    }
}

/// Inputs of a route of guests: those that succeed and those that are refused.
fn inputs(name: &str, piece: &Planted) -> Option<Vec<Value>> {
    let about = |fields: Value| {
        let mut input = json!({ "event_id": piece.id, "api_revision": piece.revision });
        let input_fields = input.as_object_mut().expect("an object");
        input_fields.extend(fields.as_object().expect("an object").clone());
        input
    };
    let remark = |fields: Value| {
        let mut input = about(fields);
        input["texto"] = "Oi".into();
        input
    };
    let email = json!({ "tipo": "email", "template_id": "interno-modelo", "trecho": "x" });
    let caption = json!({ "tipo": "legenda", "trecho": "girassol" });
    let unknown = json!({ "tipo": "imagem", "media_id": piece.id, "x": 0.5, "y": 0.5 });
    let half = json!({ "tipo": "imagem", "media_id": piece.medium, "x": 0.5 });
    Some(match name {
        "list_guest_pieces" | "guest_page" => vec![Value::Null],
        "guest_form" => vec![json!({ "acao": "aprovar" })],
        "enter_guest_code" => vec![json!({}), json!({ "codigo": "123456" })],
        "add_guest_remark" => vec![
            remark(json!({ "responde_a": piece.team_remark })),
            remark(json!({ "ancora": email })),
            remark(json!({ "ancora": caption })),
            remark(json!({ "ancora": unknown })),
            remark(json!({ "ancora": half })),
            remark(json!({ "api_revision": 1 })),
            remark(json!({ "event_id": piece.team_remark })),
            about(json!({})),
            remark(json!({})),
        ],
        "decide_as_guest" => vec![
            about(json!({ "acao": "recusar" })),
            about(json!({ "acao": "aprovar", "texto": "x" })),
            about(json!({ "acao": "aprovar", "api_revision": 1 })),
            about(json!({ "acao": "aprovar", "event_id": piece.team_remark })),
            about(json!({ "acao": "aprovar" })),
            about(json!({ "acao": "aprovar" })),
        ],
        _ => return None,
    })
}

#[tokio::test]
async fn no_answer_to_a_guest_has_an_internal_text_or_names_an_operation() {
    let app = TestApp::new().await;
    let maker = app.add_member(Role::Lider).await;
    let session = app.session_client(&maker).await;
    let piece = plant(&session).await;
    let link = create_link(&session, "decidir", json!({ "pecas": [piece.id] })).await;
    let secret = secret_of(&link);
    let guest = app.bearer(format!("{GUEST_PREFIX}{secret}"));
    let browser = app.anonymous().with_header("sec-fetch-site", "same-origin");
    let registry = &app.app.gateway.registry;
    let operations: BTreeSet<&str> = registry
        .operations
        .iter()
        .map(|one| one.spec.name)
        .collect();
    let entries = registry.operations.iter().chain(&registry.pages);
    let entries = entries.chain(&registry.console);
    let of_guests = entries.map(|entry| entry.spec);
    let mut of_guests: Vec<_> = of_guests
        .filter(|spec| matches!(spec.access, Access::Guest(_)))
        .collect();
    // The decision comes last, because the piece does not wait afterwards.
    of_guests.sort_by_key(|spec| spec.name == "decide_as_guest");
    let internal_ids = [maker.email.as_str(), maker.id.as_str()];
    let mut answers = 0;
    for spec in of_guests {
        let path = spec.path.replace("{link}", &secret);
        let path = path.replace("{mediaId}", &piece.medium);
        let is_page = path.starts_with("/convidado");
        let given = inputs(spec.name, &piece);
        let given = given.or_else(|| is_page.then(|| vec![Value::Null]));
        let given = given.unwrap_or_else(|| panic!("{}: say here how to call it", spec.name));
        for input in given {
            let method: Method = spec.verb.as_str().parse().expect("a method");
            let answer = match is_page {
                true if method == Method::POST => {
                    browser.post_form(&path, &[("acao", "aprovar")]).await
                }
                true => browser.get(&path).await,
                false => {
                    let body = (!input.is_null()).then(|| Body::from(input.to_string()));
                    guest.send(method, &path, body).await
                }
            };
            assert!(answer.status < 500, "{}: {}", spec.name, answer.text);
            let what = format!("{} {input}: {}", spec.name, answer.text);
            for hidden in internal_ids.iter().chain(&[INTERNAL, "/api/", "REST"]) {
                assert!(!answer.text.contains(hidden), "{hidden} in {what}");
            }
            let words = answer
                .text
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for word in words {
                assert!(!operations.contains(word), "{word} in {what}");
            }
            answers += 1;
        }
    }
    assert!(answers > 20, "only {answers} answers");
}
