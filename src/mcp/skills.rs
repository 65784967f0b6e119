//! The extension `io.modelcontextprotocol/skills`: each published skill is a folder with one file,
//! its `SKILL.md`, and the digest of that file.

use gateway::offload;
use rmcp::{
    ErrorData,
    model::{
        GetSkillRequestParams, GetSkillResult, ListSkillsResult, PaginatedRequestParams,
        Skill as Entry, SkillFrontmatter, SkillResource, SkillResources,
    },
};
use serde_json::json;

use super::{
    caller::Caller,
    published::{self, Contents, Skill, name_in_uri, skill_file, skill_uri},
};

/// Skills per page; the digest of each one is computed from its complete text.
const PAGE: u64 = 50;

pub(super) async fn list_skills(
    caller: &Caller<'_>,
    page: Option<PaginatedRequestParams>,
) -> Result<ListSkillsResult, ErrorData> {
    let cursor = page.and_then(|page| page.cursor);
    let found = published::read_skill_page(caller, cursor, Contents::Whole(PAGE)).await?;
    let entries = offload(move || {
        let served = found
            .skills
            .iter()
            .filter(|skill| is_valid_name(&skill.name));
        served.map(skill_entry).collect()
    });
    let entries = entries
        .await
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let mut list = ListSkillsResult::with_all_items(entries);
    list.next_cursor = found.next_cursor;
    caller.set_cache(&mut list.ttl_ms, &mut list.cache_scope);
    Ok(list)
}

pub(super) async fn get_skill(
    caller: &Caller<'_>,
    asked: GetSkillRequestParams,
) -> Result<GetSkillResult, ErrorData> {
    let name = name_in_uri(&asked.uri).filter(|name| is_valid_name(name));
    let found = match name {
        Some(name) => published::read_skill(caller, name).await?,
        None => None,
    };
    let skill = found.ok_or_else(|| {
        let uri: String = asked.uri.chars().take(200).collect();
        let message = "Skill desconhecida. Consulte skills/list.";
        ErrorData::invalid_params(message, Some(json!({ "uri": uri })))
    })?;
    let mut got = GetSkillResult::new(skill_entry(&skill));
    caller.set_cache(&mut got.ttl_ms, &mut got.cache_scope);
    Ok(got)
}

fn skill_entry(skill: &Skill) -> Entry {
    let uri = skill_uri(&skill.name);
    let frontmatter = SkillFrontmatter::new(&skill.name, &skill.description)
        .with_field("metadata", json!({ "version": skill.version.to_string() }));
    let file = SkillResource::from_bytes(uri.clone(), skill_file(skill).as_bytes());
    Entry::new(uri, frontmatter, SkillResources::Files(vec![file]))
}

/// Whether the Agent Skills specification allows the name: no hyphen at the start or end, and no
/// two in a row.
fn is_valid_name(name: &str) -> bool {
    !name.split('-').any(str::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_in_skill_names_are_allowed_only_between_words() {
        for (name, expected) in [
            ("a-b-1", true),
            ("-a", false),
            ("a-", false),
            ("a--b", false),
        ] {
            assert_eq!(is_valid_name(name), expected, "{name}");
        }
    }
}
