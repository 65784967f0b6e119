//! Serves published skills as resources and prompts, and the guide as a resource.
//!
//! A caller who may not call `list_skills` sees no skills here, and gets the same response for
//! existing and unknown skills.

use gateway::{Encoding, offload};
use rmcp::{
    ErrorData,
    model::{
        GetPromptRequestParams, GetPromptResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, PaginatedRequestParams, Prompt, PromptArgument, PromptMessage,
        ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role,
    },
};
use serde_json::{Value, json};
use tools::artifacts::Renderer;

use super::{
    apps,
    caller::Caller,
    published::{
        self, Contents, SCHEME, can_list_skills, invalid_cursor, read_skill, read_skill_page,
    },
};

const MARKDOWN: &str = "text/markdown";
const GUIDE: &str = "pauta://guia";
const GUIDE_FILE: &str = "llms-full.txt";
/// The argument of every prompt.
const REQUEST: &str = "pedido";

pub(super) async fn list_resources(
    caller: &Caller<'_>,
    page: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let cursor = page.and_then(|page| page.cursor);
    let mut resources = vec![];
    if cursor.is_none() {
        let guide = Resource::new(GUIDE, GUIDE_FILE)
            .with_title("Guia da Pauta")
            .with_description("Fluxos, estados, permissões, erros e cada operação, com exemplos.")
            .with_mime_type(MARKDOWN);
        resources.push(guide);
        resources.extend(apps::list_views(caller));
    }
    let found = read_skill_page(caller, cursor, Contents::None).await?;
    resources.extend(found.skills.into_iter().map(|skill| {
        Resource::new(published::skill_uri(&skill.name), skill.name)
            .with_description(skill.description)
            .with_mime_type(MARKDOWN)
    }));
    let mut list = ListResourcesResult::with_all_items(resources);
    list.next_cursor = found.next_cursor;
    caller.set_cache(&mut list.ttl_ms, &mut list.cache_scope);
    Ok(list)
}

pub(super) fn list_resource_templates(
    caller: &Caller<'_>,
    page: Option<PaginatedRequestParams>,
) -> Result<ListResourceTemplatesResult, ErrorData> {
    reject_cursor(page.as_ref())?;
    let template = ResourceTemplate::new(published::skill_uri("{name}"), "skill")
        .with_title("Skill da equipe")
        .with_description("O texto de uma skill publicada, na versão atual.")
        .with_mime_type(MARKDOWN);
    let shown = can_list_skills(caller).then_some(template);
    let mut list = ListResourceTemplatesResult::with_all_items(shown.into_iter().collect());
    caller.set_cache(&mut list.ttl_ms, &mut list.cache_scope);
    Ok(list)
}

pub(super) async fn read_resource(
    caller: &Caller<'_>,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    if uri.starts_with(apps::SCHEME)
        && let Some(mut read) = apps::read_view(caller, uri).await?
    {
        caller.set_cache(&mut read.ttl_ms, &mut read.cache_scope);
        return Ok(read);
    }
    let text = if uri == GUIDE {
        render_guide(caller).await
    } else if let Some(name) = published::name_in_uri(uri) {
        read_skill(caller, name)
            .await?
            .map(|skill| published::skill_file(&skill))
    } else if let Some(name) = uri.strip_prefix(SCHEME) {
        read_skill(caller, name).await?.map(|skill| skill.content)
    } else {
        None
    };
    let text = text.ok_or_else(|| {
        let uri: String = uri.chars().take(200).collect();
        let message = "Recurso desconhecido. Consulte resources/list.";
        ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
    })?;
    let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
    let mut read = ReadResourceResult::new(vec![contents]);
    caller.set_cache(&mut read.ttl_ms, &mut read.cache_scope);
    Ok(read)
}

pub(super) async fn list_prompts(
    caller: &Caller<'_>,
    page: Option<PaginatedRequestParams>,
) -> Result<ListPromptsResult, ErrorData> {
    let found = read_skill_page(caller, page.and_then(|page| page.cursor), Contents::None).await?;
    let prompts = found.skills.into_iter().map(|skill| {
        let request = PromptArgument::new(REQUEST)
            .with_description("O que fazer com esta skill agora.")
            .with_required(false);
        Prompt::new(skill.name, Some(skill.description), Some(vec![request]))
    });
    let mut list = ListPromptsResult::with_all_items(prompts.collect());
    list.next_cursor = found.next_cursor;
    caller.set_cache(&mut list.ttl_ms, &mut list.cache_scope);
    Ok(list)
}

pub(super) async fn get_prompt(
    caller: &Caller<'_>,
    asked: GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    let found = read_skill(caller, &asked.name).await?;
    let skill = found.ok_or_else(|| {
        let name: String = asked.name.chars().take(64).collect();
        let message = format!("Prompt desconhecido: {name}. Consulte prompts/list.");
        ErrorData::invalid_params(message, None)
    })?;
    let mut messages = vec![PromptMessage::new_text(Role::User, skill.content)];
    for (name, value) in asked.arguments.unwrap_or_default() {
        match (name.as_str(), value) {
            (REQUEST, Value::String(text)) => {
                messages.push(PromptMessage::new_text(Role::User, text));
            }
            _ => {
                let message = format!("O único argumento é `{REQUEST}`, um texto.");
                return Err(ErrorData::invalid_params(message, None));
            }
        }
    }
    Ok(GetPromptResult::new(messages).with_description(skill.description))
}

/// Renders the public guide. The first request renders it on a blocking thread.
async fn render_guide(caller: &Caller<'_>) -> Option<String> {
    let gateway = caller.app.gateway.clone();
    let rendered = offload(move || {
        let documents = gateway.services.parts.get::<Renderer>();
        documents.find(GUIDE_FILE)
    });
    let document = rendered.await.ok()??;
    String::from_utf8(document.encoded_content(Encoding::Identity).to_vec()).ok()
}

/// Rejects any cursor, because a list with a single page never returns one.
pub(super) fn reject_cursor(page: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor.as_ref()) {
        None => Ok(()),
        Some(_) => Err(invalid_cursor()),
    }
}
