//! Seeds a month of work by calling the real operations in the names of the members.

use anyhow::{Context, Result, bail};
use domain::{
    Capability, TokenId,
    time::{DAY, HOUR, MINUTE, Millis},
};
use gateway::{CallInput, Credential, Door, Origin, Principal, Progress, RequestHead};
use jiff::civil::Date;
use ports::Clock;
use serde::Deserialize;
use serde_json::{Value, json};
use tools::operator::{self, NewAdmin};

use super::{
    agenda::{AGENDA, working_day},
    clock::DemoClock,
    studio::Studio,
};
use crate::{
    app::{App, SystemClock},
    reason::into_anyhow,
};

pub(super) const ADMIN_EMAIL: &str = "helena.prado@demo.pauta.test";

/// The credentials of the demo.
pub(super) struct Access {
    pub password: String,
    pub session: String,
    /// The path that opens the console with a session.
    pub entry: String,
    pub token: String,
    pub reader_token: String,
    pub people: usize,
    pub events: usize,
}

/// The name, e-mail, role and API level of each member, and whether they see sales figures.
pub(super) const TEAM: [(&str, &str, &str, &str, bool); 5] = [
    (
        "Rafael Nogueira",
        "rafael.nogueira@demo.pauta.test",
        "lider",
        "lider",
        false,
    ),
    (
        "Bruna Tavares",
        "bruna.tavares@demo.pauta.test",
        "criador",
        "criador",
        false,
    ),
    (
        "Caio Mendonça",
        "caio.mendonca@demo.pauta.test",
        "criador",
        "criador",
        false,
    ),
    (
        "Luana Ferreira",
        "luana.ferreira@demo.pauta.test",
        "criador",
        "leitor",
        false,
    ),
    (
        "Otávio Sampaio",
        "otavio.sampaio@demo.pauta.test",
        "lider",
        "nenhum",
        true,
    ),
];

/// The answer of `create_my_token`.
#[derive(Deserialize)]
struct MyToken {
    token: String,
    metadata: TokenMetadata,
}

#[derive(Deserialize)]
struct TokenMetadata {
    id: TokenId,
    scopes: Vec<Capability>,
}

pub(super) struct Seeder<'a> {
    pub(super) app: &'a App,
    pub(super) clock: &'a DemoClock,
}

/// Creates the team, its settings and its agenda.
pub(super) async fn seed_demo(app: &App, clock: &DemoClock) -> Result<Access> {
    let seeder = Seeder { app, clock };
    let today = SystemClock.now();
    let mut studio = Studio::start_rendering(&app.gateway);
    clock.set(today - 45 * DAY);
    let password = format!("demo-{}", domain::random_text::<9>());
    let admin = NewAdmin {
        name: "Helena Prado".into(),
        email: ADMIN_EMAIL.into(),
        financeiro: true,
        password: Some(password.clone()),
    };
    operator::create_admin(&app.gateway, admin)
        .await
        .map_err(into_anyhow)?;
    let helena = seeder.find_member(ADMIN_EMAIL).await?;
    seeder.invite_team(&helena).await?;
    seeder.publish_settings(&helena, today).await?;
    seeder.fill_library(&helena, today).await?;
    seeder.fill_agenda(&mut studio, today).await?;
    let mut team = vec![];
    for (_, email, ..) in TEAM {
        team.push(seeder.find_member(email).await?);
    }
    seeder.plan_launch(&team, today).await?;
    clock.set(today - HOUR);
    let luana = seeder.find_member(TEAM[3].1).await?;
    let token = |caller: Principal, label: &'static str| {
        let seeder = &seeder;
        async move {
            let input = json!({ "label": label, "expiresInDays": 7 });
            let answer = seeder
                .call_operation(&caller, "create_my_token", input)
                .await?;
            let made: MyToken = serde_json::from_value(answer)?;
            Ok::<_, anyhow::Error>(made)
        }
    };
    let task = seeder.give_task(&helena, today).await?;
    let reader_token = token(luana, "Claude da Luana").await?.token;
    let made = token(helena.clone(), "Claude Code da Helena").await?;
    seeder.draft_as_agent(&helena, &made, &task, today).await?;
    let token = made.token;
    super::examples::seed_resources(&app.gateway, &helena, today).await?;
    clock.set(0);
    let session = operator::open_session(&app.gateway, &helena)
        .await
        .map_err(into_anyhow)?;
    let entry = operator::sign_in_path(&app.gateway, &helena);
    let people = TEAM.len() + 1;
    Ok(Access {
        password,
        session,
        entry,
        token,
        reader_token,
        people,
        events: AGENDA.len() + 1,
    })
}

impl Seeder<'_> {
    pub(super) async fn find_member(&self, email: &str) -> Result<Principal> {
        operator::principal_by_email(&self.app.gateway, email)
            .await
            .map_err(into_anyhow)
    }

    pub(super) fn set_clock(&self, instant: Millis) {
        self.clock.set(instant);
    }

    pub(super) async fn call_operation(
        &self,
        caller: &Principal,
        operation: &str,
        input: Value,
    ) -> Result<Value> {
        let Value::Object(fields) = input else {
            bail!("an input is an object");
        };
        self.call_with_input(caller, operation, fields).await
    }

    /// Calls an operation with any kind of input.
    pub(super) async fn call_with_input(
        &self,
        caller: &Principal,
        operation: &str,
        input: impl Into<CallInput>,
    ) -> Result<Value> {
        let origin = caller_origin(caller);
        operator::run_operation_from(&self.app.gateway, caller, &origin, operation, input)
            .await
            .map_err(into_anyhow)
            .with_context(|| operation.to_owned())
    }

    async fn invite_team(&self, helena: &Principal) -> Result<()> {
        for (name, email, role, level, financeiro) in TEAM {
            let input = json!({
                "name": name, "email": email, "access_level": role, "financeiro": financeiro,
            });
            let invited = self.call_operation(helena, "invite_member", input).await?;
            if level != "nenhum" {
                let input =
                    json!({ "memberId": invited["membro"]["id"], "api_access_level": level });
                self.call_operation(helena, "update_member_api_access", input)
                    .await?;
            }
        }
        Ok(())
    }

    async fn publish_settings(&self, helena: &Principal, today: Millis) -> Result<()> {
        let versions = [
            (40, "editoria.canais", json!(["instagram", "linkedin"])),
            (
                38,
                "editoria.tom_de_voz",
                json!("Próximo e direto. Frases curtas, sem jargão."),
            ),
            (
                21,
                "editoria.canais",
                json!(["instagram", "linkedin", "youtube", "newsletter"]),
            ),
            (
                12,
                "editoria.horarios",
                json!({ "instagram": "12:00", "linkedin": "08:30" }),
            ),
            (
                5,
                "comercial.comissoes",
                json!({ "padrao": 0.05, "vendedores": { "Otávio": 0.08 } }),
            ),
        ];
        for (days, key, value) in versions {
            self.clock.set(today - days * DAY);
            let input = json!({ "key": key, "value": value });
            self.call_operation(helena, "publish_config_version", input)
                .await?;
        }
        Ok(())
    }

    /// Assigns a task to Helena, the member whose console the demo opens.
    async fn give_task(&self, helena: &Principal, today: Millis) -> Result<Value> {
        let mut demand = json!({
            "title": "Revisar a pauta da semana que vem",
            "channel": "newsletter",
            "assignee_id": helena.member.id,
            "description": "Conferir datas, canais e quem escreve o quê.",
        });
        add_date(&mut demand, working_day(today, 2), "10:00");
        let made = self.call_operation(helena, "create_demand", demand).await?;
        Ok(made["event_id"].clone())
    }

    /// Drafts a task with the token of its assignee, as an agent with this token does.
    async fn draft_as_agent(
        &self,
        helena: &Principal,
        token: &MyToken,
        task: &Value,
        today: Millis,
    ) -> Result<()> {
        let TokenMetadata { id, scopes } = &token.metadata;
        let credential = Credential::Token {
            id: id.clone(),
            scopes: scopes.iter().copied().collect(),
        };
        let agent = Principal::new(helena.member.clone(), credential);
        self.clock.set(today - 25 * MINUTE);
        let draft = json!({
            "event_id": task,
            "expected_revision": 1,
            "caption": "Segunda: feijão, com a Bruna. Quarta: peixe inteiro, com o Caio. Sexta: \
                newsletter da nova turma, com a Luana. Falta escolher quem grava a tapioca.",
        });
        self.call_operation(&agent, "save_draft", draft).await?;
        let tx = self.app.gateway.services.db.begin().await?;
        store::tokens::set_last_used(&tx.conn(), id, today - 25 * MINUTE).await?;
        Ok(tx.commit().await?)
    }
}

/// Returns the origin of a call by this caller: members use the console, and agents use MCP.
fn caller_origin(caller: &Principal) -> Origin {
    let (door, client) = match caller.credential {
        Credential::Session { .. } | Credential::Guest(_) => (Door::Console, None),
        Credential::Token { .. } => (Door::Mcp, Some("claude-code/2.1.7 (cli)")),
        Credential::Agent { .. } => (Door::Mcp, Some("Claude-User")),
    };
    Origin {
        door,
        request_id: format!("demo-{}", domain::random_text::<9>()),
        trace: None,
        client: client.map(str::to_owned),
        address: None,
        secret: None,
        head: RequestHead::default(),
        progress: Progress::default(),
    }
}

pub(super) fn add_date(input: &mut Value, day: Date, hour: &str) {
    input["day"] = day.day().into();
    input["month"] = day.month().into();
    input["year"] = day.year().into();
    input["hour"] = hour.into();
}
