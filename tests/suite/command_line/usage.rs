//! Invalid arguments, and help.

use super::{assert_portuguese, output_text, run_pauta};

#[test]
fn wrong_arguments_are_refused_in_portuguese_with_a_suggestion() {
    let directory = tempfile::tempdir().expect("a directory");
    for (arguments, expected) in [
        (
            &["serv"][..],
            "o comando `serv` não existe; você quis dizer `serve`?",
        ),
        (&["admin", "creat"], "você quis dizer `create`?"),
        (
            &["serve", "--listn", "x"],
            "`--listn` não existe aqui; você quis dizer `--listen`?",
        ),
        (&["serve", "x"], "o argumento `x` não existe aqui"),
        (&["-x"], "o argumento `-x` não existe aqui"),
        (
            &["serve", "--listen"],
            "falta o valor de `--listen <ENDEREÇO>`",
        ),
        (
            &["serve", "--listen", "a", "--listen", "b"],
            "só pode vir uma vez",
        ),
        (&["artifacts", "--check=3"], "não recebe o valor `3`"),
        (
            &["admin", "create"],
            "falta informar --name <NOME>, --email <E-MAIL>",
        ),
        (&["knowledge", "add"], "falta informar <ARQUIVO>"),
        (
            &["token", "create", "--email", "a@b.test", "--days", "x"],
            "o valor `x` não serve para `--days <DIAS>`; informe um número inteiro",
        ),
        (
            &["import", "crm", "--encoding", "x", "a.csv"],
            "o valor `x` não serve para `--encoding <NOME>`; os valores são utf8, latin1",
        ),
    ] {
        let output = run_pauta(directory.path(), &[], arguments);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(output.stdout.is_empty(), "{arguments:?}: {text}");
        assert!(text.contains(expected), "{arguments:?}: {text}");
        assert!(text.contains("--help"), "{arguments:?}: {text}");
        assert_portuguese(&text);
    }
}

#[test]
fn help_is_in_portuguese_for_every_command() {
    let directory = tempfile::tempdir().expect("a directory");
    for command in [
        &[][..],
        &["serve"],
        &["demo"],
        &["migrate"],
        &["admin"],
        &["admin", "create"],
        &["admin", "invite"],
        &["admin", "password"],
        &["token"],
        &["token", "create"],
        &["knowledge"],
        &["knowledge", "add"],
        &["knowledge", "list"],
        &["knowledge", "remove"],
        &["artifacts"],
        &["backup"],
        &["restore"],
        &["move"],
        &["doctor"],
        &["ready"],
    ] {
        let arguments = [command, &["--help"]].concat();
        let output = run_pauta(directory.path(), &[], &arguments);
        let text = output_text(&output);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {text}");
        assert!(
            text.contains("Uso: pauta") && text.contains("Opções:"),
            "{text}"
        );
        let positional = text.contains("\n  <");
        assert_eq!(positional, text.contains("Argumentos:"), "{text}");
        assert_portuguese(&text);
    }
    let version = run_pauta(directory.path(), &[], &["--version"]);
    let expected = format!("pauta {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(output_text(&version), expected);
}
