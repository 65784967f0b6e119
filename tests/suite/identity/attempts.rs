//! Limits on password attempts, which all instances count together.

use std::net::{IpAddr, Ipv4Addr};

use domain::time::Millis;
use futures::future::join_all;
use identity::{LIMIT_WINDOW, Limiter};

use crate::support::TestApp;

/// Maximum failures of one account from one network, of one account in total, and of one network in
/// total.
const MOST: [u32; 3] = [8, 30, 60];
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

fn other_address(n: u32) -> IpAddr {
    Ipv4Addr::from(0xC000_0000 + n).into()
}

fn limiter(app: &TestApp, now: Millis) -> Limiter<'_> {
    let services = &app.app.gateway.services;
    Limiter {
        db: &services.db,
        keys: &services.keys,
        now,
    }
}

/// Makes one attempt. Returns the seconds to wait if it is rejected.
async fn make_attempt(
    limiter: &Limiter<'_>,
    account: &str,
    address: IpAddr,
    known: bool,
) -> Option<u64> {
    let known = async { Ok(known) };
    let admitted = limiter.admit_password_attempt(account, Some(address), known);
    let refused = admitted.await.err()?;
    assert_eq!(refused.status(), 429, "{refused}");
    refused.retry_after_seconds()
}

#[tokio::test]
async fn too_many_failures_are_refused_by_every_instance_until_the_window_ends() {
    let app = TestApp::new().await;
    let other = app.second_instance().await;
    let now = app.now();
    for n in 0..MOST[0] {
        let at = limiter(if n % 2 == 0 { &app } else { &other }, now);
        assert_eq!(make_attempt(&at, "ana@x", HERE, false).await, None);
    }
    for app in [&app, &other] {
        let later = limiter(app, now + 1);
        for known in [false, true] {
            let wait = make_attempt(&later, "ana@x", HERE, known).await;
            assert_eq!(wait, Some(900));
        }
        let elsewhere = make_attempt(&later, "ana@x", other_address(1), false).await;
        assert_eq!(elsewhere, None);
        assert_eq!(make_attempt(&later, "bia@x", HERE, false).await, None);
    }
    let after = limiter(&app, now + LIMIT_WINDOW);
    assert_eq!(make_attempt(&after, "ana@x", HERE, false).await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_attempts_do_not_exceed_the_limit() {
    let app = TestApp::new().await;
    let other = app.second_instance().await;
    let (here, there) = (limiter(&app, app.now()), limiter(&other, app.now()));
    let attempts = (0..40).map(|n| {
        let at = if n % 2 == 0 { &here } else { &there };
        make_attempt(at, "ana@x", HERE, false)
    });
    let admitted = join_all(attempts).await;
    let admitted = admitted.iter().filter(|wait| wait.is_none()).count();
    assert_eq!(admitted, MOST[0] as usize);
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_attempts_and_successes_do_not_block_each_other() {
    let app = TestApp::new().await;
    let other = app.second_instance().await;
    let (here, there) = (limiter(&app, app.now()), limiter(&other, app.now()));
    let sign_ins = (0..60).map(|n| {
        let at = if n % 2 == 0 { &here } else { &there };
        async move {
            for _ in 0..5 {
                make_attempt(at, "ana@x", HERE, true).await;
                let forgotten = at.forget_failures("ana@x", Some(HERE)).await;
                forgotten.expect("no transaction is refused");
            }
        }
    });
    join_all(sign_ins).await;
}

#[tokio::test]
async fn one_network_cannot_try_many_accounts() {
    let app = TestApp::new().await;
    let limiter = limiter(&app, app.now());
    for n in 0..MOST[2] {
        let account = format!("{n}@x");
        assert_eq!(make_attempt(&limiter, &account, HERE, false).await, None);
    }
    assert!(make_attempt(&limiter, "new@x", HERE, false).await.is_some());
}

#[tokio::test]
async fn failures_from_many_networks_lock_an_account_except_in_its_known_network() {
    let app = TestApp::new().await;
    let limiter = limiter(&app, app.now());
    for n in 0..MOST[1] {
        let wait = make_attempt(&limiter, "ana@x", other_address(n), false).await;
        assert_eq!(wait, None);
    }
    assert!(make_attempt(&limiter, "ana@x", HERE, false).await.is_some());
    for _ in 0..MOST[0] {
        assert_eq!(make_attempt(&limiter, "ana@x", HERE, true).await, None);
    }
    assert!(make_attempt(&limiter, "ana@x", HERE, true).await.is_some());
}

#[tokio::test]
async fn a_successful_sign_in_removes_only_its_own_failures() {
    let app = TestApp::new().await;
    let limiter = limiter(&app, app.now());
    let forget = || async {
        let forgotten = limiter.forget_failures("ana@x", Some(HERE)).await;
        forgotten.expect("the counts are stored");
    };
    for _ in 0..MOST[2] * 2 {
        assert_eq!(make_attempt(&limiter, "ana@x", HERE, false).await, None);
        forget().await;
    }
    for n in 0..MOST[1] {
        let wait = make_attempt(&limiter, "ana@x", other_address(n), false).await;
        assert_eq!(wait, None);
    }
    assert_eq!(make_attempt(&limiter, "ana@x", HERE, true).await, None);
    forget().await;
    let wait = make_attempt(&limiter, "ana@x", other_address(99), false).await;
    assert!(wait.is_some());
}

#[tokio::test]
async fn addresses_of_one_ipv6_network_count_as_one() {
    let app = TestApp::new().await;
    let limiter = limiter(&app, app.now());
    let address = |text: &str| text.parse::<IpAddr>().expect("an address");
    for n in 0..MOST[0] {
        let here = address(&format!("2001:db8:1:2:{n:x}::1"));
        assert_eq!(make_attempt(&limiter, "ana@x", here, false).await, None);
    }
    let wait = |text: &str| make_attempt(&limiter, "ana@x", address(text), false);
    assert!(wait("2001:db8:1:2:ffff::9").await.is_some());
    assert_eq!(wait("2001:db8:1:3::1").await, None);
    // An IPv4-mapped address counts as IPv4.
    for _ in 0..MOST[0] {
        assert_eq!(wait("::ffff:10.0.0.1").await, None);
    }
    assert!(wait("10.0.0.1").await.is_some());
    assert_eq!(wait("::ffff:10.0.0.2").await, None);
}

#[tokio::test]
async fn the_stored_counts_name_nobody_and_are_deleted_after_the_window() {
    let app = TestApp::new().await;
    let before = limiter(&app, app.now());
    assert_eq!(make_attempt(&before, "ana@x", HERE, false).await, None);
    let rows = app.query_rows("SELECT subject FROM attempts".into()).await;
    assert_eq!(rows.len(), 3);
    for row in rows {
        let subject: String = row.try_get("", "subject").expect("a text");
        assert_eq!(subject.len(), 32);
        assert!(
            subject.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{subject}"
        );
    }
    app.advance_clock(LIMIT_WINDOW);
    app.app.worker().drain().await.expect("the jobs run");
    assert_eq!(app.count_rows("attempts").await, 0);
}
