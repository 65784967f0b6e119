//! The report on a storm: the service's records compared with what is online.

use std::{collections::BTreeMap, fmt};

use domain::Role;
use sea_orm::QueryResult;

use super::Wish;
use crate::publishing::Stage;

#[derive(Default)]
pub struct Report {
    pub wishes: usize,
    pub calls: usize,
    pub kills: usize,
    /// The number of responses by status and code.
    pub answers: BTreeMap<(u16, String), usize>,
    /// The number of unknown outcomes that a person has checked, and how many of these posts were
    /// online.
    pub checked: usize,
    pub by_hand: usize,
    /// The number of publications by state.
    pub states: BTreeMap<String, usize>,
    pub online: usize,
    /// The number of surplus publications that are online.
    pub doubled: usize,
    /// Descriptions of false reports and records.
    pub untrue: Vec<String>,
    pub calls_of_the_provider: usize,
    pub renewals: usize,
    pub accounts_lost: usize,
    pub refusals: Vec<String>,
}

struct Stored {
    id: String,
    state: String,
    publish_id: Option<String>,
    caption: String,
    event: Option<String>,
}

impl Report {
    pub async fn compare_wishes(
        &mut self,
        stage: &Stage,
        wishes: &[Wish],
        told: &BTreeMap<String, Vec<String>>,
    ) {
        let rows = stage.app.query_rows(
            "SELECT id, state, publish_id, post, event_id FROM publications ORDER BY id".into(),
        );
        let rows: Vec<Stored> = rows.await.iter().map(stored_from_row).collect();
        let mut by_caption: BTreeMap<&str, Vec<&Stored>> = BTreeMap::new();
        for row in &rows {
            *self.states.entry(row.state.clone()).or_default() += 1;
            by_caption.entry(&row.caption).or_default().push(row);
        }
        for wish in wishes {
            let rows = by_caption.remove(wish.caption.as_str()).unwrap_or_default();
            self.compare_wish(stage, wish, &rows, told.get(&wish.caption))
                .await;
        }
        self.check_account(stage).await;
        let world = stage.api.lock_world();
        self.calls_of_the_provider = world.calls.len();
        self.renewals = world.tokens.len() - 1;
        // Refusals that a correct service can cause: after a kill it may repeat a received chunk,
        // and a token may be stale.
        let expected = [
            "access_token_invalid",
            "upload_range",
            "rate_limit_exceeded",
        ];
        let mut refusals = world.refusals.clone();
        refusals.retain(|code| !expected.contains(&code.as_str()));
        self.refusals = refusals;
    }

    async fn compare_wish(
        &mut self,
        stage: &Stage,
        wish: &Wish,
        rows: &[&Stored],
        told: Option<&Vec<String>>,
    ) {
        let status = match &wish.event {
            Some(id) => stage.lead.load_event(id).await["status"]
                .as_str()
                .map(str::to_owned),
            None => None,
        };
        let world = stage.api.lock_world();
        let online = world.online_effects(&wish.caption).len();
        self.online += online;
        self.doubled += online.saturating_sub(1);
        let mut false_claim = |what: String| self.untrue.push(format!("{}: {what}", wish.caption));
        let effects: Vec<&String> = world
            .effects
            .iter()
            .filter(|(_, effect)| effect.caption == wish.caption)
            .map(|(id, _)| id)
            .collect();
        let mut unknown = 0;
        for row in rows {
            let effect = row.publish_id.as_ref().and_then(|id| world.effects.get(id));
            let is_online = effect.is_some_and(crate::publishing::double::Effect::is_complete);
            match row.state.as_str() {
                "published" if !is_online => false_claim(format!("{} is not online", row.id)),
                "failed" if is_online => false_claim(format!("{} is online", row.id)),
                "unknown" => unknown += usize::from(row.publish_id.is_none()),
                _ => {}
            }
            if row.event != wish.event {
                false_claim(format!("{} is of another event", row.id));
            }
        }
        // Every accepted submission must have a row with its `publish_id`, or a row whose outcome
        // is unknown.
        let known = |id: &&&String| rows.iter().any(|row| row.publish_id.as_ref() == Some(**id));
        let unexplained = effects.iter().filter(|id| !known(id)).count();
        if unexplained > unknown {
            false_claim(format!("{unexplained} submissions, {unknown} unknown"));
        }
        for id in told.into_iter().flatten() {
            let row = rows.iter().find(|row| row.id == *id);
            if row.is_none_or(|row| row.publish_id.is_none()) {
                false_claim(format!("{id} was told to be submitted"));
            }
        }
        let published = rows.iter().any(|row| row.state == "published");
        if online == 0 && published {
            false_claim("it is not online".into());
        }
        if let Some(status) = status {
            let is_marked = status == "publicado";
            if is_marked != (online > 0) {
                false_claim(format!("the event is {status}, {online} online"));
            }
        }
    }

    /// Checks that the account is still connected.
    async fn check_account(&mut self, stage: &Stage) {
        let admin = stage.app.as_member(Role::Admin).await;
        let listed = admin.get("/oauth/_accounts").await.expect(200).body;
        let active = listed["accounts"]
            .as_array()
            .expect("accounts")
            .iter()
            .any(|account| account["provider"] == "shortvideo" && account["status"] == "active");
        let info = stage.lead.get("/oauth/shortvideo/creator-info").await;
        self.accounts_lost = usize::from(!active || info.status != 200);
    }

    pub fn assert_report_true(&self) {
        assert_eq!(
            (
                self.doubled,
                self.accounts_lost,
                self.untrue.len(),
                self.refusals.len()
            ),
            (0, 0, 0, 0),
            "{self}"
        );
    }
}

fn stored_from_row(row: &QueryResult) -> Stored {
    let text = |name: &str| row.try_get::<Option<String>>("", name).expect("text");
    let post = text("post").expect("a post");
    let post: serde_json::Value = serde_json::from_str(&post).expect("JSON");
    Stored {
        id: text("id").expect("an id"),
        state: text("state").expect("a state"),
        publish_id: text("publish_id"),
        caption: post["caption"].as_str().expect("text").to_owned(),
        event: text("event_id"),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} publications asked for in {} calls, {} processes killed, {} calls at the provider",
            self.wishes, self.calls, self.kills, self.calls_of_the_provider
        )?;
        writeln!(f, "answers {:?}", self.answers)?;
        writeln!(
            f,
            "publications {:?}; {} unknown looked up, {} of them were online",
            self.states, self.checked, self.by_hand
        )?;
        writeln!(
            f,
            "{} online, {} doubled, {} accounts lost, {} tokens renewed",
            self.online, self.doubled, self.accounts_lost, self.renewals
        )?;
        writeln!(
            f,
            "untrue: {:?}; refused as wrong: {:?}",
            self.untrue, self.refusals
        )
    }
}
