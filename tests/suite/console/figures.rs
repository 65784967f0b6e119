//! The dashboards.

use domain::{Level, Role};

use super::visible_text;
use crate::support::TestApp;

const PAGES: [&str; 3] = ["/lancamentos", "/vendas", "/assinaturas"];

#[tokio::test]
async fn a_dashboard_without_data_has_a_notice() {
    let app = TestApp::new().await;
    let member = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let browser = app.browser_client(&member).await;
    for path in PAGES {
        let page = browser.get(path).await.expect(200);
        assert!(
            visible_text(&page).contains("Ainda não entrou nenhum dado"),
            "{path}"
        );
    }
    let file = browser.get("/vendas?csv=por-produto").await.expect(200);
    assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
    assert_eq!(
        file.headers["content-disposition"],
        "attachment; filename=\"por-produto.csv\""
    );
    let head = "\u{feff}\"Produto\";\"Receita\";\"Receita bruta\";\"Vendas\";\"Reembolsos\";\"Ticket médio\"\r\n";
    assert_eq!(file.text, head);
    browser.get("/vendas?csv=outra").await.expect(404);
    browser
        .get("/lancamentos/01990000-0000-7000-8000-000000000041")
        .await
        .expect(404);
}

#[tokio::test]
async fn a_member_who_may_not_see_sales_sees_whom_to_ask() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Criador).await;
    let browser = app.browser_client(&member).await;
    for path in PAGES {
        let page = browser.get(path).await.expect(403);
        assert!(visible_text(&page).contains("admin da equipe"), "{path}");
    }
    let home = browser.get("/").await.expect(200);
    assert!(!home.text.contains("href=\"/vendas\""));
}
