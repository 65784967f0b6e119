//! The filters of the agenda. They stay on when the view changes, and the filter by person works
//! for a team of any size.

use domain::Role;
use serde_json::json;

use crate::{
    console::visible_text,
    support::{Client, TestApp, encode_form},
};

/// Returns the addresses of the agenda to which a page links.
fn agenda_links(html: &str) -> Vec<String> {
    let links = html.split("href=\"").skip(1);
    let links = links.filter_map(|link| link.split('"').next());
    let links = links.filter(|link| link.starts_with("/agenda?"));
    links.map(|link| link.replace("&amp;", "&")).collect()
}

#[tokio::test]
async fn every_member_of_a_large_team_can_be_chosen() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    let mut team = vec![];
    for _ in 0..205 {
        team.push(app.add_member(Role::Criador).await.id);
    }
    let id = lead.create_demand(json!({ "title": "Bolo" })).await;
    let project = lead.post("/api/projects", json!({ "name": "Feira" })).await;
    let project = project.expect(201).body["project"]["id"].clone();
    let project = project.as_str().expect("an id");
    for path in [
        "/demandas/nova".to_owned(),
        format!("/eventos/{id}"),
        format!("/projetos/{project}"),
        "/agenda/assinar".to_owned(),
    ] {
        let page = browser.get(&path).await.expect(200).text;
        let missing = team
            .iter()
            .filter(|id| !page.contains(&format!("value=\"{id}\"")));
        assert_eq!(missing.count(), 0, "{path}");
    }
}

#[tokio::test]
async fn filters_stay_on_through_periods_layouts_days_and_the_search() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    for day in 24..29 {
        lead.create_demand(json!({
            "title": format!("Bolo {day}"), "day": day, "month": 8, "assignee_id": member.id,
        }))
        .await;
    }
    let kept = format!(
        "status=a%20fazer&canal=instagram&pessoa={}&espera=sim&datas=nao&horarios=nao&q=bolo",
        member.id
    );
    for layout in ["mes", "semana", "lista", "dia", "sem-data"] {
        let path = format!("/agenda?ver={layout}&dia=2026-08-25&{kept}");
        let page = browser.get(&path).await.expect(200);
        let links = agenda_links(&page.text);
        // Links to other periods, layouts and days contain all filters.
        let same = links
            .iter()
            .filter(|link| link.ends_with(&kept) || link.contains(&format!("{kept}#")));
        let others: Vec<&String> = links.iter().filter(|link| !link.contains(&kept)).collect();
        assert!(same.count() >= 4, "{layout}: {links:?}");
        // Every other link removes one filter, adds one filter, or removes all ("Limpar filtros").
        for link in &others {
            let left = kept.split('&').filter(|pair| link.contains(pair)).count();
            assert!(left >= 6 || left == 2, "{layout}: {link}");
        }
        let clear = others
            .iter()
            .filter(|link| !link.contains("q=bolo"))
            .count();
        assert_eq!(clear, 1, "{layout}: {others:?}");
        for (name, value) in [
            ("status", "a fazer"),
            ("canal", "instagram"),
            ("espera", "sim"),
        ] {
            let field = format!("name=\"{name}\" value=\"{value}\"");
            assert!(page.text.matches(&field).count() >= 2, "{layout}: {field}");
        }
    }
    // The quick view of an event links back to the agenda with the same layout and filters, on the day
    // of the event.
    let page = browser
        .get(&format!("/agenda?ver=lista&dia=2026-08-25&{kept}"))
        .await;
    let page = page.expect(200).text;
    let look = page
        .split("href=\"")
        .find(|link| link.starts_with("/agenda/eventos/"));
    let look = look
        .and_then(|link| link.split('"').next())
        .expect("a link");
    let look = browser.get(&look.replace("&amp;", "&")).await.expect(200);
    let back = agenda_links(&look.text);
    assert_eq!(back.len(), 1, "{back:?}");
    assert!(
        back[0].starts_with(&format!("/agenda?ver=lista&{kept}&dia=2026-08-2")),
        "{back:?}"
    );
    assert!(
        look.text.contains("ver=lista&amp;status=a%20fazer"),
        "the form that moves the event does not keep the view"
    );
    let id = quick_view_event_id(&look.text);
    for forged in [
        "//evil.example",
        "x\"><b>",
        "a={/evento/id}",
        "%0d%0aLocation:x",
    ] {
        let path = format!("/agenda/eventos/{id}?{}", encode_form(&[("volta", forged)]));
        let page = browser.get(&path).await.expect(200).text;
        for link in agenda_links(&page) {
            assert!(link.starts_with("/agenda?"), "{link}");
        }
        assert!(
            !page.contains("evil.example") && !page.contains("<b>"),
            "{forged}"
        );
    }
}

/// Returns the id of the event in a quick view, from its link to the piece.
fn quick_view_event_id(html: &str) -> String {
    let (_, after) = html
        .split_once("href=\"/eventos/")
        .expect("a link to the piece");
    after.split('"').next().unwrap_or_default().to_owned()
}

async fn add_people(app: &TestApp, count: usize) {
    let rows = (0..count).map(|n| {
        format!(
            "('0198c0de-0000-7000-8001-{n:012x}', 'u{n}', 'Pessoa Número{n}', 'p{n}@example.org', \
             'criador', 'criador', FALSE, TRUE, FALSE, 0, 0)"
        )
    });
    let rows: Vec<String> = rows.collect();
    app.execute_statement(
        &format!("INSERT INTO members VALUES {}", rows.join(", ")),
        [],
    )
    .await;
}

async fn filter_by_person(browser: &Client, name: &str) -> crate::support::Answer {
    let query = encode_form(&[
        ("ver", "lista"),
        ("dia", "2026-08-25"),
        ("canal", "instagram"),
        ("pessoa", name),
    ]);
    browser.get(&format!("/agenda?{query}")).await
}

#[tokio::test]
async fn anyone_of_five_hundred_people_is_found_by_name() {
    let app = TestApp::new().await;
    let member = app.add_member(Role::Lider).await;
    let lead = app.session_client(&member).await;
    let browser = app.browser_client(&member).await;
    add_people(&app, 500).await;
    let last = "0198c0de-0000-7000-8001-0000000001f3";
    let demand = json!({ "title": "Da última", "day": 25, "month": 8, "assignee_id": last });
    lead.create_demand(demand).await;
    lead.create_demand(json!({ "title": "De ninguém", "day": 28, "month": 8 }))
        .await;
    // The name matches one person, so the address contains the id of the person and the other
    // filters.
    for name in ["pessoa numero499", "NÚMERO499", "numero499 pes"] {
        let found = filter_by_person(&browser, name).await.expect(303);
        let to = found.headers["location"]
            .to_str()
            .expect("a path")
            .to_owned();
        let expected = format!("/agenda?ver=lista&dia=2026-08-25&canal=instagram&pessoa={last}");
        assert_eq!(to, expected, "{name}");
        let page = browser.get(&to).await.expect(200);
        assert!(page.text.contains("Da última") && !page.text.contains("De ninguém"));
        assert!(visible_text(&page).contains("Pessoa Número499"));
    }
    // A person with exactly this name wins over people with longer names.
    let found = filter_by_person(&browser, "Pessoa Número49")
        .await
        .expect(303);
    assert!(
        found.headers["location"]
            .to_str()
            .expect("a path")
            .ends_with("000000000031")
    );
    // The name matches several people, so the page asks which of them is meant.
    let several = filter_by_person(&browser, "numero4").await.expect(200);
    let text = visible_text(&several);
    assert!(
        text.contains("Qual “") && text.contains("Pessoa Número40"),
        "{text}"
    );
    assert!(
        several
            .text
            .contains(&format!("canal=instagram&amp;pessoa={}", &last[..35]))
    );
    let nobody = filter_by_person(&browser, "Zuleica").await.expect(200);
    assert!(visible_text(&nobody).contains("Ninguém da equipe se chama"));
    filter_by_person(&browser, "!?").await.expect(200);
    // In a period without pieces of this person, the page still shows their name and the link that
    // removes the filter.
    let path = format!("/agenda?ver=mes&dia=2027-03-01&canal=instagram&pessoa={last}");
    let page = browser.get(&path).await.expect(200);
    assert!(visible_text(&page).contains("Pessoa Número499"));
    let off = "/agenda?ver=mes&dia=2027-03-01&canal=instagram".to_owned();
    assert!(agenda_links(&page.text).contains(&off));
}
