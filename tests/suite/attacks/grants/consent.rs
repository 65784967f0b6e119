//! The consent page as a state machine. A decision grants the capabilities that the page shows as
//! ticked. Whatever fields are sent, it never grants more than the request, the choice and the
//! person's rights allow.

use domain::{Capabilities, Capability, Level, Member, Role};

use super::{Person, exchange_code, sequence_count};
use crate::{
    authorization::{CALLBACK, Request, register_client},
    support::{Answer, Random, TestApp},
};

const SCOPES: [&str; 9] = [
    "",
    "leitor criador lider admin vendas",
    "leitor",
    "criador",
    "lider vendas",
    "admin",
    "vendas",
    "publish",
    "tasks_view publish vendas config",
];

/// Returns the capabilities of a scope, computed independently of the service.
fn requested_capabilities(scope: &str) -> Capabilities {
    if scope.is_empty() {
        return Capability::ALL.iter().copied().collect();
    }
    let of = |name: &str| match name.parse::<Level>() {
        Ok(level) => Capabilities::of_level(level, false),
        Err(_) => name.parse::<Capability>().into_iter().collect(),
    };
    scope.split(' ').flat_map(|name| of(name).iter()).collect()
}

/// A checkbox or radio button of a page.
struct Box {
    name: String,
    value: String,
    is_checked: bool,
}

fn parse_boxes(page: &Answer) -> Vec<Box> {
    let tags = page.text.split("<input ").skip(1);
    let tags = tags.map(|tag| tag.split('>').next().unwrap_or_default());
    let part = |tag: &str, of: &str| {
        let (_, rest) = tag.split_once(&format!("{of}=\"")).expect("a part");
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let chosen = tags.filter(|tag| !tag.contains("type=\"hidden\""));
    chosen
        .map(|tag| Box {
            name: part(tag, "name"),
            value: part(tag, "value"),
            is_checked: tag.ends_with(" checked"),
        })
        .collect()
}

/// Returns the level that is selected when the page opens.
fn selected_level(page: &[Box]) -> Option<String> {
    let chosen = page
        .iter()
        .find(|one| one.name == "nivel" && one.is_checked);
    chosen.map(|one| one.value.clone())
}

/// Returns the capabilities that the page shows as ticked for this level: those in the list of the
/// level, and those outside of the levels. The stylesheet hides the lists of other levels.
fn ticked_capabilities(page: &[Box], level: Option<&str>) -> Capabilities {
    let seen = page.iter().filter(|one| {
        one.is_checked && (Some(one.name.as_str()) == level || one.name == "capacidades")
    });
    seen.map(|one| one.value.parse::<Capability>().expect("a capability"))
        .collect()
}

/// Creates one member of each kind: each role, at each API level, with and without access to sales.
async fn members_of_every_kind(app: &TestApp) -> Vec<Member> {
    let mut all = vec![];
    for role in Role::ALL {
        for level in Level::ALL.iter().filter(|level| **level <= role.level()) {
            for financeiro in [false, true] {
                all.push(app.add_member_with(*role, *level, financeiro).await);
            }
        }
    }
    all
}

/// Returns the capabilities that a decision grants; `None` if the page is shown again.
async fn granted_capabilities(
    app: &TestApp,
    person: &mut Person,
    client_id: &str,
    page: &Answer,
    changes: &[(&str, &str)],
) -> Option<Capabilities> {
    let sent = person
        .browser
        .submit_decision(page, "permitir", changes)
        .await;
    if sent.status == 400 {
        return None;
    }
    let answered = crate::authorization::query_parameters(
        &crate::authorization::redirect_location(&sent.expect(302)),
    );
    let code = answered["code"].as_str().expect("a code");
    let tokens = exchange_code(app, client_id, code).await.expect(200).body;
    Some(requested_capabilities(
        tokens["scope"].as_str().expect("text"),
    ))
}

#[tokio::test]
async fn every_level_grants_exactly_the_capabilities_that_are_shown_as_ticked() {
    let app = TestApp::new().await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut cases = 0;
    for member in members_of_every_kind(&app).await {
        for scope in SCOPES {
            let may = requested_capabilities(scope).intersection(member.token_capabilities());
            let request = Request::for_client(&client_id, CALLBACK).with_parameter("scope", scope);
            let mut person = Person::sign_in(&app, &member).await;
            let page = person
                .browser
                .get(&request.authorization_path())
                .await
                .expect(200);
            let shown = parse_boxes(&page);
            let offered = shown.iter().filter(|one| one.name == "nivel");
            let mut levels: Vec<Option<String>> =
                offered.map(|one| Some(one.value.clone())).collect();
            let proposed = selected_level(&shown);
            if levels.is_empty() {
                levels.push(None);
            }
            let can_create = levels.contains(&Some("criador".into()));
            assert!(
                !can_create || proposed.as_deref() == Some("criador"),
                "{scope}"
            );
            for level in levels {
                let ticked = ticked_capabilities(&shown, level.as_deref());
                let most = level
                    .as_deref()
                    .map_or(Level::Nenhum, |l| l.parse().expect("a level"));
                let of_level = Capabilities::of_level(most, false);
                assert!(of_level.includes(ticked), "beyond {most}: {scope}");
                assert!(
                    !ticked.contains(Capability::Vendas) && !ticked.contains(Capability::Publish)
                );
                let changes: Vec<(&str, &str)> =
                    level.iter().map(|l| ("nivel", l.as_str())).collect();
                let granted =
                    granted_capabilities(&app, &mut person, &client_id, &page, &changes).await;
                assert_eq!(granted.unwrap_or_default(), ticked, "{scope}, {level:?}");
                assert!(may.includes(ticked));
                cases += 1;
                revoke_agents(&app, &person).await;
            }
        }
    }
    assert!(cases > 300, "{cases}");
}

/// Revokes the agents of a person, so that the next consent page does not extend one of them.
async fn revoke_agents(app: &TestApp, person: &Person) {
    let me = person.session.get("/api/me").await.expect(200).body;
    let id = me["member"]["id"].as_str().expect("an id");
    let sql = "UPDATE agents SET revoked_at = 1 WHERE member_id = $1";
    app.execute_statement(sql, [id.to_owned()]).await;
}

#[tokio::test]
async fn no_form_grants_more_than_was_requested_ticked_and_allowed() {
    let app = TestApp::new().await;
    let client_id = register_client(&app, CALLBACK).await;
    let everyone = members_of_every_kind(&app).await;
    let mut random = Random::new(7);
    let lists = ["leitor", "criador", "lider", "admin", "capacidades"];
    for _ in 0..sequence_count(400) {
        let member = &everyone[random.random_below(everyone.len())];
        let scope = SCOPES[random.random_below(SCOPES.len())];
        let mut person = Person::sign_in(&app, member).await;
        let request = Request::for_client(&client_id, CALLBACK).with_parameter("scope", scope);
        let page = person
            .browser
            .get(&request.authorization_path())
            .await
            .expect(200);
        let level = Level::ALL[random.random_below(Level::ALL.len())];
        let marks = |random: &mut Random| {
            let percent = [0, 10, 60, 100][random.random_below(4)];
            let some = Capability::ALL
                .iter()
                .filter(|_| random.random_bool(percent));
            some.copied().collect::<Capabilities>()
        };
        let marked: Vec<Capabilities> = lists.iter().map(|_| marks(&mut random)).collect();
        let text = |set: &Capabilities| {
            set.iter()
                .map(Capability::as_str)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let values: Vec<String> = marked.iter().map(text).collect();
        let mut changes: Vec<(&str, &str)> = vec![("nivel", level.as_str())];
        changes.extend(lists.iter().copied().zip(values.iter().map(String::as_str)));
        let granted = granted_capabilities(&app, &mut person, &client_id, &page, &changes).await;
        let granted = granted.unwrap_or_default();
        // The expected grant, computed independently of the service.
        let may = requested_capabilities(scope).intersection(member.token_capabilities());
        let place = lists.iter().position(|name| *name == level.as_str());
        let list = place.map_or(Capabilities::default(), |place| marked[place]);
        let beside = marked[4];
        for capability in Capability::ALL.iter().copied() {
            let within = capability.min_level().is_none_or(|least| least <= level);
            let ticked = match capability {
                Capability::Publish | Capability::Vendas => beside.contains(capability),
                _ => list.contains(capability),
            };
            let expected = may.contains(capability) && within && ticked;
            assert_eq!(
                granted.contains(capability),
                expected,
                "{capability}: {scope}, {level}"
            );
        }
        revoke_agents(&app, &person).await;
    }
}

#[tokio::test]
async fn the_page_describes_access_to_money_personal_data_and_writes_in_words() {
    let app = TestApp::new().await;
    let admin = app.add_member_with(Role::Admin, Level::Admin, true).await;
    let client_id = register_client(&app, CALLBACK).await;
    let mut person = Person::sign_in(&app, &admin).await;
    let page = person
        .browser
        .get(&Request::for_client(&client_id, CALLBACK).authorization_path())
        .await
        .expect(200);
    for words in [
        "Dinheiro e dados pessoais",
        "ver pelo e-mail o perfil de uma pessoa",
        "registrar por que uma assinatura foi cancelada",
        "Nenhum nível inclui isto",
    ] {
        assert!(page.text.contains(words), "{words}: {}", page.text);
    }
    // An agent of the level `leitor` gets none of the tools for money, personal data or writes.
    let changes = [("nivel", "leitor")];
    let code = person.submit_consent(&page, &changes).await;
    let tokens = exchange_code(&app, &client_id, &code)
        .await
        .expect(200)
        .body;
    let tools = crate::authorization::agent_client(&app, &tokens)
        .tool_names()
        .await;
    for tool in [
        "get_sales_summary",
        "get_personal_profile",
        "record_cancellation_reason",
    ] {
        assert!(!tools.contains(&tool.to_owned()), "{tool}");
    }
}
