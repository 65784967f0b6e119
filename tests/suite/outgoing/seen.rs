//! A member gets no message about a piece that they do not see when the message is sent. The test
//! performs random actions in a team whose roles change.

use std::collections::BTreeMap;

use domain::{Role, time::MINUTE};
use serde_json::{Value, json};

use super::{Fixture, SOON};
use crate::support::{Random, count_from};

/// The initial roles: an admin and a lead who keep their roles, then six people whose roles change.
const ROLES: [Role; 8] = [
    Role::Admin,
    Role::Lider,
    Role::Admin,
    Role::Lider,
    Role::Lider,
    Role::Criador,
    Role::Criador,
    Role::Criador,
];
/// The index of the first person whose role changes.
const CHANGING: usize = 2;
const KINDS: [&str; 5] = [
    "piece_created",
    "piece_updated",
    "piece_submitted",
    "piece_decided",
    "remark_added",
];

/// A team that performs random actions, and what the test needs to check the messages.
struct Story {
    team: Fixture,
    random: Random,
    /// The title and the id of each piece. No title is part of another text, so a title in a message
    /// identifies its piece.
    pieces: Vec<(String, String)>,
    /// The ids of the removed remarks. No message may name them, because each was removed before the
    /// jobs ran.
    removed: Vec<String>,
    /// The number of times that a message named a piece, by channel (`e-mail`, `push`, `webhook`,
    /// `lista`).
    checked: BTreeMap<&'static str, usize>,
}

/// `PAUTA_TEST_STEPS` sets the number of actions; the default is 150.
#[tokio::test]
async fn every_message_is_visible_to_its_receiver_when_it_is_sent() {
    let team = Fixture::new(&ROLES).await;
    for owner in [0, 2] {
        team.subscribe(owner, &KINDS).await;
    }
    let mut story = Story {
        team,
        random: Random::new(34),
        pieces: vec![],
        removed: vec![],
        checked: BTreeMap::new(),
    };
    for step in 0..count_from("PAUTA_TEST_STEPS", 150) {
        story.take_step(step).await;
        if story.random.random_bool(60) {
            let minutes = story.random.random_below(9);
            let pause = i64::try_from(minutes).expect("a small number") * MINUTE + SOON;
            story.team.app.advance_clock(pause);
            story.team.run_due_jobs().await;
            story.check_messages().await;
        }
    }
    for way in ["e-mail", "push", "webhook"] {
        let checked = story.checked.get(way).copied().unwrap_or_default();
        assert!(checked > 10, "{way}: {:?}", story.checked);
    }
    assert!(!story.removed.is_empty(), "no remark was removed");
}

impl Story {
    fn pick_person(&mut self) -> String {
        let person = self.random.random_below(ROLES.len());
        self.team.id(person).to_owned()
    }

    fn pick_piece(&mut self) -> Option<String> {
        match self.pieces.is_empty() {
            true => None,
            false => Some(self.random.pick(&self.pieces).1.clone()),
        }
    }

    async fn take_step(&mut self, step: usize) {
        let admin = self.team.client(0).await;
        let lead = self.team.client(1).await;
        let person = self.pick_person();
        let kind = self.random.random_below(10);
        let Some(id) = self.pick_piece().filter(|_| kind > 1) else {
            let title = format!("Segredo-{step}-x");
            let input = json!({ "title": title, "assignee_id": person });
            let id = lead.create_demand(input).await;
            self.pieces.push((title, id));
            return;
        };
        let piece = lead.load_event(&id).await;
        let revision = &piece["api_revision"];
        let path = format!("/api/eventos/{id}");
        // The answers are not checked, because the piece may be in a state in which the call is refused.
        match kind {
            2 | 3 => {
                let people = match self.random.random_bool(50) {
                    true => json!([person]),
                    false => json!([]),
                };
                let input = json!({ "expected_revision": revision, "assignee_ids": people });
                lead.patch(&path, input).await;
            }
            4 | 5 => {
                let remark = json!({ "texto": "Veja", "mencoes": [person] });
                let path = format!("{path}/comentarios");
                let added = lead.post(&path, remark).await;
                // The remark is refused if the mentioned person does not see the piece.
                if self.random.random_bool(30) && added.status == 200 {
                    let id = added.body["id"].as_str().expect("an id").to_owned();
                    let path = format!("/api/comentarios/{id}");
                    lead.delete(&path).await.expect(200);
                    self.removed.push(id);
                }
            }
            6 => {
                let input = json!({ "event_id": id, "expected_revision": revision });
                lead.post("/api/enviar", input).await;
            }
            7 => {
                let action = *self.random.pick(&["aprovar", "recusar"]);
                let input = json!({ "event_id": id, "action": action,
                    "expected_revision": revision });
                admin.post("/api/aprovar", input).await;
            }
            _ => {
                let changing = ROLES.len() - CHANGING;
                let person = CHANGING + self.random.random_below(changing);
                let role = *self.random.pick(&["admin", "lider", "criador"]);
                let change = json!({ "member_id": self.team.id(person), "access_level": role });
                admin.patch("/api/membros", change).await.expect(200);
            }
        }
    }

    /// Asserts, for each message sent since the last check, that its receiver can see the piece that the
    /// message names. Nothing has changed since the messages were sent.
    async fn check_messages(&mut self) {
        for mail in self.team.smtp.take() {
            let people = self.team.people.iter();
            let to = mail.to.trim_matches(['<', '>']).to_owned();
            let person = { people }.position(|one| to.contains(&one.member.email));
            let text = mail.text() + &mail.subject() + &mail.html();
            self.check_text("e-mail", person.expect("a member"), &text)
                .await;
        }
        for message in self.team.push.take() {
            let mut people = self.team.people.iter();
            let person = people.position(|one| one.browser.endpoint == message.endpoint);
            let person = person.expect("a device");
            let opened: Value = message.open(&self.team.people[person].browser);
            self.check_text("push", person, &opened.to_string()).await;
        }
        for message in self.team.receiver.take() {
            let owner = message.path.trim_start_matches('/').parse();
            let owner: usize = owner.expect("the number of the owner");
            let client = self.team.client(owner).await;
            // Asserts that the owner is an admin now; a webhook of another owner sends nothing.
            client.get("/api/webhooks").await.expect(200);
            assert!(!message.text.contains("Segredo"), "{}", message.text);
            self.check_text("webhook", owner, &message.text).await;
        }
        self.check_lists().await;
    }

    /// Panics if a text names a removed remark, or a piece that the person does not see.
    async fn check_text(&mut self, way: &'static str, person: usize, text: &str) {
        // A webhook message may name a removed remark, because it contains ids only, and the remark
        // stays in its thread.
        let of_people = (way != "webhook").then_some(&self.removed);
        for id in of_people.into_iter().flatten() {
            let is_named = text.contains(id.as_str());
            assert!(
                !is_named,
                "{way} to {person} names the removed remark {id}: {text}"
            );
        }
        let client = self.team.client(person).await;
        for (title, id) in &self.pieces {
            if text.contains(title) || text.contains(id) {
                *self.checked.entry(way).or_default() += 1;
                let seen = client.get(&format!("/api/eventos/{id}")).await.status;
                assert_eq!(seen, 200, "{way} to {person} names {title}: {text}");
            }
        }
    }

    /// Asserts that each person's list of notifications names only pieces that the person sees, and that
    /// the number at the bell icon equals the length of the list.
    async fn check_lists(&mut self) {
        for person in 0..ROLES.len() {
            let client = self.team.client(person).await;
            let listed = client.get("/api/notificacoes?limit=100").await;
            let listed = listed.expect(200).body;
            self.check_text("lista", person, &listed["notificacoes"].to_string())
                .await;
            let shown = listed["notificacoes"].as_array().expect("a list").len();
            let waiting = client.get("/api/espera").await.expect(200).body;
            let unread = waiting["notificacoes"].as_u64();
            assert_eq!(unread, Some(shown.min(100) as u64), "{person}");
        }
    }
}
