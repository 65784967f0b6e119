//! The messages and refusals of `serve` at startup.

#![cfg(unix)]

use super::{assert_portuguese, files::start_command, output_text, run_pauta};

#[test]
fn a_second_service_on_one_sqlite_file_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let first = start_command(directory.path(), &serve, "no ar");
    for command in [&serve[..], &["move", "--to", "postgres://u@127.0.0.1:1/b"]] {
        let output = run_pauta(directory.path(), &[], command);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            text.contains("outro `pauta serve` já usa data/pauta.db"),
            "{text}"
        );
        assert_portuguese(&text);
    }
    // Other commands may run beside the service. A killed service leaves no lock.
    assert!(
        run_pauta(directory.path(), &[], &["knowledge", "list"])
            .status
            .success()
    );
    drop(first);
    let _second = start_command(directory.path(), &serve, "no ar");
}

#[test]
fn the_exit_code_of_ready_says_whether_the_service_is_ready() {
    let directory = tempfile::tempdir().expect("a directory");
    let free = std::net::TcpListener::bind("0.0.0.0:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let listen = format!("0.0.0.0:{port}");
    // An image may have no certificates, so the command must work without them.
    let settings = [
        ("PAUTA_LISTEN", &*listen),
        ("SSL_CERT_FILE", "nenhum.pem"),
        ("SSL_CERT_DIR", "nenhum"),
    ];
    let ready = || run_pauta(directory.path(), &settings, &["ready"]);
    let away = ready();
    let text = output_text(&away);
    assert_eq!(away.status.code(), Some(1), "{text}");
    assert!(text.contains("não responde em 127.0.0.1"), "{text}");
    assert_portuguese(&text);
    let _running = start_command(directory.path(), &["serve", "--listen", &listen], "no ar");
    let there = ready();
    assert!(there.status.success(), "{}", output_text(&there));
    assert!(
        output_text(&there).contains("pode atender"),
        "{}",
        output_text(&there)
    );
}

#[test]
fn listening_on_all_interfaces_without_a_public_url_causes_a_warning() {
    let directory = tempfile::tempdir().expect("a directory");
    let everywhere = ["serve", "--listen", "0.0.0.0:0"];
    let _running = start_command(directory.path(), &everywhere, "defina PAUTA_PUBLIC_URL");
}

#[test]
fn an_empty_team_gets_instructions_at_the_start() {
    let directory = tempfile::tempdir().expect("a directory");
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let _running = start_command(
        directory.path(),
        &serve,
        "até haver um admin ou este processo terminar: ",
    );
}
