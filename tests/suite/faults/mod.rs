//! Faults of the disk, the memory and the database server, under load.
//!
//! After every fault, all acknowledged writes still exist, also after a crash, and the service
//! recovers by itself. `PAUTA_TEST_FAULTS` sets the number of faults.

mod console_away;
mod load;
pub mod proxy;
pub mod server_away;
mod shim;
mod small_disk;
mod writable;

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use domain::{Capability, Role};
use pauta::app::SystemClock;
use ports::Clock;

use self::{
    load::Load,
    shim::{Fault, Shim},
};
use crate::support::{Server, TestApp, count_from};

/// How long the service may take to accept writes again after a fault.
const RECOVERY: Duration = Duration::from_secs(5);
/// The number of faults between two crashes.
const BETWEEN_CRASHES: usize = 40;

fn fault_count() -> usize {
    count_from("PAUTA_TEST_FAULTS", 1_000)
}

/// Creates a server with its own embedded database, and a load for the server.
fn prepare_server(spare: usize) -> (TestApp, Load) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let app = TestApp::on_sqlite().await;
        // The server under test reads the system clock.
        app.advance_clock(SystemClock.now() - app.now());
        let member = app.add_member(Role::Admin).await;
        let token = app.token_client(&member).await.credential().to_owned();
        let client = app.session_client(&member).await;
        let drafted = client.create_demand(serde_json::json!({})).await;
        let mut spares = vec![];
        for _ in 0..spare {
            let (client, id) = app
                .token_client_with(&member, &[Capability::TasksView])
                .await;
            spares.push((id, client.credential().to_owned()));
        }
        let load = Load {
            address: String::new(),
            token,
            session: client.credential().to_owned(),
            spare: Mutex::new(spares),
            drafted,
            kept: Mutex::default(),
            acknowledged: Mutex::default(),
        };
        let db = app.app.gateway.services.db.clone();
        db.close().await.expect("closes");
        (app, load)
    })
}

/// Waits until a write is acknowledged and the service is ready.
fn wait_for_recovery(load: &Load, what: &str) -> Duration {
    let begun = Instant::now();
    while !load.create_demand("depois da falha") || load.read_status("/readyz", "") != Some(200) {
        assert!(
            begun.elapsed() < RECOVERY,
            "no write was accepted after {what}"
        );
        thread::sleep(Duration::from_millis(5));
    }
    begun.elapsed()
}

#[test]
fn no_acknowledged_write_is_lost_whatever_fails() {
    let rounds = fault_count();
    let (app, mut load) = prepare_server(rounds * 2);
    let directory = tempfile::tempdir().expect("a directory");
    let shim = Shim::new(directory.path());
    let start = || Server::start(app.database_url(), directory.path(), &shim.settings());
    let mut server = start();
    load.address.clone_from(&server.address);
    let (mut struck, mut calls, mut longest) = ([0; 6], 0, Duration::ZERO);
    for round in 0..rounds {
        let fault = Fault::ALL[round % Fault::ALL.len()];
        // The range covers every step of a transaction, and for `NoMemory` also the allocations of
        // its statements.
        let spread = if fault == Fault::NoMemory { 150 } else { 60 };
        let nth = 1 + (round * 37 % spread) as i64;
        let in_a_row = [1, 2, 5, 50][round / Fault::ALL.len() % 4];
        shim.arm(fault, nth, in_a_row);
        load.write_until_failure(&shim, round, 60);
        let fired = shim.failed_calls();
        shim.disarm();
        struck[fault as usize] += usize::from(fired > 0);
        calls += fired;
        longest = longest.max(wait_for_recovery(
            &load,
            &format!("{fault:?} at call {nth}"),
        ));
        if round % 5 == 4 {
            load.verify_writes();
        }
        if round % BETWEEN_CRASHES == BETWEEN_CRASHES - 1 {
            server.kill();
            server = start();
            load.address.clone_from(&server.address);
            load.verify_writes();
        }
    }
    server.kill();
    server = start();
    load.address.clone_from(&server.address);
    load.verify_writes();
    let acknowledged = *load.acknowledged.lock().expect("no panic");
    println!(
        "{} of {rounds} rounds were struck {struck:?}, {calls} calls failed, {acknowledged} writes \
         acknowledged, none lost; writing again after at most {longest:?}",
        struck.iter().sum::<usize>()
    );
    assert!(
        struck.iter().sum::<usize>() * 10 >= rounds * 9,
        "{struck:?}"
    );
    server.kill();
}
