//! The settings and the sources of their values.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow, bail};

use super::{SETTINGS, nearest_word};

/// The prefix of the standard variables of OpenTelemetry. Other programs on the machine read these
/// variables too, so unknown names with this prefix are not reported as mistakes.
const STANDARD: &str = "OTEL_";

/// Values from variables and from `pauta.toml`; variables take precedence.
#[derive(Debug, Default)]
pub struct Sources {
    variables: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
}

impl Sources {
    /// Reads the environment and `pauta.toml` of the working directory.
    pub fn read_settings() -> Result<Self> {
        let file = match std::fs::read_to_string("pauta.toml") {
            Ok(text) => parse_file(&text).context("pauta.toml não pôde ser lido")?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).context("pauta.toml não pôde ser aberto"),
        };
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("PAUTA_") || name.starts_with(STANDARD))
            .collect();
        Ok(Self { variables, file })
    }

    /// Builds the sources of a test or of the demo.
    #[must_use]
    pub fn from_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let variables = pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        Self {
            variables,
            file: BTreeMap::new(),
        }
    }

    /// Sets a value from a flag, which takes precedence over all others.
    pub fn set(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value {
            self.variables.insert(name.to_owned(), value);
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .or_else(|| self.file.get(name))
            .map(String::as_str)
    }

    /// Names found in the environment or in the configuration file that are not settings.
    #[must_use]
    pub fn unknown_names(&self) -> Vec<Mistyped> {
        let variables = self.variables.keys().filter(|name| !is_setting(name));
        let variables = variables.map(|name| Mistyped {
            written: format!("{name} não é uma variável conhecida"),
            meant: suggest_setting(name).map(str::to_owned),
        });
        let keys = self.file.keys().filter(|name| !is_setting(name));
        let keys = keys.map(|name| Mistyped {
            written: format!(
                "`{}` de pauta.toml não é uma chave conhecida",
                file_key(name)
            ),
            meant: suggest_setting(name).map(|meant| format!("`{}`", file_key(meant))),
        });
        variables.chain(keys).collect()
    }
}

fn is_setting(name: &str) -> bool {
    name.starts_with(STANDARD)
        || SETTINGS.iter().any(|(setting, _)| *setting == name)
        || name.starts_with("PAUTA_TEST_")
}

fn suggest_setting(name: &str) -> Option<&'static str> {
    nearest_word(name, SETTINGS.iter().map(|(setting, _)| *setting))
}

/// Returns the key of a setting in `pauta.toml`.
fn file_key(name: &str) -> String {
    name.trim_start_matches("PAUTA_").to_lowercase()
}

/// A name that is not a setting, with a suggestion.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistyped {
    /// The beginning of the message: the unknown name and where it was found.
    pub written: String,
    /// The most similar setting, as the operator would write it.
    pub meant: Option<String>,
}

impl std::fmt::Display for Mistyped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { written, meant } = self;
        match meant {
            Some(meant) => write!(f, "{written}; seria {meant}?"),
            None => f.write_str(written),
        }
    }
}

fn parse_file(text: &str) -> Result<BTreeMap<String, String>> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().lines().count().max(1);
        anyhow!("a linha {line} não é TOML; cada uma deve ser como listen = \"127.0.0.1:8080\"")
    })?;
    table
        .into_iter()
        .map(|(key, value)| {
            let name = format!("PAUTA_{}", key.to_uppercase());
            match value {
                toml::Value::String(text) => Ok((name, text)),
                toml::Value::Integer(number) => Ok((name, number.to_string())),
                toml::Value::Boolean(flag) => Ok((name, flag.to_string())),
                _ => bail!("`{key}` deve ser texto"),
            }
        })
        .collect()
}
