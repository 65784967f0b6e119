//! Traces contain no content of requests.

use domain::Role;
use serde_json::json;

use super::*;
use crate::support::TestApp;

#[tokio::test]
async fn spans_contain_no_input_no_personal_data_and_no_sql() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Admin).await;
    let client = app.token_client(&member).await;
    let collector = Collector::start().await;
    let export = Export::start(&collector, &[]);
    let event = client
        .create_demand(json!({ "title": "segredo-no-titulo", "description": "segredo-no-texto" }))
        .await;
    client.get("/api/eventos?busca=segredo-na-busca").await;
    client.get("/api/eventos/segredo-no-caminho").await;
    let invited =
        json!({ "name": "Segredo do Nome", "email": "segredo@pauta.test", "role": "lider" });
    client.post("/api/access/members", invited).await;
    let login = json!({ "email": "segredo@pauta.test", "password": "segredo-na-senha" });
    app.anonymous()
        .post("/auth/v1/token?grant_type=password", login)
        .await;
    client
        .call_tool("get_event", json!({ "event_id": "segredo-na-ferramenta" }))
        .await;
    client
        .call_tool("search_everything", json!({ "q": "segredo-na-pesquisa" }))
        .await;
    client
        .with_header("traceparent", "00-segredo-no-rastro-01")
        .with_header("tracestate", "segredo=no-estado")
        .with_header("baggage", "segredo=na-bagagem")
        .with_header("user-agent", "segredo-do-cliente")
        .get(&format!("/api/eventos/{event}"))
        .await
        .expect(200);
    export.flush().await;
    assert!(collector.spans().len() > 10);
    let text = String::from_utf8_lossy(&collector.bytes()).to_lowercase();
    let token = client.credential();
    let personal = [member.email.clone(), member.name.clone(), token.to_owned()];
    let technical = [
        "segredo", "select ", "insert ", "update ", "bearer", "/api/",
    ];
    for secret in personal.iter().map(String::as_str).chain(technical) {
        assert!(
            !text.contains(&secret.to_lowercase()),
            "a trace has {secret:?}"
        );
    }
}
