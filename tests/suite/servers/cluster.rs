//! A PostgreSQL primary with a synchronous standby.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{free_port, give_away, run, server_program, unprivileged};

/// A timeout that no test reaches, on any machine.
const FOREVER: Duration = Duration::from_secs(60);

/// Two servers. The first one listed is the primary.
pub struct Cluster {
    folder: TempDir,
    servers: [Server; 2],
}

struct Server {
    folder: PathBuf,
    port: u16,
}

impl Cluster {
    /// Starts a primary with an empty database `pauta`, and its standby. A commit waits for the
    /// standby.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        give_away(folder.path());
        let servers = ["a", "b"].map(|name| Server {
            folder: folder.path().join(name),
            port: free_port(),
        });
        let cluster = Self { folder, servers };
        let [primary, _] = &cluster.servers;
        let init = [
            "--username=app",
            "--auth=trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
        ];
        run(cluster
            .command("initdb")
            .args(init)
            .arg("-D")
            .arg(&primary.folder));
        cluster.start_server(primary);
        cluster.query_database(primary, "postgres", "CREATE DATABASE pauta");
        cluster.make_standby();
        cluster
    }

    /// Returns the URL of the database. The URL contains both servers.
    pub fn url(&self) -> String {
        let mut ports = self.servers.each_ref().map(|server| server.port);
        // Lists the servers by their ports, so that the URL stays the same after a fail-over.
        ports.sort_unstable();
        let [first, second] = ports;
        format!("postgres://app@127.0.0.1:{first},127.0.0.1:{second}/pauta")
    }

    /// Kills the primary without warning.
    pub fn kill_primary(&self) {
        let pid = fs::read_to_string(self.servers[0].folder.join("postmaster.pid"));
        let pid = pid.expect("a running server");
        let pid = pid.lines().next().expect("a process").to_owned();
        let session = run(Command::new("pgrep").args(["-P", &pid]));
        // The processes of the sessions die with their parent, but not at once.
        for pid in std::iter::once(&*pid).chain(session.lines()) {
            let _ = Command::new("kill").args(["-9", pid]).status();
        }
    }

    /// Makes the standby the primary. Until [`Self::make_standby`] is called, commits do not wait for a
    /// standby.
    pub fn promote_standby(&mut self) {
        self.servers.swap(0, 1);
        let [primary, _] = &self.servers;
        run(self
            .command("pg_ctl")
            .args(["promote", "-w", "-D"])
            .arg(&primary.folder));
        self.query("ALTER SYSTEM SET synchronous_standby_names = ''");
        self.query("SELECT pg_reload_conf()");
    }

    /// Makes the second server a new standby of the primary. Returns when each commit waits for the
    /// standby.
    pub fn make_standby(&self) {
        let [primary, standby] = &self.servers;
        let _ = fs::remove_dir_all(&standby.folder);
        let port = primary.port.to_string();
        run(self
            .command("pg_basebackup")
            .args(["-h", "127.0.0.1", "-p", &port, "-U", "app", "-X", "stream"])
            .args(["--checkpoint=fast", "--write-recovery-conf", "-D"])
            .arg(&standby.folder));
        self.start_server(standby);
        self.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.query("SELECT pg_reload_conf()");
        let begun = Instant::now();
        while self
            .query("SELECT sync_state FROM pg_stat_replication")
            .trim()
            != "sync"
        {
            assert!(begun.elapsed() < FOREVER, "the standby does not follow");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs a statement on the primary and returns its first column as text.
    pub fn query(&self, sql: &str) -> String {
        self.query_database(&self.servers[0], "pauta", sql)
    }

    fn query_database(&self, server: &Server, database: &str, sql: &str) -> String {
        let port = server.port.to_string();
        run(self
            .command("psql")
            .args(["-h", "127.0.0.1", "-p", &port, "-U", "app", "-d", database])
            .args(["-v", "ON_ERROR_STOP=1", "-Atqc", sql]))
    }

    fn start_server(&self, server: &Server) {
        let settings = format!(
            "-c port={} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off \
             -c max_connections=60",
            server.port
        );
        let log = self.folder.path().join("log");
        run(self
            .command("pg_ctl")
            .args(["start", "-w", "-t", "60", "-o", &settings, "-l"])
            .arg(&log)
            .arg("-D")
            .arg(&server.folder));
    }

    fn command(&self, program: &str) -> Command {
        let mut command = unprivileged(&server_program(program));
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for server in &self.servers {
            stop(&mut self.command("pg_ctl"), &server.folder);
        }
    }
}

fn stop(command: &mut Command, folder: &Path) {
    // A server that was killed cannot be stopped.
    let _ = command
        .args(["stop", "-m", "immediate", "-D"])
        .arg(folder)
        .output();
}
