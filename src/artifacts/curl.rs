//! Examples as curl commands.

use std::fmt::Write;

use gateway::{Access, Registered};
use serde_json::Value;

use super::examples::Example;

/// Renders an example as a curl command. The command takes its URL from `PAUTA_URL`, and its credential
/// from the variable for the operation: `PAUTA_TOKEN`, `PAUTA_SESSION`, `PAUTA_GUEST` or
/// `PAUTA_GUEST_WITH_CODE`.
pub(super) fn curl_command(operation: &Registered, example: &Example) -> String {
    let spec = &operation.spec;
    let mut line = format!(
        "curl -sS --fail-with-body -X {} \"$PAUTA_URL{}\"",
        spec.verb,
        example.request_path(operation)
    );
    if let Access::SharedSecret(secret) = spec.access
        && secret.or.is_none()
    {
        let (header, setting) = (secret.header, secret.setting);
        let _ = write!(line, " \\\n  -H \"{header}: ${setting}\"");
    } else if !spec.access.is_public() {
        let variable = match spec.access {
            Access::Guest(Some(_)) => "PAUTA_GUEST",
            Access::Guest(None) => "PAUTA_GUEST_WITH_CODE",
            access if access.requires_session() => "PAUTA_SESSION",
            _ => "PAUTA_TOKEN",
        };
        let _ = write!(line, " \\\n  -H \"Authorization: Bearer ${variable}\"");
    }
    match (spec.file_field(), example.body_fields(operation)) {
        (Some(file), Some(fields)) => {
            for (name, value) in &fields {
                let value = value.as_str().unwrap_or_default();
                let at = if name == file.name { "@" } else { "" };
                let _ = write!(
                    line,
                    " \\\n  -F {}",
                    shell_quote(&format!("{name}={at}{value}"))
                );
            }
        }
        (None, Some(fields)) => {
            let body = Value::Object(fields).to_string();
            let _ = write!(
                line,
                " \\\n  -H \"Content-Type: application/json\" \\\n  -d {}",
                shell_quote(&body)
            );
        }
        (_, None) => {}
    }
    line
}

/// Quotes a text as one shell argument.
pub(super) fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
