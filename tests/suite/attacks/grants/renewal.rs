//! Token renewal as a state machine, tested by an owner and a thief over HTTP.

use std::collections::BTreeMap;

use domain::{
    Role,
    time::{DAY, HOUR, MINUTE, Millis, SECOND},
};
use serde_json::{Value, json};

use super::sequence_count;
use crate::{
    authorization::{agent_client, assert_oauth_error, connect_agent, request_token},
    support::{Answer, Random, TestApp},
};

const GRACE: Millis = 10 * SECOND;
const STEPS: usize = 30;

/// The expected behaviour: refresh tokens in order of creation, each with the time of its first
/// use.
struct Model {
    used_at: Vec<Option<Millis>>,
    alive: bool,
    expires_at: Millis,
}

impl Model {
    /// Uses the refresh token at this index. Returns the index of the new token, or `None` if the
    /// request is refused.
    fn expect_renewal(&mut self, token: usize, now: Millis) -> Option<usize> {
        if !self.alive || self.expires_at <= now {
            return None;
        }
        match self.used_at[token] {
            None => {
                self.used_at[token] = Some(now);
                self.used_at.push(None);
            }
            Some(at) if at + GRACE < now => {
                self.alive = false;
                return None;
            }
            Some(_) => {}
        }
        Some(self.used_at.len() - 1)
    }
}

/// One agent whose tokens both an owner and a thief hold.
struct Sequence<'a> {
    app: &'a TestApp,
    client_id: String,
    model: Model,
    /// The token pairs; `None` for a pair whose response was lost.
    pairs: Vec<Option<Value>>,
    /// The index of the newest pair of the owner, and the index of the newest pair of the thief.
    has: [Option<usize>; 2],
    /// The times of the first and last successful renewal with each token.
    renewed: BTreeMap<usize, (Millis, Millis)>,
}

impl Sequence<'_> {
    async fn renew_pair(&mut self, who: usize, token: usize, is_lost: bool) {
        let now = self.app.now();
        let Some(pair) = self.pairs[token].clone() else {
            return;
        };
        let answer = request_renewal(self.app, &self.client_id, &pair).await;
        let Some(expected) = self.model.expect_renewal(token, now) else {
            return assert_oauth_error(answer, 400, "invalid_grant");
        };
        let pair = answer.expect(200).body;
        if self.pairs.len() == expected {
            self.pairs.push(Some(pair.clone()));
        }
        let first = self.pairs[expected].get_or_insert(pair.clone());
        for kind in ["access_token", "refresh_token"] {
            assert_eq!(
                pair[kind], first[kind],
                "a token has two different successor pairs"
            );
        }
        let (began, last) = self.renewed.entry(token).or_insert((now, now));
        *last = now;
        assert!(
            *last - *began <= GRACE,
            "two parties shared a token for longer than the grace period"
        );
        if !is_lost {
            self.has[who] = Some(expected);
        }
    }

    async fn assert_access(&self, who: usize) {
        let Some(pair) = self.has[who].and_then(|has| self.pairs[has].clone()) else {
            return;
        };
        let answer = agent_client(self.app, &pair)
            .send_rpc("tools/list", json!({}))
            .await;
        let is_alive = self.model.alive && self.model.expires_at > self.app.now();
        // The access token may have expired. Only a revoked agent may get `TOKEN_REVOKED`.
        match is_alive {
            true => assert_ne!(answer.error_code(), "TOKEN_REVOKED"),
            false => assert_eq!(answer.status, 401),
        }
    }
}

async fn request_renewal(app: &TestApp, client_id: &str, pair: &Value) -> Answer {
    let fields = [
        ("grant_type", "refresh_token"),
        ("client_id", client_id),
        (
            "refresh_token",
            pair["refresh_token"].as_str().expect("a token"),
        ),
    ];
    request_token(&app.anonymous(), &fields).await
}

#[tokio::test]
async fn owner_and_thief_share_a_token_for_at_most_ten_seconds() {
    let pauses = [
        1,
        SECOND,
        5 * SECOND,
        GRACE - 1,
        GRACE,
        GRACE + 1,
        MINUTE,
        HOUR,
        25 * HOUR,
    ];
    let app = TestApp::new().await;
    let mut deaths = 0;
    for seed in 0..sequence_count(60) {
        let mut random = Random::new(seed);
        let member = app.add_member(Role::Lider).await;
        let (client_id, first) = connect_agent(&app, &member).await;
        let mut tried = Sequence {
            app: &app,
            client_id,
            model: Model {
                used_at: vec![None],
                alive: true,
                expires_at: app.now() + 30 * DAY,
            },
            pairs: vec![Some(first)],
            has: [Some(0), None],
            renewed: BTreeMap::new(),
        };
        for _ in 0..STEPS {
            let who = random.random_below(2);
            match random.random_below(6) {
                0 | 1 => app.advance_clock(pauses[random.random_below(pauses.len())]),
                2 | 3 => {
                    if let Some(token) = tried.has[who] {
                        let is_lost = random.random_bool(30);
                        tried.renew_pair(who, token, is_lost).await;
                    }
                }
                // The thief copies the owner's newest token pair; the owner repeats an older
                // renewal.
                4 => match who {
                    0 => {
                        let token = random.random_below(tried.pairs.len());
                        tried.renew_pair(0, token, true).await;
                    }
                    _ => tried.has[1] = tried.has[0],
                },
                _ => tried.assert_access(who).await,
            }
            let id = format!("SELECT id FROM agents WHERE member_id = '{}'", member.id);
            let unused =
                format!("agent_refresh_tokens WHERE used_at IS NULL AND agent_id IN ({id})");
            assert_eq!(app.count_rows(&unused).await, 1, "seed {seed}");
        }
        let ended = format!(
            "agents WHERE member_id = '{}' AND revoked_at IS NOT NULL",
            member.id
        );
        assert_eq!(
            app.count_rows(&ended).await == 1,
            !tried.model.alive,
            "seed {seed}"
        );
        deaths += usize::from(!tried.model.alive);
    }
    assert!(deaths > 0, "no sequence ended an agent by a replay");
}

#[tokio::test]
async fn the_renewal_of_the_owner_reveals_a_thief_who_renewed_first() {
    let app = TestApp::new().await;
    let (client_id, first) = connect_agent(&app, &app.add_member(Role::Lider).await).await;
    let stolen = request_renewal(&app, &client_id, &first)
        .await
        .expect(200)
        .body;
    app.advance_clock(GRACE + 1);
    assert_oauth_error(
        request_renewal(&app, &client_id, &first).await,
        400,
        "invalid_grant",
    );
    let over = agent_client(&app, &stolen)
        .send_rpc("tools/list", json!({}))
        .await;
    over.expect_refusal(401, "TOKEN_REVOKED");
    assert_oauth_error(
        request_renewal(&app, &client_id, &stolen).await,
        400,
        "invalid_grant",
    );
    assert_eq!(
        app.count_rows("audit_events WHERE action = 'agent_token_reuse'")
            .await,
        1
    );
}

#[tokio::test]
async fn two_simultaneous_renewals_succeed_even_if_one_result_was_already_used() {
    let app = TestApp::new().await;
    let (client_id, first) = connect_agent(&app, &app.add_member(Role::Lider).await).await;
    let one = request_renewal(&app, &client_id, &first)
        .await
        .expect(200)
        .body;
    agent_client(&app, &one)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
    app.advance_clock(GRACE);
    let other = request_renewal(&app, &client_id, &first)
        .await
        .expect(200)
        .body;
    assert_eq!(other["refresh_token"], one["refresh_token"]);
    agent_client(&app, &other)
        .send_rpc("tools/list", json!({}))
        .await
        .expect(200);
    // A repeated renewal within the grace period returns the newest token. If it returned the
    // second token, which was already exchanged, the next use of that token would revoke the agent.
    let (client_id, first) = connect_agent(&app, &app.add_member(Role::Lider).await).await;
    let second = request_renewal(&app, &client_id, &first)
        .await
        .expect(200)
        .body;
    app.advance_clock(5 * SECOND);
    let third = request_renewal(&app, &client_id, &second)
        .await
        .expect(200)
        .body;
    let late = request_renewal(&app, &client_id, &first)
        .await
        .expect(200)
        .body;
    assert_eq!(late["refresh_token"], third["refresh_token"]);
    app.advance_clock(24 * HOUR);
    request_renewal(&app, &client_id, &late).await.expect(200);
}
