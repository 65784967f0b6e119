//! Tests that no response to a guest contains an internal text. The test takes the routes for guests
//! from the registry. It fails if [`route_inputs`] or [`page_requests`] does not know a route.

use std::collections::BTreeSet;

use axum::{body::Body, http::Method};
use domain::Role;
use gateway::Access;
use serde_json::{Value, json};

use super::create_link;
use crate::support::{Client, TestApp, guest_secret};

/// The prefix of every internal text. The test searches each response for this prefix.
const INTERNAL: &str = "interno-";

fn internal_text(what: &str) -> String {
    format!("{INTERNAL}{what}")
}

struct Planted {
    /// A piece that waits for the guest.
    id: String,
    /// A piece that waits in a stage of the team.
    staged: String,
    /// A piece that was refused.
    refused: String,
    /// An approved piece whose post the team changes.
    changing: String,
    /// The path of another link, which has a code.
    coded: String,
    /// A remark of the team on the piece `id`.
    team_remark: String,
    /// The medium of the piece `id`.
    medium: String,
    revision: i64,
}

/// Submits a piece with this caption, at its current revision.
async fn send(session: &Client, id: &str, caption: &str) {
    let revision = session.load_event(id).await["api_revision"].clone();
    let send = json!({ "event_id": id, "expected_revision": revision, "caption": caption,
        "day": 20, "month": 11, "year": 2026 });
    session.post("/api/enviar", send).await.expect(200);
}

/// Creates three pieces: one in a stage of the team, one refused, and one approved and then changed.
/// Also creates a link with a code for another person. Returns the ids of the pieces and the path of the
/// link.
async fn create_other_pieces(session: &Client, admin: &Client, decider: &str) -> [String; 4] {
    let rules = json!({ "regras": [{ "nome": internal_text("regra"), "canais": ["blog"], "etapas": [
        { "nome": internal_text("etapa"), "membros": [decider] },
        { "nome": internal_text("outra-etapa"), "convidados": true },
    ] }] });
    let config = json!({ "key": "aprovacao", "value": rules });
    admin.post("/api/config", config).await.expect(200);
    let demand = |channel: &str| json!({ "title": "Para você", "channel": channel });
    let staged = session.create_demand(demand("blog")).await;
    send(session, &staged, "Legenda final").await;
    let refused = session.create_demand(demand("instagram")).await;
    send(session, &refused, &internal_text("legenda-recusada")).await;
    let refuse =
        json!({ "event_id": refused, "action": "recusar", "motivo": internal_text("motivo") });
    session.post("/api/aprovar", refuse).await.expect(200);
    let changing = session.create_demand(demand("instagram")).await;
    let put = async |caption: &str, revision: i64| {
        let variants = json!([{ "canal": "linkedin", "legenda": caption }, { "canal": "threads" }]);
        let input = json!({ "expected_revision": revision, "variantes": variants });
        let path = format!("/api/eventos/{changing}/variantes");
        session.put(&path, input).await.expect(200);
    };
    put("No LinkedIn", 1).await;
    send(session, &changing, "Legenda final").await;
    let approve = json!({ "event_id": changing, "action": "aprovar" });
    session.post("/api/aprovar", approve).await.expect(200);
    let revision = session.load_event(&changing).await["api_revision"].clone();
    put(
        &internal_text("variante"),
        revision.as_i64().expect("a revision"),
    )
    .await;
    let other = json!({ "nome": "Outra pessoa", "contato": internal_text("contato"),
        "direito": "ver", "pecas": [changing], "codigo": true });
    let other = session.post("/api/convidados", other).await.expect(201);
    let coded = format!("/convidado/{}", guest_secret(&other.body));
    [staged, refused, changing, coded]
}

/// Creates a submitted piece, with internal texts in all places where members can write texts.
async fn create_piece_with_internal_texts(
    session: &Client,
    [staged, refused, changing, coded]: [String; 4],
) -> Planted {
    let title = internal_text("outra-peca");
    session.create_demand(json!({ "title": title })).await;
    let demand = json!({ "title": "Para você", "description": internal_text("briefing"),
        "tipo": internal_text("etiqueta") });
    let id = session.create_demand(demand).await;
    let art = json!({ "event_id": id, "prompt": "Pão", "size": "540x675" });
    let art = session.post("/api/art", art).await;
    assert!(art.status < 300, "{}", art.text);
    let medium = session.load_event(&id).await["media"][0]["id"].clone();
    let revision = async || session.load_event(&id).await["api_revision"].clone();
    let save = json!({ "event_id": id, "expected_revision": revision().await,
        "caption": internal_text("rascunho") });
    session.post("/api/draft", save).await.expect(200);
    // Adds a thread for guests that quotes the draft.
    let quote = json!({ "tipo": "legenda", "trecho": internal_text("rascunho") });
    let quote = json!({ "texto": "E isto?", "publico": "convidados", "ancora": quote });
    let path = format!("/api/eventos/{id}/comentarios");
    session.post(&path, quote).await.expect(200);
    // Submits the piece twice. The first submission is refused with a reason.
    for caption in [internal_text("versao-recusada"), "Legenda final".into()] {
        send(session, &id, &caption).await;
        if caption != "Legenda final" {
            let refuse = json!({ "event_id": id, "action": "recusar",
                "motivo": internal_text("motivo") });
            session.post("/api/aprovar", refuse).await.expect(200);
        }
    }
    let draft = json!({ "expected_updated_at": null,
        "html": format!("<p>{}</p>", internal_text("email")),
        "metadata": { "assunto": internal_text("assunto") } });
    let draft = session.put("/api/email-drafts/interno-modelo", draft).await;
    draft.expect(200);
    let place = json!({ "tipo": "email", "template_id": internal_text("modelo"),
        "trecho": internal_text("email") });
    let mut threads = vec![];
    for remark in [
        json!({ "texto": internal_text("comentario") }),
        json!({ "texto": internal_text("sobre-o-email"), "ancora": place }),
    ] {
        let added = session.post(&path, remark).await.expect(200).body;
        threads.push(added["id"].as_str().expect("an id").to_owned());
    }
    let open = json!({ "texto": "Pode ser?", "publico": "convidados" });
    session.post(&path, open).await.expect(200);
    let project = json!({ "name": internal_text("projeto") });
    session.post("/api/projects", project).await.expect(201);
    Planted {
        team_remark: threads.swap_remove(0),
        staged,
        refused,
        changing,
        coded,
        medium: medium.as_str().expect("a medium").to_owned(),
        revision: revision().await.as_i64().expect("a revision"),
        id,
    }
}

/// Returns inputs for an operation for guests: inputs that succeed and inputs that are refused. Returns
/// `None` for an unknown operation.
fn route_inputs(name: &str, piece: &Planted) -> Option<Vec<Value>> {
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
        "list_guest_pieces" => vec![Value::Null],
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
            remark(json!({ "event_id": piece.refused, "api_revision": 3 })),
            remark(json!({ "event_id": piece.refused, "api_revision": 3, "ancora": caption })),
            remark(json!({ "event_id": piece.changing, "ancora": caption })),
            remark(json!({})),
        ],
        "update_guest_remark" | "remove_guest_remark" => [&piece.team_remark, &piece.id, "x"]
            .map(|id| json!({ "remarkId": id, "texto": "Oi" }))
            .to_vec(),
        "decide_as_guest" => vec![
            about(json!({ "acao": "aprovar", "event_id": piece.staged, "api_revision": 2 })),
            about(json!({ "acao": "pedir_ajustes", "event_id": piece.staged, "api_revision": 2 })),
            about(json!({ "acao": "aprovar", "event_id": piece.refused, "api_revision": 3 })),
            about(json!({ "acao": "aprovar", "event_id": piece.changing })),
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

/// Returns the requests for a page of guests: the path and the form fields of each request. A
/// request without fields is a GET.
fn page_requests(
    name: &str,
    secret: &str,
    piece: &Planted,
) -> Vec<(String, Vec<(String, String)>)> {
    let link = format!("/convidado/{secret}");
    let open = |path: String| (path, vec![]);
    let form = |path: &str, fields: &[(&str, &str)]| {
        let fields = fields.iter();
        let fields = fields.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        (path.to_owned(), fields.collect())
    };
    let revision = piece.revision.to_string();
    let about = |id: &str, action: &str, more: &[(&str, &str)]| {
        let about = [
            ("acao", action),
            ("event_id", id),
            ("api_revision", revision.as_str()),
        ];
        form(&link, &[&about[..], more].concat())
    };
    let text = ("texto", "Oi");
    match name {
        "guest_page" => vec![
            open(link.clone()),
            open(format!("{link}?feito=comentar")),
            open(piece.coded.clone()),
            open(link[..link.len() - 1].to_owned()),
        ],
        "guest_spot" => {
            let spot = format!("{link}/lugar?peca={}&midia={}", piece.id, piece.medium);
            vec![
                open(format!("{spot}&ponto.x=75&ponto.y=0")),
                open(spot),
                open(format!(
                    "{link}/lugar?peca={}&midia={}",
                    piece.refused, piece.medium
                )),
                open(format!("{link}/lugar")),
            ]
        }
        "get_guest_media" => vec![
            open(format!("{link}/midia/{}", piece.medium)),
            open(format!("{link}/midia/{}", piece.id)),
            open(format!("{}/midia/{}", piece.coded, piece.medium)),
        ],
        "guest_form" => vec![
            form(&link, &[("acao", "aprovar")]),
            form(&link, &[("acao", "codigo"), ("codigo", "123456")]),
            form(&piece.coded, &[("acao", "codigo"), ("codigo", "123456")]),
            form(&piece.coded, &[("acao", "aprovar")]),
            about(&piece.id, "comentar", &[]),
            about(
                &piece.id,
                "comentar",
                &[text, ("responde_a", &piece.team_remark)],
            ),
            about(&piece.id, "comentar", &[text, ("trecho", "girassol")]),
            about(
                &piece.id,
                "comentar",
                &[text, ("video_id", &piece.medium), ("segundo", "1")],
            ),
            about(&piece.id, "comentar", &[text, ("media_id", &piece.id)]),
            about(&piece.refused, "comentar", &[text]),
            about(&piece.team_remark, "comentar", &[text]),
            about(
                &piece.id,
                "editar",
                &[text, ("comentario", &piece.team_remark)],
            ),
            about(&piece.id, "remover", &[("comentario", &piece.team_remark)]),
            about(&piece.id, "recusar", &[]),
            about(&piece.staged, "aprovar", &[]),
            about(&piece.refused, "aprovar", &[]),
            about(&piece.changing, "aprovar", &[]),
            about(&piece.id, "pedir_ajustes", &[("texto", " ")]),
        ],
        _ => panic!("{name}: say here how to open it"),
    }
}

#[tokio::test]
async fn no_answer_to_a_guest_has_an_internal_text_or_names_an_operation() {
    let app = TestApp::new().await;
    let maker = app.add_member(Role::Lider).await;
    let session = app.session_client(&maker).await;
    let admin = app.as_member(Role::Admin).await;
    let decider = app.add_member(Role::Lider).await;
    let others = create_other_pieces(&session, &admin, decider.id.as_str()).await;
    let piece = create_piece_with_internal_texts(&session, others).await;
    let pieces = [&piece.id, &piece.staged, &piece.refused, &piece.changing];
    let link = create_link(&session, "decidir", json!({ "pecas": pieces })).await;
    let secret = guest_secret(&link);
    let guest = app.guest_client(&link);
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
    // The decision is sent last, because afterwards the piece no longer waits.
    of_guests.sort_by_key(|spec| spec.name == "decide_as_guest");
    let internal_texts = [
        maker.email.as_str(),
        maker.id.as_str(),
        decider.name.as_str(),
        decider.email.as_str(),
        decider.id.as_str(),
    ];
    let mut answers = 0;
    for spec in of_guests {
        let is_page = spec.path.starts_with("/convidado");
        let mut given = vec![];
        if is_page {
            for (path, fields) in page_requests(spec.name, &secret, &piece) {
                let answer = match fields.is_empty() {
                    true => browser.get(&path).await,
                    false => browser.post_form(&path, &fields).await,
                };
                given.push((format!("{path} {fields:?}"), answer));
            }
        } else {
            let inputs = route_inputs(spec.name, &piece);
            let inputs = inputs.unwrap_or_else(|| panic!("{}: say here how to call it", spec.name));
            for mut input in inputs {
                let method: Method = spec.verb.as_str().parse().expect("a method");
                let what = input.to_string();
                let id = input.as_object_mut().and_then(|one| one.remove("remarkId"));
                let id = id.unwrap_or_default();
                let path = spec
                    .path
                    .replace("{remarkId}", id.as_str().unwrap_or_default());
                let has_body = !input.is_null() && method != Method::DELETE;
                let body = has_body.then(|| Body::from(input.to_string()));
                given.push((what, guest.send(method, &path, body).await));
            }
        }
        for (what, answer) in given {
            assert!(answer.status < 500, "{}: {}", spec.name, answer.text);
            let what = format!("{} {what}: {}", spec.name, answer.text);
            for hidden in internal_texts.iter().chain(&[INTERNAL, "/api/", "REST"]) {
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
    assert!(answers > 50, "only {answers} answers");
}
