//! The startup of `serve`: an unavailable database server, the log, and the shutdown.

#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use super::{assert_portuguese, output_text, run_pauta, start_demo};
use crate::{
    faults::proxy::Proxy,
    support::{Given, SECRET, TestApp, exchange_request, http_request},
};

/// How long a test waits for a log line or for the process to exit.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running `serve`, whose log is read line by line.
struct Serving {
    process: Child,
    lines: Receiver<String>,
    told: String,
}

impl Serving {
    fn start(directory: &Path, settings: &[(&str, &str)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_pauta"))
            .arg("serve")
            .env_clear()
            .env("PAUTA_LISTEN", "127.0.0.1:0")
            .envs(settings.iter().copied())
            .current_dir(directory)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let log = BufReader::new(process.stderr.take().expect("a pipe"));
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self {
            process,
            lines,
            told: String::new(),
        }
    }

    /// Waits for the next log line that contains these words.
    #[track_caller]
    fn wait_for_line(&mut self, words: &str) -> String {
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("no log line contains {words}: {}", self.told);
            };
            self.told.push_str(&line);
            self.told.push('\n');
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Sends SIGTERM to the process, as a supervisor does.
    fn terminate(&self) {
        let id = self.process.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        assert!(asked.expect("a signal").success());
    }

    fn wait_for_exit(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().expect("the state of the process") {
                return status;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "the service did not stop in time"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns an address on which nothing listens.
fn unused_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").to_string()
}

fn get(address: &str, path: &str) -> Given {
    exchange_request(address, &http_request("GET", path, "", "", "")).expect("an answer")
}

/// Returns the value after `name=` in a line of the log.
#[track_caller]
fn log_field<'a>(line: &'a str, name: &str) -> &'a str {
    let (_, rest) = line
        .split_once(&format!("{name}="))
        .unwrap_or_else(|| panic!("{name}: {line}"));
    rest.split(' ').next().expect("a value")
}

#[test]
fn a_password_with_reserved_characters_is_refused_at_once_and_not_shown() {
    let directory = tempfile::tempdir().expect("a directory");
    for password in [
        "sen/hada",
        "12/34hada",
        "sen?hada",
        "12?34hada",
        "sen#hada",
        "s@n/hada",
    ] {
        let url = format!("postgres://u:{password}@127.0.0.1:1/b");
        let settings = [
            ("PAUTA_DATABASE_URL", &*url),
            ("PAUTA_SECRET", SECRET),
            ("PAUTA_LISTEN", "127.0.0.1:0"),
        ];
        for command in ["serve", "migrate"] {
            let output = run_pauta(directory.path(), &settings, &[command]);
            let text = output_text(&output);
            assert_eq!(output.status.code(), Some(1), "{text}");
            assert!(text.contains("percent-encoding"), "{text}");
            assert!(!text.contains("hada"), "{text}");
            assert_portuguese(&text);
        }
    }
}

#[test]
fn the_start_waits_for_an_unavailable_server_and_logs_the_cause_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let nobody = format!("postgres://u:senhada@{}/b", unused_address());
    for (url, cause) in [
        (&*nobody, "a conexão foi recusada"),
        (
            "postgres://u:senhada@nada.invalid/b",
            "o nome do servidor não foi encontrado",
        ),
    ] {
        let address = unused_address();
        let settings = [
            ("PAUTA_DATABASE_URL", url),
            ("PAUTA_SECRET", SECRET),
            ("PAUTA_LISTEN", &address),
        ];
        let mut serving = Serving::start(directory.path(), &settings);
        let line = serving.wait_for_line("o serviço espera por ele");
        assert!(line.contains(cause), "{line}");
        assert_eq!(get(&address, "/api/health").status, 200);
        assert!(get(&address, "/api/health").text.contains("\"pauta\""));
        assert_eq!(get(&address, "/readyz").status, 503);
        let refused = get(&address, "/api/eventos");
        assert_eq!(refused.status, 503);
        assert!(refused.text.contains("UNAVAILABLE"), "{}", refused.text);
        // During this pause, the service tries several times to connect.
        thread::sleep(Duration::from_millis(1_500));
        serving.terminate();
        serving.wait_for_line("parando");
        assert!(serving.wait_for_exit().success());
        let told = &serving.told;
        assert_eq!(told.matches("espera por ele").count(), 1, "{told}");
        assert!(!told.contains("senhada"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_start_uses_a_server_that_becomes_available_and_fails_at_once_for_a_wrong_password() {
    let app = TestApp::new().await;
    let Some(rest) = app.database_url().strip_prefix("postgres://") else {
        return;
    };
    let (credentials, rest) = rest.split_once('@').expect("credentials");
    let (server, name) = rest.split_once('/').expect("a database");
    let server = if server.contains(':') {
        server.to_owned()
    } else {
        format!("{server}:5432")
    };
    let proxy = Proxy::start(server.clone()).await;
    let url = format!("postgres://{credentials}@{}/{name}", proxy.address);
    proxy.close_connections();
    let directory = tempfile::tempdir().expect("a directory");
    let settings = [("PAUTA_DATABASE_URL", &*url), ("PAUTA_SECRET", SECRET)];
    let mut serving = Serving::start(directory.path(), &settings);
    serving.wait_for_line("o serviço espera por ele");
    proxy.resume_forwarding().await;
    let line = serving.wait_for_line(" no ar ");
    let password = credentials.split_once(':').expect("a password").1;
    assert!(
        line.contains(&format!("PostgreSQL {}/{name}", proxy.address)),
        "{line}"
    );
    assert!(!serving.told.contains(password), "{}", serving.told);
    assert_eq!(get(log_field(&line, "address"), "/readyz").status, 200);
    drop(serving);

    let user = credentials.split_once(':').expect("a user").0;
    let url = format!("postgres://{user}:senhada@{server}/{name}");
    let settings = [
        ("PAUTA_DATABASE_URL", &*url),
        ("PAUTA_SECRET", SECRET),
        ("PAUTA_LISTEN", "127.0.0.1:0"),
    ];
    let output = run_pauta(directory.path(), &settings, &["serve"]);
    let text = output_text(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("o usuário ou a senha foram recusados"),
        "{text}"
    );
    assert!(!text.contains("senhada"), "{text}");
}

#[test]
fn an_invalid_log_filter_is_reported_and_ignored() {
    for filter in ["pauta=loud", "inf", "[[", "warning"] {
        let directory = tempfile::tempdir().expect("a directory");
        let mut serving = Serving::start(directory.path(), &[("RUST_LOG", filter)]);
        let line = serving.wait_for_line("RUST_LOG");
        assert!(line.contains("foi ignorado"), "{filter}: {line}");
        serving.wait_for_line(" no ar ");
        assert_eq!(serving.told.matches("RUST_LOG").count(), 1);
        assert_portuguese(&serving.told);
    }
    let directory = tempfile::tempdir().expect("a directory");
    let mut serving = Serving::start(directory.path(), &[("RUST_LOG", "info,hyper=warn")]);
    serving.wait_for_line(" no ar ");
    assert!(!serving.told.contains("RUST_LOG"), "{}", serving.told);
}

#[test]
fn the_start_logs_the_version_the_database_and_the_migrations() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut first = Serving::start(directory.path(), &[]);
    first.wait_for_line("nova base criada em data/pauta.db");
    let line = first.wait_for_line(" no ar ");
    assert_eq!(
        log_field(&line, "version"),
        format!("\"{}\"", env!("CARGO_PKG_VERSION"))
    );
    assert!(line.contains("database=\"SQLite data/pauta.db\""), "{line}");
    assert_eq!(log_field(&line, "storage"), "data/media");
    let migrations: usize = log_field(&line, "migrations").parse().expect("a number");
    assert!(migrations > 0, "{line}");
    drop(first);
    let mut second = Serving::start(directory.path(), &[]);
    let line = second.wait_for_line(" no ar ");
    assert_eq!(log_field(&line, "migrations"), "0");
    assert!(!second.told.contains("nova base"), "{}", second.told);

    let directory = tempfile::tempdir().expect("a directory");
    for expected in [true, false] {
        let text = output_text(&run_pauta(directory.path(), &[], &["migrate"]));
        assert_eq!(
            text.contains("nova base criada em data/pauta.db"),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_service_that_shuts_down_first_reports_not_ready_and_still_answers() {
    let directory = tempfile::tempdir().expect("a directory");
    let settings = [("PAUTA_DRAIN_TIME", "3")];
    let mut serving = Serving::start(directory.path(), &settings);
    let line = serving.wait_for_line(" no ar ");
    let address = log_field(&line, "address");
    assert_eq!(get(address, "/readyz").status, 200);
    serving.terminate();
    serving.wait_for_line("parando: /readyz");
    assert_eq!(get(address, "/readyz").status, 503);
    assert_eq!(get(address, "/api/health").status, 200);
    assert!(serving.wait_for_exit().success());

    let mut serving = Serving::start(directory.path(), &[("PAUTA_DRAIN_TIME", "0")]);
    serving.wait_for_line(" no ar ");
    serving.terminate();
    serving.wait_for_line("parando: pedidos");
    assert!(serving.wait_for_exit().success());
    let refused = run_pauta(directory.path(), &[("PAUTA_DRAIN_TIME", "61")], &["serve"]);
    assert!(
        output_text(&refused).contains("PAUTA_DRAIN_TIME"),
        "{}",
        output_text(&refused)
    );
}

#[test]
fn doctor_suggests_the_name_of_a_misspelt_setting() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(
        directory.path().join("pauta.toml"),
        "databse_url = \"sqlite://outra.db\"\n",
    )
    .expect("writes");
    let settings = [
        ("PAUTA_PUBLIC_ULR", "https://pauta.exemplo"),
        ("PAUTA_TODO_OUTRO_NOME", "x"),
    ];
    let text = output_text(&run_pauta(directory.path(), &settings, &["doctor"]));
    assert!(
        text.contains("PAUTA_PUBLIC_ULR não é uma variável conhecida; seria PAUTA_PUBLIC_URL?"),
        "{text}"
    );
    assert!(
        text.contains(
            "`databse_url` de pauta.toml não é uma chave conhecida; seria `database_url`?"
        ),
        "{text}"
    );
    assert!(
        text.contains("PAUTA_TODO_OUTRO_NOME não é uma variável conhecida\n"),
        "{text}"
    );
}

#[test]
fn the_start_warns_about_media_that_are_missing_from_the_storage() {
    let directory = tempfile::tempdir().expect("a directory");
    let (demo, folder) = start_demo(directory.path());
    drop(demo);
    fs::remove_dir_all(folder.join("media")).expect("a folder");
    let url = format!("sqlite://{}", folder.join("pauta.db").display());
    let mut serving = Serving::start(directory.path(), &[("PAUTA_DATABASE_URL", &url)]);
    let line = serving.wait_for_line("PAUTA_STORAGE");
    assert!(line.contains("a pasta das mídias está vazia"), "{line}");
    let line = serving.wait_for_line(" no ar ");
    let ready = get(log_field(&line, "address"), "/readyz");
    assert_eq!(ready.status, 503);
    assert!(ready.text.contains("vazia"), "{}", ready.text);
}

#[test]
fn an_invitation_link_has_the_address_of_the_running_service() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut serving = Serving::start(directory.path(), &[]);
    let line = serving.wait_for_line(" no ar ");
    let link = format!("http://{}/convite#", log_field(&line, "address"));
    let email = ["--email", "ana@equipe.test"];
    let create = [&["admin", "create", "--name", "Ana"][..], &email].concat();
    let invite = [&["admin", "invite"][..], &email].concat();
    for command in [create, invite.clone()] {
        let text = output_text(&run_pauta(directory.path(), &[], &command));
        assert!(text.contains(&link), "{text}");
    }
    let settings = [("PAUTA_PUBLIC_URL", "https://pauta.exemplo")];
    let text = output_text(&run_pauta(directory.path(), &settings, &invite));
    assert!(text.contains("https://pauta.exemplo/convite#"), "{text}");
    // If a service has ended, its recorded address is ignored.
    drop(serving);
    let text = output_text(&run_pauta(directory.path(), &[], &invite));
    assert!(text.contains("http://127.0.0.1:8080/convite#"), "{text}");
}
