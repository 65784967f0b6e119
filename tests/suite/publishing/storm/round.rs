//! One round of the storm: callers and workers run on both instances until they have ended or were
//! killed.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use domain::time::{MINUTE, SECOND};
use serde_json::json;
use tokio::{runtime::Runtime, task::JoinHandle};

use super::{Instance, Make, Wish, report::Report};
use crate::{
    publishing::{Stage, list_publications, publish_media},
    support::{Answer, Random},
};

pub struct Storm<'a> {
    pub main: &'a Runtime,
    pub stage: &'a Stage,
    pub instances: [Instance; 2],
    pub make: Make,
    pub random: Random,
    pub report: Report,
    /// The publication ids that the service returned, by caption.
    pub told: BTreeMap<String, Vec<String>>,
}

/// The result of a storm.
pub struct Ended {
    pub report: Report,
    pub told: BTreeMap<String, Vec<String>>,
}

/// The next step of a caller.
enum Next {
    Done,
    Again,
}

impl Storm<'_> {
    /// Publishes the waiting wishes at random instances, some at both at once, while the workers of
    /// both instances run.
    pub fn run_round(&mut self, waiting: &mut VecDeque<Wish>, done: &mut Vec<Wish>) {
        let mut calls = vec![];
        for mut wish in waiting.drain(..) {
            wish.attempts += 1;
            let twice = self.random.random_below(10) == 0;
            let first = self.random.random_below(2);
            let mut handles = vec![self.spawn_call(first, &wish)];
            if twice {
                handles.push(self.spawn_call(1 - first, &wish));
            }
            self.report.calls += handles.len();
            calls.push((wish, handles));
        }
        let workers = [0, 1].map(|at| self.spawn_worker(at));
        // In some rounds, an instance is killed after a random time.
        let dies = (self.random.random_below(40) == 0).then(|| self.random.random_below(2));
        let after = Duration::from_micros(self.random.random_below(20_000) as u64);
        let handles: Vec<&JoinHandle<Answer>> = calls.iter().flat_map(|(_, h)| h).collect();
        let all = || {
            handles.iter().all(|h| h.is_finished()) && workers.iter().all(JoinHandle::is_finished)
        };
        let mut killed = [false; 2];
        let begun = std::time::Instant::now();
        while !all() {
            let woken = self.main.block_on(async {
                tokio::select! {
                    instance = self.stage.api.wait_for_kill() => Some(instance),
                    () = tokio::time::sleep(Duration::from_millis(2)) => None,
                }
            });
            let due = dies.filter(|at| begun.elapsed() >= after && !killed[*at]);
            if let Some(at) = woken.or(due)
                && !killed[at]
            {
                killed[at] = true;
                self.report.kills += 1;
                self.instances[at].kill();
            }
            if begun.elapsed() > Duration::from_secs(3) {
                // Advances the clock for callers that wait until the claim of a killed instance
                // expires.
                self.stage.app.advance_clock(50);
            }
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "the round did not end"
            );
        }
        for (at, (worker, killed)) in workers.into_iter().zip(killed).enumerate() {
            let worked = self.main.block_on(worker);
            if !killed {
                worked.expect("the database is there");
            } else {
                self.instances[at] = Instance::start(self.stage, self.make, at);
            }
        }
        for (mut wish, handles) in calls {
            let mut next = Next::Again;
            for handle in handles {
                // A call to a killed instance has no response.
                let Ok(answer) = self.main.block_on(handle) else {
                    continue;
                };
                if matches!(self.decide_next(&mut wish, &answer), Next::Done) {
                    next = Next::Done;
                }
            }
            match next {
                Next::Done => done.push(wish),
                Next::Again if wish.attempts >= 40 => {
                    self.report
                        .untrue
                        .push(format!("{} never ended", wish.caption));
                    done.push(wish);
                }
                Next::Again => waiting.push_back(wish),
            }
        }
        let pause = MINUTE + self.random.random_below(20) as i64 * SECOND;
        self.stage.app.advance_clock(pause);
        if self.random.random_below(50) == 0 {
            self.stage.api.lock_world().expire_access_tokens();
        }
    }

    fn spawn_call(&self, at: usize, wish: &Wish) -> JoinHandle<Answer> {
        let (runtime, app) = self.instances[at].running_instance();
        let mut client = self.stage.lead.at_instance(app);
        if wish.keyed {
            client = client.with_idempotency_key(&wish.caption.replace(' ', "-"));
        }
        let input = wish.input.clone();
        runtime.spawn(async move { publish_media(&client, input).await })
    }

    fn spawn_worker(&self, at: usize) -> JoinHandle<()> {
        let (runtime, app) = self.instances[at].running_instance();
        let mut worker = app.app.worker();
        runtime.spawn(async move {
            worker.drain().await.expect("the database is there");
        })
    }

    /// Records the response and decides whether the caller tries again.
    fn decide_next(&mut self, wish: &mut Wish, answer: &Answer) -> Next {
        let code = answer.error_code().to_owned();
        let about = answer.body["details"]["publication_id"].as_str();
        *self
            .report
            .answers
            .entry((answer.status, code.clone()))
            .or_default() += 1;
        match (answer.status, code.as_str()) {
            (200, _) => {
                let id = answer.body["publication_id"]
                    .as_str()
                    .expect("an id")
                    .to_owned();
                self.told.entry(wish.caption.clone()).or_default().push(id);
                Next::Done
            }
            (409, "OUTCOME_UNKNOWN") => self.check_as_person(wish, about.map(str::to_owned)),
            // The publication was made by another call, or its response was lost. The state of the
            // publication decides.
            (409, "PUBLICATION_OPEN" | "ALREADY_PUBLISHED" | "NOT_APPROVED") => {
                match self.newest_state(wish) {
                    Some("published" | "processing" | "uploading") => Next::Done,
                    _ => Next::Again,
                }
            }
            _ => Next::Again,
        }
    }

    /// The state of the newest publication of a wish.
    fn newest_state(&self, wish: &Wish) -> Option<&'static str> {
        let newest = self.newest_publication(wish)?;
        let states = [
            "submitting",
            "uploading",
            "processing",
            "published",
            "failed",
            "unknown",
        ];
        states.into_iter().find(|state| newest["status"] == *state)
    }

    fn newest_publication(&self, wish: &Wish) -> Option<serde_json::Value> {
        let of =
            |publication: &serde_json::Value| publication["media_ids"] == wish.input["mediaIds"];
        let found = self
            .main
            .block_on(list_publications(&self.stage.lead, "?limit=200"));
        found.into_iter().find(of)
    }

    /// Acts as a person who checks whether the post is online: marks the event if so, else allows
    /// another attempt.
    fn check_as_person(&mut self, wish: &mut Wish, about: Option<String>) -> Next {
        // A refusal for a repeated key does not name the publication.
        let about = about.or_else(|| {
            let newest = self.newest_publication(wish)?;
            let is_unknown = newest["status"] == "unknown";
            is_unknown.then(|| newest["id"].as_str().expect("an id").to_owned())
        });
        // The next attempt must not repeat the key, so it is sent without one.
        wish.keyed = false;
        let Some(about) = about else {
            return Next::Again;
        };
        self.report.checked += 1;
        if self
            .stage
            .api
            .lock_world()
            .online_effects(&wish.caption)
            .is_empty()
        {
            wish.input["despite_publication_id"] = about.into();
            return Next::Again;
        }
        self.report.by_hand += 1;
        if let Some(event) = &wish.event {
            let lead = &self.stage.lead;
            self.main.block_on(async {
                let revision = lead.load_event(event).await["api_revision"].clone();
                let marked = json!({ "expected_revision": revision, "status": "publicado" });
                lead.patch(&format!("/api/eventos/{event}"), marked)
                    .await
                    .expect(200);
            });
        }
        Next::Done
    }

    /// Runs the workers without faults until every publication has ended.
    pub fn finish_publications(&mut self) {
        for _ in 0..300 {
            self.stage.app.advance_clock(MINUTE);
            for at in [0, 1] {
                let worker = self.spawn_worker(at);
                self.main.block_on(worker).expect("no panic");
            }
            let open = self
                .stage
                .app
                .count_rows("publications WHERE finished_at IS NULL");
            if self.main.block_on(open) == 0 {
                return;
            }
        }
        self.report.untrue.push("publications stay open".into());
    }

    pub fn into_ended(self) -> Ended {
        for mut instance in self.instances {
            instance.kill();
        }
        Ended {
            report: self.report,
            told: self.told,
        }
    }
}
