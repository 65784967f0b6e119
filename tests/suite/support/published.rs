/// The fields whose tools publish another name than REST, each with that name.
pub const PUBLISHED_NAMES: [(&str, &str); 9] = [
    ("eventId", "event_id"),
    ("mediaIds", "media_ids"),
    ("projectId", "project_id"),
    ("projetoId", "project_id"),
    ("projeto_id", "project_id"),
    ("remarkId", "remark_id"),
    ("templateId", "template_id"),
    ("uploadId", "upload_id"),
    ("webhookId", "webhook_id"),
];

/// The name that tools publish for a field of REST.
pub fn published_name(field: &str) -> &str {
    let found = PUBLISHED_NAMES.iter().find(|(name, _)| *name == field);
    found.map_or(field, |(_, published)| published)
}
