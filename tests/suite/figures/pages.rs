//! The dashboards of the console, with figures.

use domain::{Level, Role, sales::Purchase};
use serde_json::{Value, json};

use super::{approved_purchase, create_launch, get, save_and_settle};
use crate::{
    console::{hidden_value, visible_text},
    support::{Answer, Client, TestApp},
};

async fn financial_browser(app: &TestApp) -> Client {
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    app.browser_client(&member).await
}

fn sold_purchase(transaction: &str, occurred_at: &str, cents: i64, launch: &str) -> Purchase {
    Purchase {
        launch: Some(launch.into()),
        ..approved_purchase(transaction, occurred_at, cents)
    }
}

/// Returns the text of a page with single spaces.
fn page_text(page: &Answer) -> String {
    let text = visible_text(page).replace('\u{a0}', " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_page_of_a_launch_begins_with_its_verdict_and_compares_it_with_the_previous_one() {
    let app = TestApp::new().await;
    let earlier = json!({
        "nome": "Turma de julho", "inicio": "2026-07-01", "fim": "2026-07-20", "lancamento": "K",
    });
    create_launch(&app, earlier).await;
    let launch = create_launch(&app, json!({})).await;
    let purchases = vec![
        sold_purchase("A", "2026-08-10T12:00:00.000Z", 300_000, "L"),
        sold_purchase("B", "2026-07-02T12:00:00.000Z", 200_000, "K"),
        // C is a sale on day 19 of the earlier launch. Today is day 13 of this launch, so only B is
        // compared.
        sold_purchase("C", "2026-07-19T12:00:00.000Z", 900_000, "K"),
    ];
    save_and_settle(&app, purchases).await;
    let browser = financial_browser(&app).await;
    let page = browser
        .get(&format!("/lancamentos/{launch}"))
        .await
        .expect(200);
    let text = page_text(&page);
    for part in [
        "No ritmo de agora, não chega à meta: 46% dela no fim.",
        "R$ 3.000,00 de R$ 10.000,00 (30%), no 13º dia de 20. O dia de hoje ainda não terminou.",
        "No mesmo dia do lançamento anterior, “Turma de julho”, eram R$ 2.000,00: +50% agora.",
        "Melhor dia: 10/08, com R$ 3.000,00. Sem nenhuma venda em 11 de 12 dias completos.",
        "meta: R$ 10.000,00",
        "R$ 5 mil",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(page.text.contains("polyline class=\"before\""));
    assert_eq!(page.text.matches("circle class=\"none\"").count(), 12);
    assert!(
        !text.contains("o lançamento chega a"),
        "the alert must not repeat the verdict"
    );
    let file = browser
        .get(&format!("/lancamentos/{launch}?csv=acumulado"))
        .await
        .expect(200);
    assert!(
        file.text.contains("2026-08-11;3000,00;2000,00"),
        "{}",
        file.text
    );
    let list = browser.get("/lancamentos").await.expect(200);
    let list = page_text(&list);
    assert!(
        list.contains("Terminou com a meta batida: 110% dela."),
        "{list}"
    );
}

#[tokio::test]
async fn sales_are_compared_with_the_period_before() {
    let app = TestApp::new().await;
    let purchases = vec![
        approved_purchase("A", "2026-08-21T12:00:00.000Z", 30_000),
        approved_purchase("B", "2026-08-11T12:00:00.000Z", 20_000),
    ];
    save_and_settle(&app, purchases).await;
    let browser = financial_browser(&app).await;
    let page = browser
        .get("/vendas?inicio=2026-08-13&fim=2026-08-22")
        .await;
    let page = page.expect(200);
    let text = page_text(&page);
    for part in [
        "A receita subiu 50%: R$ 300,00, contra R$ 200,00 nos 10 dias anteriores.",
        "Sem nenhuma venda em 8 de 9 dias completos. O dia de hoje ainda não terminou.",
        "+50%, antes R$ 200,00",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // Two days of this period have passed, so it is compared with the two days before it.
    let page = browser
        .get("/vendas?inicio=2026-08-21&fim=2026-08-30")
        .await;
    let text = page_text(&page.expect(200));
    assert!(
        text.contains("R$ 300,00, contra R$ 200,00 nos 2 dias anteriores"),
        "{text}"
    );
    let page = browser
        .get("/vendas?inicio=2026-09-01&fim=2026-09-30")
        .await;
    assert!(page_text(&page.expect(200)).contains("Este período ainda não começou."));
}

fn form_fields<'a>(revision: &'a str, goal: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("expected_revision", revision),
        ("nome", "Turma de agosto"),
        ("inicio", "2026-08-11"),
        ("fim", "2026-08-30"),
        ("meta", goal),
        ("moeda", "BRL"),
        ("produtos", "p1\r\n\r\n p2 \r\n"),
        ("campanhas", "pao_*"),
        ("lancamento", ""),
        ("pedido", "chave-do-formulario"),
    ]
}

#[tokio::test]
async fn the_form_of_a_launch_changes_it() {
    let app = TestApp::new().await;
    let id = create_launch(&app, json!({})).await;
    let (browser, admin) = (
        financial_browser(&app).await,
        app.as_member(Role::Admin).await,
    );
    let path = format!("/lancamentos/{id}/painel");
    let page = browser.get(&path).await.expect(200);
    assert_eq!(hidden_value(&page, "expected_revision"), "1");
    assert!(page.text.contains("value=\"10.000,00\""));
    let refused = browser.post_form(&path, &form_fields("1", "dez mil")).await;
    let refused = refused.expect(400);
    assert!(page_text(&refused).contains("não é um valor como 1234,56"));
    assert!(
        refused.text.contains("value=\"dez mil\""),
        "the form must keep the typed text"
    );
    let saved = browser
        .post_form(&path, &form_fields("1", "R$ 12.500,50"))
        .await;
    let saved = saved.expect(303);
    let location = format!("/lancamentos/{id}?feito=update_launch_dashboard");
    assert_eq!(saved.headers["location"], location.as_str());
    let stored = get(&admin, &format!("/api/lancamentos/{id}")).await;
    let stored = &stored["lancamento"];
    let wanted = json!({
        "revision": 2, "nome": "Turma de agosto", "inicio": "2026-08-11", "fim": "2026-08-30",
        "meta_centavos": 1_250_050, "produtos": ["p1", "p2"], "campanhas": ["pao_*"],
        "lancamento": Value::Null,
    });
    for (name, value) in wanted.as_object().expect("fields") {
        assert_eq!(&stored[name], value, "{name}");
    }
}

#[tokio::test]
async fn a_launch_that_changed_meanwhile_is_not_overwritten() {
    let app = TestApp::new().await;
    let id = create_launch(&app, json!({})).await;
    let (browser, admin) = (
        financial_browser(&app).await,
        app.as_member(Role::Admin).await,
    );
    let api = format!("/api/lancamentos/{id}");
    admin
        .patch(&api, json!({ "meta_centavos": 777_700 }))
        .await
        .expect(200);
    let path = format!("/lancamentos/{id}/painel");
    let page = browser
        .post_form(&path, &form_fields("1", "12.500"))
        .await
        .expect(409);
    let text = page_text(&page);
    assert!(
        text.contains("7.777,00") && text.contains("12.500"),
        "{text}"
    );
    let revision = hidden_value(&page, "expected_revision");
    browser
        .post_form(&path, &form_fields(&revision, "12.500"))
        .await
        .expect(303);
    let stored = get(&admin, &api).await;
    assert_eq!(stored["lancamento"]["meta_centavos"], 1_250_000);
}

#[tokio::test]
async fn a_member_who_may_not_change_a_launch_sees_no_form() {
    let app = TestApp::new().await;
    let id = create_launch(&app, json!({})).await;
    let member = app
        .add_member_with(Role::Criador, Level::Leitor, true)
        .await;
    let browser = app.browser_client(&member).await;
    let page = browser.get(&format!("/lancamentos/{id}")).await.expect(200);
    assert!(!page.text.contains("/painel"));
    let path = format!("/lancamentos/{id}/painel");
    browser.get(&path).await.expect(403);
    browser
        .post_form(&path, &form_fields("1", "5"))
        .await
        .expect(403);
}

#[tokio::test]
async fn the_form_creates_one_launch_for_each_project() {
    let app = TestApp::new().await;
    let with_launch = create_launch(&app, json!({})).await;
    let (browser, admin) = (
        financial_browser(&app).await,
        app.as_member(Role::Admin).await,
    );
    let empty = browser.get("/lancamentos/novo").await.expect(200);
    assert!(page_text(&empty).contains("nenhum projeto ativo está sem lançamento"));
    let project = admin
        .post("/api/projects", json!({ "name": "Turma <b>nova</b>" }))
        .await;
    let id = project.expect(201).body["project"]["id"].clone();
    let id = id.as_str().expect("an id").to_owned();
    let list = browser.get("/lancamentos").await.expect(200);
    assert!(list.text.contains("href=\"/lancamentos/novo\""));
    let page = browser.get("/lancamentos/novo").await.expect(200);
    assert!(page.text.contains("Turma &lt;b&gt;nova&lt;/b&gt;"));
    assert!(page.text.contains(&id) && !page.text.contains(&with_launch));
    let written = |goal| {
        let mut written = form_fields("0", goal);
        written.push(("projeto_id", &id));
        written
    };
    let refused = browser
        .post_form("/lancamentos/novo", &written("dez"))
        .await;
    let refused = refused.expect(400);
    assert!(refused.text.contains("value=\"Turma de agosto\"") && refused.text.contains(&id));
    let created = browser
        .post_form("/lancamentos/novo", &written("12.500"))
        .await;
    let location = format!("/lancamentos/{id}?feito=put_launch_dashboard");
    assert_eq!(created.expect(303).headers["location"], location.as_str());
    let stored = get(&admin, &format!("/api/lancamentos/{id}")).await;
    assert_eq!(stored["lancamento"]["revision"], 1);
    assert_eq!(stored["lancamento"]["meta_centavos"], 1_250_000);
    // Sending the same form again does not create a second launch.
    browser
        .post_form("/lancamentos/novo", &written("12.500"))
        .await
        .expect(303);
    // Another form for this project is refused, because the project already has a launch.
    let mut late = written("1");
    late.retain(|(name, _)| *name != "pedido");
    late.push(("pedido", "chave-de-outro-formulario"));
    let conflict = browser
        .post_form("/lancamentos/novo", &late)
        .await
        .expect(409);
    assert!(page_text(&conflict).contains("12.500,00"));
    assert_eq!(hidden_value(&conflict, "expected_revision"), "1");
    let stored = get(&admin, &format!("/api/lancamentos/{id}")).await;
    assert_eq!(stored["lancamento"]["meta_centavos"], 1_250_000);
}

#[tokio::test]
async fn a_project_older_than_many_launches_is_offered_too() {
    let app = TestApp::new().await;
    let admin = app.as_member(Role::Admin).await;
    let old = json!({ "name": "Turma antiga" });
    admin.post("/api/projects", old).await.expect(201);
    app.advance_clock(1);
    let mut taken = vec![];
    for _ in 0..201 {
        taken.push(create_launch(&app, json!({ "inicio": "2026-08-10" })).await);
        app.advance_clock(1);
    }
    let browser = financial_browser(&app).await;
    let page = browser.get("/lancamentos/novo").await.expect(200);
    assert!(page_text(&page).contains("Turma antiga"));
    assert!(!taken.iter().any(|id| page.text.contains(id)));
}

#[tokio::test]
async fn a_member_who_may_not_create_a_launch_is_offered_no_form() {
    let app = TestApp::new().await;
    let member = app
        .add_member_with(Role::Criador, Level::Leitor, true)
        .await;
    let browser = app.browser_client(&member).await;
    let page = browser.get("/lancamentos").await.expect(200);
    assert!(!page.text.contains("/lancamentos/novo"));
    assert!(page_text(&page).contains("Um admin cria o primeiro a partir de um projeto."));
    browser.get("/lancamentos/novo").await.expect(403);
    let mut written = form_fields("0", "5");
    written.push(("projeto_id", "01990000-0000-7000-8000-000000000041"));
    browser
        .post_form("/lancamentos/novo", &written)
        .await
        .expect(403);
}
