//! Reads published skills, for resources, prompts and the skills extension.
//!
//! They are read by calling the operation `list_skills`, so that guard, narrowing and audit apply.

use std::borrow::Cow;

use domain::Version;
use gateway::{Code, Input, Operation, Registered};
use rmcp::ErrorData;
use serde::Deserialize;
use serde_json::Value;
use tools::skills::ListSkills;

use super::caller::Caller;
use crate::artifacts::yaml;

pub(super) const SCHEME: &str = "skill://";
const FILE: &str = "/SKILL.md";

/// The used fields of a skill.
#[derive(Deserialize)]
pub(super) struct Skill {
    pub name: String,
    pub version: Version,
    pub description: String,
    #[serde(default)]
    pub content: String,
}

#[derive(Default, Deserialize)]
pub(super) struct Skills {
    pub skills: Vec<Skill>,
    pub next_cursor: Option<String>,
}

/// Whether a page of skills includes their contents.
pub(super) enum Contents {
    None,
    /// With contents, and at most this many skills.
    Whole(u64),
}

/// Reads a page of skills.
pub(super) async fn read_skill_page(
    caller: &Caller<'_>,
    cursor: Option<String>,
    contents: Contents,
) -> Result<Skills, ErrorData> {
    let mut input = Input::new();
    match contents {
        Contents::None => input.insert("conteudo".into(), false.into()),
        Contents::Whole(most) => input.insert("limit".into(), most.into()),
    };
    if let Some(cursor) = cursor {
        if !can_list_skills(caller) {
            return Err(invalid_cursor());
        }
        input.insert("cursor".into(), cursor.into());
    }
    call_list_skills(caller, input).await
}

/// Reads the current version of a skill; `None` if there is no such skill.
pub(super) async fn read_skill(
    caller: &Caller<'_>,
    name: &str,
) -> Result<Option<Skill>, ErrorData> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if name.len() > 64 || !name.bytes().all(plain) || name.is_empty() {
        return Ok(None);
    }
    let mut input = Input::new();
    input.insert("name".into(), name.into());
    input.insert("limit".into(), 1.into());
    Ok(call_list_skills(caller, input).await?.skills.pop())
}

fn list_skills_operation<'c>(caller: &Caller<'c>) -> Option<&'c Registered> {
    caller.app.gateway.registry.find(ListSkills::SPEC.name)
}

pub(super) fn can_list_skills(caller: &Caller<'_>) -> bool {
    list_skills_operation(caller).is_some_and(|operation| caller.can_see(operation))
}

async fn call_list_skills(caller: &Caller<'_>, input: Input) -> Result<Skills, ErrorData> {
    let Some(operation) = list_skills_operation(caller).filter(|o| caller.can_see(o)) else {
        return Ok(Skills::default());
    };
    let origin = caller.origin();
    let input = async { Ok(input) };
    let gateway = &caller.app.gateway;
    let answer = gateway
        .invoke(operation, Some(caller.principal), &origin, input)
        .await;
    let answer = answer.map_err(|error| match error.code {
        Code::INVALID_INPUT => invalid_cursor(),
        _ => ErrorData::internal_error(error.to_string(), None),
    })?;
    let body = answer.body.into_json_text();
    let body = body.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    serde_json::from_str(&body).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

pub(super) fn invalid_cursor() -> ErrorData {
    let message: Cow<'static, str> = "O cursor não é um que esta lista devolveu.".into();
    ErrorData::invalid_params(message, None)
}

/// Returns the URI of a skill's `SKILL.md`.
pub(super) fn skill_uri(name: &str) -> String {
    format!("{SCHEME}{name}{FILE}")
}

/// Returns the skill name in a URI of a `SKILL.md`.
pub(super) fn name_in_uri(uri: &str) -> Option<&str> {
    uri.strip_prefix(SCHEME)?.strip_suffix(FILE)
}

/// Returns the `SKILL.md` of a skill: generated frontmatter, then the content without its own
/// frontmatter.
pub(super) fn skill_file(skill: &Skill) -> String {
    let text = |text: &str| yaml::to_yaml(&Value::from(text));
    format!(
        "---\nname: {}description: {}metadata:\n  version: {}---\n\n{}",
        text(&skill.name),
        text(&skill.description),
        text(&skill.version.to_string()),
        without_frontmatter(&skill.content)
    )
}

/// Returns the content without its frontmatter.
fn without_frontmatter(content: &str) -> &str {
    let mut rest = content;
    let mut line = || {
        let (line, after) = rest.split_once('\n')?;
        rest = after;
        Some(line.trim_end() == "---")
    };
    if line() != Some(true) {
        return content;
    }
    loop {
        match line() {
            Some(true) => return rest.trim_start_matches(['\r', '\n']),
            Some(false) => {}
            None => return content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_complete_frontmatter_at_the_beginning_is_removed() {
        for (content, expected) in [
            ("# T", "# T"),
            ("---\nname: x\n---\n\n# T\n", "# T\n"),
            ("---\r\nname: x\r\n---\r\n# T", "# T"),
            ("---\n# T", "---\n# T"),
            ("# T\n---\nx\n---\n", "# T\n---\nx\n---\n"),
            ("---", "---"),
            ("", ""),
        ] {
            assert_eq!(without_frontmatter(content), expected, "{content:?}");
        }
    }
}
