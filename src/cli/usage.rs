//! Help and usage errors of the command line, in Portuguese.

use std::{io::Write, process::ExitCode};

use clap::error::{ContextKind, ErrorKind};

/// Prints the requested help or the error in the arguments.
pub(super) fn print_and_exit(error: &clap::Error) -> ExitCode {
    let text = translate_error(error);
    // A closed pipe is ignored.
    let _ = if error.use_stderr() {
        std::io::stderr().write_all(text.as_bytes())
    } else {
        std::io::stdout().write_all(text.as_bytes())
    };
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn translate_error(error: &clap::Error) -> String {
    let context_text = |kind| error.get(kind).map(ToString::to_string);
    let argument = context_text(ContextKind::InvalidArg).unwrap_or_default();
    let value = context_text(ContextKind::InvalidValue).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::DisplayVersion => {
            return translate_generated_text(&error.render().to_string());
        }
        ErrorKind::MissingRequiredArgument => format!("falta informar {argument}"),
        ErrorKind::MissingSubcommand => "falta dizer o comando".into(),
        ErrorKind::UnknownArgument => format!("o argumento `{argument}` não existe aqui"),
        ErrorKind::InvalidSubcommand => {
            let command = context_text(ContextKind::InvalidSubcommand).unwrap_or_default();
            format!("o comando `{command}` não existe")
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("falta o valor de `{argument}`"),
        ErrorKind::InvalidValue if error.get(ContextKind::ValidValue).is_some() => {
            let valid = context_text(ContextKind::ValidValue).unwrap_or_default();
            format!("o valor `{value}` não serve para `{argument}`; os valores são {valid}")
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            format!("o valor `{value}` não serve para `{argument}`; informe um número inteiro")
        }
        ErrorKind::ArgumentConflict
            if context_text(ContextKind::PriorArg).as_ref() == Some(&argument) =>
        {
            format!("o argumento `{argument}` só pode vir uma vez")
        }
        ErrorKind::TooManyValues => {
            format!("o argumento `{argument}` não recebe o valor `{value}`")
        }
        ErrorKind::InvalidUtf8 => "um dos argumentos não é texto em UTF-8".into(),
        _ => "os argumentos não fazem sentido juntos".into(),
    };
    let meant = context_text(ContextKind::SuggestedSubcommand)
        .or_else(|| context_text(ContextKind::SuggestedArg));
    let meant = meant.map_or_else(String::new, |name| format!("; você quis dizer `{name}`?"));
    let usage =
        context_text(ContextKind::Usage).map_or_else(String::new, |usage| format!("\n\n{usage}"));
    translate_generated_text(&format!(
        "pauta: {what}{meant}{usage}\n\nPara saber mais, acrescente `--help`.\n"
    ))
}

/// Translates the texts that the argument parser generates.
fn translate_generated_text(text: &str) -> String {
    text.replace("Usage:", "Uso:")
        .replace("[OPTIONS]", "[OPÇÕES]")
        .replace("[default: ", "[padrão: ")
        .replace("[possible values: ", "[valores: ")
}
