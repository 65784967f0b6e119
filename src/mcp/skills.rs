//! The extension `io.modelcontextprotocol/skills`: each published skill as a folder with one file,
//! its `SKILL.md`, and the digest of that file.

use gateway::offload;
use rmcp::{
    ErrorData,
    model::{
        GetSkillRequestParams, GetSkillResult, ListSkillsResult, PaginatedRequestParams,
        Skill as Entry, SkillFrontmatter, SkillResource, SkillResources,
    },
};
use serde_json::{Value, json};

use super::{
    caller::Caller,
    library::{self, Contents, SCHEME, Skill},
};
use crate::artifacts::yaml;

const FILE: &str = "/SKILL.md";
/// Skills of one page: the digest of each is computed from its whole text.
const PAGE: u64 = 50;

pub(super) async fn list(
    caller: &Caller<'_>,
    page: Option<PaginatedRequestParams>,
) -> Result<ListSkillsResult, ErrorData> {
    let cursor = page.and_then(|page| page.cursor);
    let found = library::page_of(caller, cursor, Contents::Whole(PAGE)).await?;
    let entries = offload(move || {
        let served = found.skills.iter().filter(|skill| is_served(&skill.name));
        served.map(entry).collect()
    });
    let entries = entries
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let mut list = ListSkillsResult::with_all_items(entries);
    list.next_cursor = found.next_cursor;
    caller.hold(&mut list.ttl_ms, &mut list.cache_scope);
    Ok(list)
}

pub(super) async fn get(
    caller: &Caller<'_>,
    asked: GetSkillRequestParams,
) -> Result<GetSkillResult, ErrorData> {
    let name = named(&asked.uri).filter(|name| is_served(name));
    let found = match name {
        Some(name) => library::skill(caller, name).await?,
        None => None,
    };
    let skill = found.ok_or_else(|| {
        let uri: String = asked.uri.chars().take(200).collect();
        let message = "Skill desconhecida. Consulte skills/list.";
        ErrorData::invalid_params(message, Some(json!({ "uri": uri })))
    })?;
    let mut got = GetSkillResult::new(entry(&skill));
    caller.hold(&mut got.ttl_ms, &mut got.cache_scope);
    Ok(got)
}

/// The address of a skill's `SKILL.md`.
pub(super) fn address(name: &str) -> String {
    format!("{SCHEME}{name}{FILE}")
}

/// The name of the skill whose `SKILL.md` has this address.
pub(super) fn named(uri: &str) -> Option<&str> {
    uri.strip_prefix(SCHEME)?.strip_suffix(FILE)
}

/// The `SKILL.md` of a skill: its fields as frontmatter, and its text without a frontmatter of its own.
pub(super) fn file(skill: &Skill) -> String {
    let text = |text: &str| yaml::text(&Value::from(text));
    format!(
        "---\nname: {}description: {}metadata:\n  version: {}---\n\n{}",
        text(&skill.name),
        text(&skill.description),
        text(&skill.version.to_string()),
        body(&skill.content)
    )
}

fn entry(skill: &Skill) -> Entry {
    let uri = address(&skill.name);
    let frontmatter = SkillFrontmatter::new(&skill.name, &skill.description)
        .with_field("metadata", json!({ "version": skill.version.to_string() }));
    let file = SkillResource::from_bytes(uri.clone(), file(skill).as_bytes());
    Entry::new(uri, frontmatter, SkillResources::Files(vec![file]))
}

/// Whether a name is one that the Agent Skills specification allows: hyphens only between other
/// characters, and one at a time.
fn is_served(name: &str) -> bool {
    !name.split('-').any(str::is_empty)
}

/// The text without the frontmatter that it begins with, if it has one.
fn body(content: &str) -> &str {
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
    fn only_a_whole_frontmatter_at_the_beginning_is_left_out() {
        for (content, expected) in [
            ("# T", "# T"),
            ("---\nname: x\n---\n\n# T\n", "# T\n"),
            ("---\r\nname: x\r\n---\r\n# T", "# T"),
            ("---\n# T", "---\n# T"),
            ("# T\n---\nx\n---\n", "# T\n---\nx\n---\n"),
            ("---", "---"),
            ("", ""),
        ] {
            assert_eq!(body(content), expected, "{content:?}");
        }
    }

    #[test]
    fn names_with_a_lone_hyphen_are_no_skill_names() {
        for (name, expected) in [
            ("a-b-1", true),
            ("-a", false),
            ("a-", false),
            ("a--b", false),
        ] {
            assert_eq!(is_served(name), expected, "{name}");
        }
    }
}
