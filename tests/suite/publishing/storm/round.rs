//! One minute of the storm: callers and workers on both instances, until all have ended or were
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
    publishing::{Stage, publications, publish},
    support::{Answer, Random},
};

pub struct Storm<'a> {
    pub main: &'a Runtime,
    pub stage: &'a Stage,
    pub instances: [Instance; 2],
    pub make: Make,
    pub random: Random,
    pub report: Report,
    /// The ids of the reported publications, by caption.
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
    /// Requests the wishes at random instances, some of them twice at once, while the workers of
    /// both run.
    pub fn round(&mut self, waiting: &mut VecDeque<Wish>, done: &mut Vec<Wish>) {
        let mut calls = vec![];
        for mut wish in waiting.drain(..) {
            wish.attempts += 1;
            let twice = self.random.below(10) == 0;
            let first = self.random.below(2);
            let mut handles = vec![self.call(first, &wish)];
            if twice {
                handles.push(self.call(1 - first, &wish));
            }
            self.report.calls += handles.len();
            calls.push((wish, handles));
        }
        let workers = [0, 1].map(|at| self.work(at));
        // Sometimes a process is killed between any two steps.
        let dies = (self.random.below(40) == 0).then(|| self.random.below(2));
        let after = Duration::from_micros(self.random.below(20_000) as u64);
        let handles: Vec<&JoinHandle<Answer>> = calls.iter().flat_map(|(_, h)| h).collect();
        let all = || {
            handles.iter().all(|h| h.is_finished()) && workers.iter().all(JoinHandle::is_finished)
        };
        let mut killed = [false; 2];
        let begun = std::time::Instant::now();
        while !all() {
            let woken = self.main.block_on(async {
                tokio::select! {
                    instance = self.stage.api.kills() => Some(instance),
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
                // A caller that waits for the claim of a dead process waits for the clock to
                // advance.
                self.stage.app.pass(50);
            }
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "a round does not end"
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
                // A caller of a killed process gets no answer.
                let Ok(answer) = self.main.block_on(handle) else {
                    continue;
                };
                if matches!(self.read(&mut wish, &answer), Next::Done) {
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
        let pause = MINUTE + self.random.below(20) as i64 * SECOND;
        self.stage.app.pass(pause);
        if self.random.below(50) == 0 {
            self.stage.api.world().forget_access_tokens();
        }
    }

    fn call(&self, at: usize, wish: &Wish) -> JoinHandle<Answer> {
        let (runtime, app) = self.instances[at].alive();
        let mut client = self.stage.lead.at(app);
        if wish.keyed {
            client = client.with_key(&wish.caption.replace(' ', "-"));
        }
        let input = wish.input.clone();
        runtime.spawn(async move { publish(&client, input).await })
    }

    fn work(&self, at: usize) -> JoinHandle<()> {
        let (runtime, app) = self.instances[at].alive();
        let mut worker = app.app.worker();
        runtime.spawn(async move {
            worker.drain().await.expect("the database is there");
        })
    }

    /// The next step of the caller after this answer.
    fn read(&mut self, wish: &mut Wish, answer: &Answer) -> Next {
        let code = answer.code().to_owned();
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
            (409, "OUTCOME_UNKNOWN") => self.check(wish, about.map(str::to_owned)),
            // The publication is that of another caller, or its answer was lost. Its outcome
            // counts.
            (409, "PUBLICATION_OPEN" | "ALREADY_PUBLISHED" | "NOT_APPROVED") => {
                match self.outcome(wish) {
                    Some("published" | "processing" | "uploading") => Next::Done,
                    _ => Next::Again,
                }
            }
            _ => Next::Again,
        }
    }

    /// The state of the newest publication of a wish.
    fn outcome(&self, wish: &Wish) -> Option<&'static str> {
        let newest = self.newest(wish)?;
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

    fn newest(&self, wish: &Wish) -> Option<serde_json::Value> {
        let of =
            |publication: &serde_json::Value| publication["media_ids"] == wish.input["mediaIds"];
        let found = self
            .main
            .block_on(publications(&self.stage.lead, "?limit=200"));
        found.into_iter().find(of)
    }

    /// A person checks whether it is online. If so, they mark the event; otherwise they publish
    /// again.
    fn check(&mut self, wish: &mut Wish, about: Option<String>) -> Next {
        // The answer to a key does not name the publication.
        let about = about.or_else(|| {
            let newest = self.newest(wish)?;
            let is_unknown = newest["status"] == "unknown";
            is_unknown.then(|| newest["id"].as_str().expect("an id").to_owned())
        });
        // The next attempt has a new key, as the answer requires.
        wish.keyed = false;
        let Some(about) = about else {
            return Next::Again;
        };
        self.report.checked += 1;
        if self.stage.api.world().online(&wish.caption).is_empty() {
            wish.input["despite_publication_id"] = about.into();
            return Next::Again;
        }
        self.report.by_hand += 1;
        if let Some(event) = &wish.event {
            let lead = &self.stage.lead;
            self.main.block_on(async {
                let revision = lead.event(event).await["api_revision"].clone();
                let marked = json!({ "expected_revision": revision, "status": "publicado" });
                lead.patch(&format!("/api/eventos/{event}"), marked)
                    .await
                    .expect(200);
            });
        }
        Next::Done
    }

    /// Runs without faults until every publication has ended.
    pub fn settle(&mut self) {
        for _ in 0..300 {
            self.stage.app.pass(MINUTE);
            for at in [0, 1] {
                let worker = self.work(at);
                self.main.block_on(worker).expect("no panic");
            }
            let open = self
                .stage
                .app
                .count("publications WHERE finished_at IS NULL");
            if self.main.block_on(open) == 0 {
                return;
            }
        }
        self.report.untrue.push("publications stay open".into());
    }

    pub fn end(self) -> Ended {
        for mut instance in self.instances {
            instance.kill();
        }
        Ended {
            report: self.report,
            told: self.told,
        }
    }
}
