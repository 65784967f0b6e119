//! Many videos under faults, on two instances whose workers die. No video is made twice, and every
//! reported outcome is true.

use std::{collections::BTreeMap, time::Duration};

use super::*;

/// Pseudo-random numbers that are the same in every run.
struct Chance(u64);

impl Chance {
    fn random_below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("32 bits") % n
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_video_is_made_twice_whatever_fails_and_whenever_a_worker_dies() {
    const VIDEOS: usize = 60;
    let (api, app, lead) = service_with_video_api(Dialect::OpenAi).await;
    let other = app.second_instance().await;
    let mut chance = Chance(7);
    let mut ids = vec![];
    for n in 0..VIDEOS {
        let mut input = video_input();
        input["prompt"] = format!("Vídeo {n}").into();
        ids.push(start_video(&lead, input).await);
    }
    for call in [Call::Submit, Call::Progress, Call::Fetch] {
        for _ in 0..VIDEOS {
            let fault = match chance.random_below(8) {
                0 => Fault::ResetBefore,
                1 => Fault::ResetAfter,
                2 => Fault::Nonsense,
                3 => Fault::Page(502),
                4 | 5 => Fault::Refused(429, "rate_limit_exceeded"),
                6 => Fault::Refused(500, "server_error"),
                _ => Fault::Refused(403, "expired"),
            };
            api.fail_next(call, &[fault]);
        }
    }
    let active = "videos WHERE state NOT IN ('completed', 'failed', 'canceled')";
    for round in 0..2_000u64 {
        if app.count_rows(active).await == 0 {
            break;
        }
        // Workers live longer each round, so that a slow machine makes progress too.
        let life = |n: usize| Duration::from_micros(n as u64 * 997 % (2_000 + 200 * round));
        let (one, two) = (
            life(chance.random_below(10_000)),
            life(chance.random_below(10_000)),
        );
        let dies = |app: &TestApp, life: Duration| {
            let mut worker = app.app.worker();
            async move { drop(tokio::time::timeout(life, worker.drain()).await) }
        };
        tokio::join!(dies(&app, one), dies(&other, two));
        api.set_phase(&Phase::Done);
        app.advance_clock(PAST_THE_LEASE);
    }
    assert_eq!(
        app.count_rows(active).await,
        0,
        "some videos have not ended"
    );
    let mut made = BTreeMap::<String, usize>::new();
    for video in api.made_videos() {
        *made.entry(video.asked.prompt).or_default() += 1;
    }
    assert!(made.values().all(|times| *times == 1), "{made:?}");
    let mut told = BTreeMap::<String, usize>::new();
    for id in &ids {
        let video = load_video(&lead, id).await;
        let was_made = made.contains_key(video["prompt"].as_str().expect("text"));
        let outcome = match video["error"]["code"].as_str() {
            None => video["status"].as_str().expect("a status").to_owned(),
            Some(code) => code.to_owned(),
        };
        match &*outcome {
            "completed" => assert!(was_made && video["media"]["url"].is_string(), "{video}"),
            "OUTCOME_UNKNOWN" => {}
            "PROVIDER_FAILED" => {
                let refused = video["error"]["details"]["provider_code"] == "expired";
                assert!(refused || was_made, "{video}");
            }
            "PROVIDER_TIMEOUT" => {}
            _ => panic!("{video}"),
        }
        *told.entry(outcome).or_default() += 1;
    }
    println!("{} of {VIDEOS} videos made once: {told:?}", made.len());
    assert_eq!(
        app.count_rows("media").await as usize,
        told.get("completed").copied().unwrap_or(0)
    );
}
